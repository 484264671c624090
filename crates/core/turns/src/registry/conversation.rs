//! The conversation type that existing clients write, built in so that their turns show typed at once.

use super::bundle::Bundle;

/// Its bundle. The types of parts have names of their own below that of the whole.
pub(super) fn bundle() -> Bundle {
    Bundle::parse(include_bytes!("conversation.json")).expect("the built-in bundle is well formed")
}
