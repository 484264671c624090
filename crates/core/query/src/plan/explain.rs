//! A plan in words.

use cairn_graph::{Index, Part, PredicateId, View, concept_text};

use super::block::{Block, Stage};
use super::step::{Access, ElementStep, LinkStep, PathEnd, PathStep, Step, Work};
use super::{Places, Plan, Slot, Test};
use crate::Result;
use crate::cell::{Cell, Place};
use crate::fields::{Field, FieldOf};
use crate::filter::Filter;

/// One stage in words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Explained {
    /// What it is called.
    pub(crate) operator: &'static str,
    /// What it does.
    pub(crate) detail: String,
    /// What it reads that from, if it reads.
    pub(crate) index: Option<String>,
    /// How many rows were expected after it.
    pub(crate) estimate: Option<f64>,
    /// Which of all stages it is.
    pub(crate) number: usize,
    /// What is inside it.
    pub(crate) inside: Vec<Explained>,
}

/// All stages of a plan.
pub(crate) fn explained(plan: &Plan, view: View<'_>) -> Result<Vec<Explained>> {
    Explainer { view, places: &plan.places }.block(&plan.root)
}

struct Explainer<'a> {
    view: View<'a>,
    places: &'a Places,
}

impl Explainer<'_> {
    fn block(&self, block: &Block) -> Result<Vec<Explained>> {
        block.stages.iter().map(|stage| self.stage(stage)).collect()
    }

    fn stage(&self, stage: &Stage) -> Result<Explained> {
        let (operator, block, slots) = match stage {
            Stage::Step(step) => return self.step(step),
            Stage::Optional(block) => ("optional", block, &block.shared),
            Stage::Not(block) => ("not", block, &block.shared),
            Stage::Union(union) => ("union", &union.branch, &union.agree_on),
        };
        let detail =
            if slots.is_empty() { String::new() } else { format!("joined on {}", self.labels(slots)) };
        let (number, inside) = (stage.number(), self.block(block)?);
        Ok(Explained { operator, detail, index: None, estimate: None, number, inside })
    }

    fn step(&self, step: &Step) -> Result<Explained> {
        let (operator, detail, index) = match &step.work {
            Work::Elements(step) => ("elements", self.elements(step)?, self.elements_index(step)?),
            Work::Check { slot, tests } => ("check", self.tested(*slot, tests)?, None),
            Work::Links(links) => ("links", self.links(links)?, Some(links_index(links.access).to_owned())),
            Work::Path(path) => ("path", self.path(path)?, Some(path_index(path).to_owned())),
            Work::Filter(filter) => ("filter", self.filter(filter), None),
        };
        let (estimate, number) = (Some(step.estimate), step.number);
        Ok(Explained { operator, detail, index, estimate, number, inside: Vec::new() })
    }

    fn elements(&self, step: &ElementStep) -> Result<String> {
        let mut detail = self.tested(step.slot, &step.tests)?;
        for filter in &step.filters {
            detail.push_str(" filtered by ");
            detail.push_str(&self.filter(filter));
        }
        Ok(detail)
    }

    /// What elements are read from, if they are.
    fn elements_index(&self, step: &ElementStep) -> Result<Option<String>> {
        match (&step.index, step.scanned()) {
            (Some(scan), _) => index_name(&scan.index, self.view).map(Some),
            (None, Some(_)) => Ok(Some("concepts by type".to_owned())),
            (None, None) => Ok(None),
        }
    }

    /// What a filter looks at.
    fn filter(&self, filter: &Filter) -> String {
        let fields: Vec<String> = filter.fields().iter().map(|of| self.field(of)).collect();
        let whole = filter.slots().filter(|slot| !filter.fields().iter().any(|of| of.slot == *slot));
        let mut names: Vec<String> = Vec::new();
        for name in fields.into_iter().chain(whole.map(|slot| self.places.label(slot).to_owned())) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(", ")
    }

    fn field(&self, of: &FieldOf) -> String {
        let label = self.places.label(of.slot);
        match &of.field {
            Field::Whole => label.to_owned(),
            Field::Id => format!("{label}.id"),
            Field::Type => format!("{label}.type"),
            Field::Name => format!("{label}.name"),
            Field::Subject => format!("{label}.subject"),
            Field::Predicate => format!("{label}.predicate"),
            Field::Object => format!("{label}.object"),
            Field::Inside(part, keys) => {
                let part = match part {
                    Part::Attributes => "attributes",
                    Part::Metadata => "metadata",
                };
                [label, part].into_iter().chain(keys.iter().map(String::as_str)).collect::<Vec<_>>().join(".")
            }
        }
    }

    fn links(&self, step: &LinkStep) -> Result<String> {
        let end = |place: Place| -> Result<String> {
            let slots = step.puts.iter().chain(&step.agrees);
            let slot = slots.filter(|(own, _)| *own == place).map(|(_, slot)| *slot).next();
            let tests = step.tests.iter().filter(|(own, _)| *own == place).map(|(_, test)| test);
            self.end(slot, tests)
        };
        let predicate = match &step.predicates {
            Some(ids) => self.predicates(ids)?,
            None => end(Place::Predicate)?,
        };
        let from = match step.access {
            Access::Link(slot) => format!("from the link {}", self.places.label(slot)),
            Access::Exact(subject, object) => format!("between {}", self.labels(&[subject, object])),
            Access::Out(slot) => format!("out of {}", self.places.label(slot)),
            Access::In(slot) => format!("into {}", self.places.label(slot)),
            Access::Scan => "all of them".to_owned(),
        };
        Ok(format!("({}, {predicate}, {}) {from}", end(Place::Subject)?, end(Place::Object)?))
    }

    fn path(&self, step: &PathStep) -> Result<String> {
        let most = step.most.map_or_else(String::new, |most| most.to_string());
        let predicate = self.predicates(&[step.predicate])?;
        let [subject, object] =
            [&step.subject, &step.object].map(|end: &PathEnd| self.end(end.slot, end.tests.iter()));
        let from = match (step.subject.is_bound, step.object.is_bound) {
            (true, true) if step.meets => "from both ends",
            (true, true) => "between both",
            (true, false) => "out of the subject",
            (false, true) => "into the object",
            (false, false) => "from everywhere",
        };
        Ok(format!("({}, {predicate}{{{},{most}}}, {}) {from}", subject?, step.least, object?))
    }

    fn end<'t>(&self, slot: Option<Slot>, tests: impl Iterator<Item = &'t Test>) -> Result<String> {
        let mut words: Vec<String> =
            slot.map(|slot| self.places.label(slot).to_owned()).into_iter().collect();
        for test in tests {
            words.push(self.test(test)?);
        }
        Ok(words.join(" "))
    }

    fn tested(&self, slot: Slot, tests: &[Test]) -> Result<String> {
        self.end(Some(slot), tests.iter())
    }

    fn test(&self, test: &Test) -> Result<String> {
        match test {
            Test::Type(kind) => Ok(format!("is a {}", self.name(kind.0)?)),
            Test::OneOf(cells) => match cells[..] {
                [] => Ok("is nothing".to_owned()),
                [Cell::Concept(id, _)] => Ok(format!("is {}", concept_text(id))),
                [Cell::Link(id)] => Ok(format!("is {id}")),
                _ => Ok(format!("is one of {}", cells.len())),
            },
        }
    }

    fn predicates(&self, ids: &[PredicateId]) -> Result<String> {
        let names: Vec<String> = ids.iter().map(|id| self.name(id.0)).collect::<Result<_>>()?;
        Ok(names.join(" | "))
    }

    fn name(&self, definition: u64) -> Result<String> {
        Ok(self.view.definition_name(definition)?.unwrap_or_default())
    }

    fn labels(&self, slots: &[Slot]) -> String {
        let mut labels: Vec<&str> = Vec::new();
        for slot in slots {
            let label = self.places.label(*slot);
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        labels.join(", ")
    }
}

/// What an ordered index is of.
pub(crate) fn index_name(index: &Index, view: View<'_>) -> Result<String> {
    let kind = view.definition_name(index.kind.0)?.unwrap_or_default();
    let part = match index.part {
        Part::Attributes => "attributes",
        Part::Metadata => "metadata",
    };
    Ok(format!("{kind} by {part}.{}", index.path.join(".")))
}

fn links_index(access: Access) -> &'static str {
    match access {
        Access::Link(_) => "links",
        Access::Exact(..) | Access::Out(_) => "links by subject",
        Access::In(_) => "links by object",
        Access::Scan => "links by predicate",
    }
}

fn path_index(step: &PathStep) -> &'static str {
    match (step.subject.is_bound, step.object.is_bound) {
        (true, true) if step.meets => "links by subject and by object",
        (true, _) => "links by subject",
        (false, true) => "links by object",
        (false, false) => "links by predicate",
    }
}
