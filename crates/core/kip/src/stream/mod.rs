//! Commands that come as a stream, longer than anybody holds at once: where a text can be cut, and elements as
//! lines of JSON.

mod cut;
mod line;

pub use cut::Cutter;
pub use line::{read_line, write_line};
