//! How words of texts and of queries meet: identifiers, compounds, scripts, operators.

use cairn_search::query::{self, QueryError};

use crate::kit::{add, ids, in_memory, note, search};

/// Asks for a note with this text, among others, in memory and on disk.
#[track_caller]
fn check(text: &str, finds: &[&str], misses: &[&str]) {
    let index = in_memory();
    add(
        &index,
        [note(1, "", text), note(2, "", "something entirely different"), note(3, "", "more of that")],
    );
    for _ in 0..2 {
        for query in finds {
            assert_eq!(ids(&search(&index, query)), [1], "{query:?} finds {text:?}");
        }
        for query in misses {
            assert_eq!(ids(&search(&index, query)), [0; 0], "{query:?} does not find {text:?}");
        }
        index.flush().expect("it is written");
    }
}

#[test]
fn identifiers_are_found_by_their_wholes_their_parts_and_other_ways_of_writing() {
    check(
        "calls parseArrayElements twice",
        &["parseArrayElements", "parsearrayelements", "array", "parse_array_elements", "\"array elements\""],
        &["arrayel", "\"elements array\"", "+parse_elements"],
    );
    check(
        "set max_retry_count to 3",
        &["max_retry_count", "maxRetryCount", "retry", "retries", "+maxRetryCount", "\"retry count\""],
        &["+max_count", "-retry +max"],
    );
    check(
        "as REQ-AUTO-12 says",
        &["REQ-AUTO-12", "req-auto-12", "+REQ-AUTO-12", "\"req auto 12\"", "auto"],
        &["+REQ-AUTO-13", "+REQ-AUTO-1", "\"REQ-12\""],
    );
    check(
        "HTTPServer2 in XMLHttpRequest",
        &["httpserver2", "HttpServer", "xml", "+xml_http_request"],
        &["+http_xml"],
    );
}

#[test]
fn paths_dotted_names_addresses_and_links_are_found_by_what_they_consist_of() {
    check(
        "look at crates/core/search/src/lib.rs first",
        &["crates/core/search/src/lib.rs", "search/src", "lib.rs", "+core/search", "\"src lib rs\""],
        &["+core/src", "+search/lib.rs"],
    );
    check(
        "import java.util.concurrent.TimeUnit",
        &["java.util.concurrent", "TimeUnit", "time_unit", "concurrent", "+util.concurrent"],
        &["+java.concurrent"],
    );
    check(
        "write to ann.lee+test@mail.example.org today",
        &["ann.lee+test@mail.example.org", "mail.example.org", "example", "lee", "+example.org"],
        &["+mail.org"],
    );
    check(
        "see https://docs.example.org/guide/start?lang=en#setup for it",
        &["https://docs.example.org/guide/start?lang=en#setup", "docs.example.org", "guide/start", "setup"],
        &["+example.org/start"],
    );
}

#[test]
fn numbers_and_names_with_signs_are_words() {
    check(
        "it cost 1,250.50 in 2024 with version 4.4.0",
        &["1,250.50", "1250.50", "2024", "4.4.0", "+4.4.0"],
        &["202", "\"4.4.1\"", "125"],
    );
    check("written in C++ by hand", &["C++", "c++", "+C++", "hand -C#"], &["+C#", "hand -c++"]);
    check("written in C# by hand", &["C#", "+c#"], &["+C++"]);
    check("runs on .NET now", &[".NET", "net", "+.NET"], &["runs -.net"]);
    check(
        "error 0x80070005 from E_ACCESSDENIED",
        &["0x80070005", "E_ACCESSDENIED", "accessdenied", "80070005"],
        &["+0x80070006"],
    );
}

#[test]
fn accents_umlauts_and_possessives_do_not_matter() {
    check("le café de la forêt", &["cafe", "CAFÉ", "foret", "cafés"], &["cafard"]);
    check(
        "Die Größe der Häuser in der Straße",
        &["große", "Grosse", "haus", "hauser", "STRASSE"],
        &["strand"],
    );
    check("ein neuer Rechnungslauf-Kalender", &["rechnungslauf", "Rechnungslaufs", "kalender"], &["lauf"]);
    check("Siobhán O’Connor’s laptop", &["siobhan", "o'connor", "oconnor", "O’Connor's"], &[]);
    check("the user's question", &["user", "users", "user’s"], &[]);
}

#[test]
fn scripts_without_spaces_are_found_by_neighbouring_characters() {
    check(
        "東京都の天気は晴れです",
        &["東京", "天気", "東京都", "+東京都", "\"天気は晴れ\""],
        &["京東", "+東京の", "大阪"],
    );
    check("카페에서 만나요", &["카페에서"], &[]);
    check("встретимся завтра в библиотеке", &["библиотека", "БИБЛИОТЕКЕ"], &["библия"]);
    check("cairn 東京 office", &["cairn", "東京", "+cairn +東京"], &["+cairn +大阪"]);
}

#[test]
fn stop_words_are_found_in_names_only_and_named_when_they_are_not_looked_for() {
    let index = in_memory();
    add(
        &index,
        [note(1, "The Who", "a band"), note(2, "band", "who is in the band"), note(3, "x", "nobody")],
    );
    let found = search(&index, "the who");
    assert_eq!((ids(&found), found.ignored.len()), (vec![1], 0));
    let found = search(&index, "text:the text:who");
    assert_eq!((found.total, found.ignored), (0, vec!["the".to_owned(), "who".to_owned()]));
    let found = search(&index, "text:who nobody");
    assert_eq!((ids(&found), found.ignored), (vec![3], vec!["who".to_owned()]));
    // What is not looked for cannot be demanded.
    assert_eq!(ids(&search(&index, "+text:the +nobody")), [3]);
}

#[test]
fn phrases_hold_over_stop_words() {
    check(
        "the state of the art of stone cutting",
        &["\"state of the art\"", "\"art of stone\"", "\"states of the arts\""],
        &["\"art state\"", "\"state art\"", "\"state of art\"", "\"of the\""],
    );
}

#[test]
fn compounds_are_found_however_their_parts_are_joined() {
    for text in [
        "about rate-limiting here",
        "about rate limiting here",
        "about rate_limiting here",
        "a rateLimiting b",
    ] {
        check(
            text,
            &[
                "rate-limiting",
                "rate limiting",
                "+rate-limiting",
                "+rateLimiting",
                "\"rate limits\"",
                "rate_limiting",
            ],
            &["+limiting-rate", "rate -rate-limiting", "limits -\"rate limiting\""],
        );
    }
    check("limiting the rate", &["rate-limiting", "rate -rate-limiting"], &["+rate-limiting"]);
}

#[test]
fn fields_and_prefixes_narrow_and_widen() {
    let index = in_memory();
    add(
        &index,
        [
            note(1, "Stone", "about rivers"),
            note(2, "River", "about stones and REQ-AUTO-12"),
            note(3, "max_retry_count", "a setting of parseArrayElements"),
        ],
    );
    for _ in 0..2 {
        for (query, expected) in [
            ("name:stone", &[1][..]),
            ("text:stone", &[2]),
            ("+name:river +text:stones", &[2]),
            ("-name:stone -name:river", &[3]),
            ("sto*", &[1, 2]),
            ("text:sto*", &[2]),
            ("REQ-AU*", &[2]),
            ("req-auto-1*", &[2]),
            ("retr*", &[3]),
            ("max_ret*", &[3]),
            ("parseArr*", &[3]),
            ("elem*", &[3]),
            ("+ston* -riv*", &[]),
            ("other:stone", &[1, 2]),
        ] {
            let mut found = ids(&search(&index, query));
            found.sort_unstable();
            assert_eq!(found, expected, "{query}");
        }
        index.flush().expect("it is written");
    }
}

#[test]
fn long_queries_are_cut_and_too_long_ones_are_refused() {
    let index = in_memory();
    add(&index, [note(1, "", "needle in a haystack"), note(2, "", "qjjj")]);
    // A thousand words of four letters each.
    let letter = |number: u32| char::from(b'a' + u8::try_from(number % 10).expect("small"));
    let word =
        |number: u32| ['q', letter(number / 100), letter(number / 10), letter(number)].iter().collect();
    let words: Vec<String> = (0..1000).map(word).collect();
    let text = format!("needle {}", words.join(" "));
    let found = search(&index, &text);
    assert_eq!(ids(&found), [1], "what is beyond the limit is not looked for");
    let parsed = query::parse(&text, &[]).expect("it parses");
    assert!(parsed.ignored.contains(&"qjjj".to_owned()) && !parsed.ignored.contains(&"needle".to_owned()));

    let at_the_limit = format!("needle {}", "x".repeat(8 * 1024 - 7));
    assert_eq!(ids(&search(&index, &at_the_limit)), [1]);
    let past_it = query::parse(&format!("{at_the_limit}x"), &[]);
    assert!(matches!(past_it, Err(QueryError::TooLong { bytes: 8193, max: 8192 })), "{past_it:?}");
}
