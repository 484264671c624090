//! The error codes of all crates: one table to review, and the rules that all rows keep.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use cairn_base::{ErrorCode, ErrorRow, Retry};
use cairn_worktree::WorktreeCode;

/// Codes of the server, and codes of the program that has a working tree, which no server returns.
fn error_codes() -> impl Iterator<Item = ErrorCode> {
    cairn_http::error_codes().chain(WorktreeCode::ALL.iter().copied())
}

#[test]
fn the_table() {
    let mut table = String::new();
    for code in error_codes() {
        let ErrorRow { name, kip, wire, http, json_rpc, retry, hint } = code.row();
        let retry = format!("{retry:?}");
        writeln!(table, "{name:22} {kip} wire {wire} http {http} rpc {json_rpc} {retry:5} {hint}").unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn every_code_has_a_name_of_its_own() {
    let names: BTreeSet<_> = error_codes().map(|code| code.name()).collect();
    assert_eq!(names.len(), error_codes().count());
    assert!(error_codes().all(|code| code.to_string() == code.name()));
}

/// A crate that declares codes and is not gathered would be missing from clients, this table and the page.
#[test]
fn every_crate_that_declares_codes_is_gathered() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut declared = 0;
    let mut folders = vec![crates.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") && is_source(&path) {
                let source = fs::read_to_string(&path).unwrap();
                let product = source.split("#[cfg(test)]").next().unwrap();
                declared += product.lines().filter(|line| line.contains("\", wire ")).count();
            }
        }
    }
    // The example of the macro is one more.
    assert_eq!(declared, error_codes().count() + 1);
}

fn is_source(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "src")
}

#[test]
fn the_columns_follow_their_rules() {
    for code in error_codes() {
        let ErrorRow { kip, wire, http, json_rpc, retry, hint, .. } = *code.row();
        assert!(kip.starts_with("KIP_") && kip.len() == 8, "{code}");
        assert!(wire == u32::from(http) || wire == 422 || wire == 403, "{code}");
        let from_status = match http {
            404 => -32002,
            400..500 => -32000 - i32::from(http % 100),
            500 => -32603,
            _ => -32050 - i32::from(http % 10),
        };
        let of_the_protocol = [-32700, -32600, -32601, -32602];
        assert!(json_rpc == from_status || of_the_protocol.contains(&json_rpc), "{code}");
        assert!(http != 503 || matches!(retry, Retry::Same | Retry::Later), "{code}");
        assert!(!hint.ends_with('.') && !hint.starts_with(char::is_uppercase), "{code}");
    }
}

#[test]
fn the_page_for_users_shows_every_row() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    let page = fs::read_to_string(page).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.contains("| KIP_")).collect();
    assert_eq!(rows.len(), error_codes().count());
    for code in error_codes() {
        let ErrorRow { name, kip, wire, http, json_rpc, retry, hint } = code.row();
        let retry = format!("{retry:?}").to_lowercase();
        let begin = format!("| `{name}` | {http} | {kip} | {wire} | {json_rpc} | {retry} | ");
        let end = format!(" | {hint} |");
        let shown = rows.iter().filter(|row| row.starts_with(&begin) && row.ends_with(&end)).count();
        assert_eq!(shown, 1, "docs/errors.md: {begin}…{end}");
    }
}
