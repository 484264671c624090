//! Languages, and the names of their files.

use std::fmt;

/// A language whose symbols are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// TypeScript: `.ts`, `.mts`, `.cts`.
    TypeScript,
    /// TypeScript with JSX: `.tsx`.
    Tsx,
    /// JavaScript, with and without JSX: `.js`, `.jsx`, `.mjs`, `.cjs`.
    JavaScript,
    /// Python: `.py`, `.pyi`.
    Python,
    /// Rust: `.rs`.
    Rust,
    /// Go: `.go`.
    Go,
    /// Java: `.java`.
    Java,
}

impl Language {
    /// Extensions of file names, and their languages.
    pub const EXTENSIONS: [(&str, Language); 13] = [
        ("ts", Language::TypeScript),
        ("mts", Language::TypeScript),
        ("cts", Language::TypeScript),
        ("tsx", Language::Tsx),
        ("js", Language::JavaScript),
        ("jsx", Language::JavaScript),
        ("mjs", Language::JavaScript),
        ("cjs", Language::JavaScript),
        ("py", Language::Python),
        ("pyi", Language::Python),
        ("rs", Language::Rust),
        ("go", Language::Go),
        ("java", Language::Java),
    ];

    /// Every language.
    pub const ALL: [Language; 7] = [
        Language::TypeScript,
        Language::Tsx,
        Language::JavaScript,
        Language::Python,
        Language::Rust,
        Language::Go,
        Language::Java,
    ];

    /// Returns the language of a file by its extension, in lower case; `None` if it is not known.
    pub fn of_path(path: &str) -> Option<Language> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (stem, extension) = name.rsplit_once('.')?;
        let known = Language::EXTENSIONS.iter().find(|(known, _)| *known == extension)?;
        (!stem.is_empty()).then_some(known.1)
    }

    /// Returns the name of the language. TypeScript with and without JSX has one name.
    pub fn text(self) -> &'static str {
        match self {
            Language::TypeScript | Language::Tsx => "typescript",
            Language::JavaScript => "javascript",
            Language::Python => "python",
            Language::Rust => "rust",
            Language::Go => "go",
            Language::Java => "java",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_name_languages() {
        for (path, language) in [
            ("src/a.ts", Some(Language::TypeScript)),
            ("src/a.d.ts", Some(Language::TypeScript)),
            ("a.mts", Some(Language::TypeScript)),
            ("a.cts", Some(Language::TypeScript)),
            ("a.tsx", Some(Language::Tsx)),
            ("a.js", Some(Language::JavaScript)),
            ("a.jsx", Some(Language::JavaScript)),
            ("a.mjs", Some(Language::JavaScript)),
            ("a.test.cjs", Some(Language::JavaScript)),
            ("a.py", Some(Language::Python)),
            ("a.pyi", Some(Language::Python)),
            ("lib.rs", Some(Language::Rust)),
            ("main.go", Some(Language::Go)),
            ("A.java", Some(Language::Java)),
            ("a.go/readme", None),
            ("a.kt", None),
            (".ts", None),
            ("ts", None),
            ("a.TS", None),
            ("", None),
        ] {
            assert_eq!(Language::of_path(path), language, "{path}");
        }
    }
}
