//! Reading YAML value by value, without recursion.

use std::collections::BTreeSet;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput, Tag};

use super::scalar::{Form, Scalar};
use super::{Entry, Node, NodeKind, YamlError};
use crate::limits::{YAML_DEPTH_MAX, YAML_NODES_MAX, YAML_SCALAR_BYTES_MAX};

type Result<T> = std::result::Result<T, YamlError>;

/// Reads one YAML document.
pub(crate) struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    /// Lines of the file before the text.
    lines_before: u32,
    /// The line of the last event.
    line: u32,
}

/// The beginning of a value.
pub(crate) enum Start {
    Scalar(Scalar),
    List,
    Map,
}

/// The next thing in a list or a mapping.
pub(crate) enum Next {
    Start(Start, u32),
    End,
}

/// A list or mapping that is not complete yet.
struct Open {
    line: u32,
    kind: OpenKind,
}

enum OpenKind {
    List(Vec<Node>),
    Map { entries: Vec<Entry>, keys: BTreeSet<String>, key: Option<(String, u32)> },
}

impl<'a> Reader<'a> {
    /// Begins to read a text that begins on line `lines_before + 1` of its file.
    pub(crate) fn new(text: &'a str, lines_before: u32) -> Self {
        Reader { parser: Parser::new_from_str(text), lines_before, line: lines_before + 1 }
    }

    /// Reads a whole text as one value; `None` if there is nothing.
    pub(crate) fn read_all(text: &'a str, lines_before: u32) -> Result<Option<Node>> {
        let mut reader = Reader::new(text, lines_before);
        let Some((start, line)) = reader.begin()? else { return Ok(None) };
        let node = reader.finish_value(start, line)?;
        reader.end()?;
        Ok(Some(node))
    }

    /// Goes to the first value; `None` if there is none.
    pub(crate) fn begin(&mut self) -> Result<Option<(Start, u32)>> {
        loop {
            match self.event()? {
                Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
                Event::StreamEnd | Event::DocumentEnd => return Ok(None),
                event @ (Event::Alias(_)
                | Event::Scalar(..)
                | Event::SequenceStart(..)
                | Event::SequenceEnd
                | Event::MappingStart(..)
                | Event::MappingEnd) => {
                    return match self.next_of(event)? {
                        Next::Start(start, line) => Ok(Some((start, line))),
                        Next::End => Err(YamlError::syntax(self.line, "something ends that did not begin")),
                    };
                }
            }
        }
    }

    /// The next key or value in an open list or mapping, or its end.
    pub(crate) fn next(&mut self) -> Result<Next> {
        let event = self.event()?;
        self.next_of(event)
    }

    /// Checks that nothing follows the document.
    pub(crate) fn end(&mut self) -> Result<()> {
        loop {
            match self.event()? {
                Event::DocumentEnd | Event::Nothing => {}
                Event::StreamEnd => return Ok(()),
                Event::StreamStart
                | Event::DocumentStart(_)
                | Event::Alias(_)
                | Event::Scalar(..)
                | Event::SequenceStart(..)
                | Event::SequenceEnd
                | Event::MappingStart(..)
                | Event::MappingEnd => {
                    let hint = "keep one of them; an entity has a file of its own";
                    return Err(YamlError::refused(self.line, "there is more than one YAML document", hint));
                }
            }
        }
    }

    /// Reads the rest of a value that has begun.
    pub(crate) fn finish_value(&mut self, start: Start, line: u32) -> Result<Node> {
        let mut open: Vec<Open> = Vec::new();
        let mut nodes = 0;
        let mut next = Next::Start(start, line);
        loop {
            nodes += 1;
            if nodes > YAML_NODES_MAX {
                let message = format!("there are more than {YAML_NODES_MAX} values");
                return Err(YamlError::refused(self.line, message, "split the entity"));
            }
            let done = match next {
                Next::Start(Start::Scalar(scalar), line) => Node { line, kind: NodeKind::Scalar(scalar) },
                Next::Start(Start::List, line) => {
                    self.open(&mut open, Open { line, kind: OpenKind::List(Vec::new()) })?;
                    next = self.next()?;
                    continue;
                }
                Next::Start(Start::Map, line) => {
                    let kind = OpenKind::Map { entries: Vec::new(), keys: BTreeSet::new(), key: None };
                    self.open(&mut open, Open { line, kind })?;
                    next = self.next()?;
                    continue;
                }
                Next::End => match open.pop() {
                    Some(Open { line, kind: OpenKind::List(items) }) => {
                        Node { line, kind: NodeKind::List(items) }
                    }
                    Some(Open { line, kind: OpenKind::Map { entries, .. } }) => {
                        Node { line, kind: NodeKind::Map(entries) }
                    }
                    None => return Err(YamlError::syntax(self.line, "something ends that did not begin")),
                },
            };
            match open.last_mut() {
                None => return Ok(done),
                Some(parent) => parent.add(done)?,
            }
            next = self.next()?;
        }
    }

    fn open(&self, open: &mut Vec<Open>, new: Open) -> Result<()> {
        if let Some(Open { kind: OpenKind::Map { key: None, .. }, .. }) = open.last() {
            return Err(no_key(new.line));
        }
        if open.len() >= YAML_DEPTH_MAX {
            return Err(too_deep(new.line));
        }
        open.push(new);
        Ok(())
    }

    fn next_of(&self, event: Event<'a>) -> Result<Next> {
        let line = self.line;
        let start = match event {
            Event::Scalar(text, style, anchor, tag) => {
                refuse_anchor(anchor, line)?;
                if text.len() > YAML_SCALAR_BYTES_MAX {
                    let message = format!("the value has more than {YAML_SCALAR_BYTES_MAX} bytes");
                    return Err(YamlError::refused(line, message, "shorten it, or refer to a file"));
                }
                Start::Scalar(Scalar { form: form_of(style, tag.as_deref(), line)?, text: text.into_owned() })
            }
            Event::SequenceStart(anchor, tag) => {
                refuse_anchor(anchor, line)?;
                refuse_tag(tag.as_deref(), "seq", line)?;
                Start::List
            }
            Event::MappingStart(anchor, tag) => {
                refuse_anchor(anchor, line)?;
                refuse_tag(tag.as_deref(), "map", line)?;
                Start::Map
            }
            Event::Alias(_) => return Err(anchors(line)),
            Event::SequenceEnd | Event::MappingEnd => return Ok(Next::End),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => {
                return Err(YamlError::syntax(line, "the document ends too early"));
            }
        };
        Ok(Next::Start(start, line))
    }

    fn event(&mut self) -> Result<Event<'a>> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => {
                self.line = self.line_at(span.start.line());
                Ok(event)
            }
            Some(Err(error)) => Err(self.scan_error(&error)),
            None => Ok(Event::StreamEnd),
        }
    }

    fn scan_error(&self, error: &ScanError) -> YamlError {
        // The scanner has a limit of its own, and may be ahead of the events.
        if error.info() == "recursion limit exceeded" {
            return too_deep(self.line_at(error.marker().line()));
        }
        YamlError::syntax(self.line_at(error.marker().line()), error.info())
    }

    fn line_at(&self, line: usize) -> u32 {
        u32::try_from(line).unwrap_or(u32::MAX).max(1).saturating_add(self.lines_before)
    }
}

impl Open {
    /// Adds a complete value: an item, a key, or the value of the key before.
    fn add(&mut self, node: Node) -> Result<()> {
        match &mut self.kind {
            OpenKind::List(items) => items.push(node),
            OpenKind::Map { entries, keys, key } => match key.take() {
                Some((key, line)) => entries.push(Entry { key, line, value: node }),
                None => {
                    let (new, line) = key_of(node)?;
                    if !keys.insert(new.clone()) {
                        return Err(duplicate(&new, line));
                    }
                    *key = Some((new, line));
                }
            },
        }
        Ok(())
    }
}

/// The text of a key.
fn key_of(node: Node) -> Result<(String, u32)> {
    match node.kind {
        NodeKind::Scalar(scalar) => Ok((scalar.text, node.line)),
        NodeKind::List(_) | NodeKind::Map(_) => Err(no_key(node.line)),
    }
}

/// The error for a key that is in a mapping twice.
pub(crate) fn duplicate(key: &str, line: u32) -> YamlError {
    let shown: String = key.chars().take(80).collect();
    YamlError::refused(line, format!("the key {shown:?} is there twice"), "keep one of them")
}

fn too_deep(line: u32) -> YamlError {
    let message = format!("lists and mappings are more than {YAML_DEPTH_MAX} deep");
    YamlError::refused(line, message, "write it flatter")
}

fn no_key(line: u32) -> YamlError {
    YamlError::refused(line, "a key is a list or a mapping", "use plain words as keys")
}

fn refuse_anchor(anchor: usize, line: u32) -> Result<()> {
    if anchor == 0 { Ok(()) } else { Err(anchors(line)) }
}

fn anchors(line: u32) -> YamlError {
    YamlError::refused(line, "anchors and aliases are not supported", "write the value out")
}

fn refuse_tag(tag: Option<&Tag>, allowed: &str, line: u32) -> Result<()> {
    match tag {
        None => Ok(()),
        Some(tag) if tag.is_yaml_core_schema() && tag.suffix == allowed => Ok(()),
        Some(_) => Err(tags(line)),
    }
}

fn form_of(style: ScalarStyle, tag: Option<&Tag>, line: u32) -> Result<Form> {
    let written = if style == ScalarStyle::Plain { Form::Plain } else { Form::Text };
    match tag {
        None => Ok(written),
        // The non-specific tag `!`, and the type text.
        Some(tag) if tag.handle.is_empty() && tag.suffix == "!" => Ok(Form::Text),
        Some(tag) if tag.is_yaml_core_schema() && tag.suffix == "str" => Ok(Form::Text),
        Some(tag) if tag.is_yaml_core_schema() => match tag.suffix.as_str() {
            "int" | "float" | "bool" | "null" => Ok(Form::Plain),
            _ => Err(tags(line)),
        },
        Some(_) => Err(tags(line)),
    }
}

fn tags(line: u32) -> YamlError {
    YamlError::refused(line, "this tag is not supported", "remove the tag, and quote the value if it is text")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A node as short text.
    fn shown(node: &Node) -> String {
        match &node.kind {
            NodeKind::Scalar(Scalar { text, form: Form::Plain }) => text.clone(),
            NodeKind::Scalar(Scalar { text, form: Form::Text }) => format!("{text:?}"),
            NodeKind::List(items) => {
                format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", "))
            }
            NodeKind::Map(entries) => {
                let one = |entry: &Entry| format!("{}@{}: {}", entry.key, entry.line, shown(&entry.value));
                format!("{{{}}}", entries.iter().map(one).collect::<Vec<_>>().join(", "))
            }
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = match Reader::read_all(text, 1) {
            Ok(None) => "nothing".to_owned(),
            Ok(Some(node)) => shown(&node),
            Err(error) => format!("line {}: {}", error.line, error.message),
        };
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn values_have_lines_and_forms() {
        check("", "nothing");
        check("# only a comment\n", "nothing");
        check("title: A b\ntags: [x, 'y']\n", "{title@2: A b, tags@3: [x, \"y\"]}");
        check("a:\n  - b: 1\n    c:\n", "{a@2: [{b@3: 1, c@4: }]}");
        check("a: |\n  one\n  two\n", "{a@2: \"one\\ntwo\\n\"}");
        check("a: !!str 5\nb: !!int 5\n", "{a@2: \"5\", b@3: 5}");
    }

    #[test]
    fn what_documents_may_not_have_is_refused_with_its_line() {
        check("a: 1\nb: 2\na: 3\n", "line 4: the key \"a\" is there twice");
        check("a: &x 1\n", "line 2: anchors and aliases are not supported");
        check("a: 1\n? [b]\n: c\n", "line 3: a key is a list or a mapping");
        check("a: !ruby/object x\n", "line 2: this tag is not supported");
        check("a: 1\n---\nb: 2\n", "line 3: there is more than one YAML document");
        check(&"[".repeat(40), "line 2: lists and mappings are more than 32 deep");
        check(&"- ".repeat(100_000), "line 2: lists and mappings are more than 32 deep");
    }

    #[test]
    fn more_values_than_the_limit_are_refused() {
        let list = |count: usize| format!("[{}]", vec!["1"; count].join(","));
        // The list itself counts when it begins and when it ends.
        assert!(Reader::read_all(&list(YAML_NODES_MAX - 2), 0).is_ok());
        assert!(Reader::read_all(&list(YAML_NODES_MAX - 1), 0).is_err());
    }
}
