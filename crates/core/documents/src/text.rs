//! Bytes of a document as text.

use std::borrow::Cow;

/// A reason why bytes are no text.
pub(crate) struct Refusal {
    pub(crate) line: Option<u32>,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// The text of a document, without a byte order mark, with lines that end with `\n`.
pub(crate) fn text_of(bytes: &[u8], bytes_max: usize) -> Result<Cow<'_, str>, Refusal> {
    if bytes.len() > bytes_max {
        let message = format!("{} bytes are more than the {bytes_max} allowed", bytes.len());
        return Err(Refusal { line: None, message, hint: Some("split the document".to_owned()) });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| Refusal {
        line: Some(line_of(bytes, error.valid_up_to())),
        message: "the text is not UTF-8".to_owned(),
        hint: Some("save the file in UTF-8".to_owned()),
    })?;
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        let line = Some(line_of(bytes, at));
        let hint = Some("remove it; a document is a text file".to_owned());
        return Err(Refusal { line, message: "there is a NUL byte".to_owned(), hint });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    Ok(if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) })
}

/// The line of a byte, from 1.
fn line_of(bytes: &[u8], at: usize) -> u32 {
    let before = bytes[..at.min(bytes.len())].iter().filter(|byte| **byte == b'\n').count();
    u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1)
}
