//! What readers choose.

/// How values are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether tags that the descriptor does not know are shown too.
    pub include_unknown: bool,
    /// Bytes.
    pub bytes: BytesRender,
    /// Integers of 64 bits.
    pub wide: WideRender,
    /// Numbers of enums.
    pub enums: EnumRender,
    /// Times; `None` shows them as the type has them: ISO 8601, and in built-in types milliseconds, which is
    /// how the clients that write those types read them.
    pub time: Option<TimeRender>,
}

/// How bytes are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BytesRender {
    /// As base64, padded.
    #[default]
    Base64,
    /// As lower-case hexadecimal digits.
    Hex,
    /// As their number.
    Length,
}

/// How integers are shown that JavaScript cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WideRender {
    /// As a text.
    #[default]
    Text,
    /// As a number.
    Number,
}

/// How numbers of enums are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EnumRender {
    /// As the label; as the number where there is none.
    #[default]
    Label,
    /// As the number.
    Number,
    /// As an object with both.
    Both,
}

/// How times are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeRender {
    /// As ISO 8601 has it.
    #[default]
    Iso,
    /// As milliseconds since 1970.
    UnixMillis,
}

/// A choice by the word that stands for it in a query.
macro_rules! words {
    ($choice:ident: $($word:literal => $variant:ident),*) => {
        impl $choice {
            /// Every word, for messages.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// What a word stands for.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($choice::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

words!(BytesRender: "base64" => Base64, "hex" => Hex, "len_only" => Length);
words!(WideRender: "string" => Text, "number" => Number);
words!(EnumRender: "label" => Label, "number" => Number, "both" => Both);
words!(TimeRender: "iso" => Iso, "unix_ms" => UnixMillis);
