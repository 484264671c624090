//! Export: the graph of a space, or a part of it, as what an import takes.
//!
//! Types come first, then predicates, other concepts and links, each by number. The ends of a link have lower
//! numbers than what came later, so that links about links come behind these. Each page may be read from a
//! snapshot of its own. What got its number after the export began is left out, so whatever is written refers
//! only to what stands before it, however much changes meanwhile.

mod blocks;
mod chosen;
mod ends;
mod walk;

use std::collections::HashMap;
use std::sync::Arc;

use cairn_base::Clock;
use cairn_graph::{ConceptId, FirstContent, GraphError, LinkId, Meta, View};
use cairn_kip::{KipError, KipForm};
use cairn_seam::StoreError;

use self::chosen::Chosen;

/// A part of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KipSelection {
    /// What stands between the braces of a WHERE.
    pub pattern: String,
    /// Variables of it, with or without their question marks: what they are bound to is exported, and all
    /// that this needs: ends of links, types and predicates.
    pub variables: Vec<String>,
}

/// Why an export does not go on.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The selection is wrong, or an element cannot be written in the form.
    #[error(transparent)]
    Kip(#[from] KipError),
    /// The graph cannot be read.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An export under way. It holds no view between two pages.
pub struct Export {
    form: KipForm,
    phase: Phase,
    /// The last numbers when it began.
    last: (ConceptId, LinkId),
    chosen: Option<Chosen>,
    /// Names of types and predicates, which stay what they are.
    names: HashMap<u64, Arc<str>>,
    first: FirstContent,
    elements: u64,
}

/// Concepts and links up to these are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Collect,
    Definitions(Meta, Option<ConceptId>),
    Concepts(Option<ConceptId>),
    Links(Option<LinkId>),
    Done,
}

impl Export {
    /// Begins an export of everything, or of what a selection matches.
    pub fn begin(
        view: &View<'_>,
        form: KipForm,
        selection: Option<&KipSelection>,
        clock: &dyn Clock,
    ) -> Result<Self, ExportError> {
        let chosen = selection.map(|selection| Chosen::find(view, selection, clock)).transpose()?;
        Ok(Export {
            form,
            phase: Phase::Collect,
            last: view.last_numbers()?,
            chosen,
            names: HashMap::new(),
            first: FirstContent::read()?,
            elements: 0,
        })
    }

    /// Whether everything was given out.
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    /// Elements that were given out.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// How many numbers were passed, and how many there are: about how far it is.
    pub fn progress(&self) -> (u64, u64) {
        let (concepts, links) = (self.last.0.0, self.last.1.0);
        let done = match self.phase {
            Phase::Collect | Phase::Definitions(..) => 0,
            Phase::Concepts(at) => at.map_or(0, |id| id.0),
            Phase::Links(at) => concepts + at.map_or(0, |id| id.0),
            Phase::Done => concepts + links,
        };
        (done, concepts + links)
    }
}
