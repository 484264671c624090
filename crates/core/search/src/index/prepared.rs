//! A document as the index takes it: its words, and everything it is found or filtered by.

use super::key::{Key, PartitionNumber};
use super::statistics::Counted;
use crate::document::{Collection, Document, FIELDS_MAX, Role};
use crate::rank::bm25::length_step;
use crate::text::{self, Language, Settings, TokenKind};

/// Words of one value and of the next one are this far apart: no phrase spans two of them.
const VALUE_GAP: u32 = 16;

/// How many words of one document are taken; the rest of it is not found.
pub(crate) const WORDS_MAX: usize = 100_000;

/// A document, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prepared {
    pub(crate) partition: PartitionNumber,
    pub(crate) id: Box<[u8]>,
    pub(crate) groups: [u64; 2],
    pub(crate) time_ms: u64,
    pub(crate) counted: Counted,
    pub(crate) fields: [Words; FIELDS_MAX],
    pub(crate) marks: Marks,
}

/// Marks one after the other, in any order; some may be there twice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Marks {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Marks {
    fn push(&mut self, begin: &Key, rest: &str) {
        self.bytes.extend_from_slice(&begin.bytes);
        self.bytes.extend_from_slice(rest.as_bytes());
        self.ends.push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let mark = &self.bytes[start..*end as usize];
            start = *end as usize;
            mark
        })
    }
}

/// Words one after the other, and where they stand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Words {
    text: String,
    /// Where each one ends in `text`, and its position.
    ends: Vec<(u32, u32)>,
}

impl Words {
    fn push(&mut self, word: &str, position: u32) {
        self.text.push_str(word);
        self.ends.push((u32::try_from(self.text.len()).unwrap_or(u32::MAX), position));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        let mut start = 0;
        self.ends.iter().map(move |(end, position)| {
            let word = &self.text[start..*end as usize];
            start = *end as usize;
            (word, *position)
        })
    }
}

/// Takes a document apart.
pub(crate) fn prepare(document: &Document, collection: &Collection, partition: PartitionNumber) -> Prepared {
    let language = document.language.unwrap_or_else(|| language_of(document));
    let mut fields: [Words; FIELDS_MAX] = Default::default();
    let mut marks = Marks::default();
    marks.push(&partition.all(), "");
    marks.push(&partition.document(&document.id), "");
    marks.push(&partition.kind(&document.kind), "");
    document.tags.iter().for_each(|tag| marks.push(&partition.tag(tag), ""));
    let everybody = [String::new()];
    let visible_to = if document.visible_to.is_empty() { &everybody[..] } else { &document.visible_to };
    visible_to.iter().for_each(|who| marks.push(&partition.visible(who), ""));
    let mut room = WORDS_MAX;
    let mut starts = [0; FIELDS_MAX];
    for (place, text) in &document.texts {
        let at = usize::from(*place);
        let (Some(field), Some(words)) = (collection.fields.get(at), fields.get_mut(at)) else { continue };
        let is_name = field.role == Role::Name;
        if is_name {
            marks.push(&partition.name(&text::fold_name(text)), "");
        }
        let surface = partition.surface(*place, "");
        let settings = Settings { language, keep_stop_words: is_name };
        let start = starts[at];
        let mut end = start;
        text::analyze(text, settings, &mut |token| {
            if room == 0 {
                return;
            }
            room -= 1;
            let position = start + token.position;
            end = end.max(position + 1);
            words.push(token.text, position);
            if token.kind != TokenKind::Whole || token.surface == token.text {
                marks.push(&surface, token.surface);
            }
        });
        starts[at] = end.saturating_add(VALUE_GAP);
    }
    let length = |words: &Words| length_step(u32::try_from(words.len()).unwrap_or(u32::MAX));
    let length_steps = std::array::from_fn(|at| length(&fields[at]));
    Prepared {
        partition,
        id: document.id.as_slice().into(),
        groups: [document.group, document.subgroup],
        time_ms: document.time_ms,
        counted: Counted { language: language.number(), length_steps },
        fields,
        marks,
    }
}

/// The language of the longest text: short ones say little about theirs.
fn language_of(document: &Document) -> Language {
    let longest = document.texts.iter().map(|(_, text)| text.as_str()).max_by_key(|text| text.len());
    longest.map_or(Language::English, text::detect)
}
