//! Concepts of one type that are called the same, but for how it is written.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use unicode_normalization::UnicodeNormalization;

use crate::{ConceptId, limits};

/// Concepts that are named of a group.
const MEMBERS_MAX: usize = 16;

/// What is left of a name when it does not matter how it is written: compatible characters are one, letters
/// are small, and white space and punctuation are one space. Empty if nothing is left.
///
/// Signs that make another name of it stay: `C++` and `C#` are two languages.
pub(super) fn normalised(name: &str) -> String {
    // Letters that have no small form, like ß, have a large one that does.
    let folded = name.nfkc().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    let mut out = String::with_capacity(name.len());
    for character in folded.nfkc() {
        if !is_separator(character) {
            out.push(character);
        } else if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

fn is_separator(character: char) -> bool {
    let is_sign = matches!(character, '#' | '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~');
    character.is_whitespace()
        || character.is_control()
        || (character.is_ascii_punctuation() && !is_sign)
        || matches!(character, '¡' | '§' | '«' | '¶' | '·' | '»' | '¿')
        // Dashes, quotes and what joins or parts words without being seen; full stops of other scripts.
        || matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2010}'..='\u{2043}' | '\u{2045}'..='\u{205e}' | '\u{2060}' | '\u{feff}')
        || matches!(character, '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{30fb}')
}

/// Concepts with the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// What all of them are called.
    pub(super) name: String,
    /// The first of them.
    pub(super) members: Vec<ConceptId>,
    /// How many there are.
    pub(super) total: u64,
}

/// The names of one type. Only hashes are kept, of two keys each, so that a million of them fit.
#[derive(Default)]
pub(super) struct Names {
    keys: (RandomState, RandomState),
    /// Who was the first of a name, and whether there is another one.
    first: HashMap<u128, (ConceptId, bool)>,
    groups: HashMap<u128, Group>,
    /// Groups in all.
    pub(super) total: u64,
    /// Names that were too many.
    pub(super) left_out: u64,
    /// Groups that are kept.
    shown_max: usize,
}

impl Names {
    pub(super) fn new(shown_max: usize) -> Self {
        Names { shown_max, ..Names::default() }
    }

    /// Takes the names of a concept: its own, and its aliases.
    pub(super) fn add<'n>(&mut self, id: ConceptId, names: impl IntoIterator<Item = &'n str>) {
        for name in names {
            let name = normalised(name);
            if !name.is_empty() {
                self.add_one(id, name);
            }
        }
    }

    fn add_one(&mut self, id: ConceptId, name: String) {
        let hash = u128::from(self.keys.0.hash_one(&name)) << 64 | u128::from(self.keys.1.hash_one(&name));
        let is_full = self.first.len() >= limits::SLEEP_NAMES_MAX;
        match self.first.get_mut(&hash) {
            None if is_full => self.left_out += 1,
            None => drop(self.first.insert(hash, (id, false))),
            // A concept may have its own name among its aliases.
            Some((first, _)) if *first == id => {}
            Some((first, is_group)) => {
                if !std::mem::replace(is_group, true) {
                    self.total += 1;
                    if self.groups.len() < self.shown_max {
                        let group = Group { name, members: vec![*first], total: 1 };
                        self.groups.insert(hash, group);
                    }
                }
                if let Some(group) = self.groups.get_mut(&hash).filter(|group| group.last() != Some(id)) {
                    group.total += 1;
                    if group.members.len() < MEMBERS_MAX {
                        group.members.push(id);
                    }
                }
            }
        }
    }

    /// The groups, those of the first concepts first. Concepts that share several names are told of once.
    pub(super) fn into_groups(self) -> (Vec<Group>, u64) {
        let mut groups: Vec<Group> = self.groups.into_values().collect();
        groups.sort_by(|a, b| (&a.members, &a.name).cmp(&(&b.members, &b.name)));
        let before = groups.len();
        groups.dedup_by(|next, kept| next.members == kept.members && next.total == kept.total);
        let total = self.total.saturating_sub((before - groups.len()) as u64);
        (groups, total)
    }
}

impl Group {
    /// Who came last: concepts come one after the other, with all their names.
    fn last(&self) -> Option<ConceptId> {
        self.members.last().copied().filter(|_| self.members.len() < MEMBERS_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_however_they_are_written() {
        for (name, expected) in [
            ("Aspirin", "aspirin"),
            ("  ASPIRIN\t", "aspirin"),
            ("Acetylsalicylic-Acid", "acetylsalicylic acid"),
            ("acetylsalicylic – acid.", "acetylsalicylic acid"),
            ("Straße", "strasse"),
            ("STRASSE", "strasse"),
            ("ﬁne", "fine"),
            ("Ａｓｐｉｒｉｎ", "aspirin"),
            ("e\u{301}clair", "éclair"),
            ("ÉCLAIR", "éclair"),
            ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
            ("Σίσυφος", "σίσυφοσ"),
            ("İstanbul", "i\u{307}stanbul"),
            ("new\u{200b}line\u{a0}\u{3000}x", "new line x"),
            ("漢字、かな", "漢字 かな"),
            ("C++", "c++"),
            ("C#", "c#"),
            ("C", "c"),
            ("snake_case", "snake case"),
            ("...", ""),
            ("", ""),
        ] {
            assert_eq!(normalised(name), expected, "{name:?}");
            assert_eq!(normalised(&normalised(name)), normalised(name), "{name:?} is done once");
        }
    }

    fn groups(concepts: &[(u64, &[&str])]) -> (Vec<(String, Vec<u64>)>, u64) {
        let mut names = Names::new(2);
        for (id, list) in concepts {
            names.add(ConceptId(*id), list.iter().copied());
        }
        let (groups, total) = names.into_groups();
        let shown = |group: Group| (group.name, group.members.iter().map(|id| id.0).collect());
        (groups.into_iter().map(shown).collect(), total)
    }

    #[test]
    fn concepts_that_share_a_name_or_an_alias_are_a_group() {
        let (found, total) = groups(&[
            (1, &["Aspirin", "ASA"]),
            (2, &["aspirin!", "aspirin"]),
            (3, &["Ibuprofen", "ibuprofen"]),
            (4, &["asa"]),
            (5, &["..."]),
            (6, &["?"]),
        ]);
        assert_eq!(found, [("aspirin".to_owned(), vec![1, 2]), ("asa".to_owned(), vec![1, 4])]);
        assert_eq!(total, 2);
    }

    #[test]
    fn what_shares_several_names_is_told_of_once_and_all_are_counted() {
        let (found, total) = groups(&[(1, &["a", "b"]), (2, &["A", "B"])]);
        assert_eq!((found, total), (vec![("a".to_owned(), vec![1, 2])], 1));
        let (found, total) = groups(&[(1, &["a", "b", "c"]), (2, &["a"]), (3, &["b"]), (4, &["c"])]);
        assert_eq!((found.len(), total), (2, 3), "two are shown of three");
    }

    #[test]
    fn a_large_group_is_counted_and_its_first_are_named() {
        let mut names = Names::new(5);
        (1..=100).for_each(|id| names.add(ConceptId(id), ["Same", "same"]));
        let (groups, total) = names.into_groups();
        assert_eq!((groups[0].members.len(), total), (MEMBERS_MAX, 1));
        assert!(groups[0].total >= 100, "{:?}", groups[0].total);
    }
}
