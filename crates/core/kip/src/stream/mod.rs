//! Commands that come as a stream, longer than anybody holds at once: where a text can be cut, and elements as
//! lines of JSON.

mod cut;
mod form;
mod line;

pub use cut::Cutter;
pub use form::KipForm;
pub use line::{read_line, write_line};
