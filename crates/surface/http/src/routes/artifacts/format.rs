//! Formats of artifacts, as media types.

/// The way in which content of a format is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) media_type: &'static str,
    /// The end of the name of a file.
    pub(super) extension: &'static str,
    /// Whether a browser may show it: nothing in it runs.
    pub(super) is_inline: bool,
}

const fn row(media_type: &'static str, extension: &'static str, is_inline: bool) -> Format {
    Format { media_type, extension, is_inline }
}

const FORMATS: [(&str, Format); 10] = [
    ("html", row("text/html; charset=utf-8", "html", false)),
    ("svg", row("image/svg+xml", "svg", false)),
    ("json", row("application/json", "json", true)),
    ("markdown", row("text/markdown; charset=utf-8", "md", true)),
    ("text", row("text/plain; charset=utf-8", "txt", true)),
    ("csv", row("text/csv; charset=utf-8", "csv", true)),
    ("yaml", row("text/plain; charset=utf-8", "yaml", true)),
    ("pdf", row("application/pdf", "pdf", true)),
    ("png", row("image/png", "png", true)),
    ("jpeg", row("image/jpeg", "jpg", true)),
];

const UNKNOWN: Format = row("application/octet-stream", "bin", false);

impl Format {
    /// Returns the format of a name; one that is not known is bytes.
    pub(super) fn named(name: &str) -> Self {
        FORMATS.iter().find(|(known, _)| *known == name).map_or(UNKNOWN, |(_, format)| *format)
    }

    /// Returns the value of the header `Content-Disposition` for a file. The name of the file is ours, never the
    /// author's.
    pub(super) fn disposition(self, name: &str) -> String {
        let place = if self.is_inline { "inline" } else { "attachment" };
        format!("{place}; filename=\"{name}.{}\"", self.extension)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_run_is_never_shown() {
        for name in ["html", "svg", "exe", "HTML", "text/html", ""] {
            assert!(Format::named(name).disposition("x").starts_with("attachment; "), "{name}");
        }
        assert_eq!(Format::named("markdown").disposition("x"), "inline; filename=\"x.md\"");
        assert_eq!(Format::named("whatever"), UNKNOWN);
    }
}
