//! Languages of source files, by the endings of their names.

/// A language and the endings of its files.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("c", &["c", "h"]),
    ("cpp", &["cc", "cpp", "cxx", "hpp", "hxx"]),
    ("csharp", &["cs"]),
    ("go", &["go"]),
    ("java", &["java"]),
    ("javascript", &["cjs", "js", "jsx", "mjs"]),
    ("kotlin", &["kt", "kts"]),
    ("php", &["php"]),
    ("python", &["py", "pyi"]),
    ("ruby", &["rb"]),
    ("rust", &["rs"]),
    ("scala", &["scala"]),
    ("shell", &["bash", "sh"]),
    ("swift", &["swift"]),
    ("typescript", &["cts", "mts", "ts", "tsx"]),
];

/// Returns the language of a file, or `None` if its name tells none.
pub(crate) fn language_of(path: &str) -> Option<&'static str> {
    let ending = name_of(path).rsplit_once('.')?.1;
    LANGUAGES.iter().find(|(_, endings)| endings.contains(&ending)).map(|(language, _)| *language)
}

/// The last part of a path.
pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The folder of a path; empty for the root.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_tells_the_language() {
        for (path, expected) in [
            ("src/a.ts", Some("typescript")),
            ("a/b.test.tsx", Some("typescript")),
            ("x.mjs", Some("javascript")),
            ("x.rs", Some("rust")),
            ("rs", None),
            ("a.d/x", None),
            ("README.md", None),
        ] {
            assert_eq!(language_of(path), expected, "{path}");
        }
    }
}
