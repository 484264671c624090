//! How the program fails: an exit code, what went wrong, and what to do next.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use cairn_access::AccessCode;
use cairn_access::identity::IdentityError;
use cairn_base::{ErrorCode, Harmless};
use cairn_engine::EngineError;
use cairn_http::ClientError;
use cairn_seam::{StoreCode, StoreError};

use crate::terminal::Look;

const ACCEPT_LOSS: &str = "restore a backup, or make a new store of everything that can be read with \
                           `cairn salvage --to DIR`, which lists what is lost";

const UNFINISHED_RESTORE: &str = "run `cairn restore` with this directory and the backup once more: it removes \
                                  what is left and starts from the beginning";

/// Exit codes; the end of `cairn --help` lists them for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Something failed while running.
    Failed = 1,
    /// The command line or the configuration is wrong; nothing was touched. The same number as clap's.
    Usage = 2,
    /// Another process owns the data directory.
    InUse = 3,
    /// The data directory or a backup is damaged, or written by a newer cairn.
    Unreadable = 4,
    /// Interrupt: by the custom of shells 128 and the number of the signal.
    Interrupted = 130,
    /// SIGTERM.
    Terminated = 143,
}

/// Why a command did not do what was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
    hint: Option<String>,
    code: Option<ErrorCode>,
}

impl Failure {
    /// A failure while running.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Failure { exit: Exit::Failed, message: message.into(), hint: None, code: None }
    }

    /// A mistake in the command line or the configuration.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure { exit: Exit::Usage, ..Failure::new(message) }
    }

    /// A failure below, with the hint of its row in the table of error codes.
    fn coded(code: ErrorCode, message: String) -> Self {
        let hint = if code == ErrorCode::Damaged { ACCEPT_LOSS } else { code.hint() };
        Failure { exit: exit_of(code), message, hint: Some(hint.to_owned()), code: Some(code) }
    }

    /// A failure because another process owns the data directory.
    pub(crate) fn in_use(message: impl Into<String>) -> Self {
        Failure { exit: Exit::InUse, ..Failure::new(message) }
    }

    /// Something in the data directory is wrong.
    pub(crate) fn damaged(message: impl Into<String>) -> Self {
        Failure { exit: Exit::Unreadable, ..Failure::new(message) }
    }

    /// Whether a data directory or a backup is damaged, or written by a newer cairn.
    pub(crate) fn is_damaged(&self) -> bool {
        self.exit == Exit::Unreadable
    }

    /// A signal ended the command.
    pub(crate) fn stopped(exit_code: i32) -> Self {
        let exit = if exit_code == Exit::Terminated as i32 { Exit::Terminated } else { Exit::Interrupted };
        Failure { exit, ..Failure::new("stopped before it was done") }
    }

    /// Whether a signal ended the command.
    pub(crate) fn is_stop(&self) -> bool {
        [Exit::Interrupted, Exit::Terminated].contains(&self.exit)
    }

    /// Whether the command line is wrong.
    pub(crate) fn is_usage(&self) -> bool {
        self.exit == Exit::Usage
    }

    /// Whether another process owns the data directory.
    pub(crate) fn is_in_use(&self) -> bool {
        self.exit == Exit::InUse
    }

    /// What the system said while `doing` something.
    pub(crate) fn io(doing: impl std::fmt::Display, error: &std::io::Error) -> Self {
        Failure::new(format!("could not {doing}: {error}"))
    }

    /// The same failure with what to do next.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Failure { hint: Some(hint.into()), ..self }
    }

    /// The same failure, of something in particular.
    pub(crate) fn in_context(self, context: impl std::fmt::Display) -> Self {
        Failure { message: format!("{context}: {}", self.message), ..self }
    }

    /// The same failure in other words.
    pub(crate) fn reworded(self, with: impl Fn(&str) -> String) -> Self {
        Failure { message: with(&self.message), hint: self.hint.as_deref().map(with), ..self }
    }

    /// The same failure of a command whose exit code 1 is a verdict: it could not come to one.
    pub(crate) fn beside_a_verdict(self) -> Self {
        let exit = if self.exit == Exit::Failed { Exit::Usage } else { self.exit };
        Failure { exit, ..self }
    }

    /// The same failure with its row in the table of errors.
    pub(crate) fn with_code(self, code: ErrorCode) -> Self {
        Failure { code: Some(code), ..self }
    }

    /// Its row in the table of errors: its own, or the nearest.
    pub(crate) fn code(&self) -> ErrorCode {
        let nearest = match self.exit {
            Exit::Usage => AccessCode::ConfigInvalid,
            Exit::InUse => StoreCode::Locked,
            Exit::Unreadable => ErrorCode::Damaged,
            Exit::Failed | Exit::Interrupted | Exit::Terminated => ErrorCode::Unavailable,
        };
        self.code.unwrap_or(nearest)
    }

    /// What went wrong, and what to do next.
    pub(crate) fn into_words(self) -> (String, Option<String>) {
        (self.message, self.hint)
    }

    /// Prints `error:` and `hint:` lines to standard error and yields the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let stderr = std::io::stderr();
        let colour = stderr.is_terminal() && Look::is_colour_wanted();
        // Nobody is left to tell when standard error is closed.
        let _ = stderr.lock().write_all(self.render(colour).as_bytes());
        ExitCode::from(self.exit as u8)
    }

    fn render(&self, colour: bool) -> String {
        let line = |word: &str, code: &str, text: &str| {
            let text = harmless(text);
            if colour {
                format!("\x1b[1;{code}m{word}:\x1b[0m {text}\n")
            } else {
                format!("{word}: {text}\n")
            }
        };
        let hint = self.hint.as_deref().map(|hint| line("hint", "36", hint)).unwrap_or_default();
        line("error", "31", &self.message) + &hint
    }
}

/// Text that does nothing to a terminal but to have lines and tabs, as mistakes with their places have.
fn harmless(text: &str) -> String {
    let parts = text.split_inclusive(['\n', '\t']).map(|part| {
        let (part, end) = part.split_at(part.trim_end_matches(['\n', '\t']).len());
        Harmless(part).to_string() + end
    });
    parts.collect()
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let failure = Failure::coded(error.code(), error.to_string());
        if let StoreError::UnfinishedRestore { .. } = error {
            return failure.hint(UNFINISHED_RESTORE);
        }
        failure
    }
}

impl From<IdentityError> for Failure {
    fn from(error: IdentityError) -> Self {
        let exit = match &error {
            IdentityError::Damaged { .. } => Exit::Unreadable,
            IdentityError::Busy { .. } => Exit::InUse,
            IdentityError::Io { .. } => Exit::Failed,
            // What was named or typed is wrong, and nothing was changed.
            IdentityError::WordCount { .. }
            | IdentityError::UnknownWord { .. }
            | IdentityError::Spacing
            | IdentityError::Checksum
            | IdentityError::SecretTooLong
            | IdentityError::NotAnIdentity { .. }
            | IdentityError::OpenKey { .. }
            | IdentityError::NoKey { .. }
            | IdentityError::SeveralKeys { .. }
            | IdentityError::Mismatch { .. }
            | IdentityError::WrongPassword
            | IdentityError::Exists { .. } => Exit::Usage,
        };
        let failure = Failure { exit, ..Failure::new(error.to_string()) };
        if let IdentityError::OpenKey { file, .. } = &error {
            return failure.hint(format!("chmod 600 {}", file.display()));
        }
        if let IdentityError::Exists { .. } = error {
            return failure
                .hint("nothing was changed; --replace keeps it beside and puts another one in its place");
        }
        failure
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Failure::coded(error.code(), error.to_string())
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        // What a server says is one line, whatever it says.
        let message = Harmless(&error.to_string()).to_string();
        match error {
            ClientError::Refused { code: Some(ErrorCode::Damaged), hint, .. } => {
                let failure = Failure::coded(ErrorCode::Damaged, message);
                // What the server knows of the situation tells more than the table of errors.
                match hint.filter(|hint| hint != ErrorCode::Damaged.hint()) {
                    Some(hint) => failure.hint(Harmless(&hint).to_string()),
                    None => failure,
                }
            }
            ClientError::Refused { code, hint, .. } => {
                let exit = code.map_or(Exit::Failed, exit_of);
                let hint = hint.map(|hint| Harmless(&hint).to_string());
                Failure { exit, message, hint, code: Some(code.unwrap_or(ErrorCode::Internal)) }
            }
            ClientError::Unanswered { .. } => {
                Failure::new(message).hint("try again; its log says why it went")
            }
            ClientError::Cut { .. } => Failure::new(message)
                .hint("try again; its log says why it went")
                .with_code(StoreCode::OutcomeUnknown),
            ClientError::Silent { .. } => Failure::new(message)
                .hint("look at its log: it may hang, or have too much to do; restart it if it stays so")
                .with_code(ErrorCode::DeadlineExceeded),
            ClientError::NotUnderstood { .. } => Failure::new(message)
                .hint("the server may be of another version: restart it with this one")
                .with_code(ErrorCode::Internal),
            ClientError::Path { .. } | ClientError::Unsendable { .. } => {
                Failure::usage(message).with_code(ErrorCode::InvalidRequest)
            }
        }
    }
}

fn exit_of(code: ErrorCode) -> Exit {
    if code == StoreCode::Locked {
        Exit::InUse
    } else if [ErrorCode::Damaged, StoreCode::IndexDamaged, StoreCode::NewerFormat].contains(&code) {
        Exit::Unreadable
    } else if [StoreCode::KeyMissing, StoreCode::KeyMismatch, StoreCode::NotSealed].contains(&code) {
        // The configuration names no key, or the wrong one; the store checks that before anything else.
        Exit::Usage
    } else {
        Exit::Failed
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use cairn_seam::DamagedAt;

    use super::*;

    #[test]
    fn a_failure_is_two_lines_with_colour_on_terminals_alone() {
        let failure = Failure::new("the disk is on fire").hint("leave the building");
        assert_eq!(failure.render(false), "error: the disk is on fire\nhint: leave the building\n");
        let coloured = failure.render(true);
        assert_eq!(
            coloured,
            "\x1b[1;31merror:\x1b[0m the disk is on fire\n\x1b[1;36mhint:\x1b[0m leave the building\n"
        );
    }

    #[test]
    fn what_a_server_says_does_nothing_to_a_terminal() {
        let said = ClientError::Refused {
            code: None,
            message: "no \u{1b}[2Jtype\nhint: none".to_owned(),
            hint: Some("\u{202e}did you mean\r".to_owned()),
        };
        assert_eq!(
            Failure::from(said).render(false),
            "error: no \\u{1b}[2Jtype\\u{a}hint: none\nhint: \\u{202e}did you mean\\u{d}\n"
        );
        let own = Failure::new("mistake\n --> a\u{1b}.kip\n  | \tx");
        assert_eq!(own.render(false), "error: mistake\n --> a\\u{1b}.kip\n  | \tx\n");
    }

    #[test]
    fn what_the_store_says_keeps_its_words_and_gets_an_exit_code() {
        let at =
            DamagedAt { file: PathBuf::from("log/1.seg"), offset: 4096, detail: "bad checksum".to_owned() };
        let damaged = Failure::from(StoreError::Damaged(at));
        assert_eq!(damaged.message, "damaged at byte 4096 of log/1.seg: bad checksum");
        assert!(damaged.hint.as_deref().is_some_and(|hint| hint.contains("cairn salvage")));
        assert_eq!(damaged.exit, Exit::Unreadable);

        let at =
            DamagedAt { file: PathBuf::from("data/index.redb"), offset: 0, detail: "bad page".to_owned() };
        let damaged = Failure::from(StoreError::Damaged(at));
        let hint = damaged.hint.unwrap_or_default();
        assert!(hint.contains("start the server again") && !hint.contains("--accept-loss"), "{hint}");
        assert_eq!(damaged.exit, Exit::Unreadable);

        let locked =
            StoreError::Locked { dir: PathBuf::from("data"), owner: "cairn serve, process 7".to_owned() };
        let locked = Failure::from(locked);
        assert_eq!((locked.exit, locked.exit as u8), (Exit::InUse, 3));
        assert_eq!(locked.message, "the data directory data is in use by cairn serve, process 7");
        assert_eq!(Failure::from(StoreError::Closed).exit, Exit::Failed);
        let mismatch = Failure::from(StoreError::KeyMismatch { dir: PathBuf::from("data") });
        assert_eq!(mismatch.exit, Exit::Usage);
    }
}
