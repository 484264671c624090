//! The two forms that elements of a graph have in a stream.

/// The form of a stream of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KipForm {
    /// UPSERT commands.
    Text,
    /// Concepts and links, one JSON object a line.
    Lines,
}
