//! Characters that mean nothing, and what was probably meant.

/// What to write instead.
pub(crate) fn stray_hint(character: char) -> Option<&'static str> {
    HINTS.iter().find(|(characters, _)| characters.contains(character)).map(|(_, hint)| *hint)
}

const HINTS: &[(&str, &str)] = &[
    ("'`", "strings stand in double quotes: \"like this\""),
    ("“”„«»‘’", "write plain double quotes: \"like this\""),
    ("=", "compare with ==; a key is followed by a colon"),
    ("&", "write && for \"and\""),
    (";", "leave it out; several commands are sent as {\"commands\": [\"...\", \"...\"]}"),
    ("#/", "comments begin with // and end with their line"),
    ("+", "numbers have no plus sign: write 1, not +1; paths are written \"predicate\"{1,}"),
    ("-", "a minus sign is followed by a digit: -0.5"),
    ("*", "name a variable instead, as in COUNT(?drug); paths are written \"predicate\"{0,}"),
    ("@", "parameters are written :name and variables ?name"),
    ("\\", "a backslash stands only inside strings"),
    (
        "~^%",
        "the comparisons are == != < <= > >=, and CONTAINS, STARTS_WITH, ENDS_WITH and REGEX for strings",
    ),
];
