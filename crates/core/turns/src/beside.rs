//! What a page needs beside its turns, read in one round.

use std::collections::{BTreeSet, HashMap};

use cairn_access::Scope;
use cairn_base::ContentHash;
use cairn_seam::{Read, Reader, read_all};

use crate::error::TurnsError;
use crate::intern::{TypeNumber, name_from, name_key};
use crate::record;
use crate::registry::generation_from;
use crate::tables::{REGISTRY, TREES, TYPES};
use crate::turn::Turn;

/// Records beside some turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// The generation of the registry: as long as it is the same, so is the registry.
    pub generation: u64,
    /// Names of the types of the turns.
    pub type_names: HashMap<TypeNumber, String>,
    /// The roots of the trees that the turns themselves have, in their order; empty if they are not wanted.
    pub trees: Vec<Option<ContentHash>>,
}

/// Reads what a page needs beside its turns, in one round. File trees only if they are wanted.
pub fn beside<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    turns: &[Turn],
    with_trees: bool,
) -> Result<Beside, TurnsError> {
    let mut numbers: BTreeSet<TypeNumber> = turns.iter().map(|turn| turn.type_number).collect();
    let mut type_names = HashMap::with_capacity(numbers.len());
    // The empty name has no record.
    if numbers.remove(&TypeNumber(0)) {
        type_names.insert(TypeNumber(0), String::new());
    }
    let wanting: &[Turn] = if with_trees { turns } else { &[] };
    let registry = scope.key();
    let names: Vec<_> = numbers.iter().map(|number| name_key(scope, *number)).collect();
    let of_turns: Vec<_> = wanting.iter().map(|turn| scope.key().u64(turn.id.0)).collect();
    let mut reads = vec![Read::Key(REGISTRY, &registry)];
    reads.extend(names.iter().map(|key| Read::Key(TYPES, key)));
    reads.extend(of_turns.iter().map(|key| Read::Key(TREES, key)));
    let mut found = read_all(reader, &reads)?.into_iter();
    let generation = generation_from(found.next().flatten().as_deref())?;
    for (number, stored) in numbers.into_iter().zip(&mut found) {
        type_names.insert(number, name_from(number, stored)?);
    }
    let attached = wanting.iter().zip(found);
    let trees =
        attached.map(|(turn, stored)| stored.map_or(Ok(turn.tree), |root| record::root_of_tree(&root)));
    Ok(Beside { generation, type_names, trees: trees.collect::<Result<_, _>>()? })
}
