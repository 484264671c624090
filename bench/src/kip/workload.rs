//! The graph that is measured: made here, the same everywhere, so that others can be compared.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::random::Random;

const HEADS: [&str; 16] =
    ["ba", "co", "di", "fu", "ga", "he", "ji", "ko", "la", "mi", "nu", "po", "ra", "se", "ti", "vu"];
const MIDDLES: [&str; 16] = [
    "ran", "lek", "mos", "nit", "pul", "rod", "san", "tev", "vin", "wog", "xas", "yil", "zen", "bor", "dap",
    "kem",
];
/// Types, by the number of a concept.
pub(crate) const TYPES: [&str; 4] = ["Alpha", "Beta", "Gamma", "Topic"];
/// Predicates, by what is drawn.
const PREDICATES: [&str; 4] = ["links_to", "links_to", "mentions", "part_of"];
/// What has to be defined before anything is loaded.
pub(crate) const DEFINED_PREDICATES: [&str; 3] = ["links_to", "mentions", "part_of"];

/// A word of seven letters.
pub(crate) fn word(number: u64) -> String {
    let part = |shift: u32| (number >> shift & 15) as usize;
    format!("{}{}{}", HEADS[part(0)], MIDDLES[part(4)], HEADS[part(8)])
}

/// How large a graph is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// How many concepts.
    pub(crate) concepts: u64,
    /// How many propositions are drawn; some are drawn twice.
    pub(crate) propositions: u64,
}

/// One concept.
#[derive(Debug, Clone)]
pub(crate) struct Concept {
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    pub(crate) score: u64,
    pub(crate) level: String,
    pub(crate) description: String,
    pub(crate) confidence: f64,
    pub(crate) tags: [String; 2],
    pub(crate) created_at: String,
}

/// What a concept is called.
pub(crate) fn named(number: u64) -> (&'static str, String) {
    let name = format!("{} {} {number:07}", word((7 * number + 3) % 4096), word((number / 3 + 11) % 4096));
    (TYPES[(number % 4) as usize], name)
}

impl Concept {
    /// The concept with a number.
    pub(crate) fn new(number: u64) -> Self {
        let mut random = Random::new(0x00c0_ffee ^ number.wrapping_mul(0x0100_0193));
        let (kind, name) = named(number);
        let score = random.below(10_000);
        let level = format!("k{}", random.below(16));
        let mut description = String::new();
        for place in 0..12 {
            let space = if place == 0 { "" } else { " " };
            let _ = write!(description, "{space}{}", word(squared(&mut random, 4096)));
        }
        let confidence = random.below(100) as f64 / 100.0;
        let tags = [format!("t{}", random.below(64)), format!("t{}", random.below(64))];
        let day = random.below(28);
        let created_at = format!("2026-{:02}-{:02}T00:00:00Z", day % 12 + 1, day + 1);
        Concept { kind, name, score, level, description, confidence, tags, created_at }
    }

    /// Its block of an UPSERT.
    pub(crate) fn block(&self, text: &mut String) {
        let Concept { kind, name, score, level, description, confidence, tags, created_at } = self;
        let _ = writeln!(
            text,
            "CONCEPT {{ {{type: \"{kind}\", name: \"{name}\"}} SET ATTRIBUTES {{ score: {score}, level: \
             \"{level}\", description: \"{description}\", tags: [\"{}\", \"{}\"] }} }} WITH METADATA {{ \
             confidence: {confidence}, created_at: \"{created_at}\" }}",
            tags[0], tags[1]
        );
    }
}

/// One proposition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Proposition {
    pub(crate) subject: u64,
    pub(crate) predicate: &'static str,
    pub(crate) object: u64,
    weight: u64,
}

impl Proposition {
    /// The proposition with a number.
    pub(crate) fn new(number: u64, concepts: u64) -> Self {
        let mut random = Random::new(0xbeef ^ number.wrapping_mul(0x9e37_79b1));
        let subject = random.below(concepts);
        let predicate = PREDICATES[random.below(4) as usize];
        let mut object = squared(&mut random, concepts);
        if predicate == "part_of" {
            object = object / 4 * 4 + 3;
        }
        if object == subject {
            object = (object + 4) % concepts;
        }
        Proposition { subject, predicate, object, weight: number % 100 }
    }

    /// Its block of an UPSERT.
    pub(crate) fn block(&self, text: &mut String) {
        let Proposition { subject, predicate, object, weight } = *self;
        let ((subject_type, subject), (object_type, object)) = (named(subject), named(object));
        let _ = writeln!(
            text,
            "PROPOSITION {{ ({{type: \"{subject_type}\", name: \"{subject}\"}}, \"{predicate}\", {{type: \
             \"{object_type}\", name: \"{object}\"}}) SET ATTRIBUTES {{ weight: {weight} }} }}"
        );
    }
}

/// The concept that most propositions lead to.
pub(crate) fn hub(size: Size) -> u64 {
    let mut links: HashMap<u64, u64> = HashMap::new();
    for number in 0..size.propositions {
        *links.entry(Proposition::new(number, size.concepts).object).or_default() += 1;
    }
    links.into_iter().max_by_key(|(_, links)| *links).map_or(0, |(object, _)| object)
}

/// A number below a limit, the smaller the likelier.
pub(crate) fn squared(random: &mut Random, limit: u64) -> u64 {
    let unit = (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
    (limit as f64 * (unit * unit)) as u64
}
