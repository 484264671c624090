//! Names that are written almost so, and what they must not give away.

use cairn_base::Position;
use cairn_search::document::{Change, Document};
use cairn_search::found::{Found, Rule};
use cairn_search::index::SearchIndex;
use cairn_search::request::{Filter, Grouping, Recency, Request, Times};

use crate::kit::{add, ids, in_memory, note, partition, request, search};

fn ask(index: &SearchIndex, text: &str, filter: Filter) -> Found {
    index.search(&Request { filter, ..request(text, 10) }).expect("an answer")
}

fn seen_by(who: &[&str]) -> Filter {
    Filter { visible_to: Some(who.iter().map(|who| (*who).to_owned()).collect()), ..Filter::default() }
}

fn only_near(found: &Found) -> bool {
    found.hits.iter().flat_map(|hit| &hit.reasons).all(|reason| reason.rule == Rule::Near)
}

/// Once with everything in memory, once on disk, once a part of it, in any order.
fn everywhere(documents: &[Document], mut check: impl FnMut(&SearchIndex)) {
    let memory = in_memory();
    add(&memory, documents.iter().cloned());
    check(&memory);
    let disk = in_memory();
    add(&disk, documents.iter().rev().cloned());
    disk.flush().expect("it is written");
    check(&disk);
    let pieces = in_memory();
    for (at, document) in documents.iter().rev().enumerate() {
        add(&pieces, [document.clone()]);
        if at % 3 == 1 {
            pieces.flush().expect("it is written");
        }
    }
    check(&pieces);
}

#[test]
fn a_word_that_nothing_holds_finds_names_that_are_almost_so() {
    let documents = [
        note(1, "Metoprolol", "a beta blocker"),
        note(2, "Metoprolol succinate", "a salt"),
        note(3, "Verapamil", "not with beta blockers"),
        note(4, "Rust", "a language with a borrow checker"),
    ];
    everywhere(&documents, |index| {
        for query in
            ["metopolol", "Metorpolol", "mettoprolo", "+metopolol", "name:metopolol", "metopolol -river"]
        {
            let found = search(index, query);
            assert_eq!((ids(&found), found.total), (vec![1, 2], 2), "{query}");
            assert!(only_near(&found), "{query}: {:?}", found.hits);
            assert!(found.hits.iter().all(|hit| hit.score > 0.0 && hit.score < 0.5));
        }
        let found = search(index, "metopolol");
        let reason = &found.hits[0].reasons[0];
        assert_eq!((reason.field, reason.term.as_str()), ("name", "metopolol"));
        assert_eq!(found.suggestions, ["metoprolol"]);
        // One letter of four, but not two; nothing for words that are shorter, or in prose only.
        assert_eq!(ids(&search(index, "rast")), [4]);
        for query in
            ["rats", "rus", "blockar", "-metopolol rivers", "\"metopolol\"", "metopolo*", "text:metopolol"]
        {
            let found = search(index, query);
            assert_eq!((ids(&found), found.suggestions), (vec![], vec![]), "{query}");
        }
    });
}

#[test]
fn what_is_found_exactly_comes_first_and_both_is_best() {
    let documents = [
        note(1, "Metoprolol", ""),
        note(2, "Something else with a long name that goes on", "a note on dosage, and on much more besides"),
        note(3, "Metoprolol plan", "dosage by weight"),
    ];
    everywhere(&documents, |index| {
        let found = search(index, "metopolol dosage");
        assert_eq!(ids(&found), [3, 2, 1]);
        assert_eq!(found.suggestions, ["metoprolol dosage"]);
        // The order does not depend on how many are wanted.
        let first = index.search(&request("metopolol dosage", 1)).expect("an answer");
        assert_eq!((&first.hits[..], first.total), (&found.hits[..1], 3));
        assert_eq!(first.suggestions, found.suggestions);
    });
}

#[test]
fn nothing_is_guessed_when_enough_is_found_or_the_word_is_there() {
    let index = in_memory();
    add(&index, [note(1, "Tango", "stone"), note(2, "Tanga", "stone"), note(3, "x", "stone")]);
    let found = search(&index, "stone tangi");
    assert_eq!((found.total, found.suggestions.len()), (3, 0), "three are enough");
    let found = search(&index, "tango");
    assert_eq!((ids(&found), found.suggestions.len()), (vec![1], 0), "the word is there");
    let found = search(&index, "tangi");
    assert_eq!((ids(&found), found.suggestions), (vec![1, 2], vec!["tanga".to_owned(), "tango".to_owned()]));
}

#[test]
fn the_nearest_comes_first_then_what_more_documents_hold() {
    let names = ["Harbour", "Harbor", "Harbor", "Harbors", "Arbor", "Zebra"];
    let documents: Vec<_> = (1..).zip(names).map(|(id, name)| note(id, name, "")).collect();
    everywhere(&documents, |index| {
        let found = search(index, "harbpr and zebrra");
        // Harbors and arbor are two letters away, and so is harbour; harbor is one.
        assert_eq!(found.suggestions, ["harbor and zebra", "arbor and zebra", "harbors and zebra"]);
        assert_eq!(found.total, 6);
    });
    let letters = || (b'a'..=b'x').cycle().map(char::from);
    let many: Vec<_> =
        (0..40).zip(letters()).map(|(id, letter)| note(id, &format!("stone{letter}"), "")).collect();
    everywhere(&many, |index| {
        let found = search(index, "stonez");
        let mut expected: Vec<u64> = (0..16).chain(24..40).collect();
        expected.sort_unstable();
        let mut found_ids = ids(&found);
        found_ids.sort_unstable();
        assert_eq!(found_ids, expected, "of 24 that are as near, the 16 that are there twice");
        assert_eq!(found.suggestions, ["stonea", "stoneb", "stonec"]);
    });
}

#[test]
fn nobody_learns_of_names_that_others_see() {
    let of = |id: u64, name: &str, who: &[&str]| Document {
        visible_to: who.iter().map(|who| (*who).to_owned()).collect(),
        group: id,
        kind: format!("kind{id}"),
        ..note(id, name, "")
    };
    let documents = [of(1, "Halyard", &["ann"]), of(2, "Halbard", &[]), of(3, "Halyrad", &["bob"])];
    everywhere(&documents, |index| {
        let found = ask(index, "halyerd", seen_by(&["ann"]));
        assert_eq!(
            (ids(&found), found.suggestions),
            (vec![1, 2], vec!["halyard".to_owned(), "halbard".to_owned()])
        );
        let found = ask(index, "halyerd", seen_by(&["bob"]));
        assert_eq!(ids(&found), [2, 3]);
        let found = ask(index, "halyerd", seen_by(&[]));
        assert_eq!((ids(&found), found.suggestions), (vec![2], vec!["halbard".to_owned()]));
        // A word that only others hold is as good as one that nobody holds.
        let hidden = ask(index, "halyrad", seen_by(&["ann"]));
        assert_eq!(
            (ids(&hidden), hidden.suggestions),
            (vec![1, 2], vec!["halyard".to_owned(), "halbard".to_owned()])
        );
        for filter in [
            Filter { kinds: vec!["kind2".into()], ..Filter::default() },
            Filter { group: Some(2), ..Filter::default() },
            Filter { times: Times { since_ms: Some(2), until_ms: Some(2) }, ..Filter::default() },
        ] {
            let found = ask(index, "halyerd", filter.clone());
            assert_eq!((ids(&found), found.suggestions), (vec![2], vec!["halbard".to_owned()]), "{filter:?}");
        }
        let nothing = Filter { kinds: vec!["other".into()], ..Filter::default() };
        assert_eq!(ask(index, "halyerd", nothing).suggestions, [""; 0]);
    });
}

#[test]
fn other_partitions_suggest_nothing_and_change_nothing() {
    let index = in_memory();
    add(&index, [note(1, "Halyard", "rope"), note(2, "Bluebell", "flower")]);
    let alone = search(&index, "halyerd");
    assert_eq!(ids(&alone), [1]);
    // The number of one partition in hexadecimal is the beginning of another one's.
    for tenant in 2..40 {
        let others = [note(7, "halyerd", "secret"), note(8, "Kingfisher", "secret"), note(9, "Halyards", "")];
        let changes: Vec<_> = others.map(|other| (partition(tenant), Change::Add(other))).into();
        index
            .apply(&changes, Position::from_stored(index.position().to_stored() + 1))
            .expect("they are taken");
    }
    for _ in 0..2 {
        let found = search(&index, "halyerd");
        assert_eq!((&found.hits, &found.suggestions), (&alone.hits, &alone.suggestions));
        let found = search(&index, "kingfischer");
        assert_eq!((found.total, found.suggestions.len()), (0, 0));
        index.flush().expect("it is written");
    }
    let both = Request { partitions: vec![partition(1), partition(2)], ..request("halyerd", 10) };
    let found = index.search(&both).expect("an answer");
    assert_eq!((found.total, found.suggestions.len()), (1, 0), "the word is there in one of them");
}

#[test]
fn names_of_documents_that_are_gone_suggest_nothing() {
    for flushed in [false, true] {
        let index = in_memory();
        add(&index, [note(1, "Kingfisher", ""), note(2, "Bluebell", ""), note(3, "kingfischer", "")]);
        if flushed {
            index.flush().expect("it is written");
        }
        assert_eq!(search(&index, "kingfischer").suggestions, [""; 0]);
        let at = |change: Change| {
            index.apply(&[(partition(1), change)], Position::from_stored(index.position().to_stored() + 1))
        };
        at(Change::Remove(3_u64.to_be_bytes().to_vec())).expect("it is taken");
        let found = search(&index, "kingfischer");
        assert_eq!((ids(&found), found.suggestions), (vec![1], vec!["kingfisher".to_owned()]));
        at(Change::Replace(note(1, "Heron", ""))).expect("it is taken");
        for _ in 0..2 {
            let found = search(&index, "kingfischer");
            assert_eq!((found.total, found.suggestions.len()), (0, 0));
            index.flush().expect("it is written");
        }
    }
}

#[test]
fn groups_are_found_by_near_names_as_well() {
    let of = |id: u64, name: &str, text: &str| Document { group: id % 2 + 1, ..note(id, name, text) };
    let documents = [of(1, "Kingfisher", "river"), of(2, "Heron", "a lake"), of(3, "Kingfishers", "")];
    everywhere(&documents, |index| {
        let found =
            index.search_groups(&request("kingfischer lake", 10), Grouping::Group).expect("an answer");
        let groups: Vec<_> = found.groups.iter().map(|group| (group.group, group.count)).collect();
        assert_eq!(groups, [(1, 1), (2, 2)], "what is found exactly comes first");
        assert_eq!(found.suggestions, ["kingfisher lake", "kingfishers lake"]);
        assert_eq!(found.total, 2);
    });
}

#[test]
fn age_counts_for_near_names_as_for_others() {
    let index = in_memory();
    add(&index, [note(1, "Heron", ""), Document { time_ms: 1_000_000, ..note(2, "Heron", "") }]);
    let recency = Recency { half_life_ms: 1000, now_ms: 1_000_000 };
    let found = index.search(&Request { recency, ..request("herin", 10) }).expect("an answer");
    assert_eq!(ids(&found), [2, 1]);
}
