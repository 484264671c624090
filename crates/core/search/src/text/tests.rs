//! What texts become, row by row, and what holds for all of them.

use proptest::prelude::*;

use super::*;

/// Tokens as `text@position`, with `*` after a whole and `~` after a pair of characters; a surface that
/// differs stands in brackets.
fn tokens(text: &str, settings: Settings) -> String {
    let mut shown = Vec::new();
    analyze(text, settings, &mut |token: Token<'_>| {
        let sign = match token.kind {
            TokenKind::Word => "",
            TokenKind::Part => "'",
            TokenKind::Whole => "*",
            TokenKind::Cjk => "~",
        };
        let surface =
            if token.surface == token.text { String::new() } else { format!("({})", token.surface) };
        shown.push(format!("{}{surface}{sign}@{}", token.text, token.position));
    });
    shown.join(" ")
}

fn check(language: Language, rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        assert_eq!(tokens(text, Settings { language, keep_stop_words: false }), *expected, "{text}");
    }
}

#[test]
fn plain_words() {
    check(
        Language::English,
        &[
            ("", ""),
            (" \n\t\0 ... --- !!!", ""),
            ("Connections", "connect(connections)@0"),
            ("the limits of a cache", "limit(limits)@1 cach(cache)@4"),
            ("one\0two\u{7}three", "one@0 two@1 three@2"),
            ("CAFÉ café cafe\u{301}", "cafe@0 cafe@1 cafe@2"),
            ("(what is [this])", ""),
            ("Straße", "strass(strasse)@0"),
            ("ＦＵＬＬ　ｗｉｄｔｈ", "full@0 width@1"),
            ("wait...what happened", "wait@0 happen(happened)@2"),
            ("word—dash–dash", "word@0 dash@1 dash@2"),
            ("wins 👍🏽 and ½ 🇩🇪", "win(wins)@0 👍@1 ½@3 🇩@4 🇪@5"),
            ("عربي हिन्दी", "عربي@0 हिन्दी@1"),
        ],
    );
}

#[test]
fn apostrophes() {
    check(
        Language::English,
        &[
            ("don't dont don’t", ""),
            ("John's John’s JOHN'S book", "john@0 john@1 john@2 book@3"),
            ("it's students' 'quoted'", "student(students)@1 quot(quoted)@2"),
            ("O'Brien o'clock rock'n'roll", "obrien@0 oclock@1 rocknrol(rocknroll)@2"),
            ("1980's 5'10 1'000", "1980@0 5@1 10@2 1000@3"),
        ],
    );
    check(Language::French, &[("l'homme qu’il d'accord aujourd'hui", "homm(homme)@0 accord@2 aujourdhui@3")]);
    check(Language::Italian, &[("dell'anno", "anno@0")]);
}

#[test]
fn compounds_and_identifiers() {
    check(
        Language::English,
        &[
            ("rate-limiting", "rate-limiting*@0 rate'@0 limit(limiting)'@1"),
            ("rate‑limiting", "rate-limiting*@0 rate'@0 limit(limiting)'@1"),
            ("camelCase works", "camelcase*@0 camel'@0 case'@1 work(works)@2"),
            ("snake_case", "snake_case*@0 snake'@0 case'@1"),
            ("REQ-AUTO-12", "req-auto-12*@0 req'@0 auto'@1 12'@2"),
            ("src/main.rs.", "src/main.rs*@0 src'@0 main'@1 rs'@2"),
            ("com.example.Message", "com.example.message*@0 com'@0 exampl(example)'@1 messag(message)'@2"),
            ("HTTPServer2", "httpserver2*@0 http'@0 server'@1 2'@2"),
            ("std::fs::File", "std::fs::file*@0 std'@0 fs'@1 file'@2"),
            ("10.0.0.1", "10.0.0.1*@0 10'@0 0'@1 0'@2 1'@3"),
            ("v1.2.3", "v1.2.3*@0 v'@0 1'@1 2'@2 3'@3"),
            ("2026-11-16", "2026-11-16*@0 2026'@0 11'@1 16'@2"),
            ("12:30", "12:30*@0 12'@0 30'@1"),
            ("and/or not", "and/or*@0 and'@0 or'@1"),
            ("URLs APIs IDs", "url(urls)@0 api(apis)@1 id(ids)@2"),
            ("URLsAnd", "urlsand*@0 url(urls)'@0 and'@1"),
            ("iPhone", "iphone*@0 i'@0 phone'@1"),
            ("k8s", "k8s*@0 k'@0 8'@1 s'@2"),
            ("R&D", "r&d*@0 r'@0 d'@1"),
            ("__init__ --flag -x", "init@0 flag@1 x@2"),
            ("foo--bar 1..10", "foo@0 bar@1 1@2 10@3"),
            (r"C:\dir\file", r"c:\dir\file*@0 c'@0 dir'@1 file'@2"),
            ("/etc/.config/", "etc/.config*@0 etc'@0 config'@1"),
            ("#hashtag @user", "hashtag@0 user@1"),
            // Codes stay whole.
            ("3f2a9bc81d", "3f2a9bc81d@0"),
            ("aBcDeFgHiJkLmNoPqRsTuVwXyZ", "abcdefghijklmnopqrstuvwxyz@0"),
        ],
    );
}

#[test]
fn addresses() {
    check(
        Language::English,
        &[
            (
                "mail jane.doe@example.com now",
                "mail@0 jane.doe@example.com*@1 jane'@1 doe'@2 exampl(example)'@3 com'@4 now@5",
            ),
            ("a+tag@b.io", "a+tag@b.io*@0 a'@0 tag'@1 b'@2 io'@3"),
            (
                "https://example.com/docs/page?id=7&x=y#top.",
                "https://example.com/docs/page?id=7&x=y#top*@0 https'@0 exampl(example)'@1 com'@2 doc(docs)'@3 \
                 page'@4 id'@5 7'@6 x'@7 y'@8 top'@9",
            ),
            ("x=1&y=2", "x@0 1&y*@1 1'@1 y'@2 2@3"),
        ],
    );
}

#[test]
fn names_of_languages() {
    check(
        Language::English,
        &[
            ("C++ or C#, F#.", "c++*@0 c'@0 c#*@2 c'@2 f#*@3 f'@3"),
            (".NET (.NET) node.js", ".net*@0 net'@0 .net*@1 net'@1 node.js*@2 node'@2 js'@3"),
            ("C++17", "c++*@0 c'@0 17@1"),
            ("Objective-C++", "objective-c++*@0 object(objective)'@0 c'@1"),
            ("end.\n.5", "end@0 5@1"),
        ],
    );
}

#[test]
fn numbers() {
    check(
        Language::English,
        &[
            ("1,000", "1,000*@0 1000'@0"),
            ("1,234,567.89", "1,234,567.89*@0 1234567'@0 89'@1"),
            ("1.5", "1.5*@0 1'@0 5'@1"),
            ("1,5 and 1,2,3", "1@0 5@1 1@3 2@4 3@5"),
            ("12345,678 0,123", "12345@0 678@1 0@2 123@3"),
            ("50% $20 m²", "50@0 20@1 m2*@2 m'@2 2'@3"),
        ],
    );
}

#[test]
fn scripts_without_spaces() {
    check(
        Language::English,
        &[
            ("東京タワー", "東京~@0 京タ~@1 タワ~@2 ワー~@3"),
            ("東", "東~@0"),
            ("東京。大阪", "東京~@0 大阪~@1"),
            ("React入門 2版", "react@0 入門~@1 2@2 版~@3"),
            ("한국어", "한국~@0 국어~@1"),
            ("\u{1112}\u{1161}\u{11ab}국어", "한국~@0 국어~@1"),
            ("ｶﾞｲﾄﾞ", "ガイ~@0 イド~@1"),
            ("ไทย", "ไท~@0 ทย~@1"),
            ("น้ำตา", "น้\u{e4d}า~@0 \u{e4d}าต~@1 ตา~@2"),
        ],
    );
}

#[test]
fn long_runs_without_spaces_lose_no_pair() {
    let text: String = ('\u{4e00}'..).take(1000).collect();
    let mut pairs = Vec::new();
    analyze(&text, Settings::default(), &mut |token| pairs.push((token.position, token.text.to_owned())));
    let characters: Vec<char> = text.chars().collect();
    let expected = characters.windows(2).enumerate();
    let expected: Vec<_> = expected.map(|(at, pair)| (at as u32, pair.iter().collect::<String>())).collect();
    assert_eq!(pairs, expected);
}

#[test]
fn long_tokens_are_cut() {
    let mut lengths = Vec::new();
    let text = format!("{} {} {}", "x".repeat(1000), "я".repeat(1000), "ab-".repeat(1000));
    analyze(&text, Settings::default(), &mut |token| lengths.push((token.kind, token.text.len())));
    assert_eq!(lengths[0], (TokenKind::Word, 128));
    assert_eq!(lengths[1], (TokenKind::Word, 128));
    assert_eq!(lengths[2], (TokenKind::Whole, 128));
    assert_eq!(lengths.len(), 2 + 1000 + 1000_usize.div_ceil(64));
}

#[test]
fn languages_have_their_own_stems_and_stop_words() {
    check(Language::German, &[("Die Häuser der Stadt", "haus(hauser)@1 stadt@3")]);
    check(Language::Russian, &[("Новые книги и ёлки", "нов(новые)@0 книг(книги)@1 елк(елки)@3")]);
    check(Language::Spanish, &[("los niños corrían", "nin(ninos)@1 corri(corrian)@2")]);
    check(Language::Dutch, &[("de fietsen", "fiets(fietsen)@1")]);
    check(Language::Swedish, &[("bilarna och husen", "bil(bilarna)@0 hus(husen)@2")]);
}

#[test]
fn stop_words_can_be_kept() {
    let kept = Settings { language: Language::English, keep_stop_words: true };
    assert_eq!(tokens("The Who", kept), "the@0 who@1");
}

#[test]
fn spans_are_those_of_the_text() {
    let text = "«John’s» Rate-Limiting 東京都";
    let mut spans = Vec::new();
    analyze(text, Settings::default(), &mut |token| spans.push(&text[token.span]));
    assert_eq!(spans, ["John’s", "Rate-Limiting", "Rate", "Limiting", "東京", "京都"]);
}

#[test]
fn every_letter_and_digit_is_a_token_that_stays_what_it_is() {
    let settings = Settings { language: Language::English, keep_stop_words: true };
    let mut wrong = Vec::new();
    // These two vowels of Thai and Lao become a mark and a vowel: nothing begins with them.
    let vowels = ['\u{e33}', '\u{eb3}'];
    let tokens = ('\0'..=char::MAX).filter(|c| class_of(*c).begins_token() && !vowels.contains(c));
    for character in tokens {
        let mut surfaces = Vec::new();
        analyze(character.encode_utf8(&mut [0; 4]), settings, &mut |token| {
            surfaces.push(token.surface.to_owned());
        });
        let mut again = Vec::new();
        let first = surfaces.first().cloned().unwrap_or_default();
        analyze(&first, settings, &mut |token| again.push(token.surface.to_owned()));
        if surfaces.len() != 1 || again.first() != Some(&first) {
            wrong.push((character, surfaces, again));
        }
    }
    assert_eq!(wrong, []);
}

/// Text with much of what the rules are about, and anything else.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z]{1,8}",
        2 => "[0-9,.]{1,6}",
        2 => "[-_./:@#+&?=%~'’*\"()\\\\]{1,3}",
        2 => "[ \n\0]{1,2}",
        1 => "[东京タワがｶﾞ한ㄱกำ้]{1,4}",
        1 => "[éßøŁİяйЙё²½Ⅷ①😀ﷺ\u{301}\u{306}\u{ad}\u{200d}]{1,3}",
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn tokens_are_in_order_and_inside_of_the_text(text in texts(), number in 0..Language::COUNT as u8) {
        let language = Language::from_number(number).unwrap();
        let (mut start, mut position) = (0, 0);
        analyze(&text, Settings { language, keep_stop_words: true }, &mut |token| {
            assert!(text.get(token.span.clone()).is_some_and(|found| !found.is_empty()), "{token:?}");
            assert!(token.span.start >= start && token.position >= position, "{token:?}");
            assert!(!token.text.is_empty() && token.text.len() <= 128, "{token:?}");
            assert!(!token.surface.is_empty() && token.surface.len() <= 128, "{token:?}");
            assert!(!token.text.contains(char::is_whitespace), "{token:?}");
            (start, position) = (token.span.start, token.position);
        });
        detect(&text);
        fold_name(&text);
    }

    #[test]
    fn what_is_folded_is_analysed_to_itself(text in texts(), number in 0..Language::COUNT as u8) {
        let settings = Settings { language: Language::from_number(number).unwrap(), keep_stop_words: true };
        let mut found = Vec::new();
        analyze(&text, settings, &mut |token| {
            found.push((token.kind, token.surface.to_owned(), token.text.to_owned()));
        });
        for (kind, surface, text) in found {
            let mut again = Vec::new();
            analyze(&surface, settings, &mut |token| {
                again.push((token.surface.to_owned(), token.text.to_owned()));
            });
            // A code that is a whole because of its capitals may fall apart without them: then it is a whole
            // with parts.
            let code = surface.contains(char::is_numeric);
            match kind {
                TokenKind::Word | TokenKind::Part if code => prop_assert_eq!(&again[0], &(surface, text)),
                TokenKind::Word | TokenKind::Part => prop_assert_eq!(again, [(surface, text)]),
                TokenKind::Cjk => prop_assert!(again.iter().all(|token| surface.contains(&token.0))),
                TokenKind::Whole => {}
            }
        }
    }

    #[test]
    fn stop_words_leave_gaps(text in texts()) {
        let mut kept = Vec::new();
        let mut settings = Settings { language: Language::English, keep_stop_words: true };
        analyze(&text, settings, &mut |token| kept.push((token.position, token.text.to_owned())));
        settings.keep_stop_words = false;
        let mut all = kept.iter();
        analyze(&text, settings, &mut |token| {
            assert!(all.any(|(position, text)| *position == token.position && text == token.text));
        });
    }
}
