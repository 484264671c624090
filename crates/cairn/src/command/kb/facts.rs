//! Symbols of source files, read for the server, which reads none.

use std::collections::{BTreeMap, BTreeSet};

use cairn_base::SystemClock;
use cairn_http::{Client, ClientError};
use cairn_kb::tools::{UpsertInput, UpsertRequest};
use cairn_kb::{EntityType, Relation, SymbolFacts};
use cairn_symbols::limits::SOURCE_BYTES_MAX;
use cairn_symbols::{Language, Role, Symbol, SymbolKind, Symbols, parse};
use cairn_worktree::read_inside;

use super::tree::Tree;

/// Relationships that link the narrow symbol.
const OF_CODE: [Relation; 3] = [Relation::Implements, Relation::CoveredBy, Relation::ExecutableFor];

/// Adds the symbols of its source file to the upsert of a symbol that is linked. They are left out if there is no such
/// file, or one of an unknown language; then the server warns.
pub(super) async fn with_facts(
    tree: &Tree,
    client: &mut Client,
    input: &UpsertInput,
) -> Result<UpsertRequest, ClientError> {
    let is_linked = input.relationships.iter().any(|link| OF_CODE.contains(&link.relation));
    let facts = if input.kind == EntityType::Symbol && is_linked {
        source_file(tree, client, input).await?.and_then(|file| facts_of_file(tree, &file))
    } else {
        None
    };
    Ok(UpsertRequest::of(input.clone(), facts))
}

/// The source file of a symbol: that of the upsert, else the stored one.
async fn source_file(
    tree: &Tree,
    client: &mut Client,
    input: &UpsertInput,
) -> Result<Option<String>, ClientError> {
    let properties = &input.properties.0;
    let given = ["source_file", "sourceFile"].into_iter().find_map(|name| properties.get(name));
    if let Some(given) = given {
        return Ok(given.as_str().map(str::to_owned));
    }
    let entity = match client.kb_entity(&tree.id, tree.branch(), &input.id).await {
        Ok(entity) => entity,
        // It is new, or the branch is.
        Err(ClientError::Refused { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let stored = ["source_file", "sourceFile"].into_iter().map(|name| entity.text(name));
    Ok(stored.into_iter().find(|file| !file.is_empty()).map(str::to_owned))
}

/// The symbols of a file of the working tree; `None` if it has none that could be read.
pub(super) fn facts_of_file(tree: &Tree, file: &str) -> Option<SymbolFacts> {
    let file = file.split('#').next().unwrap_or_default();
    let language = Language::of_path(file)?;
    let source = read_inside(tree.root(), file, SOURCE_BYTES_MAX).ok()?;
    parse(language, &source, &SystemClock).ok().map(|symbols| facts(&symbols))
}

/// Names of symbols: qualified ones, and bare ones of methods where no other symbol has the same.
fn facts(symbols: &Symbols) -> SymbolFacts {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    symbols.symbols.iter().for_each(|symbol| *counts.entry(&symbol.name).or_default() += 1);
    let mut behavioral = BTreeSet::new();
    let mut other = BTreeSet::new();
    for symbol in &symbols.symbols {
        let Symbol { name, qualified_name, kind, is_exported, .. } = symbol;
        let names =
            if *is_exported && kind.role() == Role::Behavioral { &mut behavioral } else { &mut other };
        names.insert(qualified_name.clone());
        if *kind == SymbolKind::Method && counts.get(name.as_str()) == Some(&1) {
            names.insert(name.clone());
        }
    }
    SymbolFacts {
        other: other.difference(&behavioral).cloned().collect(),
        behavioral: behavioral.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_have_a_bare_name_where_it_is_theirs_alone() {
        let source = "export class A { run() {} end() {} }\nexport class B { run() {} }\nfunction own() {}\n\
                      export interface Shape {}\nexport const x = 1;";
        let symbols = parse(Language::TypeScript, source, &SystemClock).expect("it is short");
        let SymbolFacts { behavioral, other } = facts(&symbols);
        assert_eq!(behavioral, ["A", "A.end", "A.run", "B", "B.run", "end"]);
        assert_eq!(other, ["Shape", "own", "x"]);
    }
}
