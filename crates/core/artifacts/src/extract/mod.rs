//! Text of content, for search.
//!
//! Only the first [`EXTRACT_CONTENT_BYTES_MAX`] bytes are looked at, which may end inside a character, a tag or
//! a string. Any bytes are fine: content that is not text yields no text. Time is linear in the bytes.

mod entity;
mod html;
mod json;
mod preview;
mod text;

pub use preview::preview;

use cairn_access::identity::is_sealed_content;

use crate::limits::{EXTRACT_CONTENT_BYTES_MAX, EXTRACT_TEXT_BYTES_MAX};

/// The ways to extract text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Html,
    Json,
    /// Markdown, CSV, source code, and every unknown format that turns out to be text.
    Text,
    /// No text to extract, whatever the bytes are.
    Binary,
}

/// Formats that are not read as plain text; part of a format's name behind the last `/`.
const KINDS: [(&str, Kind); 36] = [
    ("html", Kind::Html),
    ("htm", Kind::Html),
    ("xhtml", Kind::Html),
    ("xhtml+xml", Kind::Html),
    ("json", Kind::Json),
    ("jsonl", Kind::Json),
    ("ndjson", Kind::Json),
    ("x-ndjson", Kind::Json),
    ("geojson", Kind::Json),
    ("ipynb", Kind::Json),
    ("mcp_context", Kind::Json),
    ("mcp_tool_result", Kind::Json),
    ("pdf", Kind::Binary),
    ("png", Kind::Binary),
    ("jpg", Kind::Binary),
    ("jpeg", Kind::Binary),
    ("gif", Kind::Binary),
    ("webp", Kind::Binary),
    ("bmp", Kind::Binary),
    ("ico", Kind::Binary),
    ("tiff", Kind::Binary),
    ("mp3", Kind::Binary),
    ("mp4", Kind::Binary),
    ("webm", Kind::Binary),
    ("wav", Kind::Binary),
    ("ogg", Kind::Binary),
    ("zip", Kind::Binary),
    ("gz", Kind::Binary),
    ("gzip", Kind::Binary),
    ("zst", Kind::Binary),
    ("tar", Kind::Binary),
    ("docx", Kind::Binary),
    ("xlsx", Kind::Binary),
    ("pptx", Kind::Binary),
    ("parquet", Kind::Binary),
    ("octet-stream", Kind::Binary),
];

/// Returns the text of content for search, at most [`EXTRACT_TEXT_BYTES_MAX`] bytes; empty if it is not text.
pub fn extract(format: &str, content: &[u8]) -> String {
    let start = &content[..content.len().min(EXTRACT_CONTENT_BYTES_MAX)];
    let kind = kind(format);
    // Ciphertext that another implementation sealed for its author is no text, even if it happens to decode.
    if kind == Kind::Binary || is_sealed_content(start) {
        return String::new();
    }
    let Some(text) = text::decode(start) else { return String::new() };
    let mut text = match kind {
        Kind::Html => html::text(&text),
        Kind::Json => json::strings(&text),
        Kind::Text | Kind::Binary => text,
    };
    text::cut(&mut text, EXTRACT_TEXT_BYTES_MAX);
    text
}

fn kind(format: &str) -> Kind {
    let format = format.to_ascii_lowercase();
    let format = format.split(';').next().unwrap_or_default().trim();
    let (family, name) = format.rsplit_once('/').unwrap_or(("", format));
    if let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == name) {
        return *kind;
    }
    match family {
        _ if name.ends_with("+json") => Kind::Json,
        "image" if name != "svg+xml" => Kind::Binary,
        "audio" | "video" | "font" => Kind::Binary,
        _ => Kind::Text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_is_extracted_by_format() {
        for (format, content, expected) in [
            ("text", &b"plain"[..], "plain"),
            ("markdown", "# Ä\n\n- b".as_bytes(), "# Ä\n\n- b"),
            ("csv", b"a,b\r\n1,2", "a,b\r\n1,2"),
            ("rs", b"fn main() {}", "fn main() {}"),
            ("text/html; charset=utf-8", b"<p>a<p>b", "a\nb"),
            ("HTML", b"<b>a</b>b", "ab"),
            ("application/vnd.x+json", br#"{"a":["b",1]}"#, "a\nb"),
            ("json", br#"{"a":["b",1]}"#, "a\nb"),
            ("pdf", b"%PDF-1.7 text", ""),
            ("image/jxl", b"text", ""),
            ("image/svg+xml", b"<svg/>", "<svg/>"),
            ("unknown", b"a\0b", ""),
            ("text", b"a\0b", ""),
            ("html", b"\xff\xfea\0b\0", ""),
            ("text", b"", ""),
            // Ciphertext of another implementation, though it happens to look like text.
            ("text", b"KCPENC1 looks like text", ""),
        ] {
            assert_eq!(extract(format, content), expected, "{format}");
        }
    }

    #[test]
    fn only_the_start_of_content_is_looked_at() {
        let mut content = "a".repeat(EXTRACT_CONTENT_BYTES_MAX - 1).into_bytes();
        content.extend("äz\0".as_bytes());
        assert_eq!(extract("text", &content), "a".repeat(EXTRACT_CONTENT_BYTES_MAX - 1));
    }

    #[test]
    fn hostile_content_takes_linear_time() {
        for unit in
            ["<", "<!--", "<script", "<script>", "&", "&#", "<a b=\"", "</", "\"", "\\", "\"\\u", "<title>"]
        {
            let content = unit.repeat(EXTRACT_CONTENT_BYTES_MAX / unit.len());
            for format in ["html", "json", "text"] {
                assert!(extract(format, content.as_bytes()).len() <= EXTRACT_TEXT_BYTES_MAX);
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_yield_bounded_text(
            bytes in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..300),
                "[<>/!&#;x\"'\\\\a-z0-9 =-]{0,200}".prop_map(String::into_bytes),
                "(<(script|/script|head|title|p|!--|b)>?|-->|&(amp|#6|#x1f600|zz);?|\"|\\\\u[d0-9]{0,4}|ä| ){0,40}"
                    .prop_map(String::into_bytes),
            ],
            cut in 0..300_usize,
        ) {
            let bytes = &bytes[..bytes.len().min(cut)];
            for format in ["html", "json", "text", "pdf", "", "a/b/c;d"] {
                let text = extract(format, bytes);
                prop_assert!(text.len() <= 3 * bytes.len() + 1);
                prop_assert!(preview(&text).chars().count() <= crate::limits::PREVIEW_CHARS_MAX);
            }
        }
    }
}
