//! MessagePack: read token by token, written value by value, shown as text. Nothing is trusted.

mod reader;
mod text;
mod writer;

pub use reader::{MsgpackError, MsgpackReader, Token};
pub use text::msgpack_text;
pub use writer::MsgpackWriter;
