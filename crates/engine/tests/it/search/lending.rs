//! What turns lend each other, against a model: the hits of a plain index of the same texts, which has a
//! model of its own, and every pair of neighbours looked at.

use cairn_base::{Position, SpaceId, TenantId, TurnId};
use cairn_engine::SearchQuestion;
use cairn_search::directory::memory_directory;
use cairn_search::document::{Change, Collection, Document, Field, Partition, Role};
use cairn_search::index::{SearchIndex, Settings};
use cairn_search::query;
use cairn_search::request::{Filter, Recency, Request};
use proptest::prelude::*;

use super::kit::{Kit, question};

const WORDS: [&str; 6] = ["petrel", "gannet", "curlew", "dunlin", "avocet", "whimbrel"];
const TEXTS: Collection =
    Collection { number: 9, name: "texts", fields: &[Field { name: "text", weight: 1.0, role: Role::Text }] };
const HOME: Partition = Partition { tenant: TenantId(1), space: SpaceId::NONE, collection: TEXTS.number };
/// Neighbours lend among so many times as many as are asked for.
const CANDIDATES: usize = 10;
const LENT: f64 = 0.35;

/// A turn that was said.
#[derive(Debug, Clone)]
struct Said {
    turn: u64,
    parent: u64,
    text: String,
}

/// What is done to a store.
#[derive(Debug, Clone)]
enum Step {
    /// Says some words in one of the contexts.
    Say(prop::sample::Index, Vec<usize>),
    /// Forks from one of the turns.
    Fork(prop::sample::Index),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let say = (any::<prop::sample::Index>(), prop::collection::vec(0..WORDS.len(), 1..6));
    let step = prop_oneof![
        8 => say.prop_map(|(context, words)| Step::Say(context, words)),
        1 => any::<prop::sample::Index>().prop_map(Step::Fork),
    ];
    prop::collection::vec(step, 1..60)
}

/// Does the steps, and says what was said.
fn play(kit: &Kit, steps: &[Step]) -> Vec<Said> {
    let mut heads = vec![(kit.context(), 0), (kit.context(), 0)];
    let mut said: Vec<Said> = Vec::new();
    for step in steps {
        match step {
            Step::Say(context, words) => {
                let (context, head) = context.get_mut(&mut heads);
                let text = words.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" ");
                let turn = kit.say(*context, &text).0;
                said.push(Said { turn, parent: *head, text });
                *head = turn;
            }
            Step::Fork(from) if !said.is_empty() => {
                let from = from.get(&said).turn;
                heads.push((kit.context_of(super::kit::TENANT, Some(TurnId(from))), from));
            }
            Step::Fork(_) => {}
        }
    }
    said
}

/// The same texts in an index that knows nothing of neighbours.
fn plain_index(said: &[Said]) -> SearchIndex {
    let settings = Settings { store: "plain".into(), collections: vec![&TEXTS], writer_bytes: 15_000_000 };
    let index = SearchIndex::open(memory_directory(), settings).unwrap();
    let changes: Vec<_> = said
        .iter()
        .map(|said| {
            let id = said.turn.to_be_bytes().to_vec();
            let texts = vec![(0, said.text.clone())];
            (HOME, Change::Add(Document { id, kind: "note".into(), texts, ..Document::default() }))
        })
        .collect();
    index.apply(&changes, Position::from_stored(1)).unwrap();
    index
}

/// The best turns and what they are worth.
fn model(said: &[Said], words: &str, limit: usize) -> Vec<(u64, f64)> {
    let request = Request {
        partitions: vec![HOME],
        query: query::parse(words, &["text"]).unwrap(),
        filter: Filter::default(),
        limit: limit * CANDIDATES,
        recency: Recency::default(),
    };
    let found = plain_index(said).search(&request).unwrap();
    let number = |id: &[u8]| u64::from_be_bytes(id.try_into().unwrap());
    let parent = |turn: u64| said.iter().find(|said| said.turn == turn).unwrap().parent;
    let plain: Vec<_> = found.hits.iter().map(|hit| (number(&hit.id), hit.score)).collect();
    let mut worth: Vec<_> = plain
        .iter()
        .map(|(turn, score)| {
            let lenders =
                plain.iter().filter(|(other, _)| parent(*turn) == *other || parent(*other) == *turn);
            (*turn, score + lenders.map(|(_, score)| LENT * score).sum::<f64>())
        })
        .collect();
    worth.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    worth.truncate(limit);
    worth
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_neighbours_lend_is_what_a_model_says(
        steps in steps(),
        words in prop::collection::vec(0..WORDS.len(), 1..4),
        limit in 1..6_usize,
    ) {
        let kit = Kit::new();
        let said = play(&kit, &steps);
        let words = words.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" ");
        let page = kit.ask(&SearchQuestion { limit, ..question(&words) });
        let found: Vec<_> = page.hits.iter().map(|hit| (hit.turn.unwrap().0, hit.score)).collect();
        let expected = model(&said, &words, limit);
        prop_assert_eq!(found.len(), expected.len());
        for ((turn, score), (expected_turn, expected_score)) in found.iter().zip(&expected) {
            prop_assert_eq!(turn, expected_turn, "{:?} against {:?}", &found, &expected);
            // A sum of some numbers, in whichever order.
            prop_assert!((score - expected_score.min(1.0)).abs() < 1e-12, "{:?} against {:?}", &found, &expected);
        }
    }
}
