//! Looking at everything in a space once, a page at a time.
//!
//! Links come before concepts, so that what is found does not depend on whether it is removed on the way:
//! links go with their concepts.

use std::collections::{BTreeSet, HashMap};

use cairn_access::Scope;
use cairn_base::{Position, Value, limits};
use cairn_graph::known::{BELONGS_TO_DOMAIN, DOMAIN, SELF, SYSTEM};
use cairn_graph::{
    ConceptId, Element, GraphError, LinkId, Lookup, Meta, Part, PredicateId, RecordView, TypeId, View,
    concept_text, keeps_concept, keeps_link_of, link_text,
};
use cairn_seam::{OnStage, Snapshot, Stage, StoreError, Visit};

use super::attached::Attached;
use super::expiry::{Expiry, KEY};
use super::followers::is_followed;
use super::names::Names;
use super::report::{SleepDuplicates, SleepElement, SleepReport, SleepTask};
use super::tasks::Tasks;
use crate::search::graph_rebuild::size;
use crate::{Engine, EngineError};

/// The type of what somebody asked `$system` to do.
const SLEEP_TASK: &str = "SleepTask";
/// Aliases of a concept that are compared.
const ALIASES_MAX: usize = 64;

/// A walk over a space.
pub(super) struct Look<'a> {
    pub(super) engine: &'a Engine,
    pub(super) scope: Scope,
    pub(super) now_ms: u64,
    pub(super) shown_max: usize,
    pub(super) on_stage: OnStage<'a>,
    pub(super) report: SleepReport,
    attached: Attached,
    /// Types and predicates whose time is over: looked at last, when it is known what follows them.
    definitions: Vec<(ConceptId, TypeId, SleepElement)>,
    /// How many of a type go.
    going: HashMap<TypeId, u64>,
    total: u64,
}

/// What is of interest in a concept.
struct Seen {
    id: ConceptId,
    name: String,
    expiry: Expiry,
    aliases: Vec<String>,
    task: Option<(String, f64, SleepTask)>,
}

impl<'a> Look<'a> {
    pub(super) fn new(
        engine: &'a Engine,
        scope: Scope,
        now_ms: u64,
        shown_max: usize,
        on_stage: OnStage<'a>,
    ) -> Self {
        Look {
            engine,
            scope,
            now_ms,
            shown_max,
            on_stage,
            report: SleepReport::default(),
            attached: Attached::default(),
            definitions: Vec::new(),
            going: HashMap::new(),
            total: 0,
        }
    }

    /// Looks at everything, and removes what is past its time if the report says that it is applied.
    pub(super) fn run(mut self) -> Result<SleepReport, EngineError> {
        let snapshot = self.snapshot()?;
        self.total = size(&*snapshot, self.scope)?;
        let view = View::new(&*snapshot, self.scope);
        let types = definitions(&view, Meta::Types)?;
        let predicates: HashMap<PredicateId, String> = definitions(&view, Meta::Predicates)?
            .into_iter()
            .map(|(id, name)| (PredicateId(id), name))
            .collect();
        drop(snapshot);
        self.look_at_links(&predicates)?;
        let mut tasks = Tasks::new(self.shown_max);
        for (id, name) in types {
            self.look_at_type(TypeId(id), &name, &mut tasks)?;
        }
        (self.report.tasks, self.report.tasks_not_pending) = tasks.into_listed();
        self.settle_definitions()?;
        if !self.report.applied {
            self.report.removed_links = self.attached.total();
        }
        Ok(self.report)
    }

    fn look_at_links(&mut self, predicates: &HashMap<PredicateId, String>) -> Result<(), EngineError> {
        let mut after: Option<LinkId> = None;
        loop {
            let snapshot = self.snapshot()?;
            let view = View::new(&*snapshot, self.scope);
            let (mut seen, mut verdict, mut past) = (0, Ok(()), Vec::new());
            let (report, now_ms, shown_max) = (&mut self.report, self.now_ms, self.shown_max);
            view.all_links(after, &mut |id, record| {
                seen += 1;
                after = Some(id);
                match expiry(&record, now_ms) {
                    Ok(found) => note_link(report, id, &record, found, predicates, shown_max, &mut past),
                    Err(error) => verdict = Err(error),
                }
                if verdict.is_ok() && seen < limits::SLEEP_PAGE { Visit::Continue } else { Visit::Stop }
            })?;
            verdict?;
            self.report.links += seen as u64;
            if !self.report.applied {
                self.attached.add_links(&view, &past)?;
            }
            drop(snapshot);
            if self.report.applied {
                self.remove_links(&past)?;
            }
            self.go_on("looking at links")?;
            if seen < limits::SLEEP_PAGE {
                return Ok(());
            }
        }
    }

    fn look_at_type(&mut self, kind: TypeId, name: &str, tasks: &mut Tasks) -> Result<(), EngineError> {
        let mut names = Names::new(self.shown_max);
        let is_task = name == SLEEP_TASK;
        let needs_domain = !is_task && kind != DOMAIN && Meta::of_kind(kind).is_none();
        let mut after = None;
        loop {
            let snapshot = self.snapshot()?;
            let view = View::new(&*snapshot, self.scope);
            let page = self.page(&view, kind, after, is_task)?;
            let homeless = if needs_domain { without_domain(&view, &page)? } else { BTreeSet::new() };
            let count = page.len();
            after = page.last().map(|seen| seen.id);
            let mut going = Vec::new();
            for seen in page {
                if self.note_expiry(kind, name, &seen) {
                    going.push((seen.id, kind));
                    continue;
                }
                names.add(seen.id, [&*seen.name].into_iter().chain(seen.aliases.iter().map(String::as_str)));
                if homeless.contains(&seen.id) {
                    let element = || element(seen.id, name, &seen.name);
                    self.report.without_domain.add(self.shown_max, element);
                }
                if let Some((status, priority, task)) = seen.task {
                    tasks.add(&status, priority, task);
                }
            }
            if !self.report.applied {
                let elements = going.iter().map(|(id, _)| Element::Concept(*id)).collect();
                self.attached.follow(&view, elements)?;
                self.report.removed_concepts += going.len() as u64;
            }
            drop(snapshot);
            self.report.concepts += count as u64;
            *self.going.entry(kind).or_default() += going.len() as u64;
            if self.report.applied {
                self.remove_concepts(&going)?;
            }
            self.go_on("looking at concepts")?;
            if count < limits::SLEEP_PAGE {
                return self.tell_duplicates(name, kind, names);
            }
        }
    }

    /// The next concepts of a type.
    fn page(
        &self,
        view: &View<'_>,
        kind: TypeId,
        after: Option<ConceptId>,
        is_task: bool,
    ) -> Result<Vec<Seen>, EngineError> {
        let mut page = Vec::new();
        let mut verdict = Ok(());
        view.concepts_of_type(kind, after, &mut |id, record| {
            match seen(id, &record, self.now_ms, is_task) {
                Ok(seen) => page.push(seen),
                Err(error) => verdict = Err(error),
            }
            if verdict.is_ok() && page.len() < limits::SLEEP_PAGE { Visit::Continue } else { Visit::Stop }
        })?;
        verdict?;
        Ok(page)
    }

    /// Notes what the time of a concept is; says whether it goes.
    fn note_expiry(&mut self, kind: TypeId, kind_name: &str, seen: &Seen) -> bool {
        let with = |expires_at: &str| SleepElement {
            expires_at: Some(expires_at.to_owned()),
            ..element(seen.id, kind_name, &seen.name)
        };
        match &seen.expiry {
            Expiry::Stays => false,
            Expiry::Unreadable(text) => {
                self.report.unreadable.add(self.shown_max, || with(text));
                false
            }
            Expiry::Past(text) if keeps_concept(seen.id, kind, &seen.name) => {
                let kept = || SleepElement { kept_because: Some(PROTECTED.to_owned()), ..with(text) };
                self.report.kept.add(self.shown_max, kept);
                false
            }
            Expiry::Past(text) if Meta::of_kind(kind).is_some() => {
                self.definitions.push((seen.id, kind, with(text)));
                false
            }
            Expiry::Past(text) => {
                self.report.expired.add(self.shown_max, || with(text));
                true
            }
        }
    }

    /// Types and predicates whose time is over go if nothing follows them.
    fn settle_definitions(&mut self) -> Result<(), EngineError> {
        for (id, kind, told) in std::mem::take(&mut self.definitions) {
            let goes = match self.report.applied {
                true => self.remove_definition((id, kind))?,
                false => self.would_remove((id, kind))?,
            };
            if goes {
                self.report.expired.add(self.shown_max, || told);
            } else {
                let kept = || SleepElement { kept_because: Some(IN_USE.to_owned()), ..told };
                self.report.kept.add(self.shown_max, kept);
            }
            self.go_on("looking at types")?;
        }
        Ok(())
    }

    /// Notes what would go with a type or predicate; says whether it would go itself.
    fn would_remove(&mut self, definition: (ConceptId, TypeId)) -> Result<bool, EngineError> {
        let snapshot = self.snapshot()?;
        let view = View::new(&*snapshot, self.scope);
        let number = definition.0.0;
        let going = match Meta::of_kind(definition.1) {
            Some(Meta::Predicates) => self.attached.following(PredicateId(number)),
            Some(Meta::Types) | None => self.going.get(&TypeId(number)).copied().unwrap_or(0),
        };
        if is_followed(&view, definition, going, |link| self.attached.has(link))? {
            return Ok(false);
        }
        self.attached.follow(&view, vec![Element::Concept(definition.0)])?;
        self.report.removed_concepts += 1;
        Ok(true)
    }

    fn tell_duplicates(&mut self, kind_name: &str, kind: TypeId, names: Names) -> Result<(), EngineError> {
        self.report.names_left_out += names.left_out;
        let (groups, total) = names.into_groups();
        let snapshot = self.snapshot()?;
        let view = View::new(&*snapshot, self.scope);
        let room = self.shown_max.saturating_sub(self.report.duplicates.shown.len());
        for group in groups.into_iter().take(room) {
            let wanted: Vec<_> = group.members.iter().map(|id| (*id, kind)).collect();
            let mut concepts = Vec::new();
            view.concept_views(&wanted, &mut |at, record| {
                let name = record.and_then(|record| record.name().map(str::to_owned));
                concepts.extend(name.map(|name| (concept_text(wanted[at].0), name)));
            })?;
            self.report.duplicates.shown.push(SleepDuplicates {
                kind: kind_name.to_owned(),
                same_name: group.name,
                concepts,
                total: group.total,
            });
        }
        self.report.duplicates.total += total;
        Ok(())
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot>, EngineError> {
        Ok(self.engine.pipeline.store().snapshot(Position::START)?)
    }

    /// Says how far it is, and fails if it is told to stop.
    pub(super) fn go_on(&mut self, name: &'static str) -> Result<(), EngineError> {
        let done = (self.report.concepts + self.report.links).min(self.total);
        let goes_on = (self.on_stage)(Stage { name, done, total: self.total });
        if goes_on { Ok(()) } else { Err(StoreError::Stopped.into()) }
    }
}

const PROTECTED: &str = "it is protected";
const IN_USE: &str = "something still follows it";

fn definitions(view: &View<'_>, of: Meta) -> Result<Vec<(u64, String)>, EngineError> {
    let mut found = Vec::new();
    view.definitions(of, &mut |id, name| {
        found.push((id, name.to_owned()));
        Visit::Continue
    })?;
    Ok(found)
}

fn expiry(record: &RecordView<'_>, now_ms: u64) -> Result<Expiry, GraphError> {
    Ok(Expiry::of(record.value(Part::Metadata, &[KEY])?.as_ref(), now_ms))
}

fn note_link(
    report: &mut SleepReport,
    id: LinkId,
    record: &RecordView<'_>,
    expiry: Expiry,
    predicates: &HashMap<PredicateId, String>,
    shown_max: usize,
    past: &mut Vec<(LinkId, PredicateId)>,
) {
    let Some(edge) = record.edge().filter(|_| expiry != Expiry::Stays) else { return };
    let predicate = predicates.get(&edge.predicate).map_or("", String::as_str);
    let told = |expires_at: String, kept_because: Option<&str>| SleepElement {
        id: link_text(id, predicate),
        kind: predicate.to_owned(),
        name: None,
        expires_at: Some(expires_at),
        kept_because: kept_because.map(str::to_owned),
    };
    match expiry {
        Expiry::Stays => {}
        Expiry::Unreadable(text) => report.unreadable.add(shown_max, || told(text, None)),
        Expiry::Past(text) if keeps_link_of(edge.subject) => {
            report.kept.add(shown_max, || told(text, Some(PROTECTED)));
        }
        Expiry::Past(text) => {
            past.push((id, edge.predicate));
            report.expired.add(shown_max, || told(text, None));
        }
    }
}

fn seen(id: ConceptId, record: &RecordView<'_>, now_ms: u64, is_task: bool) -> Result<Seen, GraphError> {
    let name = record.name().unwrap_or_default().to_owned();
    let aliases = match record.value(Part::Attributes, &["aliases"])? {
        Some(Value::Array(items)) => items
            .into_iter()
            .take(ALIASES_MAX)
            .filter_map(|item| if let Value::String(text) = item { Some(text) } else { None })
            .collect(),
        Some(Value::String(text)) => vec![text],
        _ => Vec::new(),
    };
    let task = if is_task { Some(super::tasks::read(id, &name, record)?) } else { None };
    Ok(Seen { id, name, expiry: expiry(record, now_ms)?, aliases, task })
}

/// Those of a page that belong to no domain. The two agents need none.
fn without_domain(view: &View<'_>, page: &[Seen]) -> Result<BTreeSet<ConceptId>, EngineError> {
    let ids: Vec<ConceptId> =
        page.iter().map(|seen| seen.id).filter(|id| ![SELF, SYSTEM].contains(id)).collect();
    let lookups: Vec<Lookup> = ids
        .iter()
        .map(|id| Lookup::Out { subject: Element::Concept(*id), predicate: Some(BELONGS_TO_DOMAIN) })
        .collect();
    let mut homeless: BTreeSet<ConceptId> = ids.iter().copied().collect();
    view.edges(&lookups, &mut |at, _| {
        homeless.remove(&ids[at]);
        Visit::NextRange
    })?;
    Ok(homeless)
}

fn element(id: ConceptId, kind: &str, name: &str) -> SleepElement {
    SleepElement {
        id: concept_text(id),
        kind: kind.to_owned(),
        name: Some(name.to_owned()),
        expires_at: None,
        kept_because: None,
    }
}
