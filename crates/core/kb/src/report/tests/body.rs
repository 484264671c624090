//! Matches of bodies and their snippets.

use cairn_base::Value;

use crate::report::body_match;
use crate::{Entity, EntityType};

fn entity(body: &str, text_ref: &str) -> Entity {
    let text = |text: &str| Value::String(text.into());
    let attributes = [("body".to_owned(), text(body)), ("text_ref".to_owned(), text(text_ref))];
    Entity { id: "R".into(), kind: EntityType::Req, attributes: attributes.into_iter().collect() }
}

const PHRASE: &str = "markdown body match";
const TOKENS: &str = "markdown body token coverage";

#[test]
fn the_line_that_matches_best_is_shown() {
    let body = "# Title\n\n  Tokens expire.  \nAccess tokens expire after an hour.\nOld access is refused.\n";
    let rows = [
        ("tokens EXPIRE", body, "", PHRASE, "Tokens expire."),
        ("expire  after", body, "", PHRASE, "Access tokens expire after an hour."),
        ("hour expire access", body, "", TOKENS, "Access tokens expire after an hour."),
        ("refused access", body, "", TOKENS, "Old access is refused."),
        ("access: zzz", body, "", TOKENS, "Access tokens expire after an hour."),
        ("hour. old access", body, "", PHRASE, "Access tokens expire after an hour."),
        ("zzz", body, "", "", "# Title"),
        ("zzz", " \n", "", "", ""),
        ("", body, "", "", "# Title"),
        ("prose", "", "Some prose.", PHRASE, "Some prose."),
        ("prose", body, "Some prose.", PHRASE, "Some prose."),
        ("expire", body, "To expire.", PHRASE, "Tokens expire."),
        ("zzz", "", "\nSome prose.", "", "Some prose."),
    ];
    for (query, body, text_ref, reason, snippet) in rows {
        let (reasons, found) = body_match(query, &entity(body, text_ref));
        assert_eq!(
            (reasons.join(", ").as_str(), found.unwrap_or_default().as_str()),
            (reason, snippet),
            "{query}"
        );
    }
    assert_eq!(body_match("x", &entity("", "")), (Vec::new(), None));
}

#[test]
fn front_matter_is_skipped_if_it_is_closed_and_at_the_top() {
    let rows = [
        ("---\ntitle: x\n---\nBody.", "x", "", "Body."),
        ("---\r\ntitle: x\r\n---\r\nBody.", "x", "", "Body."),
        ("---\ntitle: x\n---", "x", "", ""),
        ("---\ntitle: x\n----\nBody.", "x", PHRASE, "title: x"),
        ("---\ntitle: x\nBody.", "x", PHRASE, "title: x"),
        ("\n---\ntitle: x\n---\nBody.", "x", PHRASE, "title: x"),
        ("----\ntitle: x\n---\nBody.", "x", PHRASE, "title: x"),
    ];
    for (body, query, reason, snippet) in rows {
        let (reasons, found) = body_match(query, &entity(body, ""));
        assert_eq!(
            (reasons.join(", ").as_str(), found.unwrap_or_default().as_str()),
            (reason, snippet),
            "{body}"
        );
    }
}

#[test]
fn snippets_are_cut_between_characters() {
    for (characters, expected) in [(159, 159), (160, 160), (161, 160), (5000, 160)] {
        let line = "ä€😀x".chars().cycle().take(characters).collect::<String>();
        let (_, found) = body_match("zzz", &entity(&line, ""));
        let found = found.unwrap();
        assert_eq!((found.chars().count(), found.ends_with("...")), (expected, characters > 160));
        assert!(line.starts_with(found.trim_end_matches("...")));
    }
}
