//! What can be found.

use cairn_base::{SpaceId, TenantId};

/// A kind of thing that is searched as one: the turns of a tenant, the concepts of a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collection {
    /// Chosen once and never reused: it is stored.
    pub number: u8,
    /// What people call it.
    pub name: &'static str,
    /// What its documents consist of, at most [`FIELDS_MAX`].
    pub fields: &'static [Field],
}

impl Collection {
    /// The part of this collection that belongs to a space of a tenant.
    pub fn partition(&self, tenant: TenantId, space: SpaceId) -> Partition {
        Partition { tenant, space, collection: self.number }
    }
}

/// How many fields the documents of one collection can have.
pub const FIELDS_MAX: usize = 4;

/// One of the texts of a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// What it is called in queries: `name:word`.
    pub name: &'static str,
    /// How much a word counts here, compared with 1 for plain text.
    pub weight: f32,
    /// What kind of text it is.
    pub role: Role,
}

// Weights are constants of the program, never results of a computation.
impl Eq for Field {}

/// What kind of text a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Names and aliases: every word counts, and a query that is the whole of one is worth more.
    Name,
    /// Prose: stop words are left out.
    Text,
}

/// Documents that are counted together: how rare a word is, and how long a text is on average, is a
/// matter of one partition. So nothing about one tenant can be learned from what another one finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partition {
    /// Whose documents.
    pub tenant: TenantId,
    /// In which of its spaces.
    pub space: SpaceId,
    /// The number of the collection.
    pub collection: u8,
}

/// Something that can be found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// What it is called inside its partition; equal scores are ordered by it.
    pub id: Vec<u8>,
    /// What it belongs to (a turn: its context); zero for nothing.
    pub group: u64,
    /// A smaller group inside of that one (a turn: some turns before and after it); zero for none.
    pub subgroup: u64,
    /// What kind of thing it is, such as the type of a turn.
    pub kind: String,
    /// Its texts: the place of the field in [`Collection::fields`], and what it says. A field may come
    /// several times (a name and its aliases).
    pub texts: Vec<(u8, String)>,
    /// Words to filter by.
    pub tags: Vec<String>,
    /// Who may see it: one of these is enough. Empty is everybody of the tenant.
    pub visible_to: Vec<String>,
    /// When it came to be, in Unix milliseconds.
    pub time_ms: u64,
    /// The language of its texts, if somebody said so.
    pub language: Option<crate::text::Language>,
}

impl Document {
    /// The id of something that has a number: such ids are ordered as the numbers are.
    pub fn id_of(number: u64) -> Vec<u8> {
        number.to_be_bytes().to_vec()
    }

    /// The number of an id; zero, which nothing has, if it is none.
    pub fn number_of(id: &[u8]) -> u64 {
        id.try_into().map_or(0, u64::from_be_bytes)
    }
}

/// What happens to a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A document that was never there before.
    Add(Document),
    /// A document that takes the place of the one of its id, if there is one.
    Replace(Document),
    /// The document of this id goes, if there is one.
    Remove(Vec<u8>),
}
