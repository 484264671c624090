//! The plain form of a clause, which patterns are written for.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::pattern::regex;

/// A bullet, a number or a label such as `REQ-12:` in front of a clause.
static LABEL: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s*(?:(?:[-*+>#|•]|\d+[.)]\s|\[[ x]\]|[A-Z]+(?:-[A-Z0-9]+)*-?\d+:)\s*)+"));

/// A number of a section, or a label without a colon, in front of a sentence that begins with a capital.
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?-i)^(?:\d+(?:\.\d+)+|\[[A-Z]+(?:-[A-Z0-9]+)*-?\d+\]:?|[A-Z]+(?:-[A-Z0-9]+)*-?\d+ [-–—]|(?:REQ|FR|NFR|BR|UR|SR|SRS|SYS|US|UC)(?:-[A-Z0-9]+)*-?\d+) (?P<rest>[A-Z])",
    )
});

/// Words in single marks of emphasis.
static EMPHASIS: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?P<before>^|[\s(])[*_](?P<words>[^\s*_](?:[^*_]*[^\s*_])?)[*_](?P<behind>$|[\s).,;:!?])")
});

/// Examples of the noun in front of them, up to the verb.
static EXAMPLES: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\s*[,(]?\s*{B}(?:such\s+as|for\s+example|for\s+instance|e\.g\.)\s.*?(?:\)|,)?\s+(must|shall|should|may|can|cannot|can't|is|are){B}",
    )
});

/// A statement on all of a kind in the indicative.
static UNIVERSAL: LazyLock<Regex> = LazyLock::new(|| {
    let verbs = VERBS.iter().map(|(verb, _)| *verb).collect::<Vec<_>>().join("|");
    let verb =
        format!(r"^(?P<all>all|every|each|any)\s+(?P<s>.+?)\s+(?P<verb>is|are|{verbs})\s+(?P<rest>.+)$");
    regex(&verb)
});

/// Verbs of statements on all of a kind, and their infinitives.
const VERBS: &[(&str, &str)] = &[
    ("uses", "use"),
    ("use", "use"),
    ("avoids", "avoid"),
    ("avoid", "avoid"),
    ("references", "reference"),
    ("reference", "reference"),
    ("notifies", "notify"),
    ("notify", "notify"),
    ("retries", "retry"),
    ("retry", "retry"),
    ("escalates", "escalate"),
    ("escalate", "escalate"),
    ("returns", "return"),
    ("return", "return"),
    ("passes", "pass"),
    ("pass", "pass"),
    ("preserves", "preserve"),
    ("preserve", "preserve"),
    ("synchronizes", "synchronize"),
    ("synchronize", "synchronize"),
    ("has", "have"),
    ("have", "have"),
];

/// Returns a clause without labels, emphasis, line breaks, illustrative examples and its last dot. A statement on all
/// of a kind gets a modal verb: "All mutations are recorded" becomes "mutations must be recorded".
pub(crate) fn prepare(clause: &str) -> String {
    let plain = without_marks(clause);
    let plain = EXAMPLES.replace(&plain, " $1");
    modal(&plain).into_owned()
}

/// Returns a sentence without labels, emphasis, line breaks and its last punctuation.
pub(crate) fn without_marks(sentence: &str) -> String {
    let plain: String = sentence.replace("**", "").replace("__", "").replace('’', "'");
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = EMPHASIS.replace_all(&plain, "${before}${words}${behind}");
    let start = LABEL.find(&plain).map_or(0, |label| label.end());
    let rest = |plain: &str| Some(HEADING.captures(plain)?.name("rest")?.start());
    let start = start + rest(&plain[start..]).unwrap_or_default();
    plain[start..].trim().trim_end_matches(['.', '!', '?', ';', ':', ',']).trim_end().to_owned()
}

fn modal(plain: &str) -> Cow<'_, str> {
    if MODAL.is_match(plain) {
        return Cow::Borrowed(plain);
    }
    UNIVERSAL.replace(plain, |found: &Captures<'_>| {
        let verb = found["verb"].to_ascii_lowercase();
        let known = VERBS.iter().find(|(known, _)| *known == verb);
        let infinitive = known.map_or("be", |(_, infinitive)| infinitive);
        format!("{} must {infinitive} {}", &found["s"], &found["rest"])
    })
}

static MODAL: LazyLock<Regex> =
    LazyLock::new(|| regex(r"{B}(?:must|shall|should|may|can|cannot|can't|will){B}"));

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rows: &[(&str, &str)]) {
        for (clause, expected) in rows {
            assert_eq!(prepare(clause), *expected, "{clause:?}");
        }
    }

    #[test]
    fn labels_emphasis_and_ends_are_left_out() {
        check(&[
            ("- The editor **must** save.", "The editor must save"),
            ("12) A must x!", "A must x"),
            ("REQ-12: A must x", "A must x"),
            ("- [x] REQ-AUTH-001: A\n  must x;", "A must x"),
            ("A can’t x", "A can't x"),
            ("REQ-12 The user *must* x", "The user must x"),
            ("[AUTH-12] A _must_ x.", "A must x"),
            ("AUTH-12 – A must x", "A must x"),
            ("3.1.2 A must x", "A must x"),
            ("AES-256 must be used", "AES-256 must be used"),
            ("snake_case and a * b", "snake_case and a * b"),
            ("3 retries", "3 retries"),
            ("", ""),
        ]);
    }

    #[test]
    fn statements_on_all_of_a_kind_get_a_modal_verb() {
        check(&[
            ("All mutations are recorded in the audit log.", "mutations must be recorded in the audit log"),
            ("Every service uses the vendor API", "service must use the vendor API"),
            ("Each worker retries up to 3 times", "worker must retry up to 3 times"),
            ("All mutations must be recorded", "All mutations must be recorded"),
            ("Mutations are recorded", "Mutations are recorded"),
            ("All is", "All is"),
        ]);
    }

    #[test]
    fn examples_between_a_noun_and_its_verb_are_left_out() {
        check(&[
            ("Actions such as delete, move and export must be logged", "Actions must be logged"),
            ("Files (e.g. images) are kept", "Files are kept"),
            ("Roles, for example admin, can read", "Roles can read"),
            ("Use roles such as admin", "Use roles such as admin"),
        ]);
    }
}
