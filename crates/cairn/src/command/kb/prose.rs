//! Prose of a command: its words, or standard input.

use std::io::Read;

use clap::Args;

use crate::failure::Failure;
use crate::limits::KB_PROSE_BYTES_MAX;

/// The text that a command is about.
#[derive(Debug, Args)]
pub(super) struct ProseArgs {
    /// Text; - for standard input
    #[arg(value_name = "TEXT", required = true)]
    words: Vec<String>,
}

impl ProseArgs {
    /// Returns the text, without white space at its ends.
    pub(super) fn read(&self) -> Result<String, Failure> {
        if self.words != ["-"] {
            return Ok(self.words.join(" ").trim().to_owned());
        }
        from(&mut std::io::stdin().lock())
    }
}

fn from(input: &mut dyn Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let failed = |error| Failure::io("read standard input", &error);
    input.take(KB_PROSE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > KB_PROSE_BYTES_MAX {
        let message = format!("standard input has more than the {KB_PROSE_BYTES_MAX} bytes allowed");
        return Err(Failure::usage(message).hint("send one requirement at a time"));
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::usage("standard input is not UTF-8"))?;
    Ok(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_input_is_bounded_text() {
        assert_eq!(from(&mut &b" Logs must\n be kept. \n"[..]).ok().as_deref(), Some("Logs must\n be kept."));
        let full = vec![b'x'; KB_PROSE_BYTES_MAX];
        assert_eq!(from(&mut &full[..]).map(|text| text.len()).ok(), Some(KB_PROSE_BYTES_MAX));
        for (bytes, part) in [(vec![b'x'; KB_PROSE_BYTES_MAX + 1], "more than"), (vec![0xff], "not UTF-8")] {
            let (message, _) = from(&mut &bytes[..]).expect_err("refused").into_words();
            assert!(message.contains(part), "{message}");
        }
    }
}
