//! What was found, and why.

use cairn_base::Position;

use crate::document::Partition;

/// The answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The best, the best first. Equal scores are ordered by partition and id.
    pub hits: Vec<Hit>,
    /// How many there are in all.
    pub total: u64,
    /// Words that were not looked for, because they say nothing.
    pub ignored: Vec<String>,
    /// When little was found: the query with words that nothing holds replaced by names that are written
    /// almost so, the nearest first. Whoever asks may see something that holds each of these names.
    pub suggestions: Vec<String>,
    /// Everything up to here was looked at.
    pub position: Position,
}

/// A document that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Where it is kept.
    pub partition: Partition,
    /// Its id there.
    pub id: Vec<u8>,
    /// What it belongs to.
    pub group: u64,
    /// The smaller group inside of that.
    pub subgroup: u64,
    /// When it came to be, in Unix milliseconds.
    pub time_ms: u64,
    /// How well it fits: 1 is as well as anything could.
    pub score: f64,
    /// Why it was found.
    pub reasons: Vec<Reason>,
}

/// The best groups.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundGroups {
    /// The best, the best first. Equal scores are ordered by group.
    pub groups: Vec<GroupHit>,
    /// How many groups there are in all.
    pub total: u64,
    /// As in [`Found::ignored`].
    pub ignored: Vec<String>,
    /// As in [`Found::suggestions`].
    pub suggestions: Vec<String>,
    /// As in [`Found::position`].
    pub position: Position,
}

/// A group with documents that were found.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupHit {
    /// Which one.
    pub group: u64,
    /// How well it fits: the best document counts in full, the second half, and so on. What several
    /// partitions say adds up, and never to more than 1.
    pub score: f64,
    /// How many of its documents were found.
    pub count: u64,
    /// The best of them.
    pub best: Vec<Hit>,
}

/// One of the reasons for which a document was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason {
    /// In which of its fields.
    pub field: &'static str,
    /// What was found, as the query says it.
    pub term: String,
    /// How.
    pub rule: Rule,
}

/// How a part of a query was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// The query is the whole of a name.
    Name,
    /// The words, one after the other.
    Phrase,
    /// The word.
    Word,
    /// A part of a compound.
    Part,
    /// A word that begins so.
    Prefix,
    /// A name that is written almost so.
    Near,
    /// A neighbour was found.
    Neighbour,
}

impl Rule {
    /// What it is called in answers.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Name => "name",
            Rule::Phrase => "phrase",
            Rule::Word => "word",
            Rule::Part => "part",
            Rule::Prefix => "prefix",
            Rule::Near => "near",
            Rule::Neighbour => "neighbour",
        }
    }
}
