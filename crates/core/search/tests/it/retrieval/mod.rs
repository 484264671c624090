//! How often one of the right things is among the first five: a conversation, a small graph and some
//! documents, with questions as people and programs ask them.
//!
//! The questions were all written before any of them was asked. `cargo test -p cairn-search --test it
//! retrieval -- --nocapture` prints those that miss.

use cairn_base::{Position, SpaceId, TenantId};
use cairn_search::directory::memory_directory;
use cairn_search::document::{Change, Collection, Document, Field, Partition, Role};
use cairn_search::index::{SearchIndex, Settings};
use cairn_search::query;
use cairn_search::request::{Filter, Recency, Request};

/// How many of the best are looked at.
const FIRST: usize = 5;
/// How often one of them has to be right.
const HITS_MIN: f64 = 0.9;

const fn field(name: &'static str, weight: f32, role: Role) -> Field {
    Field { name, weight, role }
}

const TURNS: Collection = Collection { number: 1, name: "turns", fields: &[field("text", 1.0, Role::Text)] };
const CONCEPTS: Collection = Collection {
    number: 2,
    name: "concepts",
    fields: &[
        field("name", 2.0, Role::Name),
        field("aliases", 1.5, Role::Name),
        field("description", 1.0, Role::Text),
    ],
};
const DOCUMENTS: Collection = Collection {
    number: 3,
    name: "documents",
    fields: &[field("title", 2.0, Role::Name), field("text", 1.0, Role::Text)],
};
const COLLECTIONS: &[Collection] = &[TURNS, CONCEPTS, DOCUMENTS];

fn partition(collection: &Collection) -> Partition {
    Partition { tenant: TenantId(1), space: SpaceId::NONE, collection: collection.number }
}

/// Lines of fields that are divided by bars.
fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().map(|line| line.split('|').map(str::trim).collect())
}

fn document(id: &str, texts: Vec<(u8, String)>) -> Document {
    Document { id: id.into(), texts, ..Document::default() }
}

fn changes() -> Vec<(Partition, Change)> {
    let turn = |row: Vec<&str>| document(row[0], vec![(0, row[2].to_owned())]);
    let concept = |row: Vec<&str>| {
        let aliases = row[2].split("; ").filter(|alias| !alias.is_empty()).map(|alias| (1, alias.to_owned()));
        let mut texts = vec![(0, row[1].to_owned()), (2, row[3].to_owned())];
        texts.extend(aliases);
        document(row[0], texts)
    };
    let page = |row: Vec<&str>| document(row[0], vec![(0, row[1].to_owned()), (1, row[2].to_owned())]);
    let turns = rows(include_str!("turns.txt")).map(turn).map(|document| (&TURNS, document));
    let concepts = rows(include_str!("concepts.txt")).map(concept).map(|document| (&CONCEPTS, document));
    let pages = rows(include_str!("documents.txt")).map(page).map(|document| (&DOCUMENTS, document));
    let all = turns.chain(concepts).chain(pages);
    all.map(|(collection, document)| (partition(collection), Change::Add(document))).collect()
}

fn first(index: &SearchIndex, text: &str) -> Vec<String> {
    let request = Request {
        partitions: COLLECTIONS.iter().map(partition).collect(),
        query: query::parse(text, &[]).expect("it parses"),
        filter: Filter::default(),
        limit: FIRST,
        recency: Recency::default(),
    };
    let found = index.search(&request).expect("an answer");
    found.hits.into_iter().map(|hit| String::from_utf8(hit.id).expect("text")).collect()
}

#[test]
fn the_right_thing_is_mostly_among_the_first_five() {
    let settings = Settings {
        store: "store".into(),
        collections: COLLECTIONS.iter().collect(),
        writer_bytes: 15_000_000,
    };
    let index = SearchIndex::open(memory_directory(), settings).expect("an index");
    index.apply(&changes(), Position::from_stored(1)).expect("they are taken");
    let (mut hits, mut at_once, mut all) = (0, 0, 0);
    for line in include_str!("queries.txt").lines() {
        let (text, wanted) = line.split_once(" => ").expect("a query and what is wanted");
        let wanted: Vec<_> = wanted.split(' ').collect();
        let found = first(&index, text);
        let place = found.iter().position(|id| wanted.contains(&id.as_str()));
        all += 1;
        hits += usize::from(place.is_some());
        at_once += usize::from(place == Some(0));
        if place.is_none() {
            println!("missed: {text}: wanted {wanted:?}, found {found:?}");
        }
    }
    let share = hits as f64 / f64::from(all);
    println!(
        "one of the first {FIRST} is right for {hits} of {all} queries ({share:.3}), the first for {at_once}"
    );
    assert!(all >= 50 && share >= HITS_MIN, "{hits} of {all}");
}
