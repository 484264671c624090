//! The one door to cairn: every operation is authorized, transacted, audited and announced here.
//!
//! - [`Engine::transact`] and [`Engine::submit`] change things, [`Engine::read`] looks at them; each
//!   first asks `cairn-access`, and hands its closure the scope that the permit yields;
//! - administrative acts leave a line in the audit trail inside the same transaction, refused ones in
//!   one of their own ([`Engine::audit_page`]);
//! - named consumers follow the change feed at their own pace ([`Engine::feed_page`]), and live
//!   listeners are told that there is something to read ([`Engine::subscribe`]);
//! - clients that stay connected are known ([`Engine::open_session`], [`Engine::presence`]), and what
//!   happens to turns can be followed ([`Engine::turn_events`]);
//! - everything that was said can be found by its words ([`Engine::start_search`], [`Engine::search`]);
//! - agents read, write and search what is known in KIP ([`Engine::kip`], [`Engine::kip_logs`]), over ordered
//!   indexes where there are some ([`Engine::create_kip_index`]), and move much of it at once
//!   ([`Engine::kip_import`], [`Engine::kip_export`]);
//! - background upkeep and figures ([`Engine::start_upkeep`], [`Engine::stats`],
//!   [`Engine::write_metrics`]), and maintenance that somebody waits for ([`Engine::maintain`]).
//!
//! Synchronous: no sockets and no async runtime here. `cairn-gate` is where those meet the engine.

mod access;
mod activity;
mod audit;
mod bulk;
mod bus;
mod contents;
mod engine;
mod error;
mod event_ids;
mod events;
mod feed;
mod figures;
mod forget;
mod hint;
mod kip;
mod maintain;
mod metrics;
mod node;
mod payloads;
mod pipeline;
mod record;
mod references;
mod registry;
mod salvage;
mod search;
mod secret;
mod sessions;
mod stats;
pub mod tables;
mod tracked;
mod turns;
mod upkeep;

pub use access::{Connection, LoggedIn, NewToken};
pub use activity::{ActivityCursor, ActivityPage, BadActivityCursor};
pub use audit::{AuditCursor, AuditLine, AuditOutcome, AuditPage, BadAuditCursor};
pub use bulk::{
    Export, ExportCounts, ExportItem, ExportedTree, ExportedTurn, ImportCounts, ImportItem, Placeholder,
    PruneReport, UnreadableParts, placeholder_tree,
};
pub use bus::{BusStats, Notification, Received, Subscription};
pub use cairn_graph::spaces::MEMORY as MEMORY_SPACE;
pub use contents::{TreePath, TurnContent};
pub use engine::Engine;
pub use error::EngineError;
pub use event_ids::EventIds;
pub use events::{Place, TurnEvent, TurnEventPage, WhatHappened};
pub use feed::{Consumer, ConsumerName};
pub use figures::Figures;
pub use kip::{
    KipAnswer, KipExport, KipExportOptions, KipForm, KipImport, KipImportOptions, KipImportProgress,
    KipImportReport, KipIndex, KipSelection, Listed, SleepDuplicates, SleepElement, SleepPolicy,
    SleepQuestion, SleepReport, SleepTask,
};
pub use maintain::CompactionPolicy;
pub use metrics::{Counter, Family, Gauge, Histogram, MetricKind, PrometheusText, Tally};
pub use node::{Node, NodeId};
pub use pipeline::{Act, Committed};
pub use references::{Reference, Referring, VisitReference};
pub use salvage::{SalvageReport, Traces, rebuild_after_loss};
pub use search::{
    SearchHit, SearchHome, SearchIn, SearchPage, SearchQuestion, SearchReason, SearchStatus, Snippet,
};
pub use sessions::{LiveIn, Presence, SessionEvent, SessionHandle, SessionId, SessionInfo, SessionNews};
pub use stats::EngineStats;
pub use turns::{TurnPayload, VisitTurn, Window, WindowAt, WindowTurns};
