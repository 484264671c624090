//! The one door to cairn: every operation is authorized, transacted, audited and announced here.
//!
//! - use cases own their action and policy: those that read return what they read, those that write
//!   return a [`Prepared`] write, which [`Engine::commit`] waits for and [`Engine::submit`] queues;
//! - [`Engine::transact`] and [`Engine::read`] are what use cases are made of: each first asks
//!   `cairn-access`, and hands its closure the scope that the permit yields;
//! - administrative acts leave a line in the audit trail inside the same transaction, refused ones in
//!   one of their own ([`Engine::audit_page`]);
//! - named consumers follow the change feed at their own pace ([`Engine::feed_page`]), and live
//!   listeners are told that there is something to read ([`Engine::subscribe`]);
//! - clients that stay connected are known ([`Engine::open_session`], [`Engine::presence`]), and what
//!   happens to turns can be followed ([`Engine::turn_events`]);
//! - everything that was said can be found by its words ([`Engine::start_search`], [`Engine::search`]);
//! - agents read, write and search what is known in KIP ([`Engine::kip`], [`Engine::kip_logs`]), over ordered
//!   indexes where there are some ([`Engine::create_ordered_index`]), and move much of it at once
//!   ([`Engine::kip_import`], [`Engine::kip_export`]);
//! - background upkeep and figures ([`Engine::start_upkeep`], [`Engine::stats`],
//!   [`Engine::write_metrics`]), and maintenance that somebody waits for ([`Engine::maintain`]).
//!
//! Synchronous: no sockets and no async runtime here. `cairn-gate` is where those meet the engine.

mod access;
mod artifacts;
mod audit;
mod bus;
mod code;
mod config;
mod engine;
mod error;
mod feed;
mod follow;
mod forget;
mod graph;
mod hint;
mod kb;
mod kip;
pub mod limits;
mod maintain;
mod memories;
mod memory;
mod metrics;
mod node;
mod pipeline;
mod record;
mod references;
mod salvage;
mod search;
mod secret;
mod sessions;
mod stats;
pub mod tables;
mod turns;
mod upkeep;

pub use access::{Connection, LoggedIn, NewToken};
pub use artifacts::{
    ArtifactDeletion, ArtifactEventPage, ArtifactExport, ArtifactFilter, ArtifactHappened, ArtifactIds,
    ArtifactImport, ArtifactItem, ArtifactKeys, ArtifactList, ArtifactNews, ArtifactNote, ArtifactOrder,
    ArtifactQuery, ArtifactQuestion, ArtifactSelection, ContentUpload, FoundEverywhere, OpenContent,
    PublishStep, ShownArtifact, Signing, SigningError, VerifiedArtifact,
};
pub use audit::{AuditCursor, AuditLine, AuditOutcome, AuditPage, BadAuditCursor};
pub use bus::{BusStats, Notification, Received, Subscription};
pub use cairn_graph::spaces::MEMORY as MEMORY_SPACE;
pub use cairn_search::SearchCode;
pub use cairn_turns::TurnPayload;
pub use cairn_turns::export_lines::{
    ExportCounts, ExportItem, ExportedTree, ExportedTurn, LineError, UnreadableParts,
};
pub use code::error_codes;
pub use config::{EngineConfig, SearchMode};
pub use engine::Engine;
pub use error::EngineError;
pub use feed::{Consumer, ConsumerName};
pub use follow::Place;
pub use graph::{
    Listed, NoSpace, NoType, OrderedIndex, SleepDuplicates, SleepElement, SleepPolicy, SleepQuestion,
    SleepReport, SleepTask,
};
pub use kb::{KbBranch, KbBranches, KbDiff, KbEnsured, KbTarget};
pub use kip::{
    KipAnswer, KipExport, KipExportOptions, KipForm, KipImport, KipImportOptions, KipImportProgress,
    KipImportReport, KipRun, KipSelection, KipStep,
};
pub use maintain::CompactionPolicy;
pub use memory::{Cleared, Memory, Primary, PrimaryId, Salvage, Searchable, Track, Walk};
pub use metrics::{Counter, Family, Gauge, Histogram, MetricKind, PrometheusText, Tally};
pub use node::{Node, NodeId};
pub use pipeline::{Act, Committed, Prepared, WriteOutcome};
pub use references::{ReadFolder, Reference, Referring, TreeEntry, VisitReference};
pub use salvage::{Repair, SalvageReport, Traces, rebuild_after_loss};
pub use search::{Consulted, Filling, SearchHome, SearchReason, SearchStatus, Taking};
pub use sessions::{LiveIn, Presence, SessionEvent, SessionHandle, SessionId, SessionInfo, SessionNews};
pub use stats::EngineStats;
pub use turns::activity::{ActivityCursor, ActivityPage, BadActivityCursor};
pub use turns::bulk::{
    Export, ImportCounts, ImportItem, ImportLines, ImportReading, Placeholder, PruneReport, placeholder_tree,
};
pub use turns::search::{SearchHit, SearchIn, SearchPage, SearchQuestion, Snippet};
pub use turns::{
    AppendTurn, ContextForks, ContextOrder, ContextPage, DescribedContext, EventIds, Figures, FoundContexts,
    ListContexts, NotEncoded, ShownTurn, TreePath, TurnContent, TurnEvent, TurnEventPage, TurnsPage,
    VisitTurn, WhatHappened, Window, WindowAt, WindowTurns,
};
