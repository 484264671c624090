//! What may have been meant by a name that nobody knows.

/// Longer names are not compared: it would take long, and they are no slips of the pen.
const COMPARED_BYTES_MAX: usize = 128;

/// The name that is written almost so, if one is.
pub(crate) fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if wanted.len() > COMPARED_BYTES_MAX {
        return None;
    }
    // A third of a name may be wrong, and of a short one a single letter.
    let allowed = (wanted.chars().count() / 3).max(1);
    let known = known.into_iter().filter(|name| name.len() <= COMPARED_BYTES_MAX);
    let distances = known.map(|name| (distance(wanted, name), name));
    distances.filter(|(distance, _)| *distance <= allowed).min().map(|(_, name)| name)
}

/// Letters to insert, remove or replace until one is the other; a letter in the other case is nothing.
fn distance(left: &str, right: &str) -> usize {
    let letters = |text: &str| -> Vec<char> { text.chars().flat_map(char::to_lowercase).collect() };
    let (left, right) = (letters(left), letters(right));
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, letter) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (place, other) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(row[place] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_understood_and_another_word_is_not() {
        let known = ["headache", "aspirin", "fever"];
        let check = |wanted: &str, expected: Option<&str>| {
            assert_eq!(nearest(wanted, known), expected, "{wanted}");
        };
        check("headach", Some("headache"));
        check("Aspirin", Some("aspirin"));
        check("asprin", Some("aspirin"));
        check("fevr", Some("fever"));
        check("ibuprofen", None);
        check("", None);
        check(&"a".repeat(1 << 24), None);
        let long = "a".repeat(1 << 24);
        assert_eq!(nearest("aaaa", [long.as_str()]), None);
    }
}
