//! Small graphs out of text, and questions to them.
//!
//! ```text
//! Drug Aspirin {"risk": 2} {"source": "book"}     a concept, with attributes and metadata if there are any
//! Aspirin -treats-> Headache {"since": 1899}      a link
//! @fact Aspirin -treats-> Fever                   a link with a name for links to it
//! Ada -stated-> @fact                             a link to a link
//! ```
//!
//! Types and predicates are defined where they are first used. Names have no spaces, and are unique here.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use cairn_access::{Action, Principal, Resource, Role, Roles, Scope, authorize};
use cairn_base::{Clock, ManualClock, Position, SpaceId, TenantId, Value};
use cairn_graph::{
    ConceptWrite, Element, GraphError, IndexField, IndexOrigin, LinkTarget, LinkWrite, Map, Part, Target,
    View, Writer, build_index_page, create_index, known,
};
use cairn_kip::tree::{Command, Find};
use cairn_kip::{Format, KipError};
use cairn_query::{Allowance, Budget, Found, QueryError, find};
use cairn_seam::{MemoryStore, Store, write};

pub(crate) const NOW_MS: u64 = 1_700_000_000_000;

/// A graph that can be asked.
pub(crate) struct World {
    store: MemoryStore,
    pub(crate) clock: Arc<ManualClock>,
    scope: Scope,
    /// Elements by their names; links as `@name`.
    elements: BTreeMap<String, Element>,
}

impl World {
    pub(crate) fn new(text: &str) -> Self {
        let clock = Arc::new(ManualClock::new(NOW_MS));
        let store = MemoryStore::new(Arc::clone(&clock) as _);
        let scope = scope();
        write(&store, scope.tenant(), move |tx| cairn_graph::bootstrap(tx, &scope, NOW_MS)).unwrap();
        let mut world = World { store, clock, scope, elements: BTreeMap::new() };
        world.add(text);
        world
    }

    /// Writes more, in one transaction.
    pub(crate) fn add(&mut self, text: &str) {
        let lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
        let mut elements = self.elements.clone();
        self.write(move |writer| {
            for line in lines.iter().filter(|line| !line.is_empty()) {
                add_line(writer, &mut elements, line)?;
            }
            Ok(elements.clone())
        })
        .into_iter()
        .for_each(|(name, element)| {
            self.elements.insert(name, element);
        });
    }

    /// Makes an ordered index of an attribute.
    pub(crate) fn index(&self, kind: &str, key: &str) {
        let (scope, kind) = (self.scope, self.view(|view| view.type_id(kind)).unwrap().unwrap());
        let field = IndexField { part: Part::Attributes, path: vec![key.to_owned()] };
        let made = write(&self.store, scope.tenant(), move |tx| {
            let id = create_index(tx, &scope, kind, &field, IndexOrigin::Asked)?.index.id;
            while !build_index_page(tx, &scope, id, 1000)?.is_ready {}
            Ok::<_, GraphError>(())
        });
        made.unwrap();
    }

    pub(crate) fn delete(&self, name: &str) {
        let element = self.element(name);
        self.write(move |writer| match element {
            Element::Concept(id) => writer.delete_concepts(&[id]).map(|_| ()),
            Element::Link(id) => writer.delete_links(&[id]).map(|_| ()),
        });
    }

    fn write<T: Send + 'static>(
        &self,
        mut body: impl FnMut(&mut Writer<'_>) -> Result<T, GraphError> + Send + 'static,
    ) -> T {
        let scope = self.scope;
        let done = write(&self.store, scope.tenant(), move |tx| {
            let mut writer = Writer::new(tx, scope, NOW_MS);
            let done = body(&mut writer)?;
            writer.finish()?;
            Ok::<_, GraphError>(done)
        });
        done.unwrap().0
    }

    /// The element of a name; links as `@name`.
    pub(crate) fn element(&self, name: &str) -> Element {
        self.elements[name]
    }

    /// Its id as clients see it.
    pub(crate) fn id(&self, name: &str) -> String {
        match self.element(name) {
            Element::Concept(id) => cairn_graph::concept_text(id),
            Element::Link(id) => self.view(|view| {
                let mut predicate = 0;
                view.links(&[id], &mut |_, link| predicate = link.unwrap().edge.predicate.0).unwrap();
                cairn_graph::link_text(id, &view.definition_name(predicate).unwrap().unwrap())
            }),
        }
    }

    pub(crate) fn view<T>(&self, read: impl FnOnce(&View<'_>) -> T) -> T {
        let snapshot = self.store.snapshot(Position::START).unwrap();
        read(&View::new(&*snapshot, self.scope))
    }

    pub(crate) fn ask(
        &self,
        query: &str,
        format: Format,
        clock: &dyn Clock,
        allowance: Allowance,
    ) -> Result<Found, KipError> {
        let tree = parsed(query)?;
        let mut budget = Budget::new(clock, allowance);
        self.view(|view| find(view, &tree, format, &mut budget).map_err(QueryError::into_kip))
    }

    pub(crate) fn try_find(&self, query: &str) -> Result<Found, KipError> {
        self.ask(query, Format::Columns, &*self.clock, Allowance::default())
    }

    pub(crate) fn find(&self, query: &str) -> Found {
        self.try_find(query).unwrap_or_else(|error| panic!("{query}: {} {error}", error.code))
    }

    /// The answer in columns, as JSON.
    pub(crate) fn json(&self, query: &str) -> String {
        self.find(query).result.to_json()
    }

    pub(crate) fn check(&self, query: &str, expected: &str) {
        assert_eq!(self.json(query), expected, "{query}");
    }

    /// The answer in rows of names and numbers, like `Aspirin Headache, Aspirin Fever`.
    pub(crate) fn check_rows(&self, query: &str, expected: &str) {
        let found = self.ask(query, Format::Rows, &*self.clock, Allowance::default());
        let found = found.unwrap_or_else(|error| panic!("{query}: {} {error}", error.code));
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_json(), str::to_owned);
        let row = |row: &Value| row.as_array().unwrap().iter().map(text).collect::<Vec<_>>().join(" ");
        let rows: Vec<String> = found.result.as_array().unwrap().iter().map(row).collect();
        assert_eq!(rows.join(", "), expected, "{query}");
    }

    /// The code of a query's mistake, its message and its advice.
    pub(crate) fn mistake(&self, query: &str) -> (String, String) {
        let error = self.try_find(query).expect_err(query);
        (error.code.text().to_owned(), format!("{}; {}", error.message, error.advice()))
    }

    pub(crate) fn check_mistake(&self, query: &str, code: &str, said: &str) {
        let (found, text) = self.mistake(query);
        assert_eq!(found, code, "{query}: {text}");
        assert!(text.contains(said), "{query}: {text}");
    }
}

/// An allowance of so many rows, and plenty of the rest.
pub(crate) fn rows(rows: u64) -> Allowance {
    Allowance { rows, bytes: u64::MAX, time: Duration::MAX }
}

pub(crate) fn parsed(query: &str) -> Result<Find, KipError> {
    let Command::Find(find) = cairn_kip::parse(query)? else { panic!("no FIND: {query}") };
    Ok(find)
}

fn scope() -> Scope {
    let member = Principal::new("ada", TenantId::LOCAL, Roles::NONE.with(Role::Writer));
    let resource = Resource::space(TenantId::LOCAL, SpaceId::MEMORY);
    authorize(&member, Action::TurnsWrite, resource).unwrap().scope()
}

fn add_line(
    writer: &mut Writer<'_>,
    elements: &mut BTreeMap<String, Element>,
    line: &str,
) -> Result<(), GraphError> {
    let (words, maps) = line.split_at(line.find('{').unwrap_or(line.len()));
    let (attributes, metadata) = two_maps(maps);
    let mut words: Vec<&str> = words.split_whitespace().collect();
    let label = words.first().filter(|word| word.starts_with('@') && words.len() == 4).copied();
    if label.is_some() {
        words.remove(0);
    }
    let [subject, arrow, object] = words[..] else {
        let [kind, name] = words[..] else { panic!("not understood: {line}") };
        let kind = define(writer, known::CONCEPT_TYPE, kind)?;
        let target = Target::Named(cairn_graph::TypeId(kind), name.to_owned());
        let done =
            writer.upsert_concept(ConceptWrite { target, expect_version: None, attributes, metadata })?;
        elements.insert(name.to_owned(), done.0.into());
        return Ok(());
    };
    let predicate = arrow.strip_prefix('-').and_then(|rest| rest.strip_suffix("->")).unwrap();
    let predicate = cairn_graph::PredicateId(define(writer, known::PROPOSITION_TYPE, predicate)?);
    let target = LinkTarget::Triple(elements[subject], predicate, elements[object]);
    let (id, _) = writer.upsert_link(LinkWrite { target, expect_version: None, attributes, metadata })?;
    if let Some(label) = label {
        elements.insert(label.to_owned(), id.into());
    }
    Ok(())
}

fn define(writer: &mut Writer<'_>, meta: cairn_graph::TypeId, name: &str) -> Result<u64, GraphError> {
    let target = Target::Named(meta, name.to_owned());
    if let Some(Some(id)) = writer.view().find_concepts(&[(meta, name)])?.pop() {
        return Ok(id.0);
    }
    let (attributes, metadata) = (Map::new(), Map::new());
    let done = writer.upsert_concept(ConceptWrite { target, expect_version: None, attributes, metadata })?;
    Ok(done.0.0)
}

/// `{…} {…}`, both optional.
fn two_maps(text: &str) -> (Map, Map) {
    let all = format!("[{}]", text.trim().replace("} {", "}, {"));
    let Value::Array(items) = Value::parse_json(all.as_bytes()).unwrap() else { panic!("{text}") };
    let mut maps = items.into_iter().map(|item| item.as_object().unwrap().clone());
    (maps.next().unwrap_or_default(), maps.next().unwrap_or_default())
}
