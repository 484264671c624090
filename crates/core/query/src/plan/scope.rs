//! Variables and their places in rows.

use std::collections::{BTreeMap, BTreeSet};

use cairn_kip::tree::Text;
use cairn_kip::{KipCode, KipError};

/// The place of a variable in a row.
pub(crate) type Slot = usize;

/// All places of a row, and what they are called.
#[derive(Debug, Default)]
pub(crate) struct Places {
    labels: Vec<String>,
    /// Those that no variable names: nothing outside of their pattern sees them.
    hidden: BTreeSet<Slot>,
}

impl Places {
    /// How many there are.
    pub(crate) fn width(&self) -> usize {
        self.labels.len()
    }

    /// A place that no variable names.
    pub(crate) fn add_hidden(&mut self) -> Slot {
        let slot = self.add(format!("_{}", self.hidden.len() + 1));
        self.hidden.insert(slot);
        slot
    }

    pub(crate) fn is_hidden(&self, slot: Slot) -> bool {
        self.hidden.contains(&slot)
    }

    /// What a place is called in explanations.
    pub(crate) fn label(&self, slot: Slot) -> &str {
        &self.labels[slot]
    }

    fn add(&mut self, label: String) -> Slot {
        self.labels.push(label);
        self.labels.len() - 1
    }
}

/// Names and their places. One name has one place everywhere: variables of the same name that do not see each
/// other are never in the same rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Space {
    slots: BTreeMap<String, Slot>,
}

/// The variables that a clause sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    slots: BTreeSet<Slot>,
}

impl Space {
    /// The place of a variable, a new one for a new name.
    pub(crate) fn slot(&mut self, name: &str, places: &mut Places) -> Slot {
        if let Some(slot) = self.slots.get(name) {
            return *slot;
        }
        let slot = places.add(format!("?{name}"));
        self.slots.insert(name.to_owned(), slot);
        slot
    }
}

impl Scope {
    pub(crate) fn has(&self, slot: Slot) -> bool {
        self.slots.contains(&slot)
    }

    pub(crate) fn see(&mut self, slot: Slot) {
        self.slots.insert(slot);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Slot> {
        self.slots.iter().copied()
    }

    /// The place of a variable that has to be bound here.
    pub(crate) fn slot(&self, space: &Space, variable: &Text) -> Result<Slot, KipError> {
        let slot = space.slots.get(&variable.node).copied().filter(|slot| self.has(*slot));
        slot.ok_or_else(|| {
            let message = format!("nothing binds ?{} before it is used", variable.node);
            KipError::new(KipCode::ReferenceError, message).hint(self.hint(space)).at(variable.span)
        })
    }

    fn hint(&self, space: &Space) -> String {
        let bound = space.slots.iter().filter(|(_, slot)| self.has(**slot));
        let bound: Vec<String> = bound.map(|(name, _)| format!("?{name}")).collect();
        if bound.is_empty() {
            return "no variable is bound here; a NOT keeps its own, and a UNION sees none from outside"
                .to_owned();
        }
        format!(
            "bound here: {}; bind it in a pattern of WHERE first, and outside of NOT, which keeps its own",
            bound.join(", ")
        )
    }
}
