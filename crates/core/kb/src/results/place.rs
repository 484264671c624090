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

impl Place {
    /// What cases of one and the same test have in common here: a file, module or package.
    pub(super) fn origin(&self) -> &str {
        match &self.path {
            PathEnd::File(origin)
            | PathEnd::Stem(origin)
            | PathEnd::Rust(origin, _)
            | PathEnd::Go(origin) => origin,
        }
    }
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

/// A way to read a case: as a class with names in it.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub(super) class: Option<&'a str>,
    pub(super) names: Vec<String>,
    /// Whether the class is one around that of the case.
    pub(super) is_outer: bool,
}

/// Ways to read a case, the most exact one first: without the titles around its name, and, for classes nested with a
/// `$`, as a test of the class around its own.
pub(super) fn readings(case: &ResultCase) -> Vec<Reading<'_>> {
    let class = case.class.as_deref().filter(|class| !class.is_empty());
    let (names, untitled) = names(&case.name);
    let mut found = vec![Reading { class, names: names.clone(), is_outer: false }];
    if !untitled.is_empty() {
        found.push(Reading { class, names: untitled, is_outer: false });
    }
    let mut outer = class;
    while let Some((around, _)) =
        outer.and_then(|class| class.rsplit_once('$')).filter(|_| found.len() < PARTS_MAX)
    {
        found.push(Reading { class: Some(around), names: names.clone(), is_outer: true });
        outer = Some(around);
    }
    found
}

/// Whole sources that a case matches at once.
pub(super) fn sources(case: &ResultCase, reading: &Reading<'_>) -> Vec<String> {
    let of_class = reading
        .class
        .iter()
        .flat_map(|class| reading.names.iter().map(move |name| format!("{class}::{name}")));
    let mut found: Vec<String> = of_class.collect();
    for around in [around_file(case), around_suite(case)].into_iter().flatten() {
        found.extend(around.names(case, reading).iter().map(|name| format!("{}::{name}", around.text)));
    }
    found
}

/// Places of a case whose path is not known as a whole.
pub(super) fn places(case: &ResultCase, reading: &Reading<'_>) -> Vec<Place> {
    let mut found = Vec::new();
    let names = &reading.names;
    let is_named = |around: &Around| is_path(&around.text);
    if let Some(file) = around_file(case).filter(is_named) {
        file.places(case, reading, &mut found);
    }
    if let Some(class) = reading.class.filter(|class| is_path(class)).map(plain_path) {
        found.extend(
            names.iter().map(|name| Place { path: PathEnd::File(class.clone()), name: name.clone() }),
        );
    }
    if let Some(suite) = around_suite(case).filter(is_named) {
        suite.places(case, reading, &mut found);
    }
    let Some(class) = reading.class else { return found };
    if class.contains('/') {
        let go = |name: &String| Place { path: PathEnd::Go(class.to_owned()), name: name.clone() };
        found.extend(names.iter().map(go));
    } else if class.contains(['.', '$']) {
        dotted(class, names, &mut found);
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

/// What the class of a case is in: a file or a suite.
struct Around {
    text: String,
    /// Its parts, without the ending of a file.
    parts: Vec<String>,
    /// How many of the last parts are the name of the file, or of the suite.
    own: usize,
    is_file: bool,
}

fn around_file(case: &ResultCase) -> Option<Around> {
    let file = case.file.as_deref().filter(|file| !file.is_empty())?;
    Some(Around::of(plain_path(file), true))
}

fn around_suite(case: &ResultCase) -> Option<Around> {
    let suite = case.suite.as_deref().filter(|suite| !suite.is_empty())?;
    let suite = plain_path(suite);
    let is_file = suite.contains('/') && is_path(&suite);
    Some(Around::of(suite, is_file))
}

impl Around {
    fn of(text: String, is_file: bool) -> Self {
        let whole = if is_file { stem(&text) } else { &text };
        let parts = whole.split(['/', '.']).filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let own =
            whole.rsplit('/').next().unwrap_or(whole).split('.').filter(|part| !part.is_empty()).count();
        Around { parts, own, is_file, text }
    }

    /// Names inside of it: those of the case behind the classes that are inside of it.
    fn names(&self, case: &ResultCase, reading: &Reading<'_>) -> Vec<String> {
        let classes = self.classes(case, reading.class);
        let named = |name: &String| {
            let inner =
                |class: &String| if class.is_empty() { name.clone() } else { format!("{class}::{name}") };
            classes.iter().map(inner).collect::<Vec<_>>()
        };
        reading.names.iter().flat_map(named).collect()
    }

    /// What a class is called inside of it; empty if the class is all of it.
    fn classes(&self, case: &ResultCase, class: Option<&str>) -> Vec<String> {
        let Some(class) = class else { return vec![String::new()] };
        // Titles around a test are in its name as well, and a package of Go has no classes.
        let is_all = is_title(class, &case.name) || (self.is_file && class.contains('/'));
        if is_all || plain_path(class) == self.text {
            return vec![String::new()];
        }
        let parts: Vec<&str> = class.split(['.', '$']).collect();
        if let Some(count) = self.shared(class, &parts) {
            return vec![parts[count..].join("::")];
        }
        let short = class.rsplit('.').next().unwrap_or(class).replace('$', "::");
        let mut found = vec![class.to_owned(), parts.join("::"), short];
        found.dedup();
        found
    }

    /// How many of the first parts of a class lead to it.
    fn shared(&self, class: &str, parts: &[&str]) -> Option<usize> {
        let own = &self.parts[self.parts.len() - self.own..];
        let counts = || (self.own.max(1)..=parts.len().min(PARTS_MAX)).rev();
        let mut ends = counts().filter(|count| self.parts.len() >= *count);
        let end = ends.find(|count| self.parts[self.parts.len() - count..] == parts[..*count]);
        let whole = || counts().find(|count| ends_with_parts(&parts[..*count], &self.parts));
        // Packages of Java need not be folders.
        let outer = class.split('$').next().unwrap_or(class).split('.').count();
        let named = || (!own.is_empty() && ends_with_parts(&parts[..outer], own)).then_some(outer);
        end.or_else(whole).or_else(named)
    }

    fn places(&self, case: &ResultCase, reading: &Reading<'_>, found: &mut Vec<Place>) {
        let names = self.names(case, reading).into_iter();
        found.extend(names.map(|name| Place { path: PathEnd::File(self.text.clone()), name }));
    }
}

fn ends_with_parts(parts: &[&str], end: &[String]) -> bool {
    !end.is_empty() && parts.len() >= end.len() && parts[parts.len() - end.len()..] == *end
}

/// Whether a class is one of the titles that the name of a test begins or ends with.
fn is_title(class: &str, name: &str) -> bool {
    let rest = name.strip_prefix(class).map(|rest| rest.is_empty() || rest.starts_with(' '));
    rest.or_else(|| name.strip_suffix(class).map(|rest| rest.ends_with(' '))).unwrap_or(false)
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

/// The name of a case with and without parameters, and what is left of it without the titles around it.
fn names(name: &str) -> (Vec<String>, Vec<String>) {
    fn add(found: &mut Vec<String>, name: &str) {
        if !name.is_empty() && found.iter().all(|known| known != name) {
            found.push(name.to_owned());
        }
    }
    let mut found = vec![name.to_owned()];
    // A name with a space before the bracket is a sentence.
    let bracket = name.find(['[', '(', '{']).filter(|at| *at > 0 && !name[..*at].contains(' '));
    add(&mut found, bracket.map_or(name, |at| &name[..at]));
    let mut untitled = Vec::new();
    for separator in [" > ", " › "] {
        if let Some((_, last)) = name.rsplit_once(separator) {
            add(&mut untitled, last);
        }
    }
    (found, untitled)
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

/// A path without the ending of its name.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    path[name..].rfind('.').filter(|dot| *dot > 0).map_or(path, |dot| &path[..name + dot])
}

/// A path with `/`, and without `./` before it.
pub(super) fn plain_path(path: &str) -> String {
    let path = path.replace('\\', "/");
    path.strip_prefix("./").map(str::to_owned).unwrap_or(path)
}
