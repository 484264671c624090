//! Contradictions: sets of claims and predicates of current requirements that cannot hold together.
//!
//! # Groups
//!
//! Claims meet in a group: one subject and one property, compared whole. A requirement has a claim in the group when
//! it `constrains` a subject fact with this subject key and `requires_property` a property-value fact with both keys.
//! Predicates meet in a group of equal namespace, name and ordered arguments. Only current requirements take part.
//! [`GroupIndex`] maps groups to claims and follows each write.
//!
//! # Meaning of a claim
//!
//! A claim restricts the value of its property: `require gte 5` to values from 5 on, `forbid gte 5` to its negation,
//! values below 5. Claims interact only within one domain:
//!
//! - numbers, `int` and `number` alike, of one unit or of units with a fixed ratio. Units are compared whole; an empty
//!   unit matches only an empty unit, and a unit outside the table of ratios only itself. Arithmetic is exact: a
//!   number is the decimal that it is written as.
//! - text and truth values of one unit, by identity. Text has no end of values, a truth value two. An order operator
//!   on text or a truth value has no order to refer to: it contradicts only its own negation.
//! - text of the property `allowed_values` is a set: members joined by `|`, order and duplicates ignored. `eq` means
//!   exactly this set, so that different sets contradict each other.
//!
//! Claims of different domains never contradict each other: a time and a size, text and a number.
//!
//! The domain of numbers is the reals, except for `int` claims with the same unit, whose common domain is the integers
//! of that unit: `gt 4` and `lt 5` contradict each other as `int`, and do not as soon as one is a `number`. Adding a
//! claim never takes a contradiction away: a set contradicts itself if it cannot hold over the reals, or if its `int`
//! claims of one unit cannot hold over the integers.
//!
//! # Conflicts
//!
//! A [`Conflict`] is a smallest set of claims that cannot hold together: without any one of them the others can.
//!
//! - At least one of its claims is a `require`. Sets of `forbid` alone are never reported, so two of them never
//!   conflict.
//! - Each two of its claims have scopes that meet, equal or one of them empty, and validity windows that overlap,
//!   compared as text, so that all of them share a moment. An empty bound is open. A window that ends before it begins
//!   has no moment and conflicts with nothing.
//! - Its claims belong to one or more requirements. Claims that contradict each other within one requirement are a
//!   conflict of that requirement alone, named by its single id.
//!
//! Every conflict is found: pairs by their bounds, and sets of three or more, which arise from a lower bound, an upper
//! bound and a `neq` for each value between them. The search stops early only at the limits of `limits.rs`, and says
//! so in [`Conflicts::cut`]. A group without conflicts costs `n log n`.

mod bounds;
mod claim;
mod conflict;
mod decimal;
mod group;
mod index;
mod level;
mod limits;
mod predicate;
mod search;
mod sweep;
mod term;
#[cfg(test)]
mod tests;
mod unit;

pub use claim::ClaimError;
pub use conflict::{Conflict, ConflictKind, Conflicts};
pub use group::{GroupKey, Membership, memberships};
pub use index::GroupIndex;
pub use limits::{CONFLICT_CLAIMS_MAX, CONFLICT_STEPS_MAX, CONFLICT_TEXT_CHARS_MAX, CONFLICTS_PER_GROUP_MAX};
pub use search::{conflicts_in_group, conflicts_of};
