//! Documents as people write them, hostile ones, and the way back.

mod docs;
mod hostile;
mod markdown;
mod results;
mod round_trip;
mod symbols;

use crate::Document;

/// Entities and problems of a document, one per line.
fn shown(document: &Document) -> String {
    let mut lines = Vec::new();
    for entity in &document.entities {
        let input = &entity.input;
        lines.push(format!("{} {} {}", entity.line, input.kind, input.id));
        for (name, value) in &input.properties.0 {
            lines.push(format!("  {name} = {}", value.to_json()));
        }
        for link in &input.relationships {
            let mut line = format!("  -> {} {}", link.relation, link.to);
            for text in [&link.created_at, &link.created_by, &link.source].into_iter().flatten() {
                line.push_str(&format!(" ({text})"));
            }
            line.push_str(&link.confidence.map(|confidence| format!(" ({confidence})")).unwrap_or_default());
            lines.push(line);
        }
    }
    lines.extend(document.problems.iter().map(ToString::to_string));
    if !document.is_document {
        lines.push("no document".to_owned());
    }
    lines.join("\n")
}
