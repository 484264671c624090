//! Names of the tables that records live in.

/// An ordered keyspace: one table of the index.
///
/// The number is what the log stores, so it is chosen once and never reused; the name is for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Keyspace {
    /// What stands in the log and names the table.
    pub id: u16,
    /// What people read in reports.
    pub name: &'static str,
}

impl Keyspace {
    /// Declares a keyspace.
    pub const fn new(id: u16, name: &'static str) -> Self {
        Keyspace { id, name }
    }
}

/// A hashed keyspace: exact look-ups by key, entries may expire, no scans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HashedKeyspace {
    /// What stands in the log; hashed and ordered keyspaces count separately.
    pub id: u16,
    /// What people read in reports.
    pub name: &'static str,
}

impl HashedKeyspace {
    /// Declares a hashed keyspace. Number 0 is the store's own (places of blobs).
    pub const fn new(id: u16, name: &'static str) -> Self {
        assert!(id != 0, "hashed keyspace 0 belongs to the store");
        HashedKeyspace { id, name }
    }
}
