//! Words in front of a modal verb that name no subject.

/// Words that deny or limit what follows: a claim about "no password" is none about passwords.
const DENYING: &[&str] = &[
    "no", "not", "never", "neither", "nor", "none", "nobody", "nothing", "few", "hardly", "rarely", "seldom",
    "some", "most", "many", "several",
];

/// First words of questions.
const ASKING: &[&str] = &[
    "must", "shall", "should", "will", "may", "can", "could", "would", "do", "does", "did", "how", "why",
    "who", "whose", "which", "what",
];

/// Last words that turn the verb behind them: "sessions never" expire.
const TURNING: &[&str] = &["not", "never", "don't", "doesn't", "hardly", "rarely", "seldom"];

/// Words of another clause within a subject: "as a customer, I want".
const INNER: &[&str] = &[
    "must", "shall", "should", "will", "may", "can", "cannot", "can't", "i", "we", "you", "he", "she",
    "they", "it", "there",
];

/// Words that name something only beside others: "this" is no subject, "this page" is one.
const POINTING: &[&str] = &["this", "that", "these", "those", "the", "a", "an"];

/// First words of conditions and other lead-ins.
const LEADING: &[&str] = &[
    "while",
    "during",
    "unless",
    "once",
    "after",
    "before",
    "when",
    "whenever",
    "where",
    "if",
    "in",
    "for",
    "according",
    "as",
    "until",
    "on",
    "by",
    "at",
    "given",
    "upon",
    "within",
    "with",
    "without",
    "because",
    "since",
    "although",
];

/// Words of conditions within a subject.
const CONDITIONS: &[&str] =
    &["if", "when", "whenever", "while", "unless", "until", "except", "during", "once"];

/// A reason why words are no subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubjectFault {
    /// They deny or ask, or name nothing.
    Unnamed,
    /// They begin with a condition, or contain one.
    Condition,
}

/// Returns the reason why words in front of a modal verb are no subject; `None` if they are one.
pub(crate) fn subject_fault(text: &str) -> Option<SubjectFault> {
    let lower = text.to_ascii_lowercase();
    let is_between = |letter: char| letter.is_whitespace() || ",;:()\"`".contains(letter);
    let words: Vec<&str> = lower.split(is_between).filter(|word| !word.is_empty()).collect();
    let first = words.first().copied().unwrap_or_default();
    let is_turned = words.last().is_some_and(|last| TURNING.contains(last));
    let is_any = |known: &[&str]| words.iter().any(|word| known.contains(word));
    let is_unnamed = words.iter().all(|word| POINTING.contains(word));
    if is_unnamed || is_turned || DENYING.contains(&first) || ASKING.contains(&first) || is_any(INNER) {
        return Some(SubjectFault::Unnamed);
    }
    (LEADING.contains(&first) || is_any(CONDITIONS)).then_some(SubjectFault::Condition)
}

/// Whether a clause denies as a whole: "No request may …", but not "no more than 3".
pub(crate) fn denies(clause: &str) -> bool {
    let lower = clause.to_ascii_lowercase();
    let mut words = lower.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_bound = words.next().is_some_and(|word| ["more", "less", "fewer", "later"].contains(&word));
    DENYING.contains(&first) && !(first == "no" && is_bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_name_something_without_a_condition() {
        let check = |fault: Option<SubjectFault>, texts: &[&str]| {
            texts.iter().for_each(|text| assert_eq!(subject_fault(text), fault, "{text:?}"));
        };
        check(
            None,
            &[
                "Passwords",
                "the user",
                "This page",
                "Names and emails",
                "Accounts that are locked",
                "Users who want refunds",
                "No-op jobs",
            ],
        );
        check(
            Some(SubjectFault::Unnamed),
            &["", "No password", "Neither uploads nor downloads", "Few requests"],
        );
        check(
            Some(SubjectFault::Unnamed),
            &["Should sessions", "Not all users", "it", "There", "This", "the"],
        );
        check(Some(SubjectFault::Unnamed), &["As a customer, I", "Users should be aware that this"]);
        check(Some(SubjectFault::Unnamed), &["Sessions never", "Links do not"]);
        check(
            Some(SubjectFault::Condition),
            &["In production, caches", "While offline, guests", "Guests, if idle,"],
        );
    }

    #[test]
    fn a_bound_denies_nothing() {
        for (clause, expected) in [
            ("No request may fail", true),
            ("Not all users may leave", true),
            ("no more than 3 retries", false),
            ("Notes must stay", false),
        ] {
            assert_eq!(denies(clause), expected, "{clause}");
        }
    }
}
