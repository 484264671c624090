//! From a WHERE to a plan: variables become places in rows, names become numbers, and clauses become stages.
//! What a WHERE says is a draft first ([`draft`]); [`optimize`](crate::optimize) makes a plan of it.
//!
//! # Scopes
//!
//! A clause sees what clauses before it bind, in its own block and in those around it. What an OPTIONAL binds
//! is seen after it, null where it missed. What a NOT binds is its own: outside, the same name is another
//! variable. A UNION sees nothing from outside; what it binds is seen after it, under the same names.
//!
//! Patterns and FILTERs between two of these are connected by AND, so their order is ours to choose; OPTIONAL,
//! NOT and UNION stay where they were written.

mod atom;
mod block;
mod bound;
mod build;
mod draft;
mod explain;
mod ground;
mod names;
mod pattern;
mod scope;
mod step;

use cairn_graph::View;
use cairn_kip::KipError;
use cairn_kip::tree::{Group, Path, Text};

pub(crate) use atom::{Atom, ElementAtom, End, LinkAtom, PathAtom, Test};
pub(crate) use block::{Block, Stage, Union};
pub(crate) use bound::{Bound, bound_to};
pub(crate) use draft::{Branch, Draft, Part, Run};
pub(crate) use explain::{Explained, explained, index_name};
use names::Names;
pub(crate) use scope::Slot;
pub(crate) use step::{Access, ElementStep, IndexScan, LinkStep, Method, PathEnd, PathStep, Step, Work};

use crate::fields::FieldOf;
use crate::optimize::optimized;
use crate::{Options, Result};
use build::Builder;
use scope::{Places, Scope, Space};

/// What is to be run, and which variables there are afterwards.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) root: Block,
    pub(crate) places: Places,
    /// How many stages there are in all blocks together.
    pub(crate) stages: usize,
    /// What its filters read of elements.
    pub(crate) fields: Vec<FieldOf>,
    space: Space,
    visible: Scope,
}

impl Plan {
    /// Plans a WHERE over what the view knows now.
    pub(crate) fn of(view: View<'_>, pattern: &Group, options: &Options, is_sorted: bool) -> Result<Plan> {
        let mut builder = Builder::new(view, pattern)?;
        let mut space = Space::default();
        let (draft, visible) = builder.draft(pattern, &mut space, &Scope::default(), true)?;
        let mut root = optimized(draft, view, options, is_sorted)?;
        let mut stages = 0;
        root.number_stages(&mut stages);
        let Builder { places, fields, .. } = builder;
        Ok(Plan { root, places, stages, fields, space, visible })
    }

    /// The place of a variable that the whole WHERE binds.
    pub(crate) fn slot(&self, variable: &Text) -> std::result::Result<Slot, KipError> {
        self.visible.slot(&self.space, variable)
    }

    /// What an expression reads.
    pub(crate) fn field(&self, path: &Path) -> std::result::Result<FieldOf, KipError> {
        FieldOf::parse(self.slot(&path.variable)?, path)
    }
}
