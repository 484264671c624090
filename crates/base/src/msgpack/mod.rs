//! MessagePack, token by token: nothing is allocated, and nothing is trusted.

mod reader;

pub use reader::{MsgpackError, MsgpackReader, Token};
