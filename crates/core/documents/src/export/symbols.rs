//! Symbols as `symbols.yaml`.

use cairn_kb::EntityType;
use cairn_kb::tools::UpsertInput;

use super::fields::Fields;

/// Writes symbols with their relationships as the `symbols.yaml` at `path`, ordered by id, which
/// [`parse_symbols`](crate::parse_symbols) reads back as the same symbols. Entities of other types are left out.
pub fn to_symbols_yaml(path: &str, symbols: &[UpsertInput]) -> String {
    let mut symbols: Vec<&UpsertInput> =
        symbols.iter().filter(|entity| entity.kind == EntityType::Symbol).collect();
    symbols.sort_by(|one, other| one.id.cmp(&other.id));
    if symbols.is_empty() {
        return "symbols: []\n".to_owned();
    }
    let mut out = "symbols:\n".to_owned();
    for symbol in symbols {
        out.push_str("  - ");
        Fields { path, input: symbol, indent: 4, with_body: true }.write(&mut out);
    }
    out
}
