//! Formats of content, by the extensions of files.

use std::path::Path;

/// The format of content whose file has none of the known extensions.
pub(super) const TEXT: &str = "text";

/// Extensions in lower case, and the formats they stand for.
const FORMATS: &[(&str, &str)] = &[
    ("md", "markdown"),
    ("markdown", "markdown"),
    ("html", "html"),
    ("htm", "html"),
    ("json", "json"),
    ("csv", "csv"),
    ("txt", TEXT),
    ("text", TEXT),
    ("log", TEXT),
    ("pdf", "pdf"),
    ("png", "png"),
    ("jpg", "jpeg"),
    ("jpeg", "jpeg"),
    ("gif", "gif"),
    ("svg", "svg"),
    ("webp", "webp"),
    ("yaml", "yaml"),
    ("yml", "yaml"),
    ("toml", "toml"),
    ("xml", "xml"),
    ("tsv", "tsv"),
    ("ndjson", "ndjson"),
    ("jsonl", "ndjson"),
    ("parquet", "parquet"),
    ("zip", "zip"),
    ("ipynb", "ipynb"),
    ("py", "python"),
    ("rs", "rust"),
    ("js", "javascript"),
    ("ts", "typescript"),
    ("go", "go"),
    ("java", "java"),
    ("c", "c"),
    ("h", "c"),
    ("cpp", "cpp"),
    ("rb", "ruby"),
    ("sh", "shell"),
    ("sql", "sql"),
    ("tex", "latex"),
];

/// Returns the format of a file, by its extension.
pub(super) fn of_file(path: &Path) -> &'static str {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let extension = extension.to_ascii_lowercase();
    FORMATS.iter().find(|(known, _)| *known == extension).map_or(TEXT, |(_, format)| format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_come_from_extensions() {
        for (file, format) in [
            ("a.md", "markdown"),
            ("dir/A.HTML", "html"),
            ("a.tar.json", "json"),
            ("a.rs", "rust"),
            ("a.unknown", TEXT),
            ("Makefile", TEXT),
            (".md", TEXT),
        ] {
            assert_eq!(of_file(Path::new(file)), format, "{file}");
        }
    }
}
