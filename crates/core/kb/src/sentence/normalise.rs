//! Normal forms of the words of a sentence, so that the same claim in other words has the same key.

/// Returns a name in lower case whose other characters are `_`: `Audit Log` is `audit_log`.
pub(crate) fn slug(text: &str) -> String {
    joined(text, |letter| letter.is_ascii_alphanumeric().then_some(letter.to_ascii_lowercase()))
}

/// Returns words without articles, joined by `_`; case and `-` stay: `the form isReady` is `form_isReady`.
pub(crate) fn token(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| !is_article(word));
    let words: Vec<&str> = words.collect();
    joined(&words.join(" "), |letter| (letter.is_ascii_alphanumeric() || letter == '-').then_some(letter))
}

/// Returns the key of a subject: its words in lower case and singular, joined by dots: `Customer sessions` is
/// `customer.session`.
pub(crate) fn subject_key(text: &str) -> String {
    let slug = slug(without_article(text));
    slug.split('_').filter(|part| !part.is_empty()).map(singular).collect::<Vec<_>>().join(".")
}

/// Returns a text value in lower case: blanks and characters other than letters, digits, `.`, `_` and `-` are `_`.
pub(crate) fn plain_value(text: &str) -> String {
    joined(without_article(text), |letter| {
        (letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-')).then_some(letter.to_ascii_lowercase())
    })
}

/// Returns a phrase without leading articles and quantifiers: "all the mutations" is "mutations".
pub(crate) fn without_article(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some((word, behind)) = rest.split_once(char::is_whitespace) {
        if !is_article(word) && !is_quantifier(word) {
            break;
        }
        rest = behind.trim_start();
    }
    rest
}

fn is_article(word: &str) -> bool {
    ["the", "a", "an"].iter().any(|article| word.eq_ignore_ascii_case(article))
}

fn is_quantifier(word: &str) -> bool {
    ["all", "every", "each", "any"].iter().any(|quantifier| word.eq_ignore_ascii_case(quantifier))
}

fn singular(part: &str) -> &str {
    let stays = part.len() <= 3 || part.ends_with("ss") || matches!(part, "status" | "results" | "changes");
    if stays { part } else { part.strip_suffix('s').unwrap_or(part) }
}

/// The characters that `kept` keeps, and one `_` for each run of others between them. Letters beyond ASCII stay,
/// in lower case, so that other languages have keys too.
fn joined(text: &str, kept: impl Fn(char) -> Option<char>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_gap = false;
    for letter in text.chars() {
        let foreign = !letter.is_ascii() && letter.is_alphanumeric();
        match kept(letter) {
            None if !foreign => is_gap = true,
            found => {
                if std::mem::take(&mut is_gap) && !out.is_empty() {
                    out.push('_');
                }
                match found {
                    Some(letter) => out.push(letter),
                    None => out.extend(letter.to_lowercase()),
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(normal: fn(&str) -> String, rows: &[(&str, &str)]) {
        for (text, expected) in rows {
            assert_eq!(normal(text), *expected, "{text:?}");
        }
    }

    #[test]
    fn slugs_are_lower_case_and_have_no_other_characters() {
        check(
            slug,
            &[
                ("Audit Log", "audit_log"),
                ("  the  export-button ", "the_export_button"),
                ("a/b.c", "a_b_c"),
                ("__x__", "x"),
                ("!?", ""),
                ("Grüße an alle", "grüße_an_alle"),
            ],
        );
    }

    #[test]
    fn tokens_keep_their_case_and_lose_articles() {
        check(
            token,
            &[
                ("the form isReady", "form_isReady"),
                ("The user has a session", "user_has_session"),
                ("fail-over mode", "fail-over_mode"),
                ("`isReadOnly`", "isReadOnly"),
                ("the", ""),
            ],
        );
    }

    #[test]
    fn subject_keys_are_singular() {
        check(
            subject_key,
            &[
                ("Customer data", "customer.data"),
                ("the active sessions", "active.session"),
                ("all user sessions", "user.session"),
                ("order status", "order.status"),
                ("search results", "search.results"),
                ("access", "access"),
                ("bus", "bus"),
                ("Every address", "address"),
            ],
        );
    }

    #[test]
    fn values_keep_dots_and_dashes() {
        check(
            plain_value,
            &[("EU West", "eu_west"), ("v1.2-beta", "v1.2-beta"), ("the draft", "draft"), ("a, b", "a_b")],
        );
    }
}
