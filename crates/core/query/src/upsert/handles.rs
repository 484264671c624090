//! Handles: what blocks of one UPSERT call each other.

use std::collections::{BTreeSet, HashMap};

use cairn_base::nearest;
use cairn_kip::tree::{Block, Text, Upsert};
use cairn_kip::{KipCode, KipError};

/// The handles of one UPSERT.
#[derive(Default)]
pub(super) struct Handles<'a> {
    /// Those that are defined by now, and what they stand for.
    defined: HashMap<&'a str, usize>,
    /// Those that blocks define, here or further down.
    blocks: BTreeSet<&'a str>,
}

impl<'a> Handles<'a> {
    /// Before the first block.
    pub(super) fn of(upsert: &'a Upsert) -> Self {
        let handles = upsert.blocks.iter().filter_map(|block| match &block.node {
            Block::Concept(concept) => concept.handle.as_ref(),
            Block::Proposition(proposition) => proposition.handle.as_ref(),
        });
        Handles { defined: HashMap::new(), blocks: handles.map(|handle| &*handle.node).collect() }
    }

    /// A block gives itself a handle.
    pub(super) fn define(&mut self, handle: &'a Text, node: usize) -> Result<(), KipError> {
        match self.defined.insert(&handle.node, node) {
            None => Ok(()),
            Some(_) => Err(twice(handle)),
        }
    }

    /// A target is given a handle. Saying once more what a handle stands for already is fine.
    pub(super) fn define_again(&mut self, handle: &'a Text, node: usize) -> Result<(), KipError> {
        let before = self.defined.insert(&handle.node, node);
        if before.is_some_and(|before| before != node) { Err(twice(handle)) } else { Ok(()) }
    }

    /// What a handle stands for.
    pub(super) fn find(&self, handle: &Text) -> Result<usize, KipError> {
        self.defined.get(&*handle.node).copied().ok_or_else(|| self.unknown(handle))
    }

    fn unknown(&self, handle: &Text) -> KipError {
        let name = &handle.node;
        if self.blocks.contains(&**name) {
            let message = format!("?{name} is used before it is defined");
            let hint = format!("move the block that defines ?{name} in front of the one that uses it");
            return KipError::new(KipCode::ReferenceError, message).hint(hint).at(handle.span);
        }
        let known = self.defined.keys().copied().collect::<BTreeSet<_>>();
        let hint = match nearest(name, known) {
            Some(near) => format!("did you mean ?{near}?"),
            None => "define it with CONCEPT or PROPOSITION in the same UPSERT, or name the target with \
                     {type: \"…\", name: \"…\"}"
                .to_owned(),
        };
        KipError::new(KipCode::ReferenceError, format!("?{name} is not defined in this UPSERT"))
            .hint(hint)
            .at(handle.span)
    }
}

fn twice(handle: &Text) -> KipError {
    KipError::new(KipCode::InvalidSyntax, format!("?{} is defined twice in this UPSERT", handle.node))
        .hint("give each block a handle of its own")
        .at(handle.span)
}
