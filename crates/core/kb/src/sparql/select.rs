//! The check that a query is a SELECT and nothing else.

use super::SparqlError;
use super::token::{Token, Tokens};

/// Keywords of the other forms, and of updates. No function and no clause of a SELECT has such a name.
const REFUSED: &[&str] = &[
    "ADD",
    "ASK",
    "CLEAR",
    "CONSTRUCT",
    "COPY",
    "CREATE",
    "DELETE",
    "DESCRIBE",
    "DROP",
    "INSERT",
    "LOAD",
    "MOVE",
];

/// Checks that a query has a prologue of `BASE` and `PREFIX`, then `SELECT`, and no keyword of another form.
pub(super) fn check(query: &str) -> Result<(), SparqlError> {
    check_characters(query)?;
    let mut tokens = Tokens::of(query);
    loop {
        let keyword = match tokens.next()? {
            Some(Token::Word(word)) => word.to_ascii_uppercase(),
            Some(Token::Name | Token::Iri | Token::Other) => {
                return Err(not_select("something else where SELECT is expected"));
            }
            None => return Err(not_select("no SELECT")),
        };
        match keyword.as_str() {
            "BASE" => expect(&mut tokens, Token::Iri, "BASE needs an IRI, such as BASE <http://a/>")?,
            "PREFIX" => {
                let hint = "PREFIX needs a name and an IRI, such as PREFIX ex: <http://a/>";
                expect(&mut tokens, Token::Name, hint)?;
                expect(&mut tokens, Token::Iri, hint)?;
            }
            "SELECT" => break,
            other => return Err(not_select(&shown(other))),
        }
    }
    while let Some(token) = tokens.next()? {
        if let Token::Word(word) = token {
            let refused = word.split(['-', '.', ':', '%', '\\']).find(|part| is_refused(part));
            if let Some(part) = refused {
                return Err(not_select(&part.to_ascii_uppercase()));
            }
        }
    }
    Ok(())
}

fn expect(tokens: &mut Tokens<'_>, wanted: Token<'_>, hint: &str) -> Result<(), SparqlError> {
    if tokens.next()? == Some(wanted) {
        return Ok(());
    }
    Err(SparqlError::Query { reason: hint.to_owned() })
}

fn is_refused(word: &str) -> bool {
    REFUSED.iter().any(|refused| word.eq_ignore_ascii_case(refused))
}

/// A keyword for a message: not longer than a keyword, so that no message quotes a query.
fn shown(keyword: &str) -> String {
    if keyword.len() <= 16 { keyword.to_owned() } else { "another word".to_owned() }
}

fn not_select(found: &str) -> SparqlError {
    SparqlError::NotSelect { found: found.to_owned() }
}

/// Refuses control characters, and `\u` escapes of ASCII: a server may decode them before it looks for strings and
/// keywords, and would then read another query than this check.
fn check_characters(query: &str) -> Result<(), SparqlError> {
    let bad = |reason: &str| Err(SparqlError::Query { reason: reason.to_owned() });
    if query.chars().any(|c| c.is_control() && !matches!(c, '\t' | '\n' | '\r')) {
        return bad("it contains a control character; remove it");
    }
    for (at, _) in query.match_indices('\\') {
        let digits = match query.as_bytes().get(at + 1) {
            Some(b'u') => 4,
            Some(b'U') => 8,
            _ => continue,
        };
        let escape =
            query.get(at + 2..at + 2 + digits).filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = escape.and_then(|hex| u32::from_str_radix(hex, 16).ok());
        if code.is_some_and(|code| code < 0x80) {
            return bad("it escapes an ASCII character with \\u; write the character itself");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn selects_are_recognized() {
        for query in [
            "SELECT * WHERE { ?s ?p ?o }",
            "select ?item where { ?item wdt:P31 wd:Q146 . } limit 5",
            "# INSERT DATA\nSELECT * {}",
            "#\rSELECT * {}",
            "PREFIX a: <http://a/#x> BASE <http://b/> prefix : <http://c/> SELECT * {}",
            "PREFIX insert: <http://a/> SELECT * { ?s insert:data ?o }",
            "PREFIX select: <http://a/> SELECT * { ?select select:insert $delete }",
            "SELECT ?drop { ?drop a <http://a/INSERT> }",
            "SELECT * { ?s ?p \"INSERT DATA { }\" }",
            "SELECT * { ?s ?p 'it \\' DROP' , \"\"\"a \"quoted\" \n DELETE\"\"\" , '''x''y'''@ask }",
            "SELECT * { ?s ?p \"\", '' }",
            "SELECT * { ?s ex:drop-all ex:a.load ; ex:%20 _:move , ex:a\\-b }",
            "SELECT * { FILTER(?a<?b && ?c>?d || ?x < 5) }",
            "SELECT (COUNT(*) AS ?n) { { SELECT ?x {} } UNION { SERVICE <http://a/> {} } MINUS {} }",
            "SELECT * { ?s ?p \"caf\\u00e9 \\U0001F600\" } # trailing DROP",
            "SELECT * { ?s ?p \"C:\\\\users\" }",
            "SELECT * { ?größe ex:größe 'ß' }",
            "SELECT?x{}",
        ] {
            assert_eq!(check(query), Ok(()), "{query}");
        }
    }

    #[test]
    fn other_forms_and_updates_are_refused() {
        for (query, found) in [
            ("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", "CONSTRUCT"),
            ("ASK { ?s ?p ?o }", "ASK"),
            ("DESCRIBE <http://a/>", "DESCRIBE"),
            ("INSERT DATA { <a> <b> <c> }", "INSERT"),
            ("WITH <http://a/> DELETE { ?s ?p ?o } WHERE {}", "WITH"),
            ("LOAD <http://a/>", "LOAD"),
            ("PREFIX select: <http://a/> CONSTRUCT WHERE {}", "CONSTRUCT"),
            ("# SELECT\nDROP ALL", "DROP"),
            ("SELECT * {} ; INSERT DATA { <a> <b> <c> }", "INSERT"),
            ("SELECT * {} #x\nDELETE WHERE {}", "DELETE"),
            ("SELECT * {} #x\rDELETE WHERE {}", "DELETE"),
            ("SELECT * { ?s ?p 'a\\\\' } CLEAR ALL #'", "CLEAR"),
            ("SELECT * { ?s ?p '''a''' } MOVE <a> TO <b> #'''", "MOVE"),
            ("SELECT * { ?s ?p '' } COPY <a> TO <b> #'", "COPY"),
            ("SELECT * { ?x < 1 } create GRAPH <http://a/>", "CREATE"),
            ("SELECT * { ?x.ADD }", "ADD"),
            ("SELECT * { 1.DROP }", "DROP"),
            ("SELECT * { ex:.DROP }", "DROP"),
            ("SELECT * { DROP.:x }", "DROP"),
            ("SELECT * { ASK { ?s ?p ?o } }", "ASK"),
            ("SELECTED * {}", "SELECTED"),
            ("SELECT:x {}", "something else where SELECT is expected"),
            ("{ SELECT * {} }", "something else where SELECT is expected"),
            ("\"SELECT\"", "something else where SELECT is expected"),
            ("", "no SELECT"),
            ("PREFIX a: <http://a/> # SELECT", "no SELECT"),
            ("AVERYLONGWORDTHATISNOTAKEYWORD", "another word"),
        ] {
            assert_eq!(check(query), Err(not_select(found)), "{query}");
        }
    }

    #[test]
    fn queries_that_servers_could_read_differently_are_refused() {
        for query in [
            "SELECT * { ?s ?p 'a\\u0027 } DROP ALL #' }",
            "SELECT * {} \\u0049NSERT DATA {}",
            "SELECT * { ?s ?p <http://a/\\U0000003E> }",
            "SELECT * { ?s ?p \"\\\\u0022\" }",
            "SELECT * {} \u{0}",
            "SELECT * {} \u{85}",
            "SELECT * { ?s ?p 'no end }",
            "SELECT * { ?s ?p 'no\nend' }",
            "SELECT * { ?s ?p '''no end'' }",
            "SELECT * { ?s ?p 'no end\\",
            "PREFIX <http://a/> SELECT * {}",
            "PREFIX a: SELECT * {}",
            "BASE a: SELECT * {}",
        ] {
            let found = check(query);
            assert!(matches!(found, Err(SparqlError::Query { .. })), "{query}: {found:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_accepted_or_refused(query in "(SELECT|PREFIX a: <b>)?[ -~\\\\'\"<>:.#\n\u{e9}]{0,40}") {
            let _ = check(&query);
        }

        #[test]
        fn a_keyword_between_blanks_is_found(
            before in "[ a-z?.;{}]{0,12}",
            keyword in prop::sample::select(REFUSED),
            after in "[ a-z?.;{}]{0,12}",
        ) {
            let query = format!("SELECT {before} {keyword} {after}");
            prop_assert!(matches!(check(&query), Err(SparqlError::NotSelect { .. })), "{}", query);
        }
    }
}
