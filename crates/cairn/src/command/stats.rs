//! `cairn stats`.

use std::path::Path;

use indicatif::{HumanBytes, HumanDuration};
use serde::Serialize;
use serde_json::Value;

use super::answer::json;
use crate::failure::Failure;
use crate::{logging, reach};

/// Shows what `GET /v1/admin/stats` answers.
pub(super) fn stats(data_dir: Option<&Path>, as_json: bool) -> Result<(), Failure> {
    let (data_dir, settings) = super::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let stats = reach::reach(&data_dir.path, &settings.config, async |client| client.stats().await)?;
    super::print(&if as_json { json(&stats) } else { to_text(&stats) })
}

fn to_text(stats: &impl Serialize) -> String {
    let mut rows = Vec::new();
    add_rows("", &serde_json::to_value(stats).expect("figures are plain data"), &mut rows);
    super::table(&rows)
}

/// One row per figure, those of a group below it and named after it.
fn add_rows(name: &str, value: &Value, rows: &mut Vec<[String; 2]>) {
    match value {
        Value::Object(fields) => {
            let is_group = |value: &Value| value.is_object() || value.is_array();
            let (groups, figures): (Vec<_>, Vec<_>) = fields.iter().partition(|(_, value)| is_group(value));
            for (key, value) in figures.into_iter().chain(groups) {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                add_rows(&name, value, rows);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                add_rows(&format!("{name}.{index}"), item, rows);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            rows.push([name.to_owned(), shown(name, value)]);
        }
    }
}

/// A figure for people: sizes and times with their units.
fn shown(name: &str, value: &Value) -> String {
    match value.as_u64() {
        Some(bytes) if name.ends_with("_bytes") || name.ends_with("_bytes_written") => {
            format!("{bytes} ({})", HumanBytes(bytes))
        }
        Some(ms) if name == "uptime_ms" => {
            format!("{ms} ({})", HumanDuration(std::time::Duration::from_millis(ms)))
        }
        Some(_) | None => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_come_before_groups_and_sizes_have_units() {
        let stats = json!({
            "bus": {"listeners": 0},
            "consumers": [{"name": "search", "position": 64}],
            "node_id": "b3e98e",
            "store": {"kind": "embedded", "log_bytes": 67_108_864, "commits": 1},
            "uptime_ms": 120_000,
        });
        assert_eq!(
            to_text(&stats),
            "node_id               b3e98e\n\
             uptime_ms             120000 (2 minutes)\n\
             bus.listeners         0\n\
             consumers.0.name      search\n\
             consumers.0.position  64\n\
             store.commits         1\n\
             store.kind            embedded\n\
             store.log_bytes       67108864 (64.00 MiB)\n"
        );
    }
}
