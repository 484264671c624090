//! Finds the id of a message that cannot be parsed: it is too long to be kept, or not valid JSON.
//!
//! Works on a stream of bytes. Only members of the outermost object count, not those of its parameters. An id
//! that may be truncated does not count.

use serde_json::Value;

use crate::limits;

/// A streaming scan for the id of a message.
#[derive(Default)]
pub(crate) struct IdScan {
    /// Number of open objects and arrays.
    depth: u32,
    /// Inside a string: whether the next byte is escaped.
    in_text: Option<bool>,
    place: Place,
    /// The name or value being read, up to the limit.
    read: Vec<u8>,
    id: Option<Vec<u8>>,
}

/// Position in the outermost object.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before it.
    #[default]
    Before,
    /// At the name of a member.
    Name,
    /// At the value of a member.
    Value { is_id: bool },
    /// After it, or where there is none.
    After,
}

impl IdScan {
    /// Scans more bytes of the message.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// Returns the id, a string or a number.
    pub(crate) fn id(&self) -> Option<Value> {
        let id = self.id.as_deref().and_then(|id| serde_json::from_slice(id).ok());
        id.filter(|id: &Value| id.is_string() || id.is_number())
    }

    fn step(&mut self, byte: u8) {
        if let Some(is_escaped) = self.in_text {
            self.keep(byte);
            self.in_text = match byte {
                _ if is_escaped => Some(false),
                b'\\' => Some(true),
                b'"' => None,
                _ => Some(false),
            };
            return;
        }
        match byte {
            b'{' if self.place == Place::Before => {
                self.depth = 1;
                self.place = Place::Name;
            }
            _ if [Place::Before, Place::After].contains(&self.place) => {
                if !byte.is_ascii_whitespace() {
                    self.place = Place::After;
                }
            }
            b'{' | b'[' => {
                self.keep(byte);
                self.depth = self.depth.saturating_add(1);
            }
            b'}' | b']' => {
                self.end_value();
                self.depth -= 1;
                if self.depth == 0 {
                    self.place = Place::After;
                }
            }
            b',' if self.depth == 1 => {
                self.end_value();
                self.place = Place::Name;
                self.read.clear();
            }
            b':' if self.depth == 1 && self.place == Place::Name => {
                self.place = Place::Value { is_id: self.read.trim_ascii() == b"\"id\"" };
                self.read.clear();
            }
            b'"' => {
                self.keep(byte);
                self.in_text = Some(false);
            }
            // Whitespace is kept as well: it says where a number ends.
            _ => self.keep(byte),
        }
    }

    /// Keeps a byte of a name or of the id, up to one byte over the limit.
    fn keep(&mut self, byte: u8) {
        let is_wanted = matches!(self.place, Place::Name | Place::Value { is_id: true });
        if is_wanted && self.depth == 1 && self.read.len() <= limits::JSON_RPC_ID_BYTES_MAX {
            self.read.push(byte);
        }
    }

    fn end_value(&mut self) {
        let is_whole = self.depth == 1 && self.read.len() <= limits::JSON_RPC_ID_BYTES_MAX;
        if self.place == (Place::Value { is_id: true }) && is_whole && self.id.is_none() {
            self.id = Some(std::mem::take(&mut self.read));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(message: &str, expected: Option<Value>) {
        for piece in [1, 2, message.len().max(1)] {
            let mut scan = IdScan::default();
            message.as_bytes().chunks(piece).for_each(|piece| scan.feed(piece));
            assert_eq!(scan.id(), expected, "{message}");
        }
    }

    #[test]
    fn the_id_is_found_wherever_it_stands() {
        for (message, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#, json!(7)),
            (r#" { "method" : "ping" , "id" : "a\"b" } "#, json!("a\"b")),
            (r#"{"params":{"id":1,"deep":[{"id":2},"}","\\"]},"id":-3}"#, json!(-3)),
            (r#"{"params":"\"id\":1,","id":"\u00e9"}"#, json!("é")),
            (r#"{"id":1.5,"id":2}"#, json!(1.5)),
            // Broken after it, before it, and around it.
            (r#"{"id":7,"method":"#, json!(7)),
            (r#"{"id":7,"method":"cut off in the midd"#, json!(7)),
            (r#"{"method":nonsense,"id":7}"#, json!(7)),
            (r#"{"method" "ping","id":7}}}]"#, json!(7)),
        ] {
            check(message, Some(id));
        }
    }

    #[test]
    fn what_may_be_another_id_or_none_is_none() {
        let long = format!(r#"{{"id":"{}","method":"ping"}}"#, "x".repeat(limits::JSON_RPC_ID_BYTES_MAX));
        for message in [
            "",
            "nonsense",
            r#"nonsense {"id":7}"#,
            r#"[{"id":7}]"#,
            r#"{"method":"ping"}"#,
            r#"{"params":{"id":7}}"#,
            r#"{"id":null,"method":"ping"}"#,
            r#"{"id":{"id":7},"method":"ping"}"#,
            r#"{"id":[7]}"#,
            r#"{"id":true}"#,
            r#"{"id":7"#,
            r#"{"id":"7"#,
            r#"{"id":"7\"}"#,
            r#"{"id":7 8}x"#,
            r#"{} {"id":7}"#,
            r#""id":7"#,
            "}}}}",
            "{]]]]",
            &long,
        ] {
            check(message, None);
        }
    }
}
