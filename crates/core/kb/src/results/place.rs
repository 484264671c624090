//! Places where a test can be, by what a report says of a case.

use crate::tools::ResultCase;

/// Modules or classes of a case that are looked at.
const PARTS_MAX: usize = 12;

/// A place of a case: the end of a path, and a name inside the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) path: PathEnd,
    pub(super) name: String,
}

/// The end of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathEnd {
    /// A file, with its ending.
    File(String),
    /// A file without its ending.
    Stem(String),
    /// A `.rs` file without its ending, of the package with this name.
    Rust(String, String),
    /// A folder with `.go` files, which is the end of this import path.
    Go(String),
}

/// Whole sources that a case matches at once.
pub(super) fn sources(case: &ResultCase) -> Vec<String> {
    let file = case.file.as_deref().map(plain_path);
    let class = case.class.as_deref();
    let mut found = Vec::new();
    for name in names(&case.name) {
        let before = [file.as_deref(), class, case.suite.as_deref()];
        found.extend(before.into_iter().flatten().map(|before| format!("{before}::{name}")));
        if let (Some(file), Some(class)) = (&file, class) {
            let short = class.rsplit('.').next().unwrap_or(class);
            found.push(format!("{file}::{class}::{name}"));
            found.push(format!("{file}::{short}::{name}"));
        }
    }
    found
}

/// Places of a case whose path is not known as a whole.
pub(super) fn places(case: &ResultCase) -> Vec<Place> {
    let mut found = Vec::new();
    let names = names(&case.name);
    let files = [case.file.as_deref(), case.class.as_deref(), case.suite.as_deref()];
    for file in files.into_iter().flatten().filter(|file| is_path(file)).map(plain_path) {
        found
            .extend(names.iter().map(|name| Place { path: PathEnd::File(file.clone()), name: name.clone() }));
    }
    let Some(class) = case.class.as_deref().filter(|class| !class.is_empty()) else { return found };
    if class.contains('/') {
        let go = |name: &String| Place { path: PathEnd::Go(class.to_owned()), name: name.clone() };
        found.extend(names.iter().map(go));
    } else if class.contains('.') {
        dotted(class, &names, &mut found);
    } else {
        found.extend(
            names.iter().map(|name| Place { path: PathEnd::Stem(class.to_owned()), name: name.clone() }),
        );
    }
    if is_binary(class) {
        rust(class, &case.name, &mut found);
    }
    found
}

/// A class like `tests.test_auth.TestLogin` or `com.shop.LoginTest`: some of its parts are the path, the others classes
/// inside the file.
fn dotted(class: &str, names: &[String], found: &mut Vec<Place>) {
    let parts: Vec<&str> = class.split(['.', '$']).collect();
    for count in 1..=parts.len().min(PARTS_MAX) {
        let path = parts[..count].join("/");
        for name in names {
            let inner = [&parts[count..], &[name.as_str()]].concat().join("::");
            found.push(Place { path: PathEnd::Stem(path.clone()), name: inner });
            if count < parts.len() {
                found.push(Place { path: PathEnd::Stem(path.clone()), name: name.clone() });
            }
        }
    }
}

/// A binary like `shop` or `shop::it`, and a path of modules like `session::tests::ends`.
fn rust(class: &str, name: &str, found: &mut Vec<Place>) {
    let (package, target) =
        class.split_once("::").map_or((class, None), |(package, rest)| (package, Some(rest)));
    let parts: Vec<&str> = name.split("::").collect();
    let roots = match target {
        None => vec![("src", vec!["lib", "main"])],
        Some(target) => match target.split_once('/') {
            Some(("bin", bin)) => vec![("src", vec!["main"]), ("src/bin", vec![bin])],
            Some(("bench", bench)) => vec![("benches", vec![bench])],
            Some(("example", example)) => vec![("examples", vec![example])],
            Some(_) | None => vec![("tests", vec![target])],
        },
    };
    for (root, tops) in &roots {
        for modules in 0..parts.len().min(PARTS_MAX) {
            let path = parts[..modules].join("/");
            let stems: Vec<String> = if modules == 0 {
                tops.iter().flat_map(|top| [format!("{root}/{top}"), format!("{root}/{top}/main")]).collect()
            } else {
                let top = tops.iter().filter(|_| *root != "src").map(|top| format!("{root}/{top}/{path}"));
                let all = top.chain([format!("{root}/{path}")]);
                all.flat_map(|stem| [format!("{stem}/mod"), stem]).collect()
            };
            let rest = &parts[modules..];
            let mut names = vec![rest.join("::")];
            if rest.len() == 2 && matches!(rest[0], "tests" | "test") {
                names.push(rest[1].to_owned());
            }
            for stem in stems {
                let path = PathEnd::Rust(package.to_owned(), stem);
                found.extend(names.iter().map(|name| Place { path: path.clone(), name: name.clone() }));
            }
        }
    }
}

/// The name of a case, and those that it has without parameters and without the titles around it.
fn names(name: &str) -> Vec<String> {
    let mut found = vec![name.to_owned()];
    let mut add = |name: &str| {
        if !name.is_empty() && found.iter().all(|known| known != name) {
            found.push(name.to_owned());
        }
    };
    // A name with a space before the bracket is a sentence.
    let bracket = name.find(['[', '(', '{']).filter(|at| *at > 0 && !name[..*at].contains(' '));
    add(bracket.map_or(name, |at| &name[..at]));
    for separator in [" > ", " › "] {
        add(name.rsplit(separator).next().unwrap_or(name));
    }
    found
}

/// The name of a Rust package or binary, as nextest writes it.
fn is_binary(class: &str) -> bool {
    class.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | ':' | '/'))
        && class.split('/').count() <= 2
}

fn is_path(text: &str) -> bool {
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    !text.contains("://") && name.contains('.') && !name.ends_with('.') && !text.contains(' ')
}

/// A path with `/`, and without `./` before it.
pub(super) fn plain_path(path: &str) -> String {
    let path = path.replace('\\', "/");
    path.strip_prefix("./").map(str::to_owned).unwrap_or(path)
}
