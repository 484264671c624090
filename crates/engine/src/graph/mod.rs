//! The graph of a space as a service: spaces and their first types, the record cache, ordered indexes, sleep
//! cycles. It knows no KIP text; the language door is [`crate::kip`].

mod cache;
mod indexes;
pub(crate) mod lifecycle;
mod memory;
mod missing;
mod read;
mod salvage;
pub(crate) mod search;
mod sleep;
pub(crate) mod spaces;
mod write;

pub(crate) use self::indexes::Indexing;
pub use self::indexes::OrderedIndex;
pub(crate) use self::memory::Graph;
pub use self::missing::{NoSpace, NoType};
pub(crate) use self::read::inside;
pub(crate) use self::sleep::Sleeping;
pub use self::sleep::{
    Listed, SleepDuplicates, SleepElement, SleepPolicy, SleepQuestion, SleepReport, SleepTask,
};
pub(crate) use self::spaces::Spaces;
pub(crate) use self::write::SpaceTarget;
