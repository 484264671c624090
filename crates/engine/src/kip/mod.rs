//! KIP: requests of agents, carried out on the graph of a space.
//!
//! A command that reads sees one snapshot; one that writes is one transaction, and `dry_run` gives that up
//! at its end. A batch with `dry_run` is one transaction from its first change on ([`rehearse`]). Whatever is
//! wrong with a command is answered in KIP's own words. What is wrong with the node (too busy, no disk, shutting down) and what the caller may not do at all are errors of the engine, so
//! that surfaces answer as they always do.

mod answer;
mod answers;
mod export;
mod import;
mod kind;
mod log;
mod logs;
mod memory;
mod metrics;
mod note;
mod read;
mod rehearse;
mod run;
mod search;
mod write;

use cairn_access::{Permit, Principal};
use cairn_base::TenantId;
pub use cairn_kip::KipForm;
use cairn_kip::{KipCode, KipCommand, KipError, KipRequest, bind, parse};
use cairn_query::Found;
pub use cairn_query::KipSelection;

pub use self::answer::KipAnswer;
pub use self::export::{KipExport, KipExportOptions};
pub use self::import::{KipImport, KipImportOptions, KipImportProgress, KipImportReport};
use self::kind::Kind;
pub(crate) use self::log::KipLog;
pub(crate) use self::memory::Door;
pub(crate) use self::metrics::KipMetrics;
use self::note::{Note, named};
pub use self::run::{KipRun, KipStep};
use crate::{Engine, EngineError};

/// What a command comes to; the outer error is the node's, the inner one the command's.
type Outcome = Result<Result<Found, KipError>, EngineError>;

/// Somebody's request.
struct Asking<'a> {
    engine: &'a Engine,
    principal: &'a Principal,
    /// To read the graph of the tenant.
    permit: Permit,
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
        space_of(self.request)
    }

    /// What is going to be noted of a command that begins now.
    fn note(&self, command: &KipCommand) -> Note {
        let started = self.engine.clock().monotonic();
        Note::new(self.engine, self.principal, self.tenant, self.request, command, started)
    }

    /// Carries out one command, and leaves its line in the log.
    fn command(&self, command: &KipCommand, page_bytes: Option<usize>) -> Result<Done, EngineError> {
        let note = self.note(command);
        let parsed =
            parse(&command.text).and_then(|parsed| bind(parsed, &self.request.parameters_of(command)));
        let kind = parsed.as_ref().map_or(Kind::Syntax, Kind::of);
        let (outcome, ends) = match parsed {
            Err(error) => (Ok(Err(error)), false),
            Ok(parsed) if parsed.writes() && self.request.readonly => (Ok(Err(read_only(kind))), false),
            Ok(parsed) if parsed.writes() => (self.write(parsed), true),
            Ok(parsed) => (self.read(&parsed, page_bytes), false),
        };
        note.of_kind(kind).add(named(&outcome));
        let outcome = outcome?;
        Ok(Done { ends: ends && outcome.is_err(), outcome })
    }
}

/// The space that a request is about.
fn space_of(request: &KipRequest) -> &str {
    request.space.as_deref().unwrap_or(cairn_graph::spaces::MEMORY)
}

fn read_only(kind: Kind) -> KipError {
    let message = format!("{} changes something, and this call is read-only", kind.name());
    KipError::new(KipCode::InvalidSyntax, message).hint("call execute_kip instead")
}
