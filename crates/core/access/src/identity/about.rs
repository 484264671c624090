//! What is known about where a key came from: `identity.json`, and the `metadata` of backups.

use cairn_base::{Value, from_iso, to_iso};

use super::{Language, PublicKey};

/// The version of the format, not of anything in it.
pub(super) const VERSION: &str = "1.0";
const WARNING: &str = "The words that bring this key back are not in this file; keep them somewhere else.";

/// Where a key came from, as far as that is known. Nothing in it is secret.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// The language of its recovery phrase.
    pub language: Option<Language>,
    /// How many words the phrase has.
    pub word_count: Option<usize>,
    /// Whether the phrase needs a passphrase.
    pub passphrase_protected: bool,
    /// When it was made, or recovered on this machine.
    pub created_at_ms: Option<u64>,
    /// Whether a node created it by itself, when it needed one to sign with.
    pub created_by_node: bool,
}

/// The value of `created_by` for an identity that a node created.
const NODE: &str = "node";

impl About {
    /// Fields and values as JSON has them, in the order in which they are written.
    pub(super) fn fields(&self, key: &PublicKey) -> Vec<(&'static str, String)> {
        let or_null = |value: Option<String>| value.unwrap_or_else(|| "null".to_owned());
        // Nothing here needs an escape.
        let text = |text: &str| format!("\"{text}\"");
        let mut fields = vec![
            ("node_id", text(&key.to_string())),
            ("fingerprint", text(&key.fingerprint())),
            ("passphrase_protected", self.passphrase_protected.to_string()),
            ("word_count", or_null(self.word_count.map(|count| count.to_string()))),
            ("language", or_null(self.language.map(|language| text(language.code())))),
            ("version", text(VERSION)),
            ("warning", text(WARNING)),
        ];
        let created_at = self.created_at_ms.and_then(|ms| to_iso(i64::try_from(ms).ok()?));
        fields.extend(created_at.map(|time| ("created_at", text(&time))));
        fields.extend(self.created_by_node.then(|| ("created_by", text(NODE))));
        fields
    }

    /// As `identity.json` holds it.
    pub(super) fn to_file(&self, key: &PublicKey) -> String {
        let fields = self.fields(key);
        let lines: Vec<_> = fields.iter().map(|(name, value)| format!("  \"{name}\": {value}")).collect();
        format!("{{\n{}\n}}", lines.join(",\n"))
    }

    /// Reads what others wrote: what is not there, or makes no sense, is not known. `None` when it is about
    /// another key.
    pub(super) fn from_value(value: &Value, key: &PublicKey) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        if text("node_id").is_some_and(|id| !id.eq_ignore_ascii_case(&key.to_string())) {
            return None;
        }
        let count = value.get("word_count").and_then(Value::as_number).and_then(|number| number.as_u64());
        Some(About {
            language: text("language").and_then(Language::parse),
            word_count: count.filter(|count| (12..=24).contains(count)).map(|count| count as usize),
            passphrase_protected: value.get("passphrase_protected").and_then(Value::as_bool) == Some(true),
            created_at_ms: text("created_at").and_then(from_iso).and_then(|ms| u64::try_from(ms).ok()),
            created_by_node: text("created_by") == Some(NODE),
        })
    }
}
