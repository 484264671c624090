//! MessagePack: read token by token, where nothing is allocated and nothing is trusted, and written in its
//! shortest form, and shown as text.

mod reader;
mod text;
mod value;
mod writer;

pub use reader::{MsgpackError, MsgpackReader, Token};
pub use text::msgpack_text;
pub use value::value_from_msgpack;
pub use writer::MsgpackWriter;
