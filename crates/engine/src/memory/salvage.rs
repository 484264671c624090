//! A memory's side of salvage: what a damaged store held, and how the rest is made whole again.

use std::collections::BTreeSet;
use std::fmt;

use cairn_base::{Position, SpaceId, TenantId};
use cairn_seam::{Certainty, Keyspace, Trace};

use crate::EngineError;
use crate::salvage::Repair;

/// Records that are not rebuilt from others. One that a damaged frame names and that is not there is lost.
///
/// Memories look after records with numbers themselves.
#[derive(Debug, Clone, Copy)]
pub struct Primary {
    /// The keyspace.
    pub keyspace: Keyspace,
    /// What people call such a record.
    pub kind: &'static str,
    /// How its id is made of its key.
    pub id: PrimaryId,
}

/// How the id of a record is read from what its key holds behind tenant and space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrimaryId {
    /// A number of 8 bytes.
    Number,
    /// A number of 4 bytes.
    Short,
    /// A text.
    Text,
    /// All bytes, in hexadecimal digits.
    Bytes,
    /// Milliseconds and a sequence number.
    Moment,
}

/// What one memory learns while a damaged store is read, and what it does then.
pub trait Salvage: fmt::Debug + Send {
    /// Something that the damaged store held.
    fn saw(&mut self, certainty: Certainty, position: Position, tenant: TenantId, trace: Trace<'_>);

    /// Rebuilds what follows from the records of a tenant that are left, and reports what is lost.
    fn rebuild(
        &self,
        repair: &mut Repair<'_>,
        tenant: TenantId,
        spaces: &BTreeSet<SpaceId>,
    ) -> Result<(), EngineError>;
}
