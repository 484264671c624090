//! Objects whose fields a descriptor names.

use cairn_base::{MsgpackError, MsgpackReader, Token, limits, to_iso};

use super::Undecodable;
use super::generic::{self, any_from, inside};
use super::options::{EnumRender, Options, TimeRender};
use super::scalar::{self, Integer};
use crate::registry::{Described, Field, Kind, Shape};

/// A payload as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projected {
    /// The fields that the descriptor names, an object.
    pub data: String,
    /// The others, an object, if they were asked for. Those of nested objects are under the tag of the
    /// field that holds the object, and in arrays under its place.
    pub unknown: Option<String>,
}

/// Shows a payload as a version of a type has it.
pub fn project(
    payload: &[u8],
    described: Described<'_>,
    options: &Options,
) -> Result<Projected, Undecodable> {
    let mut data = String::with_capacity(payload.len() + payload.len() / 4);
    let unknown = project_into(payload, described, options, &mut data)?;
    Ok(Projected { data, unknown })
}

/// Appends the fields that the descriptor names to `out`, and returns the others if they were asked for, both
/// as [`Projected`] has them. After an error `out` holds a part of the object, which the caller cuts off.
pub fn project_into(
    payload: &[u8],
    described: Described<'_>,
    options: &Options,
    out: &mut String,
) -> Result<Option<String>, Undecodable> {
    let mut reader = MsgpackReader::new(payload);
    let Token::Map(count) = reader.token()? else { return Err(Undecodable::NotAMap) };
    let mut unknown = options.include_unknown.then(Vec::new);
    let own = if described.is_built_in() { TimeRender::UnixMillis } else { TimeRender::Iso };
    let projection = Projection { options, time: options.time.unwrap_or(own) };
    projection.object(count, &mut reader, described, limits::MSGPACK_LEVELS_MAX, out, unknown.as_mut())?;
    Ok(unknown.map(|entries| {
        let mut out = String::new();
        generic::object(entries, &mut out);
        out
    }))
}

/// What nobody has a name for: keys and shown values.
type Unknown = Vec<(String, String)>;

struct Projection<'o> {
    options: &'o Options,
    time: TimeRender,
}

/// A key of an object.
enum Key {
    Tag(u64),
    Other(String),
}

impl Projection<'_> {
    /// Shows `count` pairs.
    fn object(
        &self,
        count: u32,
        reader: &mut MsgpackReader<'_>,
        described: Described<'_>,
        levels: usize,
        out: &mut String,
        mut unknown: Option<&mut Unknown>,
    ) -> Result<(), MsgpackError> {
        let levels = inside(levels)?;
        let start = out.len();
        out.push('{');
        let mut fields = Fields::default();
        for _ in 0..count {
            let key = self.key(reader, levels)?;
            if let Key::Tag(tag) = key
                && let Some(field) = described.descriptor.fields.get(&tag).filter(|field| !field.tombstone)
            {
                let from = out.len();
                if from > start + 1 {
                    out.push(',');
                }
                out.push_str(&field.quoted);
                out.push(':');
                let mut inner = unknown.is_some().then(Vec::new);
                self.field(field, reader, described, levels, out, inner.as_mut())?;
                if let (Some(unknown), Some(inner)) = (unknown.as_deref_mut(), inner) {
                    note(unknown, tag.to_string(), inner);
                }
                fields.add(tag, from..out.len());
                continue;
            }
            match unknown.as_deref_mut() {
                None => reader.skip(levels)?,
                Some(unknown) => {
                    let mut value = String::new();
                    generic::any(reader, self.options, levels, &mut value)?;
                    let key = match key {
                        Key::Tag(tag) => tag.to_string(),
                        Key::Other(text) => text,
                    };
                    unknown.push((key, value));
                }
            }
        }
        fields.put_in_order(start, out);
        out.push('}');
        Ok(())
    }

    fn key(&self, reader: &mut MsgpackReader<'_>, levels: usize) -> Result<Key, MsgpackError> {
        let mut ahead = reader.clone();
        match tag_of(ahead.token()?) {
            Some(tag) => {
                *reader = ahead;
                Ok(Key::Tag(tag))
            }
            None => generic::key(reader, self.options, levels).map(Key::Other),
        }
    }

    fn field(
        &self,
        field: &Field,
        reader: &mut MsgpackReader<'_>,
        described: Described<'_>,
        levels: usize,
        out: &mut String,
        unknown: Option<&mut Unknown>,
    ) -> Result<(), MsgpackError> {
        match &field.shape {
            Some(shape) => self.value(shape, field.kind(), reader, described, levels, out, unknown),
            None => generic::any(reader, self.options, levels, out),
        }
    }

    /// Shows a value as its shape says; `null` where it is something else.
    #[expect(clippy::too_many_arguments, reason = "what is shown, how, where from and where to")]
    fn value(
        &self,
        shape: &Shape,
        kind: Kind,
        reader: &mut MsgpackReader<'_>,
        described: Described<'_>,
        levels: usize,
        out: &mut String,
        mut unknown: Option<&mut Unknown>,
    ) -> Result<(), MsgpackError> {
        let options = self.options;
        let token = reader.token()?;
        let number = Integer::of(token);
        if let (Some(number), Some(enum_id)) = (number, &shape.enum_id) {
            self.enum_value(number, described.labels(enum_id), out);
            return Ok(());
        }
        match (kind, token, number) {
            (_, Token::Nil, _) => out.push_str("null"),
            (Kind::Wide, _, Some(number)) => scalar::wide(number, options, out),
            (Kind::Integer, _, Some(number)) => scalar::integer(number, options, out),
            (Kind::UnixMillis, _, Some(number)) => self.time(number, out),
            (Kind::Float, _, Some(number)) => scalar::integer(number, options, out),
            (Kind::Float, Token::Float32(value), _) => scalar::float32(value, out),
            (Kind::Float, Token::Float64(value), _) => scalar::float64(value, out),
            (Kind::Text, Token::Text(bytes), _) => scalar::text(bytes, out),
            (Kind::Bool, Token::Bool(value), _) => out.push_str(if value { "true" } else { "false" }),
            (Kind::Bytes, Token::Binary(bytes), _) => scalar::bytes(bytes, options, out),
            (Kind::Array, Token::Array(count), _) => {
                let levels = inside(levels)?;
                out.push('[');
                for at in 0..count {
                    if at > 0 {
                        out.push(',');
                    }
                    let mut inner = unknown.is_some().then(Vec::new);
                    match shape.items.as_deref() {
                        Some(item) => {
                            self.value(item, item.kind, reader, described, levels, out, inner.as_mut())?;
                        }
                        None => generic::any(reader, options, levels, out)?,
                    }
                    if let (Some(unknown), Some(inner)) = (unknown.as_deref_mut(), inner) {
                        note(unknown, at.to_string(), inner);
                    }
                }
                out.push(']');
            }
            (Kind::Map, Token::Map(count), _) => {
                let levels = inside(levels)?;
                let mut entries = Vec::new();
                for _ in 0..count {
                    let key = generic::key(reader, options, levels)?;
                    let mut value = String::new();
                    let mut inner = unknown.is_some().then(Vec::new);
                    match shape.values.as_deref() {
                        Some(of) => {
                            self.value(of, of.kind, reader, described, levels, &mut value, inner.as_mut())?;
                        }
                        None => generic::any(reader, options, levels, &mut value)?,
                    }
                    if let (Some(unknown), Some(inner)) = (unknown.as_deref_mut(), inner) {
                        note(unknown, key.clone(), inner);
                    }
                    entries.push((key, value));
                }
                generic::object(entries, out);
            }
            (Kind::Reference, token, _) => {
                let nested = shape.reference.as_deref().and_then(|id| described.referenced(id));
                match (token, nested) {
                    (Token::Map(count), Some(nested)) => {
                        self.object(count, reader, nested, levels, out, unknown)?;
                    }
                    _ => any_from(token, reader, options, levels, out)?,
                }
            }
            (Kind::Any, token, _) => any_from(token, reader, options, levels, out)?,
            (_, Token::Array(_) | Token::Map(_), _) => {
                // Not what was declared; its items have to be passed all the same.
                any_from(token, reader, options, levels, &mut String::new())?;
                out.push_str("null");
            }
            _ => out.push_str("null"),
        }
        Ok(())
    }

    fn time(&self, number: Integer, out: &mut String) {
        let iso = number.as_i64().filter(|_| self.time == TimeRender::Iso).and_then(to_iso);
        match iso {
            Some(iso) => scalar::text(iso.as_bytes(), out),
            None => scalar::integer(number, self.options, out),
        }
    }

    fn enum_value(&self, number: Integer, labels: Option<&crate::registry::Labels>, out: &mut String) {
        let label = match number {
            Integer::Unsigned(value) => labels.and_then(|labels| labels.get(&value)),
            Integer::Negative(_) => None,
        };
        match (self.options.enums, label) {
            (EnumRender::Label, Some(label)) => scalar::text(label.as_bytes(), out),
            (EnumRender::Both, Some(label)) => {
                out.push_str("{\"label\":");
                scalar::text(label.as_bytes(), out);
                out.push_str(",\"value\":");
                scalar::integer(number, self.options, out);
                out.push('}');
            }
            (EnumRender::Number, _) | (EnumRender::Label | EnumRender::Both, None) => {
                scalar::integer(number, self.options, out);
            }
        }
    }
}

/// Tags are integers, or texts of digits.
pub(super) fn tag_of(token: Token<'_>) -> Option<u64> {
    match token {
        Token::Unsigned(tag) => Some(tag),
        Token::Text(digits) => tag_from(digits),
        Token::Nil
        | Token::Bool(_)
        | Token::Negative(_)
        | Token::Float32(_)
        | Token::Float64(_)
        | Token::Binary(_)
        | Token::Array(_)
        | Token::Map(_)
        | Token::Extension(..) => None,
    }
}

/// A tag that was written as a text of digits.
pub(crate) fn tag_from(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Keeps what is unknown inside a field, if anything is.
fn note(unknown: &mut Unknown, key: String, inner: Unknown) {
    if !inner.is_empty() {
        let mut value = String::new();
        generic::object(inner, &mut value);
        unknown.push((key, value));
    }
}

/// Where fields were written, so that they end up in the order of their tags, each once.
#[derive(Default)]
struct Fields {
    written: Vec<(u64, std::ops::Range<usize>)>,
    is_disordered: bool,
}

impl Fields {
    fn add(&mut self, tag: u64, at: std::ops::Range<usize>) {
        self.is_disordered |= self.written.last().is_some_and(|(last, _)| *last >= tag);
        self.written.push((tag, at));
    }

    /// Well-behaved writers leave nothing to do here. Of equal tags the last one counts.
    fn put_in_order(mut self, start: usize, out: &mut String) {
        if !self.is_disordered {
            return;
        }
        self.written.sort_by_key(|(tag, _)| *tag);
        let mut ordered = String::with_capacity(out.len() - start);
        for (at, (tag, range)) in self.written.iter().enumerate() {
            if self.written.get(at + 1).is_some_and(|(next, _)| next == tag) {
                continue;
            }
            ordered.push(if ordered.is_empty() { '{' } else { ',' });
            ordered.push_str(out[range.clone()].trim_start_matches(','));
        }
        out.truncate(start);
        out.push_str(&ordered);
    }
}
