//! A survey of a space under way: a short snapshot for each page, and small transactions in between.

use cairn_access::Scope;
use cairn_base::Position;
use cairn_graph::View;
use cairn_graph::sleep::{SleepReport, Survey, SurveyStep};
use cairn_seam::{OnStage, Stage, StoreError};

use crate::{Engine, EngineError};

pub(super) struct Look<'a> {
    pub(super) engine: &'a Engine,
    pub(super) scope: Scope,
    pub(super) now_ms: u64,
    pub(super) on_stage: OnStage<'a>,
    pub(super) survey: Survey,
}

impl Look<'_> {
    /// Looks at everything, and removes what has expired if the survey is applied.
    pub(super) fn run(mut self) -> Result<SleepReport, EngineError> {
        loop {
            let stage = self.survey.stage();
            match self.step()? {
                SurveyStep::GoOn => {}
                SurveyStep::Links(links) => self.remove_links(&links)?,
                SurveyStep::Concepts(concepts) => self.remove_concepts(&concepts)?,
                SurveyStep::Definition(id, kind) => {
                    let went = self.remove_definition((id, kind))?;
                    self.survey.settle(went);
                }
                SurveyStep::Done => return Ok(self.survey.into_report()),
            }
            self.go_on(stage)?;
        }
    }

    fn step(&mut self) -> Result<SurveyStep, EngineError> {
        let snapshot = self.engine.pipeline.store().snapshot(Position::START)?;
        Ok(self.survey.step(&View::new(&*snapshot, self.scope))?)
    }

    /// Reports progress, and fails if it is told to stop.
    pub(super) fn go_on(&mut self, name: &'static str) -> Result<(), EngineError> {
        let (done, total) = self.survey.progress();
        let goes_on = (self.on_stage)(Stage { name, done, total });
        if goes_on { Ok(()) } else { Err(StoreError::Stopped.into()) }
    }
}
