//! `cairn.toml`.

use std::io::ErrorKind;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::{Assignment, KEYS, Raw, Settings, Source};
use crate::failure::Failure;

/// Every value the file sets, in its order; none when there is no file.
pub(super) fn read(path: &Path) -> Result<Vec<Assignment>, Failure> {
    match std::fs::read_to_string(path) {
        Ok(text) => parse(&text, &path.display().to_string()),
        Err(error) if error.kind() == ErrorKind::NotFound || error.kind() == ErrorKind::NotADirectory => {
            Ok(Vec::new())
        }
        Err(error) => Err(Failure::io(format_args!("read {}", path.display()), &error)),
    }
}

fn parse(text: &str, file: &str) -> Result<Vec<Assignment>, Failure> {
    let table = DeTable::parse(text).map_err(|error| {
        let line = line_of(text, error.span().map_or(0, |span| span.start));
        Failure::usage(format!("{file}:{line}: {}", error.message()))
            .hint("the file is TOML: see https://toml.io")
    })?;
    let mut assignments = Vec::new();
    flatten(table.get_ref(), "", &mut |key, value: &Spanned<DeValue<'_>>| {
        let source = Source::File { file: file.to_owned(), line: line_of(text, value.span().start) };
        assignments.push(Assignment { key, value: raw(value.get_ref()), source });
    });
    Ok(assignments)
}

/// Calls back for each value with its dotted name.
fn flatten(table: &DeTable<'_>, prefix: &str, visit: &mut dyn FnMut(String, &Spanned<DeValue<'_>>)) {
    for (key, value) in table {
        let name = format!("{prefix}{}", key.get_ref());
        match value.get_ref().as_table() {
            Some(inner) => flatten(inner, &format!("{name}."), visit),
            None => visit(name, value),
        }
    }
}

fn raw(value: &DeValue<'_>) -> Raw {
    if let Some(text) = value.as_str() {
        return Raw::Text(text.to_owned());
    }
    let number =
        value.as_integer().and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok());
    let texts =
        |items: &DeArray<'_>| items.iter().map(|item| Some(item.get_ref().as_str()?.to_owned())).collect();
    let list: Option<Vec<String>> = value.as_array().and_then(texts);
    number.map(Raw::Number).or_else(|| list.map(Raw::List)).unwrap_or(Raw::Other(value.type_str()))
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}

/// What `cairn init` writes: every setting with its help and default, commented out.
pub(crate) fn template() -> String {
    let defaults = Settings::defaults();
    let mut text = String::from(
        "# Settings of this data directory. Environment variables (CAIRN_HTTP_ADDR, ...) and flags go\n\
         # before them; `cairn config` shows what holds and why.\n",
    );
    let mut section = "";
    for key in KEYS {
        let (table, name) = key.name.split_once('.').unwrap_or(("", key.name));
        if table != section {
            text += &format!("\n[{table}]\n");
            section = table;
        }
        text += &format!("# {}\n# {name} = {}\n", key.help, (key.get)(&defaults.config));
    }
    text
}
