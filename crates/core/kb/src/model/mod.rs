//! Names of the model: every closed list of words, one row per word.

mod entity_type;
mod fact;
mod relation;
mod symbol;

pub(crate) use entity_type::is_current_requirement;
pub use entity_type::{EntityType, STATUSES};
pub use fact::{FactKind, Operator, Polarity, ValueType};
pub use relation::Relation;
pub use symbol::{Granularity, SymbolRole, VerificationPerspective, VerificationScope};

/// Declares an enum of words: its variants, their spelling, and conversions both ways.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// Every one, in the order of the documentation.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];
            /// The spelling of every one, in the same order.
            pub const TEXTS: &'static [&'static str] = &[$($text,)+];

            /// Its spelling.
            pub fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }

            /// The one with this spelling.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some($name::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.text())
            }
        }
    };
}
pub(crate) use words;
