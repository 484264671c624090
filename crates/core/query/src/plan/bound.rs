//! What a WHERE can bind a variable to, as far as its patterns alone say so.

use cairn_kip::tree::{Clause, ElementKind, Group, Predicate, PropositionMatch, Term, Text};

/// What a variable stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Concepts, or propositions.
    Element(ElementKind),
    /// Names of predicates.
    Name,
}

/// What a variable that is seen outside of a WHERE is bound to, whatever there is in the graph.
///
/// `None` if it may be one thing or another: the end of a link, or something else in each branch of a UNION.
pub(crate) fn bound_to(pattern: &Group, variable: &str) -> Option<Bound> {
    match in_group(pattern, variable) {
        Sight::Only(bound) => Some(bound),
        Sight::Nowhere | Sight::Anything => None,
    }
}

/// How a variable is seen in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sight {
    Nowhere,
    Only(Bound),
    Anything,
}

impl Sight {
    /// In either of two groups.
    fn or(self, other: Sight) -> Sight {
        match (self, other) {
            (Sight::Nowhere, sight) | (sight, Sight::Nowhere) => sight,
            (one, other) if one == other => one,
            _ => Sight::Anything,
        }
    }

    /// In two patterns that both hold.
    fn and(self, other: Sight) -> Sight {
        match (self, other) {
            (Sight::Anything, Sight::Only(bound)) | (Sight::Only(bound), Sight::Anything) => {
                Sight::Only(bound)
            }
            _ => self.or(other),
        }
    }
}

fn in_group(group: &Group, variable: &str) -> Sight {
    let mut own = Sight::Nowhere;
    for clause in &group.clauses {
        match &clause.node {
            Clause::Concept { variable: bound, .. } => {
                own = own.and(seen(Some(bound), variable, ElementKind::Concept));
            }
            Clause::Proposition { variable: bound, matcher } => {
                own = own.and(in_proposition(bound.as_ref(), matcher, variable));
            }
            Clause::Filter(_) | Clause::Optional(_) | Clause::Not(_) | Clause::Union(_) => {}
        }
    }
    let mut all = own;
    for clause in &group.clauses {
        match &clause.node {
            // What is bound outside of it stays as it is.
            Clause::Optional(inner) if own == Sight::Nowhere => all = all.or(in_group(inner, variable)),
            Clause::Union(inner) => all = all.or(in_group(inner, variable)),
            // A NOT keeps its variables to itself.
            Clause::Optional(_)
            | Clause::Concept { .. }
            | Clause::Proposition { .. }
            | Clause::Filter(_)
            | Clause::Not(_) => {}
        }
    }
    all
}

fn in_proposition(bound: Option<&Text>, matcher: &PropositionMatch, variable: &str) -> Sight {
    let mut sight = seen(bound, variable, ElementKind::Proposition);
    let PropositionMatch::Triple(triple) = matcher else { return sight };
    if let Predicate::Variable(name) = &triple.predicate
        && name.node == variable
    {
        sight = sight.and(Sight::Only(Bound::Name));
    }
    for term in [&triple.subject, &triple.object] {
        sight = sight.and(match term {
            Term::Variable(end) if end.node == variable => Sight::Anything,
            Term::Variable(_) => Sight::Nowhere,
            Term::Concept { variable: bound, .. } => seen(bound.as_ref(), variable, ElementKind::Concept),
            Term::Proposition { variable: bound, matcher } => {
                in_proposition(bound.as_ref(), matcher, variable)
            }
        });
    }
    sight
}

fn seen(bound: Option<&Text>, variable: &str, kind: ElementKind) -> Sight {
    let is_it = bound.is_some_and(|bound| bound.node == variable);
    if is_it { Sight::Only(Bound::Element(kind)) } else { Sight::Nowhere }
}
