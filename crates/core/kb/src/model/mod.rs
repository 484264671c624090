//! Names of the model: every closed list of words, one row per word.

mod entity_type;
mod fact;
mod relation;
mod symbol;

pub(crate) use entity_type::is_current_requirement;
pub use entity_type::{EntityType, STATUSES};
pub use fact::{FactKind, Operator, Polarity, ValueType};
pub use relation::{Dependent, Relation};
pub use symbol::{Granularity, SymbolRole, VerificationPerspective, VerificationScope};

/// Declares an enum of words: its variants, their spelling, and conversions both ways.
macro_rules! words {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $variant_doc:literal])* $variant:ident = $text:literal,)+ }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[doc = $variant_doc])* #[serde(rename = $text)] $variant,)+
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

        // Derived, the schema would have the names of the variants instead of their spelling.
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                let about = concat!($($doc, "\n",)*).trim();
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::Type::String)
                    .description(Some(about))
                    .enum_values(Some($name::TEXTS.iter().copied()))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.text())
            }
        }
    };
}
pub(crate) use words;

#[cfg(test)]
mod tests {
    use utoipa::PartialSchema;

    use super::EntityType;

    #[test]
    fn a_schema_has_the_spelling_of_words() {
        let schema = serde_json::to_value(EntityType::schema()).expect("plain data");
        assert_eq!(schema["enum"], serde_json::json!(EntityType::TEXTS));
        assert_eq!(schema["description"], "A type of entity.");
    }
}
