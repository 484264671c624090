//! A random graph in a store, and what the store has of it as plain lists.

use std::sync::Arc;

use cairn_access::{Action, Principal, Resource, Role, Roles, Scope, authorize};
use cairn_base::{ManualClock, Position, SpaceId, TenantId};
use cairn_graph::{
    Cache, Changes, ConceptId, ConceptWrite, Element, GraphError, IndexField, IndexOrigin, LinkId,
    LinkTarget, LinkWrite, Lookup, Map, Noting, Part, PredicateId, Target, TypeId, View, Writer,
    build_index_page, concept_text, create_index, known, link_text,
};
use cairn_kip::tree::Find;
use cairn_seam::{MemoryStore, Snapshot, Store, Visit, WriteTx, write};

use super::graph::{End, Graph};
use super::tree::name_ids;
use super::words::{PREDICATES, TYPES};
use crate::naive::{self, World};

const NOW_MS: u64 = 1_700_000_000_000;
/// Room for a part of a small graph only, so that things go and come back.
const CACHE_BYTES: u64 = 64 << 10;

/// A graph that can be asked.
pub(crate) struct Loaded {
    pub(crate) stored: Stored,
    clock: Arc<ManualClock>,
    /// Ids of the graph's concepts and links, by their places.
    concepts: Vec<String>,
    links: Vec<String>,
    /// Everything in the store, what is there from the beginning included.
    pub(crate) world: World,
}

/// A store with a cache above it, for many threads.
pub(crate) struct Stored {
    store: MemoryStore,
    scope: Scope,
    cache: Arc<Cache>,
}

impl Loaded {
    pub(crate) fn new(graph: &Graph) -> Self {
        let clock = Arc::new(ManualClock::new(NOW_MS));
        let store = MemoryStore::new(Arc::clone(&clock) as _);
        let scope = scope();
        let stored = graph.clone();
        let ((concepts, links), _) =
            write(&store, scope.tenant(), move |tx| fill(tx, &scope, &stored)).unwrap();
        let cache = Arc::new(Cache::new(CACHE_BYTES));
        let stored = Stored { store, scope, cache };
        let mut loaded = Loaded { stored, clock, concepts, links, world: World::default() };
        loaded.world = loaded.view(world);
        loaded
    }

    /// Makes an ordered index of an attribute of each type.
    pub(crate) fn index(&self, key: &str) {
        let scope = self.stored.scope;
        let field = IndexField { part: Part::Attributes, path: vec![key.to_owned()] };
        for kind in TYPES {
            let kind = self.view(|view| view.type_id(kind)).unwrap().unwrap();
            let field = field.clone();
            let made = write(&self.stored.store, scope.tenant(), move |tx| {
                let id = create_index(tx, &scope, kind, &field, IndexOrigin::Asked)?.index.id;
                while !build_index_page(tx, &scope, id, 3)?.is_ready {}
                Ok::<_, GraphError>(())
            });
            made.unwrap();
        }
    }

    /// The query with ids of elements where it names places of the graph.
    pub(crate) fn named(&self, find: &Find) -> Find {
        let mut find = find.clone();
        name_ids(&mut find, &self.concepts, &self.links);
        find
    }

    pub(crate) fn clock(&self) -> &ManualClock {
        &self.clock
    }

    pub(crate) fn view<T>(&self, read: impl FnOnce(&View<'_>) -> T) -> T {
        let snapshot = self.stored.snapshot();
        read(&View::new(&*snapshot, self.stored.scope))
    }
}

impl Stored {
    /// Writes another graph over this one, and deletes every nth of its own concepts, in one transaction that says
    /// what it changes. Nothing happens if the graph does not allow that.
    pub(crate) fn change(&self, other: &Graph, nth: usize) {
        let (scope, other, changes) = (self.scope, other.clone(), Changes::new(&self.cache));
        let noted = changes.clone();
        let outcome = write(&self.store, scope.tenant(), move |tx| {
            let mut tx = Noting::new(tx, &noted);
            let mut writer = Writer::new(&mut tx, scope, NOW_MS);
            let (concepts, _) = add(&mut writer, &other)?;
            let gone: Vec<ConceptId> = concepts.into_iter().step_by(nth.max(1)).skip(1).collect();
            writer.delete_concepts(&gone)?;
            writer.finish()
        });
        match outcome {
            Ok(((), position)) => changes.committed(position),
            Err(_) => changes.aborted(),
        }
    }

    pub(crate) fn snapshot(&self) -> Box<dyn Snapshot> {
        self.store.snapshot(Position::START).unwrap()
    }

    /// Reads a snapshot through the cache.
    pub(crate) fn cached<'a>(&'a self, snapshot: &'a dyn Snapshot) -> View<'a> {
        View::of_snapshot(snapshot, self.scope, &self.cache)
    }

    /// Everything that a snapshot has.
    pub(crate) fn world_of(&self, snapshot: &dyn Snapshot) -> World {
        world(&View::new(snapshot, self.scope))
    }

    /// How often the cache had what was asked for.
    pub(crate) fn hits(&self) -> u64 {
        self.cache.stats().hits
    }
}

fn scope() -> Scope {
    let member = Principal::new("ada", TenantId::LOCAL, Roles::NONE.with(Role::Writer));
    let resource = Resource::space(TenantId::LOCAL, SpaceId::MEMORY);
    authorize(&member, Action::TurnsWrite, resource).unwrap().scope()
}

/// Writes everything, and says which ids it got.
fn fill(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    graph: &Graph,
) -> Result<(Vec<String>, Vec<String>), GraphError> {
    cairn_graph::bootstrap(tx, scope, NOW_MS)?;
    let mut writer = Writer::new(tx, *scope, NOW_MS);
    let mut define = |meta: TypeId, name: &str| {
        let target = Target::Named(meta, name.to_owned());
        let maps = (Map::new(), Map::new());
        let define = ConceptWrite { target, expect_version: None, attributes: maps.0, metadata: maps.1 };
        writer.upsert_concept(define).map(|(id, _, _)| id.0)
    };
    for kind in TYPES {
        define(known::CONCEPT_TYPE, kind)?;
    }
    for predicate in PREDICATES {
        define(known::PROPOSITION_TYPE, predicate)?;
    }
    let (concepts, links) = add(&mut writer, graph)?;
    writer.finish()?;
    let links = links.iter().zip(&graph.links).map(|(id, fact)| link_text(*id, fact.predicate)).collect();
    Ok((concepts.into_iter().map(concept_text).collect(), links))
}

/// Writes the concepts and links of a graph.
fn add(writer: &mut Writer<'_>, graph: &Graph) -> Result<(Vec<ConceptId>, Vec<LinkId>), GraphError> {
    let mut concepts = Vec::new();
    for node in &graph.concepts {
        let kind = writer.view().type_id(node.kind)?.unwrap();
        let (attributes, metadata) = (node.attributes.clone(), node.metadata.clone());
        let target = Target::Named(kind, node.name.clone());
        let (id, _, _) =
            writer.upsert_concept(ConceptWrite { target, expect_version: None, attributes, metadata })?;
        concepts.push(id);
    }
    let mut links: Vec<LinkId> = Vec::new();
    for fact in &graph.links {
        let end = |end: End| match end {
            End::Node(place) => Element::Concept(concepts[place]),
            End::Fact(place) => Element::Link(links[place]),
        };
        let predicate = writer.view().predicate_id(fact.predicate)?.unwrap();
        let target = LinkTarget::Triple(end(fact.subject), predicate, end(fact.object));
        let (attributes, metadata) = (fact.attributes.clone(), fact.metadata.clone());
        let (id, _) = writer.upsert_link(LinkWrite { target, expect_version: None, attributes, metadata })?;
        links.push(id);
    }
    Ok((concepts, links))
}

/// All concepts and links, one by one.
fn world(view: &View<'_>) -> World {
    let mut ids = Vec::new();
    view.all_concepts(None, &mut |id, kind| {
        ids.push((id, kind));
        Visit::Continue
    })
    .unwrap();
    let name_of = |id: u64| view.definition_name(id).unwrap().unwrap();
    let mut world = World::default();
    view.concepts(&ids, &mut |_, concept| {
        let concept = concept.unwrap();
        world.concepts.push(naive::Concept {
            id: concept.id.0,
            kind: name_of(concept.kind.0),
            metadata: concept.shown_metadata(),
            name: concept.name,
            attributes: concept.attributes,
        });
    })
    .unwrap();
    let mut ids = Vec::new();
    view.edges(&[Lookup::All { after: None }], &mut |_, edge| {
        ids.push(edge.link);
        Visit::Continue
    })
    .unwrap();
    view.links(&ids, &mut |_, link| {
        let link = link.unwrap();
        let PredicateId(predicate) = link.edge.predicate;
        world.links.push(naive::Link {
            id: link.id.0,
            subject: element(link.edge.subject),
            predicate: name_of(predicate),
            object: element(link.edge.object),
            metadata: link.shown_metadata(),
            attributes: link.attributes,
        });
    })
    .unwrap();
    world.links.sort_by_key(|link| link.id);
    world
}

fn element(element: Element) -> naive::Element {
    match element {
        Element::Concept(id) => naive::Element::Concept(id.0),
        Element::Link(id) => naive::Element::Link(id.0),
    }
}
