//! Where secrets come in: a prompt that does not echo, a file, or standard input. Never an argument, which
//! every user of the machine could read.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Read};
use std::path::Path;

use cairn_access::identity::SecretText;
use cairn_access::limits::SECRET_TEXT_BYTES_MAX;
use cairn_base::fs::exposed_mode;
use zeroize::Zeroizing;

use crate::failure::Failure;

/// Stands for standard input.
const STDIN: &str = "-";
/// By the custom of shells.
const INTERRUPTED: i32 = 130;

/// Whether a person can be asked.
pub(crate) fn can_ask() -> bool {
    std::io::stdin().is_terminal()
}

/// Whether a file is standard input.
pub(crate) fn is_stdin(file: Option<&Path>) -> bool {
    file == Some(Path::new(STDIN))
}

/// Asks on the terminal, without echo.
pub(crate) fn ask(prompt: &str) -> Result<SecretText, Failure> {
    match rpassword::prompt_password(format!("{prompt}: ")) {
        Ok(text) => Ok(SecretText::new(text)),
        Err(error) if error.kind() == ErrorKind::Interrupted => Err(Failure::stopped(INTERRUPTED)),
        Err(error) => Err(Failure::io("ask on the terminal", &error)),
    }
}

/// Asks for a new secret, twice unless it is empty: nobody sees what they type.
pub(crate) fn ask_for_new(prompt: &str) -> Result<SecretText, Failure> {
    let secret = ask(prompt)?;
    if !secret.is_empty() && ask("the same again")?.expose() != secret.expose() {
        return Err(Failure::usage("they were not the same; nothing was changed"));
    }
    Ok(secret)
}

/// Reads a secret from a file, or from standard input if that is `-`; one newline at its end does not count.
pub(crate) fn read(file: &Path) -> Result<SecretText, Failure> {
    if is_stdin(Some(file)) {
        return read_stdin();
    }
    let unreadable = |error: &std::io::Error| {
        Failure::usage(format!("could not read {}: {error}", file.display()))
            .hint("name a file that holds the secret alone, or - for standard input")
    };
    let opened = File::open(file).map_err(|error| unreadable(&error))?;
    let found = opened.metadata().map_err(|error| unreadable(&error))?;
    // Not refused, as keys are: where a runtime of containers mounts secrets, everybody in there may read them.
    if exposed_mode(&found).is_some() {
        eprintln!("note: others may read {0}: `chmod 600 {0}`", file.display());
    }
    read_from(opened, &file.display().to_string(), unreadable)
}

/// The same for standard input.
pub(crate) fn read_stdin() -> Result<SecretText, Failure> {
    read_from(std::io::stdin().lock(), "standard input", |error| Failure::io("read standard input", error))
}

fn read_from(
    from: impl Read,
    name: &str,
    unreadable: impl Fn(&std::io::Error) -> Failure,
) -> Result<SecretText, Failure> {
    // Sized at once: growing would leave copies of the secret behind.
    let mut content = Zeroizing::new(Vec::with_capacity(SECRET_TEXT_BYTES_MAX + 64));
    let most = SECRET_TEXT_BYTES_MAX as u64 + 2;
    from.take(most).read_to_end(&mut content).map_err(|error| unreadable(&error))?;
    let text = content.strip_suffix(b"\n").unwrap_or(&content);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    if text.len() > SECRET_TEXT_BYTES_MAX {
        return Err(Failure::usage(format!("{name} has more than {SECRET_TEXT_BYTES_MAX} bytes")));
    }
    let text = std::str::from_utf8(text);
    let text = text.map_err(|_| Failure::usage(format!("{name} is not text in UTF-8")))?;
    Ok(SecretText::new(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_newline_at_the_end_does_not_count_and_length_has_a_limit() {
        let read = |bytes: &[u8]| {
            read_from(bytes, "it", |error| Failure::io("read", error))
                .ok()
                .map(|text| text.expose().to_owned())
        };
        for (bytes, expected) in [
            (&b"a b"[..], Some("a b")),
            (b"a b\n", Some("a b")),
            (b"a b\r\n", Some("a b")),
            (b" a \n\n", Some(" a \n")),
            (b"", Some("")),
            (b"\n", Some("")),
            (b"\xff", None),
        ] {
            assert_eq!(read(bytes).as_deref(), expected, "{bytes:?}");
        }
        let long = vec![b'a'; SECRET_TEXT_BYTES_MAX];
        assert!(read(&long).is_some() && read(&[&long[..], b"\n"].concat()).is_some());
        assert!(read(&[&long[..], b"a"].concat()).is_none());
        assert!(read(&[&long[..], b"aaaaaaaaaa\n"].concat()).is_none());
    }
}
