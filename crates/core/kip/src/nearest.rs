//! What may have been meant by a name that is not known.

/// Names that are longer are no slips.
const COMPARED_BYTES_MAX: usize = 64;

/// The known name that is nearest, if it is near enough to be a slip: case, underscores, a few letters.
pub(crate) fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let plain = plain(name);
    // Names that are this long are no slips; their distance would take long to find.
    if plain.len() > COMPARED_BYTES_MAX {
        return None;
    }
    let known = known.into_iter().filter(|known| known.len() <= 2 * COMPARED_BYTES_MAX);
    let distances = known.map(|known| (strsim::osa_distance(&plain, &self::plain(known)), known));
    let (distance, known) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= plain.len() / 3).then_some(known)
}

fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// `` `a`, `b` or `c` ``
pub(crate) fn one_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let known = ["STARTS_WITH", "IS_NULL", "REGEX", "IN", "WHERE"];
        for (name, expected) in [
            ("startsWith", Some("STARTS_WITH")),
            ("ISNULL", Some("IS_NULL")),
            ("REGEXP", Some("REGEX")),
            ("WEHRE", Some("WHERE")),
            ("in", Some("IN")),
            ("LIKE", None),
            ("WHEN", None),
            ("", None),
            (&"X".repeat(100_000), None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
    }

    #[test]
    fn words_are_listed_as_people_do() {
        assert_eq!(one_of(&["A"]), "`A`");
        assert_eq!(one_of(&["A", "B", "C"]), "`A`, `B` or `C`");
        assert_eq!(one_of(&[]), "");
    }
}
