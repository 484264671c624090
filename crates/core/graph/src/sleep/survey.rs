//! Looking at everything in a space once, a page at a time.
//!
//! Links come before concepts, so that what is found does not depend on whether it is removed on the way:
//! links go with their concepts.

use std::collections::{BTreeSet, HashMap, VecDeque};

use cairn_seam::Visit;

use super::attached::Attached;
use super::elements::{self, Seen, expiry, without_domain};
use super::expiry::Expiry;
use super::followers::is_followed;
use super::names::Names;
use super::report::{SleepDuplicates, SleepElement, SleepReport};
use super::tasks::Tasks;
use crate::known::DOMAIN;
use crate::{
    ConceptId, Deleted, Element, LinkId, Meta, PredicateId, RecordView, Result, Statistic, TypeId, View,
    concept_text, keeps_concept, keeps_link_of, limits,
};

/// The type of what somebody asked `$system` to do.
const SLEEP_TASK: &str = "SleepTask";
const PROTECTED: &str = "it is protected";
const IN_USE: &str = "something still follows it";

/// A walk over a space. It holds no view between two steps.
pub struct Survey {
    now_ms: u64,
    shown_max: usize,
    report: SleepReport,
    phase: Phase,
    predicates: HashMap<PredicateId, String>,
    /// Types that were not looked at yet; the first one is under way.
    types: VecDeque<(TypeId, String)>,
    tasks: Tasks,
    /// Names of the type that is under way.
    names: Names,
    attached: Attached,
    /// Types and predicates that have expired: looked at last, when it is known what follows them.
    definitions: VecDeque<(ConceptId, TypeId, SleepElement)>,
    /// How many of a type go.
    going: HashMap<TypeId, u64>,
    total: u64,
}

/// Concepts and links up to these were looked at.
#[derive(Clone, Copy)]
enum Phase {
    Begin,
    Links(Option<LinkId>),
    Concepts(Option<ConceptId>),
    Duplicates,
    Definitions,
}

/// What a step of a survey found to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SurveyStep {
    /// Nothing: the next step looks on.
    GoOn,
    /// Links to remove.
    Links(Vec<LinkId>),
    /// Concepts to remove.
    Concepts(Vec<(ConceptId, TypeId)>),
    /// A type or predicate to remove unless something follows it: [`Survey::settle`] takes what became of it.
    Definition(ConceptId, TypeId),
    /// Everything was looked at.
    Done,
}

impl Survey {
    /// A survey at a time, of which at most so many things of each kind are shown. One that is applied gives
    /// out what to remove; another one counts what would go.
    pub fn new(space: &str, now_ms: u64, applied: bool, shown_max: usize) -> Self {
        Survey {
            now_ms,
            shown_max,
            report: SleepReport { space: space.to_owned(), at_ms: now_ms, applied, ..SleepReport::default() },
            phase: Phase::Begin,
            predicates: HashMap::new(),
            types: VecDeque::new(),
            tasks: Tasks::new(shown_max),
            names: Names::new(shown_max),
            attached: Attached::default(),
            definitions: VecDeque::new(),
            going: HashMap::new(),
            total: 0,
        }
    }

    /// Looks at the next page, through a view that has what was removed so far.
    pub fn step(&mut self, view: &View<'_>) -> Result<SurveyStep> {
        match self.phase {
            Phase::Begin => self.begin(view),
            Phase::Links(after) => self.look_at_links(view, after),
            Phase::Concepts(after) => self.look_at_concepts(view, after),
            Phase::Duplicates => self.look_at_names(view),
            Phase::Definitions => self.look_at_definition(view),
        }
    }

    /// What it does at the moment.
    pub fn stage(&self) -> &'static str {
        match self.phase {
            Phase::Begin | Phase::Links(_) => "looking at links",
            Phase::Concepts(_) | Phase::Duplicates => "looking at concepts",
            Phase::Definitions => "looking at types",
        }
    }

    /// Elements that were looked at, and how many there were at the beginning.
    pub fn progress(&self) -> (u64, u64) {
        ((self.report.concepts + self.report.links).min(self.total), self.total)
    }

    /// Something of what it gave out was removed.
    pub fn removed(&mut self, done: Deleted) {
        self.report.removed_concepts += done.concepts;
        self.report.removed_links += done.links;
    }

    /// Whether the type or predicate that it gave out went.
    pub fn settle(&mut self, went: bool) {
        let Some((_, _, shown)) = self.definitions.pop_front() else { return };
        if went {
            self.report.expired.add(self.shown_max, || shown);
        } else {
            let kept = || SleepElement { kept_because: Some(IN_USE.to_owned()), ..shown };
            self.report.kept.add(self.shown_max, kept);
        }
    }

    /// What it found.
    pub fn into_report(mut self) -> SleepReport {
        (self.report.tasks, self.report.tasks_not_pending) = self.tasks.into_listed();
        if !self.report.applied {
            self.report.removed_links = self.attached.total();
        }
        self.report
    }

    fn begin(&mut self, view: &View<'_>) -> Result<SurveyStep> {
        let mut total = 0;
        view.statistics(&mut |statistic, count| {
            if matches!(statistic, Statistic::Type(_) | Statistic::Predicate(_)) {
                total += count;
            }
            Visit::Continue
        })?;
        self.total = total;
        let types = definitions(view, Meta::Types)?;
        self.types = types.into_iter().map(|(id, name)| (TypeId(id), name)).collect();
        let predicates = definitions(view, Meta::Predicates)?;
        self.predicates = predicates.into_iter().map(|(id, name)| (PredicateId(id), name)).collect();
        self.phase = Phase::Links(None);
        Ok(SurveyStep::GoOn)
    }

    fn look_at_links(&mut self, view: &View<'_>, mut after: Option<LinkId>) -> Result<SurveyStep> {
        let (mut seen, mut verdict, mut past) = (0, Ok(()), Vec::new());
        view.all_links(after, &mut |id, record| {
            seen += 1;
            after = Some(id);
            match expiry(&record, self.now_ms) {
                Ok(found) => self.note_link(id, &record, found, &mut past),
                Err(error) => verdict = Err(error),
            }
            if verdict.is_ok() && seen < limits::SLEEP_PAGE { Visit::Continue } else { Visit::Stop }
        })?;
        verdict?;
        self.report.links += seen as u64;
        self.phase = if seen < limits::SLEEP_PAGE { Phase::Concepts(None) } else { Phase::Links(after) };
        if self.report.applied {
            return Ok(SurveyStep::Links(past.into_iter().map(|(link, _)| link).collect()));
        }
        self.attached.add_links(view, &past)?;
        Ok(SurveyStep::GoOn)
    }

    fn note_link(
        &mut self,
        id: LinkId,
        record: &RecordView<'_>,
        expiry: Expiry,
        past: &mut Vec<(LinkId, PredicateId)>,
    ) {
        let Some(edge) = record.edge().filter(|_| expiry != Expiry::Stays) else { return };
        let predicate = self.predicates.get(&edge.predicate).map_or("", String::as_str);
        let (report, most) = (&mut self.report, self.shown_max);
        match expiry {
            Expiry::Stays => {}
            Expiry::Unreadable(text) => {
                report.unreadable.add(most, || elements::link(id, predicate, text, None));
            }
            Expiry::Past(text) if keeps_link_of(edge.subject) => {
                report.kept.add(most, || elements::link(id, predicate, text, Some(PROTECTED)));
            }
            Expiry::Past(text) => {
                past.push((id, edge.predicate));
                report.expired.add(most, || elements::link(id, predicate, text, None));
            }
        }
    }

    fn look_at_concepts(&mut self, view: &View<'_>, after: Option<ConceptId>) -> Result<SurveyStep> {
        let Some((kind, name)) = self.types.front().cloned() else {
            self.phase = Phase::Definitions;
            return Ok(SurveyStep::GoOn);
        };
        let is_task = name == SLEEP_TASK;
        let needs_domain = !is_task && kind != DOMAIN && Meta::of_kind(kind).is_none();
        let page = self.page(view, kind, after, is_task)?;
        let homeless = if needs_domain { without_domain(view, &page)? } else { BTreeSet::new() };
        let count = page.len();
        let last = page.last().map(|seen| seen.id);
        let mut going = Vec::new();
        for seen in page {
            if self.note_expiry(kind, &name, &seen) {
                going.push((seen.id, kind));
                continue;
            }
            self.names.add(seen.id, seen.names());
            if homeless.contains(&seen.id) {
                self.report.without_domain.add(self.shown_max, || seen.shown(&name));
            }
            if let Some((status, priority, task)) = seen.task {
                self.tasks.add(&status, priority, task);
            }
        }
        self.report.concepts += count as u64;
        *self.going.entry(kind).or_default() += going.len() as u64;
        self.phase = if count < limits::SLEEP_PAGE { Phase::Duplicates } else { Phase::Concepts(last) };
        if self.report.applied {
            return Ok(SurveyStep::Concepts(going));
        }
        self.report.removed_concepts += going.len() as u64;
        self.attached.follow(view, going.into_iter().map(|(id, _)| Element::Concept(id)).collect())?;
        Ok(SurveyStep::GoOn)
    }

    /// The next concepts of a type.
    fn page(
        &self,
        view: &View<'_>,
        kind: TypeId,
        after: Option<ConceptId>,
        is_task: bool,
    ) -> Result<Vec<Seen>> {
        let mut page = Vec::new();
        let mut verdict = Ok(());
        view.concepts_of_type(kind, after, &mut |id, record| {
            match Seen::read(id, &record, self.now_ms, is_task) {
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
            ..seen.shown(kind_name)
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
                self.definitions.push_back((seen.id, kind, with(text)));
                false
            }
            Expiry::Past(text) => {
                self.report.expired.add(self.shown_max, || with(text));
                true
            }
        }
    }

    /// Types and predicates that have expired go if nothing follows them.
    fn look_at_definition(&mut self, view: &View<'_>) -> Result<SurveyStep> {
        let Some((id, kind, _)) = self.definitions.front() else { return Ok(SurveyStep::Done) };
        let definition = (*id, *kind);
        if self.report.applied {
            return Ok(SurveyStep::Definition(definition.0, definition.1));
        }
        let goes = self.would_remove(view, definition)?;
        self.settle(goes);
        Ok(SurveyStep::GoOn)
    }

    /// Notes what would go with a type or predicate; says whether it would go itself.
    fn would_remove(&mut self, view: &View<'_>, definition: (ConceptId, TypeId)) -> Result<bool> {
        let number = definition.0.0;
        let going = match Meta::of_kind(definition.1) {
            Some(Meta::Predicates) => self.attached.following(PredicateId(number)),
            Some(Meta::Types) | None => self.going.get(&TypeId(number)).copied().unwrap_or(0),
        };
        if is_followed(view, definition, going, |link| self.attached.has(link))? {
            return Ok(false);
        }
        self.attached.follow(view, vec![Element::Concept(definition.0)])?;
        self.report.removed_concepts += 1;
        Ok(true)
    }

    /// Notes which concepts of a type are called the same, and goes on to the next type.
    fn look_at_names(&mut self, view: &View<'_>) -> Result<SurveyStep> {
        self.phase = Phase::Concepts(None);
        let Some((kind, kind_name)) = self.types.pop_front() else { return Ok(SurveyStep::GoOn) };
        let names = std::mem::replace(&mut self.names, Names::new(self.shown_max));
        self.report.names_left_out += names.left_out;
        let (groups, total) = names.into_groups();
        let room = self.shown_max.saturating_sub(self.report.duplicates.shown.len());
        for group in groups.into_iter().take(room) {
            let wanted: Vec<_> = group.members.iter().map(|id| (*id, kind)).collect();
            let mut concepts = Vec::new();
            view.concept_views(&wanted, &mut |at, record| {
                let name = record.and_then(|record| record.name().map(str::to_owned));
                concepts.extend(name.map(|name| (concept_text(wanted[at].0), name)));
            })?;
            self.report.duplicates.shown.push(SleepDuplicates {
                kind: kind_name.clone(),
                same_name: group.name,
                concepts,
                total: group.total,
            });
        }
        self.report.duplicates.total += total;
        Ok(SurveyStep::GoOn)
    }
}

fn definitions(view: &View<'_>, of: Meta) -> Result<Vec<(u64, String)>> {
    let mut found = Vec::new();
    view.definitions(of, &mut |id, name| {
        found.push((id, name.to_owned()));
        Visit::Continue
    })?;
    Ok(found)
}
