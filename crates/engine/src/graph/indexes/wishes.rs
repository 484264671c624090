//! Indexes that queries would have used, had there been any.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use cairn_access::{Action, Principal, Resource};
use cairn_base::{Position, SpaceId, TenantId};
use cairn_graph::spaces::check_named;
use cairn_graph::{
    IndexField, IndexInfo, IndexOrigin, IndexState, Statistic, TypeId, View, Wish, create_index, limits,
};

use super::is_of;
use crate::audit::{self, AuditLine, AuditOutcome};
use crate::{Act, Engine, EngineError};

/// Fewer concepts are looked at in a few milliseconds: an index of them costs more than it gives.
const ROWS_MIN: u64 = 4_096;
/// How often something has to be wished for: once or twice is somebody trying something out.
const TIMES_MIN: u32 = 8;
/// Wishes that are counted; when there are more, counting begins anew.
const COUNTED_MAX: usize = 1_024;
/// Wishes that wait to be fulfilled; what comes beyond has to be wished for again.
const DUE_MAX: usize = 64;

/// What is wished for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Wished {
    tenant: TenantId,
    space: SpaceId,
    kind: TypeId,
    field: IndexField,
}

/// How often what was wished for since the start.
#[derive(Default)]
pub(super) struct Wishes {
    counts: HashMap<Wished, u32>,
    /// Those that came often enough.
    due: Vec<Wished>,
}

impl Wishes {
    fn count(&mut self, wished: Wished) {
        if self.counts.len() >= COUNTED_MAX && !self.counts.contains_key(&wished) {
            self.counts.clear();
        }
        let count = self.counts.entry(wished.clone()).or_default();
        *count += 1;
        if *count < TIMES_MIN {
            return;
        }
        self.counts.remove(&wished);
        if self.due.len() < DUE_MAX {
            self.due.push(wished);
        }
    }
}

impl Engine {
    /// A space has at most so many indexes that nobody asked for; with 0, none are made.
    pub fn set_auto_indexes(&self, max: usize) {
        self.memories.graph.indexing.automatic_max.store(max, Ordering::Relaxed);
    }

    /// A query looked at many concepts for want of an index. Upkeep makes those that are wished for often.
    pub fn note_wishes(&self, tenant: TenantId, space: SpaceId, wishes: &[Wish]) {
        if wishes.is_empty() || self.memories.graph.indexing.automatic_max.load(Ordering::Relaxed) == 0 {
            return;
        }
        for wish in wishes.iter().filter(|wish| wish.rows >= ROWS_MIN) {
            let field = IndexField { part: wish.part, path: wish.path.clone() };
            // Queries may name what nothing can have; only what can be an index is worth keeping.
            if field.check().is_ok() {
                self.memories.graph.indexing.wishes.lock().count(Wished {
                    tenant,
                    space,
                    kind: wish.kind,
                    field,
                });
            }
        }
    }

    /// Begins the indexes that were wished for often enough. One that cannot be made keeps no other from it,
    /// and has to be wished for again.
    pub(super) fn make_wished_indexes(&self) {
        let due = std::mem::take(&mut self.memories.graph.indexing.wishes.lock().due);
        if due.is_empty() || self.is_sealed() {
            return;
        }
        for wished in &due {
            if let Err(error) = self.make_wished_index(wished) {
                let (tenant, field) = (wished.tenant, &wished.field);
                tracing::warn!(%tenant, %field, %error, "an index that queries wish for could not be begun");
            }
        }
    }

    fn make_wished_index(&self, wished: &Wished) -> Result<(), EngineError> {
        let Wished { tenant, space, kind, field } = wished.clone();
        let scope = self.own_space(tenant, space)?;
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let view = View::new(&*snapshot, scope);
        let Some(name) = view.definition_name(kind.0)? else { return Ok(()) };
        let all = view.indexes()?;
        let is_in_use = |info: &&IndexInfo| info.state != IndexState::Dropping;
        let is_automatic = |info: &&IndexInfo| is_in_use(info) && info.origin == IndexOrigin::Automatic;
        let is_wanted = view.count(Statistic::Type(kind))? >= ROWS_MIN
            && !all.iter().any(|info| is_of(info, kind, &field))
            && all.iter().filter(is_in_use).count() < limits::GRAPH_INDEXES_MAX
            && all.len() < limits::GRAPH_INDEXES_HELD_MAX
            && all.iter().filter(is_automatic).count()
                < self.memories.graph.indexing.automatic_max.load(Ordering::Relaxed);
        drop(snapshot);
        if !is_wanted {
            return Ok(());
        }
        let act = Act::new(Action::GraphWrite, Resource::space(tenant, space))
            .on(format!("create index {name} {field} by itself"));
        let principal = Principal::local_owner();
        let line = AuditLine::new(self.clock().now_ms(), &principal, &act, AuditOutcome::Done);
        tracing::info!(%tenant, kind = name, %field, "queries would be quicker with an index; making it");
        self.pipeline.step(&scope, move |tx, scope| {
            check_named(&*tx, scope.tenant(), scope.space())?;
            create_index(tx, scope, kind, &field, IndexOrigin::Automatic)?;
            audit::append(tx, &line)
        })?;
        self.memories.graph.indexing.note_unfinished();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EngineConfig;
    use cairn_base::{Clock, ManualClock, SeededEntropy};
    use cairn_graph::Part;
    use cairn_seam::MemoryStore;
    use std::sync::Arc;

    fn wished(key: usize) -> Wished {
        let field = IndexField { part: Part::Attributes, path: vec![format!("key{key}")] };
        Wished { tenant: TenantId::LOCAL, space: SpaceId::MEMORY, kind: TypeId(7), field }
    }

    /// Queries name fields of any length; what can be no index is not kept.
    #[test]
    fn only_what_can_be_an_index_is_kept() {
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(0));
        let store = Arc::new(MemoryStore::new(Arc::clone(&clock)));
        let engine =
            Engine::open(store, clock, Arc::new(SeededEntropy::new(1)), EngineConfig::default()).unwrap();
        let kept = |path: &[&str]| {
            let path = path.iter().map(|key| (*key).to_owned()).collect();
            let wish = Wish { kind: TypeId(7), part: Part::Attributes, path, rows: ROWS_MIN };
            engine.note_wishes(TenantId::LOCAL, SpaceId::MEMORY, &[wish]);
            engine.memories.graph.indexing.wishes.lock().counts.drain().count()
        };
        let longest = "k".repeat(limits::ELEMENT_KEY_BYTES_MAX);
        assert_eq!(kept(&[&longest, &longest, &longest, &longest]), 1);
        for path in [&[&*format!("{longest}k")][..], &["a", &"k".repeat(1 << 20)], &[], &["a"; 5], &[""]] {
            assert_eq!(kept(path), 0);
        }
    }

    #[test]
    fn wishes_are_due_when_they_came_often_and_never_take_more_room_than_they_may() {
        let mut wishes = Wishes::default();
        for time in 1..=2 * TIMES_MIN {
            wishes.count(wished(0));
            assert_eq!(wishes.due.len() as u32, time / TIMES_MIN, "{time}");
        }
        for key in 0..10 * COUNTED_MAX {
            wishes.count(wished(key));
            assert!(wishes.counts.len() <= COUNTED_MAX);
        }
        for key in 0..10 * DUE_MAX {
            (0..TIMES_MIN).for_each(|_| wishes.count(wished(key)));
        }
        assert_eq!(wishes.due.len(), DUE_MAX);
    }
}
