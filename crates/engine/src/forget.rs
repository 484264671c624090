//! What to forget, in words.
//!
//! ```text
//! tenant:7                 everything of a tenant
//! tenant:7/notes           its records in one table
//! tenant:7/notes/00000001  those whose keys begin so, behind the tenant
//! ```

use cairn_base::{TenantId, most_alike};
use cairn_seam::{Keyspace, Selection};

use crate::EngineError;

/// Reads a selector.
pub(crate) fn parse(selector: &str, known: &[Keyspace]) -> Result<Selection, EngineError> {
    parse_among(selector, known)
        .map_err(|detail| EngineError::Selector { selector: selector.to_owned(), detail })
}

fn parse_among(selector: &str, known: &[Keyspace]) -> Result<Selection, String> {
    let usage =
        || "write tenant:ID, tenant:ID/TABLE or tenant:ID/TABLE/KEY, the key in hex digits".to_owned();
    let mut parts = selector.strip_prefix("tenant:").ok_or_else(usage)?.splitn(3, '/');
    let tenant = parts.next().and_then(|id| id.parse().ok()).map(TenantId).ok_or_else(usage)?;
    let keyspace = parts.next().map(|name| table(name, known)).transpose()?;
    let key_prefix = parts.next().map(|digits| unhex(digits).ok_or_else(usage)).transpose()?;
    Ok(Selection { tenant, keyspace, key_prefix: key_prefix.unwrap_or_default() })
}

fn table(name: &str, known: &[Keyspace]) -> Result<u16, String> {
    if let Some(found) = known.iter().find(|keyspace| keyspace.name == name) {
        return Ok(found.id);
    }
    Err(match most_alike(name, known.iter().map(|keyspace| keyspace.name)) {
        Some(near) => format!("there is no table {name}; did you mean {near}?"),
        None => {
            let names: Vec<&str> = known.iter().map(|keyspace| keyspace.name).collect();
            format!("there is no table {name}; there are {}", names.join(", "))
        }
    })
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        digits.chars().map(|digit| digit.to_digit(16).and_then(|value| u8::try_from(value).ok())).collect();
    let (pairs, []) = digits.as_deref()?.as_chunks::<2>() else { return None };
    (!pairs.is_empty()).then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Keyspace] = &[Keyspace::new(4, "notes"), Keyspace::new(5, "drafts")];

    #[test]
    fn selectors_name_a_tenant_a_table_and_the_start_of_a_key() {
        let selection = |keyspace, key_prefix: &[u8]| {
            Ok(Selection { tenant: TenantId(7), keyspace, key_prefix: key_prefix.to_vec() })
        };
        for (text, expected) in [
            ("tenant:7", selection(None, b"")),
            ("tenant:7/drafts", selection(Some(5), b"")),
            ("tenant:7/notes/00fFa1", selection(Some(4), b"\x00\xff\xa1")),
        ] {
            assert_eq!(parse_among(text, KNOWN), expected, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_the_nearest_name() {
        for (text, said) in [
            ("", "write tenant:ID"),
            ("7", "write tenant:ID"),
            ("tenant:", "write tenant:ID"),
            ("tenant:-1", "write tenant:ID"),
            ("tenant:99999999999", "write tenant:ID"),
            ("tenant:7/", "there is no table "),
            ("tenant:7/note", "did you mean notes?"),
            ("tenant:7/zzz", "there are notes, drafts"),
            ("tenant:7/notes/", "in hex digits"),
            ("tenant:7/notes/0", "in hex digits"),
            ("tenant:7/notes/0g", "in hex digits"),
            ("tenant:7/notes/00/00", "in hex digits"),
            ("tenant:7/notes/ä", "in hex digits"),
        ] {
            let error = parse_among(text, KNOWN).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
