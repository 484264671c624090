//! Documents of a KB: Markdown with front matter, `symbols.yaml` and test results, to entities and back. Reads no
//! files.
