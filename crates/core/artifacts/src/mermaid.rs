//! A lineage as a Mermaid flowchart.

use std::collections::HashMap;
use std::fmt::Write;

use cairn_base::Harmless;

use crate::dot::label;
use crate::view::{LineageNode, by_id};

/// Writes a lineage as a Mermaid flowchart; arrows lead from parents to children, unattested ones are dotted.
pub fn mermaid(nodes: &[LineageNode]) -> String {
    let mut out = "flowchart TD\n".to_owned();
    let sorted = by_id(nodes);
    // Ids are numbers of ours: nothing from outside stands where Mermaid expects a name.
    let numbers: HashMap<&str, usize> = sorted.keys().enumerate().map(|(number, id)| (*id, number)).collect();
    for (number, node) in sorted.values().enumerate() {
        let (open, close) =
            if node.is_some_and(|node| node.known().is_some()) { ("[", "]") } else { ("([", "])") };
        // Writing to a text does not fail.
        let _ = writeln!(out, "  n{number}{open}\"{}\"{close}", escaped(&label(*node)));
    }
    for node in sorted.values().copied().flatten() {
        for parent in node.parents() {
            if let (Some(from), Some(to)) = (numbers.get(parent.id.as_str()), numbers.get(node.id())) {
                let arrow = if parent.attested { "-->" } else { "-.->" };
                let _ = writeln!(out, "  n{from} {arrow} n{to}");
            }
        }
    }
    out
}

/// Text for a label in quotes: ASCII other than letters, digits and plain punctuation as entity codes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in Harmless(text).to_string().chars() {
        if character.is_ascii() && !character.is_ascii_alphanumeric() && !" .,:()/_-".contains(character) {
            let _ = write!(out, "#{};", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::tests::lineage;

    #[test]
    fn lineages_are_drawn() {
        let expected = "flowchart TD\n  n0[\"Root\"]\n  n1[\"Q3 #34;risk#34; #60;report#62;\"]\n  \
                        n2([\"(redacted)\"])\n  n3([\"(missing)\"])\n  n0 --> n1\n  n2 -.-> n1\n  n3 --> n1\n";
        assert_eq!(mermaid(&lineage()), expected);
    }

    #[test]
    fn titles_cannot_leave_their_quotes() {
        for (title, expected) in [
            ("\"]\nclick n0 href", "#34;#93;#92;u#123;a#125;click n0 href"),
            ("`**x**`", "#96;#42;#42;x#42;#42;#96;"),
            ("#quot;%%{init}", "#35;quot#59;#37;#37;#123;init#125;"),
            ("ä 漢 (x)", "ä 漢 (x)"),
        ] {
            assert_eq!(escaped(title), expected);
        }
    }
}
