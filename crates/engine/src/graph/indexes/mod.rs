//! Ordered indexes of the graph: made and dropped when somebody asks for it, or when queries would be quicker.
//!
//! What takes more than a transaction is done in pages. Whoever asked may go away in the middle, and so may the
//! process: upkeep goes on with what is half made or half dropped.

mod unfinished;
mod verify;
mod wishes;

use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{Position, SpaceId, TenantId};
use cairn_graph::spaces::check_named;
use cairn_graph::{
    IndexField, IndexId, IndexInfo, IndexOrigin, IndexState, Meta, Statistic, TypeId, View, build_index_page,
    create_index, drop_index,
};
use cairn_seam::{OnStage, Stage, StoreError};
use parking_lot::Mutex;

use self::wishes::Wishes;
use super::missing::NoType;
use crate::pipeline::WithoutLine;
use crate::{Act, Engine, EngineError};

/// Concepts that one page of an index covers: others who write wait some milliseconds for it.
const BUILD_PAGE: usize = 1024;
/// Entries that are removed at once of an index that is dropped.
const DROP_PAGE: usize = 8192;
/// How long whoever drops an index waits until nothing is left of it; upkeep does the rest.
const DROP_WITHIN: Duration = Duration::from_secs(2);
/// What tells whether a store is sealed.
const SEAL_NAME: &str = "indexes";

/// What is known of indexes between requests.
pub(crate) struct Indexing {
    /// Whether some may be half made or half dropped. After a start nobody knows.
    is_unfinished: AtomicBool,
    /// Not before this time, because it failed.
    retry_at: Mutex<Duration>,
    /// How many a space may have that nobody asked for.
    automatic_max: AtomicUsize,
    wishes: Mutex<Wishes>,
}

impl Indexing {
    pub(crate) fn new(automatic_max: usize) -> Self {
        Indexing {
            is_unfinished: AtomicBool::new(true),
            retry_at: Mutex::default(),
            automatic_max: AtomicUsize::new(automatic_max),
            wishes: Mutex::default(),
        }
    }
}

/// An ordered index, as people are told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderedIndex {
    /// The type whose concepts it holds.
    pub kind: String,
    /// The field that it sorts them by, like `attributes.dose`.
    pub field: String,
    /// `ready`, `building` or `dropping`.
    pub state: &'static str,
    /// How many concepts it holds; not known before it is ready.
    pub entries: Option<u64>,
    /// How many concepts there are of the type.
    pub concepts: u64,
    /// Whether nobody asked for it.
    pub is_automatic: bool,
}

impl Engine {
    /// Makes an ordered index of a field of a type, and returns when it can be used. One that is there is left.
    ///
    /// Stopped by `on_stage` or by the end of the process it is left half made, and upkeep goes on with it.
    /// Refused in a store that is sealed.
    pub fn create_ordered_index(
        &self,
        principal: &Principal,
        tenant: TenantId,
        space: &str,
        kind: &str,
        field: &str,
        on_stage: OnStage<'_>,
    ) -> Result<OrderedIndex, EngineError> {
        let subject = format!("create index {kind} {field}");
        self.pipeline.permit(principal, &writing(Resource::tenant(tenant), &subject))?;
        if self.is_sealed() {
            return Err(EngineError::IndexesSealed);
        }
        let (space, kind, field) = self.indexed_field(principal, tenant, space, kind, field)?;
        let act = writing(Resource::space(tenant, space), &subject);
        let work = |scope: &Scope, _: &()| {
            let id = self.begin_index(scope, kind, &field)?;
            self.complete_index(scope, kind, id, on_stage)?;
            self.told_of(scope, id)
        };
        self.pipeline.undertake(principal, &act, WithoutLine::GoOn, || Ok(()), work)
    }

    /// Drops the ordered index of a field of a type: from now on nobody uses it.
    pub fn drop_ordered_index(
        &self,
        principal: &Principal,
        tenant: TenantId,
        space: &str,
        kind: &str,
        field: &str,
    ) -> Result<(), EngineError> {
        let subject = format!("drop index {kind} {field}");
        self.pipeline.permit(principal, &writing(Resource::tenant(tenant), &subject))?;
        let (space, kind_id, wanted) = self.indexed_field(principal, tenant, space, kind, field)?;
        let act = writing(Resource::space(tenant, space), &subject);
        let work = |scope: &Scope, _: &()| {
            let snapshot = self.pipeline.store().snapshot(Position::START)?;
            let all = View::new(&*snapshot, *scope).indexes()?;
            let id = all.iter().find(|info| is_of(info, kind_id, &wanted)).map(|info| info.index.id);
            let none = || EngineError::NoOrderedIndex { kind: kind.to_owned(), field: wanted.to_string() };
            let id = id.ok_or_else(none)?;
            self.pipeline.step(scope, move |tx, scope| Ok(drop_index(tx, scope, id)?))?;
            self.memories.graph.indexing.note_unfinished();
            let until = self.clock().monotonic() + DROP_WITHIN;
            self.clear_index(scope, id, until)
        };
        self.pipeline.undertake(principal, &act, WithoutLine::GoOn, || Ok(()), work)
    }

    /// The ordered indexes of a space, in the order in which they were made.
    pub fn ordered_indexes(
        &self,
        principal: &Principal,
        tenant: TenantId,
        space: &str,
    ) -> Result<Vec<OrderedIndex>, EngineError> {
        let reading = |resource| Act::new(Action::GraphRead, resource);
        self.pipeline.permit(principal, &reading(Resource::tenant(tenant)))?;
        let space = self.space_to_read(principal, tenant, space)?;
        let act = reading(Resource::space(tenant, space));
        self.pipeline.read(principal, &act, Position::START, |snapshot, scope| {
            let view = View::new(snapshot, *scope);
            view.indexes()?.iter().map(|info| shown(&view, info)).collect()
        })
    }

    /// Whether nothing of the store can be read without its key.
    fn is_sealed(&self) -> bool {
        self.pipeline.store().local().and_then(|local| local.derived_seal(SEAL_NAME)).is_some()
    }

    /// What names of a space, a type and a field stand for.
    fn indexed_field(
        &self,
        principal: &Principal,
        tenant: TenantId,
        space: &str,
        kind: &str,
        field: &str,
    ) -> Result<(SpaceId, TypeId, IndexField), EngineError> {
        let field = IndexField::parse(field)?;
        let space = self.space_to_read(principal, tenant, space)?;
        let act = Act::new(Action::GraphRead, Resource::space(tenant, space));
        let kind = self.pipeline.read(principal, &act, Position::START, |snapshot, scope| {
            let view = View::new(snapshot, *scope);
            match view.type_id(kind)? {
                Some(kind) => Ok(kind),
                None => {
                    let nearest = view.nearest(Meta::Types, kind)?;
                    Err(NoType { name: kind.to_owned(), nearest }.into())
                }
            }
        })?;
        Ok((space, kind, field))
    }

    fn begin_index(&self, scope: &Scope, kind: TypeId, field: &IndexField) -> Result<IndexId, EngineError> {
        let field = field.clone();
        let info = self.pipeline.step(scope, move |tx, scope| {
            check_named(&*tx, scope.tenant(), scope.space())?;
            Ok(create_index(tx, scope, kind, &field, IndexOrigin::Asked)?)
        })?;
        // Whatever becomes of us, somebody goes on with it.
        self.memories.graph.indexing.note_unfinished();
        Ok(info.index.id)
    }

    /// Covers page after page, until nothing is left.
    fn complete_index(
        &self,
        scope: &Scope,
        kind: TypeId,
        id: IndexId,
        on_stage: OnStage<'_>,
    ) -> Result<(), EngineError> {
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let total = View::new(&*snapshot, *scope).count(Statistic::Type(kind))?;
        drop(snapshot);
        let mut done = 0;
        loop {
            if !on_stage(Stage { name: "indexing concepts", done, total: total.max(done) }) {
                return Err(StoreError::Stopped.into());
            }
            let page = self
                .pipeline
                .step(scope, move |tx, scope| Ok(build_index_page(tx, scope, id, BUILD_PAGE)?))?;
            done += page.covered;
            if page.is_ready {
                return Ok(());
            }
        }
    }

    fn told_of(&self, scope: &Scope, id: IndexId) -> Result<OrderedIndex, EngineError> {
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let view = View::new(&*snapshot, *scope);
        let info = view.indexes()?.into_iter().find(|info| info.index.id == id);
        shown(&view, &info.ok_or(cairn_graph::GraphError::NoIndex(id))?)
    }
}

fn writing(resource: Resource, subject: &str) -> Act {
    Act::new(Action::GraphWrite, resource).on(subject)
}

/// Whether it is an index of this field that is not being dropped.
fn is_of(info: &IndexInfo, kind: TypeId, field: &IndexField) -> bool {
    let index = &info.index;
    info.state != IndexState::Dropping
        && (index.kind, index.part, &index.path) == (kind, field.part, &field.path)
}

fn shown(view: &View<'_>, info: &IndexInfo) -> Result<OrderedIndex, EngineError> {
    let index = &info.index;
    let concepts = view.count(Statistic::Type(index.kind))?;
    let (state, entries) = match info.state {
        IndexState::Building { .. } => ("building", None),
        // It holds every concept of its type exactly once.
        IndexState::Ready => ("ready", Some(concepts)),
        IndexState::Dropping => ("dropping", None),
    };
    Ok(OrderedIndex {
        kind: view.definition_name(index.kind.0)?.unwrap_or_default(),
        field: IndexField { part: index.part, path: index.path.clone() }.to_string(),
        state,
        entries,
        concepts,
        is_automatic: info.origin == IndexOrigin::Automatic,
    })
}
