//! Reads of one branch: `kb_query`, `kb_status`, `kb_find_gaps`, `kb_coverage`, `kb_graph`,
//! `kb_matrix`, `kb_impact`, `kb_suspect`.

use cairn_access::Principal;
use cairn_kb::report;
use cairn_kb::tools::{
    CoverageInput, CoverageOutput, EntityJson, FindGapsInput, FindGapsOutput, GraphInput, GraphOutput,
    ImpactInput, ImpactOutput, MatrixInput, MatrixOutput, QueryInput, QueryOutput, StatusOutput,
    SuspectInput, SuspectOutput,
};

use super::KbTarget;
use super::state::read_entities;
use crate::{Engine, EngineError};

impl Engine {
    /// Returns entities by type, id, tags and source, ordered by type and id.
    pub fn kb_query(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &QueryInput,
    ) -> Result<QueryOutput, EngineError> {
        self.kb_read(principal, target, |state, view| {
            let (keys, count) = report::query(&state.branch, input)?;
            let entities = read_entities(view, &state.schema, &state.wanted(&keys))?;
            Ok(QueryOutput { entities: entities.iter().map(EntityJson::from).collect(), count })
        })
    }

    /// Returns branch, snapshot and freshness.
    pub fn kb_status(&self, principal: &Principal, target: &KbTarget) -> Result<StatusOutput, EngineError> {
        self.kb_read(principal, target, |state, _| Ok(state.status()))
    }

    /// Returns entities by missing and present relationships.
    pub fn kb_find_gaps(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &FindGapsInput,
    ) -> Result<FindGapsOutput, EngineError> {
        self.kb_read(principal, target, |state, _| {
            Ok(report::find_gaps(&state.branch, input, state.status())?)
        })
    }

    /// Returns a coverage report.
    pub fn kb_coverage(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &CoverageInput,
    ) -> Result<CoverageOutput, EngineError> {
        self.kb_read(principal, target, |state, _| {
            Ok(report::coverage(&state.branch, input, state.status())?)
        })
    }

    /// Walks relationships from seeds.
    pub fn kb_graph(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &GraphInput,
    ) -> Result<GraphOutput, EngineError> {
        self.kb_read(principal, target, |state, _| Ok(report::graph(&state.branch, input, state.status())?))
    }

    /// Returns a traceability matrix.
    pub fn kb_matrix(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &MatrixInput,
    ) -> Result<MatrixOutput, EngineError> {
        self.kb_read(principal, target, |state, _| Ok(report::matrix(&state.branch, input, state.status())?))
    }

    /// Returns the entities that a change reaches, both ways.
    pub fn kb_impact(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &ImpactInput,
    ) -> Result<ImpactOutput, EngineError> {
        self.kb_read(principal, target, |state, _| Ok(report::impact(&state.branch, input, state.status())?))
    }

    /// Returns links whose ends changed after they were made.
    pub fn kb_suspect(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &SuspectInput,
    ) -> Result<SuspectOutput, EngineError> {
        self.kb_read(principal, target, |state, _| Ok(report::suspect(&state.branch, input, state.status())?))
    }
}
