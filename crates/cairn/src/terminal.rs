//! What standard output can show.

use std::io::IsTerminal;

/// How text for people looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    /// Whether colours are understood.
    pub(crate) colour: bool,
    /// Characters of a line; as many as there are if nobody looks at it.
    pub(crate) width: Option<usize>,
}

impl Look {
    /// What standard output is now.
    pub(crate) fn of_stdout() -> Self {
        let stdout = std::io::stdout();
        if !stdout.is_terminal() {
            return Look { colour: false, width: None };
        }
        let colour = Look::is_colour_wanted();
        let size = rustix::termios::tcgetwinsize(&stdout).ok().map(|size| usize::from(size.ws_col));
        Look { colour, width: Some(size.filter(|columns| *columns > 0).unwrap_or(80)) }
    }

    /// Whether a terminal should have colours.
    pub(crate) fn is_colour_wanted() -> bool {
        std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
    }

    /// Text that stands out.
    pub(crate) fn bold(self, text: &str) -> String {
        self.dressed("1", text)
    }

    /// Text that steps back.
    pub(crate) fn dim(self, text: &str) -> String {
        self.dressed("2", text)
    }

    fn dressed(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
