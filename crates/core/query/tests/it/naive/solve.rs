//! Which solutions a pattern has: a bag of them, made by one clause after the other (1.5).

use std::collections::BTreeSet;

use cairn_kip::tree::{Clause, ConceptMatch, Group, Predicate, PropositionMatch, Slot, Term, Triple};
use cairn_kip::{Spanned, tree::Text};

use super::scope::bound_by;
use super::{Cell, Concept, Element, Link, ROWS_MAX, Solution, World, condition};

/// All solutions of a whole WHERE; nothing if they are too many.
pub(super) fn solutions(world: &World, pattern: &Group) -> Option<Vec<Solution>> {
    group(world, pattern, &Solution::new())
}

/// All solutions of a block that agree with the one around it, each with all that that one has.
fn group(world: &World, group: &Group, outer: &Solution) -> Option<Vec<Solution>> {
    let mut rows = vec![outer.clone()];
    let mut names: BTreeSet<String> = outer.keys().cloned().collect();
    let mut is_begun = false;
    for clause in &group.clauses {
        rows = match &clause.node {
            // 1.5: natural join with the concepts that match.
            Clause::Concept { variable, matcher } => each(&rows, |row| {
                let found = world.concepts.iter().filter(|concept| is_concept(world, matcher, concept));
                found.filter_map(|concept| bind(row, Some(variable), element(concept.id))).collect()
            }),
            Clause::Proposition { variable, matcher } => {
                each(&rows, |row| proposition(world, variable.as_ref(), matcher, row))
            }
            // 1.5: keeps what is true.
            Clause::Filter(asked) => {
                rows.into_iter().filter(|row| condition::holds(world, asked, row)).collect()
            }
            Clause::Optional(inner) => optional(world, inner, &rows)?,
            Clause::Not(inner) => not(world, inner, rows)?,
            Clause::Union(branch) => {
                // A UNION that begins its block has no other side (silent): the block is its branch.
                let left = if is_begun { rows } else { Vec::new() };
                union(world, branch, left, outer, &names)?
            }
        };
        names.extend(bound_by(&clause.node));
        is_begun = true;
        if rows.len() > ROWS_MAX {
            return None;
        }
    }
    Some(rows)
}

/// Left join. Decision 12: what is null outside matches nothing inside, so it stays null.
fn optional(world: &World, inner: &Group, rows: &[Solution]) -> Option<Vec<Solution>> {
    let mut all = Vec::new();
    for row in rows {
        let found = group(world, inner, row)?;
        if found.is_empty() {
            all.push(padded(row, &inner.clauses.iter().flat_map(|clause| bound_by(&clause.node)).collect()));
        }
        all.extend(found);
    }
    Some(all)
}

/// Keeps the rows that the block does not match. Decision 13: with no variable in common it is the same
/// question for all of them. Decision 12: patterns on a null match nothing, so they exclude nothing.
fn not(world: &World, inner: &Group, rows: Vec<Solution>) -> Option<Vec<Solution>> {
    let mut kept = Vec::new();
    for row in rows {
        if group(world, inner, &row)?.is_empty() {
            kept.push(row);
        }
    }
    Some(kept)
}

/// The rows so far and those of the branch, each once, with nulls for what one side does not have.
///
/// The branch sees nothing from outside. Where the UNION stands in an OPTIONAL or NOT, its rows still have
/// to agree with the solution around that block (silent): on every variable that both of them have.
fn union(
    world: &World,
    branch: &Group,
    left: Vec<Solution>,
    outer: &Solution,
    names: &BTreeSet<String>,
) -> Option<Vec<Solution>> {
    let mut names = names.clone();
    names.extend(branch.clauses.iter().flat_map(|clause| bound_by(&clause.node)));
    let right = group(world, branch, &Solution::new())?;
    let right = right.iter().filter_map(|row| {
        let mut joined = outer.clone();
        for (name, cell) in row {
            joined = put(&joined, name, cell.clone())?;
        }
        Some(joined)
    });
    let rows: BTreeSet<Solution> = left.into_iter().chain(right).map(|row| padded(&row, &names)).collect();
    Some(rows.into_iter().collect())
}

/// Natural join with the links that match, or with the ends of the paths that do.
fn proposition(
    world: &World,
    variable: Option<&Text>,
    matcher: &PropositionMatch,
    row: &Solution,
) -> Vec<Solution> {
    if let PropositionMatch::Triple(triple) = matcher
        && let Predicate::Path { name, least, most, .. } = &triple.predicate
    {
        let pairs = world.walked.pairs(world, given(name), *least, *most);
        let ends = pairs.iter().filter_map(|(from, to)| ends(world, triple, *from, *to, row));
        // 1.5: a path is not one link, so its variable is null.
        return ends.filter_map(|row| bind(&row, variable, Cell::Null)).collect();
    }
    let found = world.links.iter().filter_map(|link| {
        let row = is_link(world, matcher, link, row)?;
        bind(&row, variable, Cell::Element(Element::Link(link.id)))
    });
    found.collect()
}

/// The row in which a link is what the matcher asks for, if it can be.
fn is_link(world: &World, matcher: &PropositionMatch, link: &Link, row: &Solution) -> Option<Solution> {
    match matcher {
        // Decision 3: an id that nothing has matches nothing.
        PropositionMatch::Id { id, .. } => {
            (world.id_text(Element::Link(link.id)) == given(id)).then(|| row.clone())
        }
        PropositionMatch::Triple(triple) => {
            let row = match &triple.predicate {
                Predicate::OneOf(names) => {
                    names.iter().any(|name| given(name) == link.predicate).then(|| row.clone())
                }
                // Decision 8: binds the name of the predicate.
                Predicate::Variable(name) => bind(row, Some(name), Cell::Text(link.predicate.clone())),
                // A path is not a link. `scope` refuses those that should be.
                Predicate::Path { .. } => None,
            };
            ends(world, triple, link.subject, link.object, &row?)
        }
    }
}

fn ends(
    world: &World,
    triple: &Triple,
    subject: Element,
    object: Element,
    row: &Solution,
) -> Option<Solution> {
    term(world, &triple.object, object, &term(world, &triple.subject, subject, row)?)
}

/// The row in which an element is what stands at one end of a triple, if it can be.
fn term(world: &World, term: &Term, at: Element, row: &Solution) -> Option<Solution> {
    match (term, at) {
        (Term::Variable(variable), _) => bind(row, Some(variable), Cell::Element(at)),
        // Decision 8: a variable before an embedded endpoint is bound as well.
        (Term::Concept { variable, matcher }, Element::Concept(id)) => {
            let fits = is_concept(world, matcher, world.concept(id));
            fits.then(|| bind(row, variable.as_ref(), Cell::Element(at))).flatten()
        }
        // 1.5: the outer endpoint must be one of the links matched inside, whose variables do bind.
        (Term::Proposition { variable, matcher }, Element::Link(id)) => {
            bind(&is_link(world, matcher, world.link(id), row)?, variable.as_ref(), Cell::Element(at))
        }
        (Term::Concept { .. }, Element::Link(_)) | (Term::Proposition { .. }, Element::Concept(_)) => None,
    }
}

fn is_concept(world: &World, matcher: &ConceptMatch, concept: &Concept) -> bool {
    let id = world.id_text(Element::Concept(concept.id));
    matcher.id.as_ref().is_none_or(|wanted| given(wanted) == id)
        && matcher.kind.as_ref().is_none_or(|wanted| given(wanted) == concept.kind)
        && matcher.name.as_ref().is_none_or(|wanted| given(wanted) == concept.name)
}

/// The row with a variable bound, if it is free or bound to the same.
fn bind(row: &Solution, variable: Option<&Text>, cell: Cell) -> Option<Solution> {
    variable.map_or_else(|| Some(row.clone()), |variable| put(row, &variable.node, cell))
}

fn put(row: &Solution, name: &str, cell: Cell) -> Option<Solution> {
    match row.get(name) {
        None => {
            let mut row = row.clone();
            row.insert(name.to_owned(), cell);
            Some(row)
        }
        // Decision 12: null matches nothing, not even null.
        Some(Cell::Null) => None,
        Some(there) => (*there == cell).then(|| row.clone()),
    }
}

fn each(rows: &[Solution], step: impl Fn(&Solution) -> Vec<Solution>) -> Vec<Solution> {
    let mut all = Vec::new();
    for row in rows {
        all.extend(step(row));
        if all.len() > ROWS_MAX {
            break;
        }
    }
    all
}

fn padded(row: &Solution, names: &BTreeSet<String>) -> Solution {
    let nulls = names.iter().map(|name| (name.clone(), Cell::Null));
    nulls.chain(row.clone()).collect()
}

fn element(id: u64) -> Cell {
    Cell::Element(Element::Concept(id))
}

/// What a slot holds; random queries have no parameters.
pub(super) fn given(slot: &Spanned<Slot<String>>) -> &str {
    slot.given().unwrap()
}
