//! KIP: requests of agents, carried out on the graph of a space.
//!
//! A command that reads sees one snapshot; one that writes is one transaction, and `dry_run` gives that up
//! at its end. A batch with `dry_run` is one transaction from its first change on ([`rehearse`]). Whatever is wrong with a command is answered in KIP's own words. What is wrong with the node
//! (too busy, no disk, shutting down) and what the caller may not do at all are errors of the engine, so
//! that surfaces answer as they always do.

mod answer;
mod batch;
mod cache;
mod export;
mod import;
mod indexes;
mod kind;
mod log;
mod logs;
mod metrics;
mod read;
mod rehearse;
mod search;
mod sleep;
mod spaces;
mod write;

use std::time::Duration;

use cairn_access::{Action, Principal, Resource};
use cairn_base::TenantId;
use cairn_kip::{Commands, KipCode, KipCommand, KipError, KipRequest, bind, parse};
use cairn_query::Found;

pub use self::answer::KipAnswer;
pub(crate) use self::cache::write_metrics as write_cache_metrics;
pub use self::export::{KipExport, KipExportOptions, KipSelection};
pub use self::import::{KipForm, KipImport, KipImportOptions, KipImportProgress, KipImportReport};
pub(crate) use self::indexes::Indexing;
pub use self::indexes::KipIndex;
use self::kind::Kind;
pub(crate) use self::log::KipLog;
use self::log::{KipLogLine, shortened};
pub(crate) use self::metrics::KipMetrics;
pub(crate) use self::sleep::Sleeping;
pub use self::sleep::{
    Listed, SleepDuplicates, SleepElement, SleepPolicy, SleepQuestion, SleepReport, SleepTask,
};
pub(crate) use self::spaces::Spaces;
use crate::{Act, Engine, EngineError};

/// What a command comes to; the outer error is the node's, the inner one the command's.
type Outcome = Result<Result<Found, KipError>, EngineError>;

impl Engine {
    /// Carries out a request.
    ///
    /// Blocks, for as long as [`KIP_BATCH_TIME_MAX`](cairn_base::limits::KIP_BATCH_TIME_MAX) and one more
    /// command at the most. A request that
    /// holds a command the caller may not send is refused as a whole, before anything of it was written.
    pub fn kip(
        &self,
        principal: &Principal,
        tenant: TenantId,
        request: &KipRequest,
    ) -> Result<KipAnswer, EngineError> {
        self.pipeline.permit(principal, &Act::new(Action::GraphRead, Resource::tenant(tenant)))?;
        let asking = Asking { engine: self, principal, tenant, request };
        match &request.commands {
            Commands::One(command) => {
                let done = asking.command(command, request.page_bytes)?;
                Ok(KipAnswer(answer::response(done.outcome, &command.text)))
            }
            Commands::Batch(commands) => asking.batch(commands).map(KipAnswer),
        }
    }
}

/// Somebody's request.
struct Asking<'a> {
    engine: &'a Engine,
    principal: &'a Principal,
    tenant: TenantId,
    request: &'a KipRequest,
}

/// A command that was carried out, or not.
struct Done {
    outcome: Result<Found, KipError>,
    /// Whether a batch ends here: a change that failed.
    ends: bool,
}

impl Asking<'_> {
    fn space(&self) -> &str {
        self.request.space.as_deref().unwrap_or(cairn_graph::spaces::MEMORY)
    }

    /// Carries out one command, and leaves its line in the log.
    fn command(&self, command: &KipCommand, page_bytes: Option<usize>) -> Result<Done, EngineError> {
        let started = self.engine.clock().monotonic();
        let parsed =
            parse(&command.text).and_then(|parsed| bind(parsed, &self.request.parameters_of(command)));
        let kind = parsed.as_ref().map_or(Kind::Syntax, Kind::of);
        let (outcome, ends) = match parsed {
            Err(error) => (Ok(Err(error)), false),
            Ok(parsed) if parsed.writes() && self.request.readonly => (Ok(Err(read_only(kind))), false),
            Ok(parsed) if parsed.writes() => (self.write(parsed), true),
            Ok(parsed) => (self.read(&parsed, page_bytes), false),
        };
        let took = self.engine.clock().monotonic().saturating_sub(started);
        self.note(command, kind, named(&outcome), took);
        let outcome = outcome?;
        Ok(Done { ends: ends && outcome.is_err(), outcome })
    }

    fn note(&self, command: &KipCommand, kind: Kind, outcome: &'static str, took: Duration) {
        self.engine.kip_metrics.count(kind, outcome == OK, took);
        let (text, is_cut) = shortened(&command.text);
        self.engine.kip_log.add(
            self.tenant,
            KipLogLine {
                sequence: 0,
                time_ms: self.engine.clock().now_ms(),
                user: self.principal.user_id().into(),
                space: shortened(self.space()).0,
                kind: kind.name(),
                command: text,
                is_cut,
                dry_run: self.request.dry_run,
                outcome,
                took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            },
        );
    }
}

const OK: &str = "ok";

/// What an outcome is called in the log.
fn named(outcome: &Outcome) -> &'static str {
    match outcome {
        Ok(Ok(_)) => OK,
        Ok(Err(error)) => error.code.text(),
        Err(error) => error.code().row().name,
    }
}

fn read_only(kind: Kind) -> KipError {
    let message = format!("{} changes something, and this call is read-only", kind.name());
    KipError::new(KipCode::InvalidSyntax, message).hint("call execute_kip instead")
}
