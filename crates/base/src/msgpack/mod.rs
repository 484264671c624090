//! MessagePack: read token by token, where nothing is allocated and nothing is trusted, and written in its
//! shortest form.

mod reader;
mod value;
mod writer;

pub use reader::{MsgpackError, MsgpackReader, Token};
pub use value::value_from_msgpack;
pub use writer::MsgpackWriter;
