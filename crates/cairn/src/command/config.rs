//! `cairn config`.

use std::path::Path;

use serde_json::{Value, json};

use crate::config::{KEYS, Settings};
use crate::data_dir::DataDir;
use crate::failure::Failure;

/// Shows every setting and where it came from.
pub(super) fn config(data_dir: Option<&Path>, as_json: bool) -> Result<(), Failure> {
    let (data_dir, settings) = super::settings(data_dir, &[])?;
    let text = if as_json {
        format!("{:#}\n", to_json(&data_dir, &settings))
    } else {
        to_text(&data_dir, &settings)
    };
    super::print(&text)
}

fn to_json(data_dir: &DataDir, settings: &Settings) -> Value {
    let rows = KEYS.iter().zip(&settings.sources).map(|(key, source)| {
        json!({
            "key": key.name,
            "value": (key.get)(&settings.config).to_json(),
            "source": source.to_string(),
            "environment": key.environment(),
            "help": key.help,
        })
    });
    json!({
        "data_dir": {"value": data_dir.path.to_string_lossy(), "source": data_dir.source},
        "settings": rows.collect::<Vec<Value>>(),
    })
}

fn to_text(data_dir: &DataDir, settings: &Settings) -> String {
    let mut rows =
        vec![["data directory".to_owned(), data_dir.path.display().to_string(), data_dir.source.to_owned()]];
    rows.extend(KEYS.iter().zip(&settings.sources).map(|(key, source)| {
        [key.name.to_owned(), (key.get)(&settings.config).to_string(), source.to_string()]
    }));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (key_width, value_width) = (width(0), width(1));
    let line =
        |[key, value, source]: &[String; 3]| format!("{key:key_width$}  {value:value_width$}  ({source})\n");
    rows.iter().map(line).collect()
}
