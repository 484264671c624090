//! The fields of the index on disk, and how documents get into them.

use tantivy::TantivyDocument;
use tantivy::schema::{BytesOptions, FAST, Field, IndexRecordOption, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use super::generation::{Generation, Kept};
use crate::document::FIELDS_MAX;

/// What the tokenizer that reads prepared words is called.
const PREPARED: &str = "prepared";
/// Ends a word in a prepared text. Control characters separate words, so none holds it.
const WORD_END: char = '\n';
/// Steps of positions are kept in one character.
const STEP_MAX: u32 = 64;

/// The fields.
#[derive(Debug, Clone)]
pub(crate) struct Schema {
    pub(crate) schema: tantivy::schema::Schema,
    /// Words of each text of a document.
    pub(crate) words: [Field; FIELDS_MAX],
    /// What a document is filtered by, and everything for which order and number do not count.
    pub(crate) marks: Field,
    id: Field,
    group: Field,
    subgroup: Field,
    time: Field,
    language: Field,
}

impl Schema {
    pub(crate) const ID: &str = "id";
    pub(crate) const GROUP: &str = "group";
    pub(crate) const SUBGROUP: &str = "subgroup";
    pub(crate) const TIME: &str = "time";
    pub(crate) const LANGUAGE: &str = "language";

    pub(crate) fn new() -> Self {
        let mut builder = tantivy::schema::Schema::builder();
        let prepared = TextFieldIndexing::default()
            .set_tokenizer(PREPARED)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let words = std::array::from_fn(|at| {
            let options = TextOptions::default().set_indexing_options(prepared.clone());
            builder.add_text_field(&format!("words{at}"), options)
        });
        let marks = builder.add_bytes_field("marks", BytesOptions::default().set_indexed());
        let id = builder.add_bytes_field(Self::ID, FAST);
        let group = builder.add_u64_field(Self::GROUP, FAST);
        let subgroup = builder.add_u64_field(Self::SUBGROUP, FAST);
        let time = builder.add_u64_field(Self::TIME, FAST);
        let language = builder.add_u64_field(Self::LANGUAGE, FAST);
        Schema { schema: builder.build(), words, marks, id, group, subgroup, time, language }
    }

    pub(crate) fn register(index: &tantivy::Index) {
        index.tokenizers().register(PREPARED, PreparedTokenizer);
    }

    /// A document as tantivy takes it.
    pub(crate) fn document(&self, generation: &Generation, kept: &Kept) -> TantivyDocument {
        let mut document = TantivyDocument::default();
        for (place, field) in self.words.iter().enumerate() {
            let words = generation.words(kept, u8::try_from(place).unwrap_or_default());
            if let Some(text) = prepared_text(&kept.partition.word_prefix(), words) {
                document.add_text(*field, text);
            }
        }
        for mark in generation.marks(kept) {
            document.add_bytes(self.marks, mark);
        }
        document.add_bytes(self.id, &kept.id);
        document.add_u64(self.group, kept.groups[0]);
        document.add_u64(self.subgroup, kept.groups[1]);
        document.add_u64(self.time, kept.time_ms);
        document.add_u64(self.language, u64::from(kept.counted.language));
        document
    }
}

/// The prefix that all words get, and the words, each after how far it is from the one before it.
fn prepared_text<'a>(prefix: &str, words: impl Iterator<Item = (&'a [u8], u32)>) -> Option<String> {
    let mut text = String::new();
    let mut last = 0;
    for (word, position) in words {
        if text.is_empty() {
            text.push_str(prefix);
            text.push(WORD_END);
        }
        let step = position.saturating_sub(last).min(STEP_MAX);
        last = position;
        text.push(char::from_u32(u32::from(' ') + step).unwrap_or(' '));
        text.push_str(&String::from_utf8_lossy(word));
        text.push(WORD_END);
    }
    (!text.is_empty()).then_some(text)
}

/// Reads words that were prepared before.
#[derive(Debug, Clone, Copy)]
struct PreparedTokenizer;

struct PreparedStream<'a> {
    prefix: &'a str,
    rest: &'a str,
    token: Token,
}

impl Tokenizer for PreparedTokenizer {
    type TokenStream<'a> = PreparedStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> PreparedStream<'a> {
        let (prefix, rest) = text.split_once(WORD_END).unwrap_or((text, ""));
        PreparedStream { prefix, rest, token: Token { position: 0, ..Token::default() } }
    }
}

impl TokenStream for PreparedStream<'_> {
    fn advance(&mut self) -> bool {
        let Some((word, rest)) = self.rest.split_once(WORD_END) else { return false };
        self.rest = rest;
        let mut characters = word.chars();
        let step = characters.next().map_or(0, |step| u32::from(step).saturating_sub(u32::from(' ')));
        self.token.position += step as usize;
        self.token.text.clear();
        self.token.text.push_str(self.prefix);
        self.token.text.push_str(characters.as_str());
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
