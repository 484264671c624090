//! From solutions to the rows of a FIND.

use std::collections::BTreeSet;

use cairn_base::Value;
use cairn_kip::tree::{Column, Find, Path};

use super::order::{Key, Place};
use super::{Solution, World, aggregate};

/// One row of the answer: the solutions it stands for.
struct Row<'a> {
    members: Vec<&'a Solution>,
    /// What makes it another row than the others, and its place among equals.
    identity: Vec<Key>,
}

/// All rows, in order.
pub(super) fn rows(world: &World, find: &Find, solutions: &[Solution]) -> Vec<Vec<Value>> {
    let mut rows = if is_aggregated(find) { groups(world, find, solutions) } else { each(find, solutions) };
    rows.sort_by_cached_key(|row| Place::of(world, find, row));
    // Decision 6: rows that agree on all projected variables are one, at the place of the first of them
    // (which matters when the order is by something that is not projected: silent).
    let mut seen = BTreeSet::new();
    rows.retain(|row| seen.insert(row.identity.clone()));
    rows.iter()
        .map(|row| find.columns.iter().map(|column| value(world, &column.node, row)).collect())
        .collect()
}

impl Place {
    fn of(world: &World, find: &Find, row: &Row<'_>) -> Place {
        let sort_key = |column: &Column| match column {
            Column::Path(path) => key(world, path, row.members[0]),
            Column::Aggregate(_) => Key::Value(value(world, column, row)),
        };
        let sorted = find.order_by.iter().map(|by| (sort_key(&by.by.node), by.descending)).collect();
        Place { sorted, identity: row.identity.clone() }
    }
}

/// Whether every sort key has one value per row.
pub(super) fn is_sortable(find: &Find, key: &Column) -> bool {
    match key {
        // 1.5: an aggregate that is sorted by is one of those asked for.
        Column::Aggregate(_) => find.columns.iter().any(|column| column.node == *key),
        // Groups are sorted by what they are grouped by, or by something of that (silent).
        Column::Path(path) => !is_aggregated(find) || grouping(find).any(|column| begins(column, path)),
    }
}

fn begins(column: &Path, path: &Path) -> bool {
    column.variable == path.variable && path.fields.starts_with(&column.fields)
}

fn is_aggregated(find: &Find) -> bool {
    find.columns.iter().any(|column| matches!(column.node, Column::Aggregate(_)))
}

/// The expressions that are not aggregates.
fn grouping(find: &Find) -> impl Iterator<Item = &Path> {
    find.columns.iter().filter_map(|column| match &column.node {
        Column::Path(path) => Some(path),
        Column::Aggregate(_) => None,
    })
}

/// Without aggregates every solution is a row, known by its projected variables (decision 6): not by the
/// values shown of them, so two concepts with one name are two rows.
fn each<'a>(find: &Find, solutions: &'a [Solution]) -> Vec<Row<'a>> {
    let row = |solution: &'a Solution| {
        let cell = |path: &Path| Key::Cell(solution[&path.variable.node].clone());
        Row { members: vec![solution], identity: grouping(find).map(cell).collect() }
    };
    solutions.iter().map(row).collect()
}

/// The protocol: all expressions that are not aggregates are the grouping key. With aggregates only, everything
/// is one group, even if that is nothing.
fn groups<'a>(world: &World, find: &Find, solutions: &'a [Solution]) -> Vec<Row<'a>> {
    if grouping(find).next().is_none() {
        return vec![Row { members: solutions.iter().collect(), identity: Vec::new() }];
    }
    let mut groups: Vec<Row<'a>> = Vec::new();
    for solution in solutions {
        let identity: Vec<Key> = grouping(find).map(|path| key(world, path, solution)).collect();
        match groups.iter_mut().find(|group| group.identity == identity) {
            Some(group) => group.members.push(solution),
            None => groups.push(Row { members: vec![solution], identity }),
        }
    }
    groups
}

/// A whole variable by its id, a field by its value.
fn key(world: &World, path: &Path, solution: &Solution) -> Key {
    if path.fields.is_empty() {
        return Key::Cell(solution[&path.variable.node].clone());
    }
    Key::Value(world.value(path, solution))
}

fn value(world: &World, column: &Column, row: &Row<'_>) -> Value {
    match column {
        // Where equal values are written differently, like 1 and 1.0, a group shows that of the lowest id
        // (silent).
        Column::Path(path) => {
            let lowest = row.members.iter().min_by_key(|member| member[&path.variable.node].clone());
            world.value(path, lowest.unwrap())
        }
        Column::Aggregate(aggregate) => aggregate::of(world, aggregate, &row.members),
    }
}
