//! Streams of events: what they tell, where they go on, and what they cost others.

mod apart;
mod bounds;
mod coming_and_going;
mod resume;
pub(crate) mod sse;
mod story;
mod telling;
