//! How things of the tree are written, for those who read and those who write.

use crate::lex::Sign;
use crate::tree::{Comparison, ElementKind, Function, TextTest};

/// Words that begin a command.
pub(crate) const COMMANDS: &[&str] = &["FIND", "UPSERT", "DELETE", "DESCRIBE", "SEARCH", "EXPLAIN"];

/// Every word of the language.
pub const KEYWORDS: &[&str] = &[
    "ANALYZE",
    "ASC",
    "ATTRIBUTES",
    "AVG",
    "BY",
    "CONCEPT",
    "CONTAINS",
    "COUNT",
    "CURSOR",
    "DELETE",
    "DESC",
    "DESCRIBE",
    "DETACH",
    "DISTINCT",
    "DOMAINS",
    "ENDS_WITH",
    "EXPECT",
    "EXPLAIN",
    "FILTER",
    "FIND",
    "FROM",
    "IN",
    "IS_NOT_NULL",
    "IS_NULL",
    "LIMIT",
    "MAX",
    "METADATA",
    "MIN",
    "NOT",
    "OPTIONAL",
    "ORDER",
    "PRIMER",
    "PROPOSITION",
    "PROPOSITIONS",
    "REGEX",
    "SEARCH",
    "SET",
    "STARTS_WITH",
    "SUM",
    "TYPE",
    "TYPES",
    "UNION",
    "UPSERT",
    "VERSION",
    "WHERE",
    "WITH",
    "false",
    "null",
    "true",
];

/// Words that begin a clause.
pub(crate) const CLAUSES: &[&str] = &["FILTER", "OPTIONAL", "NOT", "UNION"];

/// What a variable has, after a dot.
pub const FIELDS: &[&str] =
    &["id", "type", "name", "subject", "predicate", "object", "attributes", "metadata"];

/// Fields with fields of their own.
pub(crate) const DEEP_FIELDS: &[&str] = &["attributes", "metadata"];

/// Names of aggregates.
pub(crate) const FUNCTIONS: &[(&str, Function)] = &[
    ("COUNT", Function::Count),
    ("SUM", Function::Sum),
    ("AVG", Function::Avg),
    ("MIN", Function::Min),
    ("MAX", Function::Max),
];

/// Names of tests of texts.
pub(crate) const TEXT_TESTS: &[(&str, TextTest)] = &[
    ("CONTAINS", TextTest::Contains),
    ("STARTS_WITH", TextTest::StartsWith),
    ("ENDS_WITH", TextTest::EndsWith),
    ("REGEX", TextTest::Regex),
];

/// Names of all functions of a FILTER.
pub(crate) const TESTS: &[&str] =
    &["CONTAINS", "STARTS_WITH", "ENDS_WITH", "REGEX", "IN", "IS_NULL", "IS_NOT_NULL"];

/// Signs of comparison.
pub(crate) const COMPARISONS: &[(Sign, Comparison)] = &[
    (Sign::Equal, Comparison::Equal),
    (Sign::NotEqual, Comparison::NotEqual),
    (Sign::Less, Comparison::Less),
    (Sign::LessOrEqual, Comparison::LessOrEqual),
    (Sign::Greater, Comparison::Greater),
    (Sign::GreaterOrEqual, Comparison::GreaterOrEqual),
];

/// What stands in a table under a name or a sign.
pub(crate) fn named<K: PartialEq, T: Copy>(table: &[(K, T)], key: &K) -> Option<T> {
    table.iter().find(|(known, _)| known == key).map(|(_, value)| *value)
}

/// The name or sign under which something stands in a table.
pub(crate) fn name_of<K: Copy, T: PartialEq>(table: &[(K, T)], value: &T) -> Option<K> {
    table.iter().find(|(_, known)| known == value).map(|(key, _)| *key)
}

impl Function {
    /// How it is written.
    pub fn text(self) -> &'static str {
        name_of(FUNCTIONS, &self).unwrap_or_default()
    }
}

impl TextTest {
    /// How it is written.
    pub fn text(self) -> &'static str {
        name_of(TEXT_TESTS, &self).unwrap_or_default()
    }
}

impl Comparison {
    /// How it is written.
    pub fn text(self) -> &'static str {
        name_of(COMPARISONS, &self).map_or("", Sign::text)
    }
}

impl ElementKind {
    /// How it is written.
    pub fn text(self) -> &'static str {
        match self {
            ElementKind::Concept => "CONCEPT",
            ElementKind::Proposition => "PROPOSITION",
        }
    }
}

/// What to say about words that other languages have and this one has not.
pub(crate) fn foreign_hint(word: &str) -> Option<&'static str> {
    let same = |known: &str| known.eq_ignore_ascii_case(word);
    FOREIGN.iter().find(|(words, _)| words.iter().any(|known| same(known))).map(|(_, hint)| *hint)
}

/// What to say about such words where a clause should begin.
pub(crate) fn foreign_clause_hint(word: &str) -> Option<&'static str> {
    let same = |known: &str| known.eq_ignore_ascii_case(word);
    FOREIGN_CLAUSES.iter().find(|(words, _)| words.iter().any(|known| same(known))).map(|(_, hint)| *hint)
}

const FOREIGN_CLAUSES: &[(&[&str], &str)] = &[
    (&["OR"], "write UNION { ... } for another pattern, and || between conditions of a FILTER"),
    (&["AND"], "leave it out: all clauses of a block have to hold"),
    (&["MINUS", "EXCEPT"], "write NOT { ... } for what must not match"),
    (&["EXISTS"], "leave it out: a pattern alone asks for existence; write NOT { ... } for its absence"),
    (&["VALUES"], "choose among values with FILTER(IN(?x.name, [\"...\", \"...\"]))"),
    (&["BIND", "LET"], "leave it out: compare in FILTER, and name what is to be shown in FIND"),
    (&["MATCH"], "leave it out: a pattern stands alone, as in ?x {type: \"...\"}"),
];

const FOREIGN: &[(&[&str], &str)] = &[
    (&["SELECT", "MATCH", "RETURN", "GET", "QUERY"], "a question is written FIND(?x) WHERE { ... }"),
    (
        &["INSERT", "CREATE", "UPDATE", "MERGE", "ADD"],
        "writing is UPSERT { CONCEPT ?x { {type: \"...\", name: \"...\"} SET ATTRIBUTES { ... } } }",
    ),
    (&["REMOVE", "DROP"], "removing is DELETE CONCEPT ?x DETACH WHERE { ... }"),
    (&["SHOW", "LIST"], "what there is, is told by DESCRIBE PRIMER or DESCRIBE CONCEPT TYPES"),
    (&["AND"], "write && for AND"),
    (&["OR"], "write || for OR"),
    (&["GROUP", "HAVING"], "leave it out: with an aggregate in FIND, all other expressions form the groups"),
    (&["OFFSET", "SKIP"], "to go on, send CURSOR with the next_cursor of the last answer"),
    (&["AS"], "leave it out: columns have no names, they come in the order of FIND"),
    (
        &["LIKE", "MATCHES"],
        "compare strings with CONTAINS(?x.name, \"...\"), STARTS_WITH, ENDS_WITH or REGEX",
    ),
    (&["ASCENDING", "DESCENDING"], "write ASC or DESC"),
    (&["IS"], "write IS_NULL(?x.name) or IS_NOT_NULL(?x.name)"),
    (&["EXISTS"], "a pattern alone asks for existence; write NOT { ... } for its absence"),
    (&["NONE", "NIL", "UNDEFINED", "NAN", "INFINITY"], "write null"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_in_order_and_hold_all_there_are() {
        assert!(KEYWORDS.is_sorted());
        let functions = FUNCTIONS.iter().map(|(name, _)| name).chain(TEXT_TESTS.iter().map(|(name, _)| name));
        for word in COMMANDS.iter().chain(CLAUSES).chain(TESTS).chain(functions) {
            assert!(KEYWORDS.contains(word), "{word}");
        }
    }
}
