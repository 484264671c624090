//! Arguments of predicates that keywords found: the words of the text that fit, or `unspecified_…`.

use std::sync::LazyLock;

use regex::Regex;

use super::keywords::Words;
use crate::sentence::{Quantity, quantity, regex, slug, token, unit, without_article};

/// The beginning of an argument that the text does not state.
const UNSPECIFIED: &str = "unspecified_";

/// Arguments that stand for one that the text does not state: the name of the argument, and the word in its place.
const PLACEHOLDERS: &[(&str, &str)] = &[
    ("subject", "requirement.subject"),
    ("resource", "resource"),
    ("unit", "unit"),
    ("action", "action"),
    ("window", "window"),
    ("condition", "condition"),
];

/// Whether the text does not state an argument.
pub(super) fn is_missing(name: &str, argument: &str) -> bool {
    argument.starts_with(UNSPECIFIED) || PLACEHOLDERS.contains(&(name, argument))
}

/// Characters of the outcome of an acceptance rule.
const OUTCOME_CHARS_MAX: usize = 64;

/// Characters of the name of an argument that the text does not state.
const NAME_CHARS_MAX: usize = 64;

/// A number by itself, or with its unit: no part of a name such as `v1.5`, and no ordinal such as `3rd`.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?:^|[\s(\[<>=≤≥:'\x22])\+?[$€£]?(?P<n>-?\d(?:[\d.,]*\d)?)(?: ?(?P<u>ms|milliseconds?|s|secs?|seconds?|mb)|h|kb|gb|tb|x)?(?:[^\w]|$)",
    )
});
static BEFORE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^(?:.+ {M} (?:be )?)?(?P<a>.+?) (?P<word>before|after) (?P<b>(?:[^,]|,\d)+)"));
static DEFAULT: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"{B}(?:default|initial) (?P<p>\S+) (?:is|must be|shall be|should be) (?P<v>\S+)")
});
static UNIQUE: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^(?P<s>.+?) (?:{M} be|is|are) unique(?: (?:per|within|across|in) (?P<scope>.+))?$")
});
static QUOTED: LazyLock<Regex> = LazyLock::new(|| regex("[`'\"](?P<id>[A-Za-z_][A-Za-z0-9_.:-]*)[`'\"]"));
static EVENT: LazyLock<Regex> = LazyLock::new(|| regex(r"(?-i){B}(?P<e>[A-Z][A-Za-z0-9]*Event){B}"));

/// The argument in place of one that the text does not state.
fn unspecified(name: &str) -> String {
    let name: String = slug(name).chars().take(NAME_CHARS_MAX).collect();
    format!("{UNSPECIFIED}{name}")
}

/// A text whose arguments are looked for.
pub(super) struct Source<'a> {
    /// The text.
    pub(super) text: &'a str,
    /// Its clauses in plain form.
    pub(super) clauses: &'a [String],
    /// Its words.
    pub(super) words: &'a Words,
    /// The key of the subject.
    pub(super) subject: &'a str,
    /// Whether the caller named the subject.
    pub(super) has_hint: bool,
}

impl Source<'_> {
    /// Returns the arguments of a built-in predicate, behind the subject. `names` are those of its signature.
    pub(super) fn arguments(&self, predicate: &str, names: &[String]) -> Vec<String> {
        let mut args = match predicate {
            "state" => vec![self.word(&["idle"], "active")],
            "transition" => {
                vec![self.word(&["edit"], "draft"), self.word(&["idle"], "active"), self.trigger()]
            }
            "guard" => vec![self.guard(), "true".to_owned()],
            "temporal_order" => self.order(),
            "default_value" => self.default_value(),
            "has_unsaved_changes" => vec![(!self.words.has("no unsaved")).to_string()],
            "commit_action" | "discard_action" => vec![self.trigger(), self.scope()],
            "uniqueness_constraint" => return self.uniqueness(),
            "resource_constraint" => self.resource(),
            "rate_limit" => {
                let action = self.word(&["attempts", "requests", "calls"], "action");
                vec![action, self.word(&["hour", "minute", "second", "day"], "window"), self.number("count")]
            }
            "retention_policy" => {
                vec![self.number("duration"), self.word(&["years", "months", "days"], "unspecified_unit")]
            }
            "accessibility_requirement" => {
                let standard = if self.words.has("wcag") { "WCAG" } else { "accessibility" };
                vec![standard.to_owned(), "required".to_owned()]
            }
            "feature_gate" => {
                let is_off = self.words.has_any(&["disabled", "kill switch"]);
                vec![self.capture(&QUOTED, "id", "gate"), (!is_off).to_string()]
            }
            "publishes_event" => vec![self.capture(&EVENT, "e", "event")],
            "acceptance_rule" => {
                let outcome: String = slug(self.text).chars().take(OUTCOME_CHARS_MAX).collect();
                vec![outcome.trim_end_matches('_').to_owned()]
            }
            _ => Vec::new(),
        };
        for name in names.iter().skip(1 + args.len()) {
            args.push(unspecified(name));
        }
        args.insert(0, self.subject.to_owned());
        args
    }

    /// Returns the arguments of a schema of the branch: the subject, a number where one is declared, and names of what
    /// the caller has to fill in.
    pub(super) fn declared(&self, names: &[String], types: &[String]) -> Vec<String> {
        let rest = names.iter().zip(types).skip(1);
        let rest = rest.map(|(name, kind)| match kind.to_ascii_lowercase().as_str() {
            "number" | "int" | "integer" => self.number(name),
            _ => unspecified(name),
        });
        std::iter::once(self.subject.to_owned()).chain(rest).collect()
    }

    /// The first of the words that the text has, or another one.
    fn word(&self, words: &[&str], other: &str) -> String {
        let found = words.iter().find(|word| self.words.has(word));
        found.copied().unwrap_or(other).to_owned()
    }

    fn capture(&self, form: &Regex, name: &str, argument: &str) -> String {
        let found = form.captures(self.text).and_then(|found| found.name(name));
        found.map_or_else(|| unspecified(argument), |found| found.as_str().to_owned())
    }

    fn number(&self, argument: &str) -> String {
        self.quantity().map_or_else(|| unspecified(argument), |(number, _)| number.text())
    }

    /// The first number of the text, and its unit if that is one of those of a resource.
    fn quantity(&self) -> Option<(Quantity, Option<String>)> {
        NUMBER.captures_iter(self.text).find_map(|found| {
            let unit = found.name("u").map(|taken| unit(taken.as_str()).to_ascii_lowercase());
            Some((quantity(&found["n"])?, unit))
        })
    }

    fn trigger(&self) -> String {
        let triggers =
            [("navigat", "navigation"), ("escape", "escape"), ("cancel", "cancel"), ("submit", "submit")];
        let found = triggers.iter().find(|(letters, _)| self.words.contains(letters));
        found.map_or_else(|| unspecified("trigger"), |(_, trigger)| (*trigger).to_owned())
    }

    fn scope(&self) -> String {
        let scopes = [("draft", "draft"), ("annotation", "active_annotation"), ("session", "session")];
        let found = scopes.iter().find(|(letters, _)| self.words.contains(letters));
        found.map_or("subject", |(_, scope)| scope).to_owned()
    }

    fn guard(&self) -> String {
        let is_read_only = self.words.has_any(&["readonly", "read-only", "isreadonly", "read only"]);
        if is_read_only { "isReadOnly" } else { "condition" }.to_owned()
    }

    fn order(&self) -> Vec<String> {
        let found = self.clauses.iter().find_map(|clause| BEFORE.captures(clause));
        let Some(found) = found else { return Vec::new() };
        let (a, b) = (token(&found["a"]), token(&found["b"]));
        if found["word"].eq_ignore_ascii_case("before") { vec![a, b] } else { vec![b, a] }
    }

    fn default_value(&self) -> Vec<String> {
        match self.clauses.iter().find_map(|clause| DEFAULT.captures(clause)) {
            Some(found) => vec![slug(&found["p"]), slug(&found["v"])],
            None => vec![self.word(&["mode", "tool", "state", "status"], "value")],
        }
    }

    fn uniqueness(&self) -> Vec<String> {
        let found = self.clauses.iter().find_map(|clause| UNIQUE.captures(clause));
        let stated = found.as_ref().map(|found| slug(without_article(&found["s"])));
        let subject = stated.filter(|stated| !self.has_hint && !stated.is_empty());
        let scope = found.as_ref().and_then(|found| found.name("scope"));
        let scope =
            scope.map(|scope| slug(without_article(scope.as_str()))).filter(|scope| !scope.is_empty());
        vec![subject.unwrap_or_else(|| self.subject.to_owned()), scope.unwrap_or_else(|| "global".to_owned())]
    }

    fn resource(&self) -> Vec<String> {
        let words = self.words;
        let operator = if words.has_any(&["minimum", "at least"]) {
            "gte"
        } else if words.has_any(&["at most", "maximum", "no more than", "not exceed"]) {
            "lte"
        } else if words.has("not") {
            "neq"
        } else {
            "lte"
        };
        let unit = self.quantity().and_then(|(_, unit)| unit);
        vec![
            self.word(&["latency", "timeout", "size"], "resource"),
            operator.to_owned(),
            self.number("threshold"),
            unit.unwrap_or_else(|| "unit".to_owned()),
        ]
    }
}
