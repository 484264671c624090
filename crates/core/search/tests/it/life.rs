//! Documents come, change and go; the index is closed and opened.

use std::sync::Arc;

use cairn_base::{Position, SystemEntropy};
use cairn_search::SearchError;
use cairn_search::directory::{Protection, open_directory};
use cairn_search::document::{Change, Document};
use cairn_search::index::{SearchIndex, Settings};
use cairn_search::request::{Filter, Grouping, Recency, Request, Times};

use crate::kit::{add, ids, in_memory, note, partition, request, search, settings};

fn remove(index: &SearchIndex, id: u64) {
    let change = (partition(1), Change::Remove(id.to_be_bytes().to_vec()));
    index.apply(&[change], Position::from_stored(index.position().to_stored() + 1)).expect("it is taken");
}

fn replace(index: &SearchIndex, document: Document) {
    let change = (partition(1), Change::Replace(document));
    index.apply(&[change], Position::from_stored(index.position().to_stored() + 1)).expect("it is taken");
}

#[test]
fn what_is_written_is_found_at_once_and_what_is_gone_is_not() {
    let index = in_memory();
    add(&index, [note(1, "first", "a stone on the long path"), note(2, "second", "another stone")]);
    assert_eq!(ids(&search(&index, "stone")), [2, 1], "the shorter one fits better");
    for flushed in [false, true] {
        replace(&index, note(1, "first", "a river"));
        assert_eq!(ids(&search(&index, "stone")), [2]);
        assert_eq!(ids(&search(&index, "river")), [1]);
        if flushed {
            assert!(index.flush().expect("it is written"));
            assert!(!index.flush().expect("nothing to write"));
        }
        replace(&index, note(1, "first", "a stone on the long path"));
        assert_eq!(ids(&search(&index, "river")), [0_u64; 0]);
        assert_eq!(ids(&search(&index, "stone")), [2, 1]);
    }
    remove(&index, 2);
    remove(&index, 9);
    assert_eq!(ids(&search(&index, "stone")), [1]);
    index.flush().expect("it is written");
    assert_eq!(ids(&search(&index, "stone")), [1]);
    assert_eq!(index.figures().documents, 1);
}

#[test]
fn answers_are_the_same_wherever_documents_are_kept_and_in_whatever_order_they_came() {
    let documents = |order: &[u64]| -> Vec<Document> {
        let text = |id: u64| "stone river ".repeat(usize::try_from(id % 5 + 1).expect("small"));
        order.iter().map(|id| note(*id, &format!("name{}", id % 3), &text(*id))).collect()
    };
    let order: Vec<u64> = (1..=40).collect();
    let backwards: Vec<u64> = order.iter().rev().copied().collect();
    let all_in_memory = in_memory();
    add(&all_in_memory, documents(&order));
    let all_on_disk = in_memory();
    add(&all_on_disk, documents(&backwards));
    all_on_disk.flush().expect("it is written");
    let in_pieces = in_memory();
    for (at, document) in documents(&backwards).into_iter().enumerate() {
        add(&in_pieces, [document]);
        if at % 7 == 3 {
            in_pieces.flush().expect("it is written");
        }
    }
    for query in ["stone", "river name1", "+stone -name2", "\"stone river\"", "nam*", "-name0"] {
        let expected = search(&all_in_memory, query);
        assert!(expected.total > 0, "{query}");
        for other in [&all_on_disk, &in_pieces] {
            let found = search(other, query);
            assert_eq!((&found.hits, found.total), (&expected.hits, expected.total), "{query}");
        }
        // Pages put together are the whole.
        let best = all_in_memory.search(&request(query, 7)).expect("an answer");
        assert_eq!(best.hits[..], expected.hits[..best.hits.len()], "{query}");
    }
}

#[test]
fn partitions_know_nothing_of_each_other() {
    let index = in_memory();
    add(&index, [note(1, "one", "stone"), note(2, "two", "river")]);
    let alone = search(&index, "stone");
    let others: Vec<_> =
        (10..60).map(|id| (partition(2), Change::Add(note(id, "secret", "stone stonemason")))).collect();
    index.apply(&others, Position::from_stored(9)).expect("they are taken");
    index.flush().expect("it is written");
    let found = search(&index, "stone");
    assert_eq!((found.hits, found.total), (alone.hits, alone.total), "scores do not change either");
    assert_eq!(search(&index, "ston*").total, 1);
    assert_eq!(search(&index, "secret").total, 0);
}

#[test]
fn filters_are_part_of_the_question() {
    let index = in_memory();
    let of = |id: u64, kind: &str, tags: &[&str], who: &[&str]| Document {
        kind: kind.into(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        visible_to: who.iter().map(|who| (*who).to_owned()).collect(),
        group: id % 2 + 1,
        ..note(id, "x", "stone")
    };
    add(
        &index,
        [
            of(1, "a", &["red"], &[]),
            of(2, "b", &["red", "big"], &["ann"]),
            of(3, "a", &["big"], &["bob", "team"]),
        ],
    );
    let ask = |filter: Filter| {
        let found = index.search(&Request { filter, ..request("stone", 10) }).expect("an answer");
        assert_eq!(found.total, found.hits.len() as u64);
        ids(&found)
    };
    let all = || Filter::default();
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    for flushed in [false, true] {
        if flushed {
            index.flush().expect("it is written");
        }
        assert_eq!(ask(Filter { kinds: texts(&["a"]), ..all() }), [1, 3]);
        assert_eq!(ask(Filter { kinds: texts(&["a", "b"]), ..all() }), [1, 2, 3]);
        assert_eq!(ask(Filter { tags: texts(&["red", "big"]), ..all() }), [2]);
        assert_eq!(ask(Filter { tags: texts(&["blue"]), ..all() }), [0_u64; 0]);
        assert_eq!(ask(Filter { visible_to: Some(texts(&["ann"])), ..all() }), [1, 2]);
        assert_eq!(ask(Filter { visible_to: Some(texts(&["team", "eve"])), ..all() }), [1, 3]);
        assert_eq!(ask(Filter { visible_to: Some(Vec::new()), ..all() }), [1]);
        assert_eq!(ask(Filter { group: Some(2), ..all() }), [1, 3]);
        let times = |since_ms, until_ms| Filter { times: Times { since_ms, until_ms }, ..all() };
        assert_eq!(ask(times(Some(2), None)), [2, 3]);
        assert_eq!(ask(times(Some(2), Some(2))), [2]);
        assert_eq!(ask(times(None, Some(1))), [1]);
    }
}

#[test]
fn tags_are_counted_at_the_limit_and_one_past_it() {
    let index = in_memory();
    let tags = |count: usize| (0..count).map(|number| number.to_string()).collect::<Vec<_>>();
    add(&index, [Document { tags: tags(20), ..note(1, "x", "stone") }]);
    // With as many clauses as a query can have, every one of them needs a bit of its own.
    let clauses = "+stone ".repeat(12) + &"-river ".repeat(12);
    let ask = |count| {
        let filter = Filter { tags: tags(count), visible_to: Some(Vec::new()), ..Filter::default() };
        index.search(&Request { filter, ..request(&clauses, 10) })
    };
    assert_eq!(ids(&ask(16).expect("an answer")), [1]);
    assert!(matches!(ask(17), Err(SearchError::TooManyTags { tags: 17 })));
}

#[test]
fn groups_add_up_and_are_counted() {
    let index = in_memory();
    let of = |id: u64, group: u64, text: &str| Document {
        group,
        subgroup: group * 10 + id % 2,
        ..note(id, "", text)
    };
    add(
        &index,
        [of(1, 1, "stone path"), of(2, 1, "stone path"), of(3, 2, "stone path"), of(4, 3, "river bank")],
    );
    for flushed in [false, true] {
        if flushed {
            index.flush().expect("it is written");
        }
        let found = index.search_groups(&request("stone", 10), Grouping::Group).expect("an answer");
        let groups: Vec<_> = found.groups.iter().map(|group| (group.group, group.count)).collect();
        assert_eq!((groups, found.total), (vec![(1, 2), (2, 1)], 2));
        assert!(found.groups[0].score > found.groups[1].score);
        let best: Vec<_> = found.groups[0].best.iter().map(|hit| hit.id[7]).collect();
        assert_eq!(best, [1, 2]);
        let small = index.search_groups(&request("stone", 10), Grouping::Subgroup).expect("an answer");
        assert_eq!(small.total, 3);
        let first = index.search_groups(&request("stone", 1), Grouping::Group).expect("an answer");
        assert_eq!((first.groups.len(), first.total), (1, 2));
    }
}

#[test]
fn newer_is_better_if_that_is_wanted() {
    let index = in_memory();
    add(&index, [note(1, "", "stone path"), Document { time_ms: 1_000_000, ..note(2, "", "stone path") }]);
    assert_eq!(ids(&search(&index, "stone")), [1, 2]);
    let recency = Recency { half_life_ms: 1000, now_ms: 1_000_000 };
    let found = index.search(&Request { recency, ..request("stone", 10) }).expect("an answer");
    assert_eq!(ids(&found), [2, 1]);
    assert!(found.hits[1].score > found.hits[0].score / 2.0 - 0.001, "age alone never takes more than half");
}

#[test]
fn the_whole_of_a_name_comes_first_and_says_so() {
    let index = in_memory();
    add(
        &index,
        [
            note(1, "Rate limits of the gateway", "rate limit rate limit rate limit"),
            note(2, "Rate limit", "about something else"),
            note(3, "Rate", "limit"),
        ],
    );
    let found = search(&index, "rate limit");
    assert_eq!(ids(&found)[0], 2);
    let rules: Vec<_> =
        found.hits[0].reasons.iter().map(|reason| (reason.field, reason.rule.name())).collect();
    assert!(rules.contains(&("name", "name")), "{rules:?}");
    assert!(found.hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)));
}

#[test]
fn an_index_goes_on_where_it_was_written_last() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = |settings: Settings| {
        let protection = Protection::Checked(Arc::new(SystemEntropy));
        SearchIndex::open(open_directory(folder.path(), protection).expect("a directory"), settings)
    };
    let index = open(settings()).expect("an index");
    add(&index, [note(1, "one", "stone")]);
    index.flush().expect("it is written");
    let written = index.position();
    add(&index, [note(2, "two", "stone")]);
    replace(&index, note(1, "one", "river"));
    assert_ne!(index.position(), written);
    drop(index);

    let index = open(settings()).expect("an index");
    assert_eq!(index.position(), written, "what was not written has to come again");
    assert_eq!(index.figures().written, written);
    assert_eq!((ids(&search(&index, "stone")), index.figures().documents), (vec![1], 1));
    add(&index, [note(2, "two", "stone")]);
    replace(&index, note(1, "one", "river"));
    assert_eq!(ids(&search(&index, "stone")), [2]);
    index.close(std::time::Duration::from_secs(60)).expect("it is written");
    let last = index.position();
    drop(index);

    let index = open(settings()).expect("an index");
    assert_eq!((index.position(), ids(&search(&index, "stone"))), (last, vec![2]));
    // Changes without documents are not to be read again either.
    let later = Position::from_stored(last.to_stored() + 5);
    index.apply(&[], later).expect("nothing to take");
    assert_eq!((index.flush().expect("it is written"), index.figures().written), (true, later));
    assert!(!index.flush().expect("nothing to write"));
    drop(index);
    assert_eq!(open(settings()).expect("an index").position(), later);
    let other = open(Settings { store: "another".into(), ..settings() });
    assert!(matches!(other, Err(SearchError::Damaged(_))), "{other:?}");
}
