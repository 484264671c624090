//! Work on the whole store that somebody asked for and waits for.

use std::time::Duration;

use cairn_access::{Action, Principal, Refusal, RefusalReason, Resource, Scope};
use cairn_seam::{
    Compaction, Forget, KeepChanges, Maintenance, MaintenanceReport, OnStage, Selection, Store, StoreError,
};

use crate::memory::Cleared;
use crate::pipeline::WithoutLine;
use crate::references::RecordReferences;
use crate::{Act, Consumer, Engine, EngineError, forget, limits, references};

/// How the store is compacted when nobody says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionPolicy {
    /// How often that happens by itself; never without it.
    pub every: Option<Duration>,
    /// How long changes are kept; for ever without it.
    pub keep_changes: Option<Duration>,
}

impl Default for CompactionPolicy {
    fn default() -> Self {
        CompactionPolicy { every: Some(limits::COMPACT_EVERY), keep_changes: None }
    }
}

impl Engine {
    /// Leaves the line of a job that a surface refused, because it may be asked for on the machine itself only.
    pub fn refused_elsewhere(&self, principal: &Principal, job: &str) {
        let (action, resource) = (Action::Maintain, Resource::NODE);
        let act = Act::new(action, resource).on(job);
        let refusal = Refusal { action, resource, reason: RefusalReason::RoleMissing };
        self.pipeline.refuse(principal, &act, refusal);
    }

    /// Compacts like this from now on.
    pub fn set_compaction(&self, policy: CompactionPolicy) {
        *self.compaction.lock() = policy;
    }

    /// Backs up, verifies, compacts or gives another key to the store while reads and writes go on; blocks until it is done.
    ///
    /// One job at a time: a second one answers [`EngineError::MaintenanceRunning`]. A job leaves an audit line
    /// before it begins, and one that says how it ended. If the store takes no line, it is done all the
    /// same, except that nothing is forgotten without one.
    pub fn maintain(
        &self,
        principal: &Principal,
        job: &Maintenance,
        on_stage: OnStage<'_>,
    ) -> Result<MaintenanceReport, EngineError> {
        let act = Act::new(Action::Maintain, Resource::NODE).on(subject(job));
        let store = self.pipeline.store();
        let prepare = || {
            // After the decision: whoever may not do it does not learn that somebody else is at it.
            let alone = self.maintaining.try_lock().ok_or(EngineError::MaintenanceRunning)?;
            let forget = match job {
                Maintenance::Compact { forget, .. } => self.to_forget(principal, store, forget)?,
                Maintenance::Backup { .. } | Maintenance::ChangeKey { .. } | Maintenance::Verify { .. } => {
                    None
                }
            };
            Ok((alone, forget))
        };
        let work = |_: &Scope, (_, forget): &(_, Option<Forget>)| match job {
            Maintenance::Compact { keep_changes, .. } => {
                let keep_changes = self.kept_for(*keep_changes);
                let what = Compaction { keep_changes, forget: forget.clone() };
                let done = store.compact(&what, &self.references(), on_stage);
                self.memories.clear_caches(Cleared::Compacted);
                let done = done?;
                if what.forget.is_some() {
                    // What was forgotten is not kept here either.
                    self.memories.clear_caches(Cleared::Forgotten);
                    self.forget_search()?;
                }
                Ok(done)
            }
            Maintenance::Backup { .. } => Ok(store.expect_local("a backup")?.maintain(job, on_stage)?),
            Maintenance::ChangeKey { .. } => {
                Ok(store.expect_local("another key")?.maintain(job, on_stage)?)
            }
            Maintenance::Verify { repair } => {
                // A store without files has nothing of its own that could be wrong.
                let verified = store.local().map(|local| local.maintain(job, on_stage)).transpose()?;
                let mut report = verified.unwrap_or_default();
                // What was read of files that were damaged is read again.
                if *repair {
                    self.memories.clear_caches(Cleared::Repaired);
                }
                // A store that is damaged may not even know its records.
                if report.findings.is_empty() {
                    let dangling = references::dangling(&self.references(), on_stage)?;
                    report.figures.extend(dangling.figures());
                    report.findings = dangling.findings;
                    report.warnings = dangling.warnings;
                }
                if report.findings.is_empty() {
                    for memory in self.memories.all() {
                        memory.verify(self, *repair, &mut report, on_stage)?;
                    }
                }
                self.verify_search(*repair, &mut report, on_stage)?;
                Ok(report)
            }
        };
        self.pipeline.undertake(principal, &act, without_line(job), prepare, work)
    }

    /// Everything that records of all memories refer to.
    pub(crate) fn references(&self) -> RecordReferences<'_> {
        RecordReferences::new(self.pipeline.store(), self.memories.referring())
    }

    /// How long changes are kept.
    fn kept_for(&self, keep: KeepChanges) -> Option<Duration> {
        match keep {
            KeepChanges::AsConfigured => self.compaction.lock().keep_changes,
            KeepChanges::All => None,
            KeepChanges::For(time) => Some(time),
        }
    }

    fn to_forget(
        &self,
        principal: &Principal,
        store: &dyn Store,
        selectors: &[String],
    ) -> Result<Option<Forget>, EngineError> {
        if selectors.is_empty() {
            return Ok(None);
        }
        let known = self.memories.keyspaces();
        let mut selections = Vec::new();
        for text in selectors {
            match self.forget_in_memories(text)? {
                Some(of_memory) => selections.extend(of_memory),
                None => selections.push(forget::parse(text, &known)?),
            }
        }
        self.settle_search();
        // What comes later is not touched, so that nobody misses what was checked here.
        let what = Forget { selections, up_to: store.position() };
        self.refuse_unread(principal, store, &what)?;
        Ok(Some(what))
    }

    /// Has the memory that a selector belongs to remove what it selects.
    fn forget_in_memories(&self, selector: &str) -> Result<Option<Vec<Selection>>, EngineError> {
        for memory in self.memories.all() {
            let found = memory.forget(self, selector)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Events go with what is forgotten: every consumer must have read those of the tenants before.
    fn refuse_unread(
        &self,
        principal: &Principal,
        store: &dyn Store,
        what: &Forget,
    ) -> Result<(), EngineError> {
        let mut tenants: Vec<_> = what.selections.iter().map(|Selection { tenant, .. }| *tenant).collect();
        tenants.dedup();
        let reads = |consumer: &Consumer| !self.searching.needs_nothing(&consumer.name);
        for consumer in self.consumers(principal)?.into_iter().filter(reads) {
            for tenant in &tenants {
                let unread = match store.changes(consumer.position, Some(*tenant), 1) {
                    Ok(page) => page.changes.first().is_some_and(|change| change.position <= what.up_to),
                    // It has to start again from a snapshot in any case.
                    Err(StoreError::TooOld { .. }) => false,
                    Err(error) => return Err(error.into()),
                };
                if unread {
                    let (name, at) = (consumer.name.to_string(), consumer.position);
                    return Err(EngineError::ConsumerBehind { name, at });
                }
            }
        }
        Ok(())
    }
}

/// What is forgotten does not come back.
fn without_line(job: &Maintenance) -> WithoutLine {
    match job {
        Maintenance::Compact { forget, .. } if !forget.is_empty() => WithoutLine::Refuse,
        Maintenance::Compact { .. }
        | Maintenance::Backup { .. }
        | Maintenance::ChangeKey { .. }
        | Maintenance::Verify { .. } => WithoutLine::GoOn,
    }
}

/// What the audit line says of a job. Of what is forgotten it names no key.
fn subject(job: &Maintenance) -> String {
    match job {
        Maintenance::Backup { to, skip_damaged: false } => format!("backup to {}", to.display()),
        Maintenance::Backup { to, skip_damaged: true } => {
            format!("backup of what is whole to {}", to.display())
        }
        Maintenance::Verify { repair: false } => "verify".to_owned(),
        Maintenance::Verify { repair: true } => "verify and repair".to_owned(),
        Maintenance::ChangeKey { .. } => "change the key".to_owned(),
        Maintenance::Compact { forget, .. } if forget.is_empty() => "compact".to_owned(),
        Maintenance::Compact { forget, .. } => {
            let without_key =
                |selector: &String| selector.splitn(3, '/').take(2).collect::<Vec<_>>().join("/");
            format!("compact and forget {}", forget.iter().map(without_key).collect::<Vec<_>>().join(", "))
        }
    }
}
