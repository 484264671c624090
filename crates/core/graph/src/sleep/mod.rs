//! Sleep analysis: what a space holds that has expired, waits, belongs to no domain or seems to be duplicated.
//!
//! [`Survey`] looks at a space page by page, each page through a view of its own, and decides nothing but what
//! the records say at a given time. The functions here remove what has expired, one bounded transaction each.
//! Who may do that, when, and what is noted of it is the caller's business.

mod attached;
mod elements;
mod expiry;
mod followers;
mod names;
mod remove;
mod report;
mod survey;
mod tasks;

pub use remove::{RemovedAndLeft, remove_expired_concepts, remove_expired_definition, remove_expired_links};
pub use report::{Listed, SleepDuplicates, SleepElement, SleepReport, SleepTask};
pub use survey::{Survey, SurveyStep};
