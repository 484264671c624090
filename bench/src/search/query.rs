//! Two words among many turns, through the door of the index, beside bare tantivy on the same files.
//!
//! Words are drawn as those of the texts are: the most frequent one is in nine of ten texts and in every
//! twelfth place of a query, which is what people who leave out stop words never do. Both sides answer how
//! many documents hold one of the words, and the best ten. Ours reads the query as it is typed, looks for
//! why each of the ten was found, and has their ids, groups and times; snippets are not in it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use cairn_base::SystemEntropy;
use cairn_search::directory::{Protection, open_directory};
use cairn_search::document::{Change, Collection, Document, Field, Partition, Role};
use cairn_search::index::{SearchIndex, Settings};
use cairn_search::query::parse;
use cairn_search::request::{Filter, Recency, Request};

use super::bare::Bare;
use super::million::Million;
use super::words::{Vocabulary, stem};
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::random::Random;
use crate::spread::{Spread, ms};

/// As the engine has it.
const TURNS: &[Collection] = &[Collection {
    number: 1,
    name: "turns",
    fields: &[Field { name: "text", weight: 1.0, role: Role::Text }],
}];
const TAIL: u64 = 10_000;

/// A query as it is typed, and its words as they are kept.
struct Two {
    typed: String,
    stems: [String; 2],
}

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let million = Million::ready(setting)?;
    let vocabulary = Vocabulary::new();
    let mut random = Random::new(11);
    let queries: Vec<Two> = (0..setting.pick(1000, 200))
        .map(|_| {
            let two = vocabulary.two(&mut random);
            Two { typed: two.join(" "), stems: [stem(&two[0]), stem(&two[1])] }
        })
        .collect();
    let folder = million.index()?;
    let settings =
        Settings { store: million.node.clone(), collections: TURNS.iter().collect(), writer_bytes: 32 << 20 };
    let folder = open_directory(&folder, Protection::Checked(Arc::new(SystemEntropy)))?;
    let index = SearchIndex::open(folder.clone(), settings)?;
    let partition = index.partitions().into_iter().find(|partition| partition.collection == TURNS[0].number);
    let Some(partition) = partition else { anyhow::bail!("there are no turns in the index") };
    let bare = Bare::open(&folder)?;
    let segments = index.figures().segments;
    let rounds = setting.pick(3, 1);

    let (ours, theirs) = compare(&queries, &index, partition, &bare, rounds, 0)?;
    let (own, other) = (ours.spread(), theirs.spread());
    report.add(
        Figure::new("two words, p50", own.quantile_ms(0.5), Unit::Millis)
            .target(Target::Below(5.0))
            .beside(format!("{} queries, {rounds} times, {segments} segments", queries.len())),
    );
    report.add(
        Figure::new("two words, p99", own.quantile_ms(0.99), Unit::Millis)
            .target(Target::Below(25.0))
            .beside(format!("the longest {:.1} ms", own.max_ms())),
    );
    report.add(ratio("the same, as a multiple of bare tantivy", &own, &other).target(Target::AtMost(1.5)));
    report.add(sums("all queries together, as a multiple of bare tantivy", &ours, &theirs));

    let tail: Vec<_> =
        (0..TAIL).map(|number| (partition, added(million.turns + number, &vocabulary))).collect();
    index.apply(&tail, index.position())?;
    let (ours, theirs) = compare(&queries, &index, partition, &bare, rounds, TAIL)?;
    let (own, other) = (ours.spread(), theirs.spread());
    report.add(
        ratio("with 10,000 turns that are not on disk, as a multiple", &own, &other)
            .target(Target::AtMost(2.0)),
    );
    report.add(sums("all of these together, as a multiple", &ours, &theirs));
    Ok(())
}

/// A turn that is not on disk.
fn added(number: u64, vocabulary: &Vocabulary) -> Change {
    Change::Add(Document {
        id: (u64::MAX / 2 + number).to_be_bytes().to_vec(),
        group: 1 + number % 1000,
        subgroup: number,
        kind: "com.example.Message".into(),
        texts: vec![(0, vocabulary.text(number))],
        time_ms: 1_700_000_000_000 + number,
        ..Document::default()
    })
}

/// Times of every query, in every round.
struct Times(Vec<Vec<Duration>>);

impl Times {
    /// By the middle time of each query.
    fn spread(&self) -> Spread {
        Spread::new(self.0.iter().map(|times| middle(times)).collect())
    }

    fn sum_ms(&self) -> f64 {
        self.0.iter().map(|times| ms(middle(times))).sum()
    }
}

fn middle(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[times.len() / 2]
}

/// Asks both sides every query in every round; who begins changes.
fn compare(
    queries: &[Two],
    index: &SearchIndex,
    partition: Partition,
    bare: &Bare,
    rounds: usize,
    more: u64,
) -> Result<(Times, Times)> {
    let mut ours = vec![Vec::with_capacity(rounds); queries.len()];
    let mut theirs = ours.clone();
    // Once without counting, so that the files are in memory for both.
    for query in queries {
        let (own, other) = (ask(index, partition, query)?, bare.search(&query.stems)?);
        let is_right = own.0 >= other.0 && own.0 <= other.0 + more && own.1 == own.0.min(10) as usize;
        ensure!(is_right, "{}: {own:?} against {other:?}", query.typed);
    }
    for round in 0..rounds {
        for (at, query) in queries.iter().enumerate() {
            for turn in 0..2 {
                let began = Instant::now();
                if (round + turn + at) % 2 == 0 {
                    ask(index, partition, query)?;
                    ours[at].push(began.elapsed());
                } else {
                    bare.search(&query.stems)?;
                    theirs[at].push(began.elapsed());
                }
            }
        }
    }
    Ok((Times(ours), Times(theirs)))
}

/// How many documents hold one of the words, and how many of the best there are.
fn ask(index: &SearchIndex, partition: Partition, query: &Two) -> Result<(u64, usize)> {
    let request = Request {
        partitions: vec![partition],
        query: parse(&query.typed, &["text"])?,
        filter: Filter::default(),
        limit: 10,
        recency: Recency::default(),
    };
    let found = index.search(&request)?;
    Ok((found.total, found.hits.len()))
}

fn ratio(name: &str, own: &Spread, other: &Spread) -> Figure {
    let (own_p50, other_p50) = (own.quantile_ms(0.5), other.quantile_ms(0.5));
    Figure::new(name, own_p50 / other_p50, Unit::Times).beside(format!(
        "p50 {own_p50:.3} against {other_p50:.3} ms, p99 {:.2} against {:.2} ms",
        own.quantile_ms(0.99),
        other.quantile_ms(0.99)
    ))
}

fn sums(name: &str, ours: &Times, theirs: &Times) -> Figure {
    let (own, other) = (ours.sum_ms(), theirs.sum_ms());
    Figure::new(name, own / other, Unit::Times)
        .beside(format!("{own:.0} against {other:.0} ms, most of it for the most frequent words"))
}
