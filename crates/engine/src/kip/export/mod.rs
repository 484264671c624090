//! Export: the graph of a space, or a part of it, as what an import takes.
//!
//! Types come first, then predicates, other concepts and links, each by number. The ends of a link have lower
//! numbers than what came later, so that links about links come behind these. Each page is read from a
//! snapshot of its own. What got its number after the export began is left out, so whatever is written refers
//! only to what stands before it, however much changes meanwhile.

mod blocks;
mod chosen;
mod ends;
mod walk;

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use cairn_access::{Action, Principal, Resource};
use cairn_base::{Position, SpaceId, TenantId};
use cairn_graph::{ConceptId, FirstContent, LinkId, Meta, View};
use cairn_seam::StoreError;

use self::chosen::Chosen;
use super::KipForm;
use crate::{Act, Engine, EngineError};

/// What to export.
#[derive(Debug, Clone)]
pub struct KipExportOptions {
    /// The space; the memory if absent.
    pub space: Option<String>,
    /// As what.
    pub form: KipForm,
    /// Only a part; everything if absent.
    pub selection: Option<KipSelection>,
}

/// A part of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KipSelection {
    /// What stands between the braces of a WHERE.
    pub pattern: String,
    /// Variables of it, with or without their question marks: what they are bound to is exported, and all
    /// that this needs: ends of links, types and predicates.
    pub variables: Vec<String>,
}

/// An export under way. It holds no snapshot between two pages.
pub struct KipExport {
    tenant: TenantId,
    space: SpaceId,
    form: KipForm,
    phase: Phase,
    /// The last numbers when it began.
    last: (ConceptId, LinkId),
    chosen: Option<Chosen>,
    /// Names of types and predicates, which stay what they are.
    names: HashMap<u64, Arc<str>>,
    first: FirstContent,
    elements: u64,
}

/// Concepts and links up to these are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Collect,
    Definitions(Meta, Option<ConceptId>),
    Concepts(Option<ConceptId>),
    Links(Option<LinkId>),
    Done,
}

impl KipExport {
    /// Whether everything was given out.
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    /// Elements that were given out.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// How many numbers were passed, and how many there are: about how far it is.
    pub fn progress(&self) -> (u64, u64) {
        let (concepts, links) = (self.last.0.0, self.last.1.0);
        let done = match self.phase {
            Phase::Collect | Phase::Definitions(..) => 0,
            Phase::Concepts(at) => at.map_or(0, |id| id.0),
            Phase::Links(at) => concepts + at.map_or(0, |id| id.0),
            Phase::Done => concepts + links,
        };
        (done, concepts + links)
    }
}

impl Engine {
    /// Exports everything, in the calling thread. `on_progress` is asked whether to go on, and told how far it
    /// is: [`KipExport::progress`].
    pub fn kip_export(
        &self,
        principal: &Principal,
        tenant: TenantId,
        options: &KipExportOptions,
        output: &mut dyn Write,
        on_progress: &mut dyn FnMut((u64, u64)) -> bool,
    ) -> Result<u64, EngineError> {
        let mut export = self.kip_export_begin(principal, tenant, options)?;
        while !export.is_done() {
            let page = self.kip_export_page(principal, &mut export)?;
            let written = output.write_all(&page);
            written.map_err(|error| EngineError::Output { cause: error.to_string() })?;
            if !on_progress(export.progress()) {
                return Err(StoreError::Stopped.into());
            }
        }
        Ok(export.elements())
    }

    /// Begins an export that is taken page by page.
    pub fn kip_export_begin(
        &self,
        principal: &Principal,
        tenant: TenantId,
        options: &KipExportOptions,
    ) -> Result<KipExport, EngineError> {
        self.pipeline.permit(principal, &Act::new(Action::GraphRead, Resource::tenant(tenant)))?;
        let name = options.space.as_deref().unwrap_or(cairn_graph::spaces::MEMORY);
        let space = self.space_to_read(principal, tenant, name)??;
        let act = Act::new(Action::GraphRead, Resource::space(tenant, space));
        let clock = Arc::clone(self.clock());
        let (last, chosen) = self.pipeline.read(principal, &act, Position::START, |snapshot, scope| {
            let view = View::new(snapshot, *scope);
            let selection = options.selection.as_ref();
            let chosen = selection.map(|selection| Chosen::find(&view, selection, &*clock)).transpose()?;
            Ok((view.last_numbers()?, chosen))
        })?;
        Ok(KipExport {
            tenant,
            space,
            form: options.form,
            phase: Phase::Collect,
            last,
            chosen,
            names: HashMap::new(),
            first: FirstContent::read()?,
            elements: 0,
        })
    }

    /// The next lines. A page may be empty before the last one.
    pub fn kip_export_page(
        &self,
        principal: &Principal,
        export: &mut KipExport,
    ) -> Result<Vec<u8>, EngineError> {
        let act = Act::new(Action::GraphRead, Resource::space(export.tenant, export.space));
        self.pipeline.read(principal, &act, Position::START, |snapshot, scope| {
            export.page(&View::new(snapshot, *scope))
        })
    }
}
