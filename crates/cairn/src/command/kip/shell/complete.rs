//! What could stand where somebody stopped typing.

use std::collections::BTreeSet;

use cairn_kip::{FIELDS, KEYWORDS, Mark, MarkKind, is_identifier, marks};

use super::backslash;
use super::schema::Vocabulary;

/// Keys of metadata that the protocol knows.
const METADATA: [&str; 7] =
    ["_created_at", "_updated_at", "_version", "author", "confidence", "expires_at", "source"];
/// Keys of concepts in patterns.
const MATCHERS: [&str; 3] = ["id", "name", "type"];

/// Where the part begins that would be replaced, and by what.
pub(super) fn complete(line: &str, position: usize, known: &Vocabulary) -> (usize, Vec<String>) {
    let nothing = (position, Vec::new());
    let Some((typed, rest)) = line.split_at_checked(position) else { return nothing };
    if let Some(found) = backslashes(typed) {
        return found;
    }
    let parts = marks(typed);
    let text = |mark: &Mark| &typed[mark.span.range()];
    let Some((last, before)) = parts.split_last() else { return nothing };
    let start = last.span.start as usize;
    if last.span.end as usize != position {
        return nothing;
    }
    let prefix = text(last);
    let words: Vec<&str> = before.iter().map(text).collect();
    match last.kind {
        MarkKind::OpenText => {
            let quote = if rest.starts_with('"') { "" } else { "\"" };
            let names = names_for(&words, known).filter(|name| name.starts_with(&prefix[1..]));
            (start + 1, names.map(|name| format!("{name}{quote}")).collect())
        }
        MarkKind::Variable => (start, variables(line, start, prefix)),
        MarkKind::Wrong if prefix == "?" => (start, variables(line, start, prefix)),
        MarkKind::Sign if prefix == "." => (position, fields(&words, "", known)),
        MarkKind::Word | MarkKind::Keyword if words.last() == Some(&".") => {
            (start, fields(&words[..words.len() - 1], prefix, known))
        }
        MarkKind::Word | MarkKind::Keyword => (start, keywords(&words, prefix)),
        MarkKind::Text | MarkKind::Number | MarkKind::Sign | MarkKind::Comment | MarkKind::Wrong => nothing,
    }
}

fn backslashes(typed: &str) -> Option<(usize, Vec<String>)> {
    let start = typed.find('\\').filter(|start| typed[..*start].trim().is_empty())?;
    let name = &typed[start + 1..];
    if name.contains(char::is_whitespace) {
        return None;
    }
    let fitting = backslash::COMMANDS.iter().filter(|(known, ..)| known.starts_with(name));
    let space = |argument: &str| if argument.is_empty() { "" } else { " " };
    Some((start, fitting.map(|(known, argument, _)| format!("\\{known}{}", space(argument))).collect()))
}

/// Names that can stand in a string, by what stands before it.
fn names_for<'v>(words: &[&str], known: &'v Vocabulary) -> impl Iterator<Item = &'v str> {
    let (types, predicates) = match words {
        [.., "type", ":"] => (true, false),
        [.., "CONCEPT", "TYPE"] => (true, false),
        [.., "PROPOSITION", "TYPE"] => (false, true),
        [.., "TYPE"] => (true, true),
        [.., "," | "|" | "("] => (false, true),
        _ => (false, false),
    };
    // As types and predicates are called; what else a server says stays away from the terminal.
    let is_name = |name: &str| is_identifier(name.strip_prefix('$').unwrap_or(name));
    let take = move |names: &'v [String], wanted: bool| {
        names.iter().map(String::as_str).filter(move |name| wanted && is_name(name))
    };
    take(&known.types, types).chain(take(&known.predicates, predicates))
}

/// Variables of the whole command, but for the one that is being typed.
fn variables(line: &str, start: usize, prefix: &str) -> Vec<String> {
    let others = marks(line).into_iter().filter(|mark| mark.kind == MarkKind::Variable);
    let others = others.filter(|mark| mark.span.start as usize != start).map(|mark| &line[mark.span.range()]);
    let fitting: BTreeSet<&str> = others.filter(|name| name.starts_with(prefix)).collect();
    fitting.into_iter().map(str::to_owned).collect()
}

/// What can follow a dot; `words` is what stands before it.
fn fields(words: &[&str], prefix: &str, known: &Vocabulary) -> Vec<String> {
    let fitting = |names: &mut dyn Iterator<Item = &str>| -> Vec<String> {
        let names = names.filter(|name| name.starts_with(prefix) && is_identifier(name));
        let names: BTreeSet<&str> = names.collect();
        names.into_iter().map(str::to_owned).collect()
    };
    match words {
        [.., variable] if variable.starts_with('?') => fitting(&mut FIELDS.iter().copied()),
        [.., ".", "attributes"] => fitting(&mut known.keys.iter().map(String::as_str)),
        [.., ".", "metadata"] => fitting(&mut known.keys.iter().map(String::as_str).chain(METADATA)),
        _ => Vec::new(),
    }
}

/// Words of the language, also for those who type in small letters; keys where a pattern begins.
fn keywords(words: &[&str], prefix: &str) -> Vec<String> {
    let is_key = matches!(words, [.., "{" | ","]);
    let matchers = MATCHERS.iter().filter(|key| is_key && key.starts_with(prefix));
    let upper = prefix.to_ascii_uppercase();
    let fits = |word: &&&str| word.starts_with(prefix) || word.starts_with(&upper);
    matchers.chain(KEYWORDS.iter().filter(fits)).map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Completes where `|` stands, and shows the whole of what would come of each.
    fn check(line: &str, expected: &[&str]) {
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let known = Vocabulary {
            types: texts(&["$ConceptType", "Drug", "Symptom", "Dr\u{1b}[2J", "Dr\" x"]),
            predicates: texts(&["prevents", "treats", "t\u{202e}"]),
            keys: texts(&["_version", "dose", "risk_level", "risk\u{7}", "ri sk"]),
        };
        let (before, after) = line.split_once('|').expect("a cursor");
        let (start, found) = complete(&format!("{before}{after}"), before.len(), &known);
        let whole: Vec<_> = found.iter().map(|name| format!("{}{name}", &before[..start])).collect();
        assert_eq!(whole, expected, "{line}");
    }

    #[test]
    fn words_of_the_language() {
        check("FI|", &["FILTER", "FIND"]);
        check("fin|", &["FIND"]);
        check("FIND(?x) WHERE { OPT|", &["FIND(?x) WHERE { OPTIONAL"]);
        check("FIND(COUNT(DIS|", &["FIND(COUNT(DISTINCT"]);
        check("?x {ty|", &["?x {type", "?x {TYPE", "?x {TYPES"]);
        check("FIND |", &[]);
        check("zzz|", &[]);
    }

    #[test]
    fn names_of_the_memory_in_strings() {
        check("{type: \"Dr|", &["{type: \"Drug\""]);
        check("{type: \"Dr|\"}", &["{type: \"Drug"]);
        check("{type: \"|", &["{type: \"$ConceptType\"", "{type: \"Drug\"", "{type: \"Symptom\""]);
        check("(?d, \"t|", &["(?d, \"treats\""]);
        let line = "(?d, \"treats\" | \"pre";
        let known = Vocabulary { predicates: vec!["prevents".to_owned()], ..Vocabulary::default() };
        assert_eq!(complete(line, line.len(), &known), (line.len() - 3, vec!["prevents\"".to_owned()]));
        check("DESCRIBE CONCEPT TYPE \"S|", &["DESCRIBE CONCEPT TYPE \"Symptom\""]);
        check("DESCRIBE PROPOSITION TYPE \"p|", &["DESCRIBE PROPOSITION TYPE \"prevents\""]);
        check("SEARCH CONCEPT \"D|", &[]);
        check("{name: \"D|", &[]);
        check("// \"D|", &[]);
    }

    #[test]
    fn variables_of_the_command() {
        check("FIND(?dr|) WHERE { ?drug {type: \"D\"} ?dose {} ?drug {} }", &["FIND(?drug"]);
        check("FIND(?|) WHERE { ?b {} ?a {} }", &["FIND(?a", "FIND(?b"]);
        check("FIND(?dr|", &[]);
    }

    #[test]
    fn fields_and_keys() {
        check("FIND(?x.na|", &["FIND(?x.name"]);
        check(
            "FIND(?x.attributes.|",
            &["FIND(?x.attributes._version", "FIND(?x.attributes.dose", "FIND(?x.attributes.risk_level"],
        );
        check("FIND(?x.attributes.ri|", &["FIND(?x.attributes.risk_level"]);
        check("FIND(?x.metadata._v|", &["FIND(?x.metadata._version"]);
        check("FIND(?x.name.|", &[]);
        assert_eq!(complete("?x.", 3, &Vocabulary::default()).1.len(), FIELDS.len());
    }

    #[test]
    fn commands_of_the_shell() {
        check("\\e|", &["\\explain "]);
        check("  \\ti|", &["  \\timing "]);
        check("\\q|", &["\\quit"]);
        check("\\explain FI|", &["\\explain FILTER", "\\explain FIND"]);
    }

    #[test]
    fn no_place_in_a_text_is_too_strange() {
        let text = "FIND(?ä.\"x\\\" // 漢 ?";
        for position in 0..=text.len() + 1 {
            complete(text, position, &Vocabulary::default());
        }
    }
}
