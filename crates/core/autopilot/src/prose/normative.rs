//! Normative statements: sentences that say what must, shall or should hold, and of what.

use crate::limits::AUTOPILOT_STATEMENT_CHARS_MAX;

/// A modal verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Modal {
    Shall,
    Must,
    Should,
}

/// A normative sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Normative {
    pub(crate) modal: Modal,
    /// Whether its subject is a name that a claim can be about.
    pub(crate) has_subject: bool,
}

/// Words with which a sentence speaks to its reader: advice, and no statement about the project.
const READER: &[&str] = &["you", "your", "we", "our", "i", "please", "contributors", "readers"];
/// Words with which no claim about a subject begins: they refer to something else, or state a condition.
const NO_SUBJECT: &str = "\
    it its they their this that these those there he she one who which what if when whenever while \
    unless until because since once after before although though for in on at by with without to \
    from as so but and or then also note however therefore otherwise instead why how where yes no \
    not only either both neither following everything everyone everybody nothing nobody something \
    someone anything anyone";
/// Words of the longest subject.
const SUBJECT_WORDS_MAX: usize = 8;

impl Modal {
    /// Confidence that a statement with this verb is a requirement, in hundredths.
    pub(crate) fn confidence(self) -> u8 {
        match self {
            Modal::Shall => 86,
            Modal::Must => 84,
            Modal::Should => 78,
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [("shall", Modal::Shall), ("must", Modal::Must), ("should", Modal::Should)]
            .into_iter()
            .find_map(|(text, modal)| word.eq_ignore_ascii_case(text).then_some(modal))
    }
}

/// Returns what is normative about a sentence; `None` if it is not, speaks to the
/// reader, asks something, or is longer than is modelled.
pub(crate) fn normative(sentence: &str) -> Option<Normative> {
    if sentence.ends_with('?') || sentence.chars().nth(AUTOPILOT_STATEMENT_CHARS_MAX).is_some() {
        return None;
    }
    let mut before: Vec<&str> = Vec::new();
    let mut has_comma = false;
    for word in sentence.split_whitespace() {
        let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        if let Some(modal) = Modal::parse(bare).filter(|_| !before.is_empty()) {
            let is_article = |word: &str| matches!(word.to_lowercase().as_str(), "the" | "a" | "an");
            let first = before.iter().find(|word| !is_article(word)).unwrap_or(&before[0]).to_lowercase();
            if READER.contains(&first.as_str()) {
                return None;
            }
            let has_subject = !has_comma
                && before.len() <= SUBJECT_WORDS_MAX
                && !NO_SUBJECT.split(' ').any(|word| word == first)
                && before.iter().any(|word| word.chars().any(char::is_alphabetic));
            return Some(Normative { modal, has_subject });
        }
        // Behind these it is a noun.
        let is_noun = Modal::parse(bare).is_some();
        if is_noun {
            return None;
        }
        has_comma |= word.ends_with([',', ':']);
        before.push(bare);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_have_a_modal_verb_and_perhaps_a_subject() {
        let check = |sentence: &str, expected: Option<(Modal, bool)>| {
            let found = normative(sentence).map(|found| (found.modal, found.has_subject));
            assert_eq!(found, expected, "{sentence:?}");
        };
        check("Sessions must expire after 30 minutes.", Some((Modal::Must, true)));
        check("The audit log SHALL be retained for 7 years", Some((Modal::Shall, true)));
        check("Clients should retry", Some((Modal::Should, true)));
        check("You must install node", None);
        check("We should retry", None);
        check("If the disk is full, writes must fail", Some((Modal::Must, false)));
        check("Every part, even a small one, must hold", Some((Modal::Must, false)));
        check("It must hold", Some((Modal::Must, false)));
        check("Everything must be fine", Some((Modal::Must, false)));
        check("The following must hold: x", Some((Modal::Must, false)));
        check("Nobody should care", Some((Modal::Should, false)));
        check("a b c d e f g h i must hold", Some((Modal::Must, false)));
        check("Must we hold?", None);
        check("Must be fast", None);
        check("Nothing here", None);
        check("The mustard is fine", None);
        check("1 must hold", Some((Modal::Must, false)));
        check(&format!("X must {}", "y".repeat(AUTOPILOT_STATEMENT_CHARS_MAX)), None);
    }
}
