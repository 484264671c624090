//! Lists of words in sentences.

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
    fn words_are_listed_as_people_do() {
        assert_eq!(one_of(&["A"]), "`A`");
        assert_eq!(one_of(&["A", "B", "C"]), "`A`, `B` or `C`");
        assert_eq!(one_of(&[]), "");
    }
}
