//! Entities as documents, which are read back as the same entities.

mod fields;
mod markdown;
mod place;
mod symbols;

pub use self::markdown::to_markdown;
pub use self::place::Places;
pub use self::symbols::to_symbols_yaml;
