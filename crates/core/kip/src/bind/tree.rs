//! Every place of a tree where a parameter can stand.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use crate::limits::KIP_BOUND_BYTES_MAX;
use cairn_base::Value;

use super::check::{Parameters, Size, check_string, is_scalar, look_up, too_deep, too_much, unfit};
use crate::tree::{
    Block, Clause, Command, ConceptMatch, Condition, Delete, Deleted, Describe, Find, Group, Json, JsonNode,
    Link, Object, Operand, Predicate, PropositionMatch, Search, Slot, Term, Text, Upsert,
};
use crate::{KipError, Span, Spanned};

type Result<T> = std::result::Result<T, KipError>;

/// Puts values into trees.
pub(super) struct Binder<'p> {
    parameters: &'p Parameters,
    /// What is known of values that were used: each is looked through once, however often it is used.
    sizes: RefCell<HashMap<&'p str, Size>>,
    /// Bytes that were put into the tree: a value counts as often as it is used.
    bound_bytes: Cell<usize>,
}

impl<'p> Binder<'p> {
    pub(super) fn new(parameters: &'p Parameters) -> Self {
        Binder { parameters, sizes: RefCell::default(), bound_bytes: Cell::new(0) }
    }

    pub(super) fn command(&self, command: &mut Command) -> Result<()> {
        match command {
            Command::Find(find) | Command::Explain { find, .. } => self.find(find),
            Command::Upsert(upserts) => upserts.iter_mut().try_for_each(|upsert| self.upsert(upsert)),
            Command::Delete(delete) => self.delete(delete),
            Command::Describe(describe) => self.describe(describe),
            Command::Search(search) => self.search(search),
        }
    }

    fn find(&self, find: &mut Find) -> Result<()> {
        self.group(&mut find.pattern)?;
        self.count(find.limit.as_mut())?;
        self.text(find.cursor.as_mut())
    }

    fn delete(&self, delete: &mut Delete) -> Result<()> {
        match &delete.what {
            Deleted::Attributes(keys) | Deleted::Metadata(keys) => {
                keys.iter().try_for_each(|key| self.literal(key))?;
            }
            Deleted::Propositions | Deleted::Concept => {}
        }
        self.group(&mut delete.pattern)
    }

    fn describe(&self, describe: &mut Describe) -> Result<()> {
        match describe {
            Describe::Primer | Describe::Domains => Ok(()),
            Describe::Types { limit, cursor, .. } => {
                self.count(limit.as_mut())?;
                self.text(cursor.as_mut())
            }
            Describe::Type { name, .. } => self.text(Some(name)),
        }
    }

    fn search(&self, search: &mut Search) -> Result<()> {
        self.text(Some(&mut search.term))?;
        self.text(search.kind.as_mut())?;
        self.count(search.limit.as_mut())
    }

    fn group(&self, group: &mut Group) -> Result<()> {
        group.clauses.iter_mut().try_for_each(|clause| match &mut clause.node {
            Clause::Concept { matcher, .. } => self.concept(matcher),
            Clause::Proposition { matcher, .. } => self.proposition(matcher),
            Clause::Filter(condition) => self.condition(condition),
            Clause::Optional(group) | Clause::Not(group) | Clause::Union(group) => self.group(group),
        })
    }

    fn concept(&self, matcher: &mut ConceptMatch) -> Result<()> {
        [&mut matcher.id, &mut matcher.kind, &mut matcher.name]
            .into_iter()
            .try_for_each(|slot| self.text(slot.as_mut()))
    }

    fn proposition(&self, matcher: &mut PropositionMatch) -> Result<()> {
        match matcher {
            PropositionMatch::Id { id, .. } => self.text(Some(id)),
            PropositionMatch::Triple(triple) => {
                self.term(&mut triple.subject)?;
                self.predicate(&mut triple.predicate)?;
                self.term(&mut triple.object)
            }
        }
    }

    fn term(&self, term: &mut Term) -> Result<()> {
        match term {
            Term::Variable(_) => Ok(()),
            Term::Concept { matcher, .. } => self.concept(matcher),
            Term::Proposition { matcher, .. } => self.proposition(matcher),
        }
    }

    fn predicate(&self, predicate: &mut Predicate) -> Result<()> {
        match predicate {
            Predicate::OneOf(names) => names.iter_mut().try_for_each(|name| self.text(Some(name))),
            Predicate::Path { name, .. } => self.text(Some(name)),
            Predicate::Variable(_) => Ok(()),
        }
    }

    fn condition(&self, condition: &mut Condition) -> Result<()> {
        match condition {
            Condition::Or(parts) | Condition::And(parts) => {
                parts.iter_mut().try_for_each(|part| self.condition(part))
            }
            Condition::Not(part) => self.condition(part),
            Condition::Compare { left, right, .. } => {
                self.operand(left)?;
                self.operand(right)
            }
            Condition::Text { subject, pattern, .. } => {
                self.operand(subject)?;
                self.operand(pattern)
            }
            Condition::In { operand, list } => {
                self.operand(operand)?;
                self.list(list)
            }
            Condition::IsNull { operand, .. } => self.operand(operand),
        }
    }

    /// Something to compare.
    fn operand(&self, operand: &mut Operand) -> Result<()> {
        let Operand::Value(json) = operand else { return Ok(()) };
        if let JsonNode::Array(items) = &mut json.node {
            return items.iter_mut().try_for_each(|item| {
                self.fitting(item, is_scalar, "a string, a number, true, false or null")
            });
        }
        let fits = |value: &Value| is_scalar(value) || is_list(value);
        self.fitting(json, fits, "a string, a number, true, false, null or a list of them")
    }

    /// The list of an IN.
    fn list(&self, list: &mut Operand) -> Result<()> {
        match list {
            Operand::Value(Json { node: JsonNode::Array(_), .. }) | Operand::Path(_) => self.operand(list),
            Operand::Value(json) => {
                self.fitting(json, is_list, "a list of strings, numbers, true, false or null")
            }
        }
    }

    fn upsert(&self, upsert: &mut Upsert) -> Result<()> {
        for block in &mut upsert.blocks {
            match &mut block.node {
                Block::Concept(block) => {
                    self.concept(&mut block.matcher)?;
                    self.count(block.expect_version.as_mut())?;
                    self.object(block.attributes.as_mut())?;
                    block.links.iter_mut().try_for_each(|link| self.link(link))?;
                    self.object(block.metadata.as_mut())?;
                }
                Block::Proposition(block) => {
                    self.proposition(&mut block.matcher)?;
                    self.count(block.expect_version.as_mut())?;
                    self.object(block.attributes.as_mut())?;
                    self.object(block.metadata.as_mut())?;
                }
            }
        }
        self.object(upsert.metadata.as_mut())
    }

    fn link(&self, link: &mut Link) -> Result<()> {
        self.text(Some(&mut link.predicate))?;
        self.term(&mut link.target)?;
        self.object(link.metadata.as_mut())
    }

    fn object(&self, object: Option<&mut Object>) -> Result<()> {
        object.map_or(Ok(()), |object| self.entries(&mut object.entries))
    }

    fn entries(&self, entries: &mut [(Text, Json)]) -> Result<()> {
        entries.iter_mut().try_for_each(|(key, value)| {
            self.literal(key)?;
            self.json(value)
        })
    }

    /// Any value.
    fn json(&self, json: &mut Json) -> Result<()> {
        match &mut json.node {
            JsonNode::Array(items) => items.iter_mut().try_for_each(|item| self.json(item)),
            JsonNode::Object(entries) => self.entries(entries),
            JsonNode::Null
            | JsonNode::Bool(_)
            | JsonNode::Number(_)
            | JsonNode::String(_)
            | JsonNode::Parameter(_)
            | JsonNode::Bound(_) => self.fitting(json, |_| true, "a value"),
        }
    }

    /// A value that is no array and no object as it is written, and has to be `wanted` if it is a parameter.
    fn fitting(&self, json: &mut Json, fits: impl Fn(&Value) -> bool, wanted: &str) -> Result<()> {
        if let JsonNode::String(text) = &json.node {
            return check_string(self.parameters, text, json.span);
        }
        let JsonNode::Parameter(name) = &json.node else { return Ok(()) };
        let value = self.value(name, json.span, fits, wanted)?;
        json.node = JsonNode::Bound(value.clone());
        Ok(())
    }

    /// A string that cannot be a parameter.
    fn literal(&self, text: &Text) -> Result<()> {
        check_string(self.parameters, &text.node, text.span)
    }

    fn text(&self, slot: Option<&mut Spanned<Slot<String>>>) -> Result<()> {
        let Some(slot) = slot else { return Ok(()) };
        match &slot.node {
            Slot::Is(text) => check_string(self.parameters, text, slot.span),
            Slot::Parameter(name) => {
                let value = self.value(name, slot.span, |value| value.as_str().is_some(), "a string")?;
                slot.node = Slot::Is(value.as_str().unwrap_or_default().to_owned());
                Ok(())
            }
        }
    }

    fn count(&self, slot: Option<&mut Spanned<Slot<u64>>>) -> Result<()> {
        let Some(slot) = slot else { return Ok(()) };
        if let Slot::Parameter(name) = &slot.node {
            let count = |value: &Value| value.as_number().and_then(cairn_base::Number::as_u64);
            let value =
                self.value(name, slot.span, |value| count(value).is_some(), "a whole number from 0 on")?;
            slot.node = Slot::Is(count(value).unwrap_or_default());
        }
        Ok(())
    }

    fn value(&self, name: &str, span: Span, fits: impl Fn(&Value) -> bool, wanted: &str) -> Result<&Value> {
        let (name, value) = look_up(self.parameters, name, span)?;
        let size = *self.sizes.borrow_mut().entry(name).or_insert_with(|| Size::of(value));
        if size.is_too_deep {
            return Err(too_deep(name, span));
        }
        self.bound_bytes.set(self.bound_bytes.get().saturating_add(size.bytes));
        if self.bound_bytes.get() > KIP_BOUND_BYTES_MAX {
            return Err(too_much(name, span));
        }
        if fits(value) { Ok(value) } else { Err(unfit(name, value, wanted, span)) }
    }
}

/// Whether it is an array of scalars.
fn is_list(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(is_scalar))
}
