//! Concepts and links as lines of JSON:
//!
//! ```text
//! {"concept":{"type":"Drug","name":"Aspirin","attributes":{…},"metadata":{…}}}
//! {"link":{"subject":{"type":…,"name":…},"predicate":"treats","object":{…},"attributes":{…},"metadata":{…}}}
//! ```
//!
//! An end that is a link itself is `{"link":{"subject":…,"predicate":…,"object":…}}`. A line says what a block
//! of an UPSERT says, and becomes one.

use std::collections::BTreeMap;

use cairn_base::{Value, nearest};

use crate::bind::kind;
use crate::one_of::one_of;
use crate::tree::{
    Block, ConceptBlock, ConceptMatch, Json, JsonNode, Object, Predicate, PropositionBlock, PropositionMatch,
    Slot, Term, Triple,
};
use crate::{KipCode, KipError, Span, Spanned};

type Map = BTreeMap<String, Value>;
type Result<T> = std::result::Result<T, KipError>;

const SHAPES: &str = "write {\"concept\": {\"type\", \"name\", \"attributes\", \"metadata\"}} or \
                      {\"link\": {\"subject\", \"predicate\", \"object\", \"attributes\", \"metadata\"}}";

/// Reads a line. Everything in the block has the same place, the one that is given.
pub fn read_line(line: &[u8], span: Span) -> Result<Block> {
    let value = Value::parse_json(line).map_err(|error| {
        let text = error.to_string();
        // Which line it is others know; in it there is only one.
        wrong(format!("it is no JSON: {}", text.strip_prefix("line 1, ").unwrap_or(&text)))
    });
    value.and_then(|value| Line { span }.block(value)).map_err(|error| error.at(span))
}

struct Line {
    span: Span,
}

impl Line {
    fn block(&self, value: Value) -> Result<Block> {
        let mut line = object("a line", value, &["concept", "link"])?;
        match (line.remove("concept"), line.remove("link")) {
            (Some(concept), None) => self.concept(concept).map(Block::Concept),
            (None, Some(link)) => self.link(link).map(Block::Proposition),
            (Some(_), Some(_)) | (None, None) => {
                Err(wrong("a line has one key: `concept` or `link`").hint(SHAPES))
            }
        }
    }

    fn concept(&self, concept: Value) -> Result<ConceptBlock> {
        let mut parts = object("`concept`", concept, &["type", "name", "attributes", "metadata"])?;
        Ok(ConceptBlock {
            handle: None,
            matcher: self.matcher("`concept`", &mut parts)?,
            expect_version: None,
            attributes: self.content("attributes", &mut parts)?,
            links: Vec::new(),
            metadata: self.content("metadata", &mut parts)?,
        })
    }

    fn link(&self, link: Value) -> Result<PropositionBlock> {
        let known = ["subject", "predicate", "object", "attributes", "metadata"];
        let mut parts = object("`link`", link, &known)?;
        Ok(PropositionBlock {
            handle: None,
            matcher: self.triple(&mut parts)?,
            expect_version: None,
            attributes: self.content("attributes", &mut parts)?,
            metadata: self.content("metadata", &mut parts)?,
        })
    }

    fn triple(&self, parts: &mut Map) -> Result<PropositionMatch> {
        Ok(PropositionMatch::Triple(Box::new(Triple {
            subject: self.end("subject", parts)?,
            predicate: Predicate::OneOf(vec![self.text("`link`", "predicate", parts)?]),
            object: self.end("object", parts)?,
            span: self.span,
        })))
    }

    fn end(&self, name: &str, parts: &mut Map) -> Result<Term> {
        let end = parts.remove(name).ok_or_else(|| missing("`link`", name))?;
        let mut end = object(&format!("`{name}`"), end, &["type", "name", "link"])?;
        let Some(link) = end.remove("link") else {
            let matcher = self.matcher(&format!("`{name}`"), &mut end)?;
            return Ok(Term::Concept { variable: None, matcher });
        };
        if !end.is_empty() {
            let message = format!("`{name}` is a concept, with `type` and `name`, or a `link`, and not both");
            return Err(wrong(message));
        }
        let mut link = object("`link`", link, &["subject", "predicate", "object"])?;
        Ok(Term::Proposition { variable: None, matcher: self.triple(&mut link)? })
    }

    fn matcher(&self, of: &str, parts: &mut Map) -> Result<ConceptMatch> {
        let (kind, name) = (self.text(of, "type", parts)?, self.text(of, "name", parts)?);
        Ok(ConceptMatch { id: None, kind: Some(kind), name: Some(name), span: self.span })
    }

    fn text(&self, of: &str, name: &str, parts: &mut Map) -> Result<Spanned<Slot<String>>> {
        match parts.remove(name) {
            Some(Value::String(text)) => Ok(Spanned::new(Slot::Is(text), self.span)),
            Some(other) => Err(unfit(name, &other, "a string")),
            None => Err(missing(of, name)),
        }
    }

    /// Attributes or metadata; null counts as absent.
    fn content(&self, name: &str, parts: &mut Map) -> Result<Option<Object>> {
        let entries = match parts.remove(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Object(entries)) => entries,
            Some(other) => return Err(unfit(name, &other, "an object")),
        };
        let json = |value| Json { node: JsonNode::Bound(value), span: self.span };
        let entries = entries.into_iter().map(|(key, value)| (Spanned::new(key, self.span), json(value)));
        Ok(Some(Object { entries: entries.collect(), span: self.span }))
    }
}

fn object(what: &str, value: Value, known: &[&str]) -> Result<Map> {
    let Value::Object(entries) = value else {
        return Err(wrong(format!("{what} is {}, and an object is needed", kind(&value))).hint(SHAPES));
    };
    let Some(key) = entries.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(entries) };
    let error = wrong(format!("`{}` is no key of {what}", crate::lex::shown(key)));
    Err(match nearest(key, known.iter().copied()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint(format!("the keys are {}", one_of(known))),
    })
}

fn missing(of: &str, name: &str) -> KipError {
    wrong(format!("{of} has no `{name}`")).hint(SHAPES)
}

fn unfit(name: &str, value: &Value, wanted: &str) -> KipError {
    wrong(format!("`{name}` is {}, and {wanted} is needed", kind(value))).hint(SHAPES)
}

fn wrong(message: impl Into<String>) -> KipError {
    KipError::new(KipCode::InvalidSyntax, message)
}

/// Writes a block as a line, without its end; the same block gives the same text.
///
/// `None` for a block that says more than lines can: handles, ids, versions, parameters, links inside of it.
pub fn write_line(block: &Block) -> Option<String> {
    let mut out = String::new();
    let (attributes, metadata) = match block {
        Block::Concept(concept) => {
            let is_plain =
                concept.handle.is_none() && concept.expect_version.is_none() && concept.links.is_empty();
            is_plain.then_some(())?;
            out += "{\"concept\":{";
            names(&mut out, &concept.matcher)?;
            (&concept.attributes, &concept.metadata)
        }
        Block::Proposition(link) => {
            (link.handle.is_none() && link.expect_version.is_none()).then_some(())?;
            out += "{\"link\":{";
            parts(&mut out, &link.matcher)?;
            (&link.attributes, &link.metadata)
        }
    };
    for (name, content) in [("attributes", attributes), ("metadata", metadata)] {
        let Some(content) = content else { continue };
        out += &format!(",\"{name}\":{}", Value::Object(content.value().ok()?).to_json());
    }
    out += "}}";
    Some(out)
}

fn names(out: &mut String, matcher: &ConceptMatch) -> Option<()> {
    let (None, Some(kind), Some(name)) = (&matcher.id, &matcher.kind, &matcher.name) else { return None };
    *out += &format!("\"type\":{},\"name\":{}", quoted(kind)?, quoted(name)?);
    Some(())
}

fn parts(out: &mut String, matcher: &PropositionMatch) -> Option<()> {
    let PropositionMatch::Triple(triple) = matcher else { return None };
    let Predicate::OneOf(predicates) = &triple.predicate else { return None };
    let [predicate] = &predicates[..] else { return None };
    *out += "\"subject\":";
    end(out, &triple.subject)?;
    *out += &format!(",\"predicate\":{},\"object\":", quoted(predicate)?);
    end(out, &triple.object)
}

fn end(out: &mut String, term: &Term) -> Option<()> {
    match term {
        Term::Concept { variable: None, matcher } => {
            out.push('{');
            names(out, matcher)?;
        }
        Term::Proposition { variable: None, matcher } => {
            *out += "{\"link\":{";
            parts(out, matcher)?;
            out.push('}');
        }
        Term::Variable(_) | Term::Concept { .. } | Term::Proposition { .. } => return None,
    }
    out.push('}');
    Some(())
}

fn quoted(text: &Spanned<Slot<String>>) -> Option<String> {
    Some(Value::String(text.given().ok()?.clone()).to_json())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Block> {
        read_line(line.as_bytes(), Span::default())
    }

    #[test]
    fn lines_come_back_as_they_are_written() {
        for line in [
            r#"{"concept":{"type":"Drug","name":"A \"b\""}}"#,
            r#"{"concept":{"type":"Drug","name":"A","attributes":{"a":[1,1.0,null],"b":{}},"metadata":{"m":"é"}}}"#,
            r#"{"link":{"subject":{"type":"A","name":"a"},"predicate":"p","object":{"type":"B","name":"b"},"attributes":{"weight":3}}}"#,
            r#"{"link":{"subject":{"link":{"subject":{"type":"A","name":"a"},"predicate":"p","object":{"type":"B","name":"b"}}},"predicate":"q","object":{"type":"B","name":"b"}}}"#,
        ] {
            assert_eq!(write_line(&read(line).unwrap()).as_deref(), Some(line));
        }
    }

    #[test]
    fn a_line_is_a_block_of_an_upsert() {
        let line = r#"{"concept":{"name":"A","type":"Drug","metadata":null,"attributes":{"b":2,"a":1}}}"#;
        let text = r#"UPSERT { CONCEPT { {type: "Drug", name: "A"} SET ATTRIBUTES { a: 1, b: 2 } } }"#;
        let crate::tree::Command::Upsert(upserts) = crate::parse(text).unwrap() else { panic!() };
        let Block::Concept(expected) = &upserts[0].blocks[0].node else { panic!() };
        let Block::Concept(found) = read(line).unwrap() else { panic!() };
        assert_eq!((found.matcher, &found.metadata), (expected.matcher.clone(), &None));
        let value = |object: &Option<Object>| object.as_ref().unwrap().value().unwrap();
        assert_eq!(value(&found.attributes), value(&expected.attributes));
    }

    #[test]
    fn what_a_line_cannot_say_is_not_written() {
        for block in [
            r#"CONCEPT ?x { {type: "A", name: "a"} }"#,
            r#"CONCEPT { {type: "A", name: "a"} EXPECT VERSION 1 }"#,
            r#"CONCEPT { {type: "A", name: "a"} SET PROPOSITIONS { ("p", {type: "B", name: "b"}) } }"#,
            r#"CONCEPT { {id: "C:7"} }"#,
            r#"PROPOSITION ?x { ({type: "A", name: "a"}, "p", {type: "B", name: "b"}) }"#,
            r#"PROPOSITION { ({type: "A", name: "a"}, "p", {type: "B", name: "b"}) EXPECT VERSION 1 }"#,
            r#"PROPOSITION { (id: "P:7:p") }"#,
            r#"PROPOSITION { ({id: "C:7"}, "p", {type: "B", name: "b"}) }"#,
            r#"CONCEPT { {type: "A", name: "a"} SET ATTRIBUTES { a: :a } }"#,
        ] {
            let parsed = crate::parse(&format!("UPSERT {{ {block} }}"));
            let crate::tree::Command::Upsert(upserts) =
                parsed.unwrap_or_else(|error| panic!("{block}: {error:?}"))
            else {
                panic!()
            };
            assert_eq!(write_line(&upserts[0].blocks[0].node), None, "{block}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_line_is_said() {
        let end = r#"{"type":"A","name":"a"}"#;
        let rows = [
            ("".to_owned(), "it is no JSON"),
            ("{\"concept\":".to_owned(), "it is no JSON"),
            ("[]".to_owned(), "a line is an array"),
            ("{}".to_owned(), "a line has one key"),
            ("{\"concept\":{},\"link\":{}}".to_owned(), "a line has one key"),
            ("{\"concepts\":{}}".to_owned(), "`concepts` is no key of a line"),
            ("{\"concept\":{\"name\":\"x\"}}".to_owned(), "`concept` has no `type`"),
            ("{\"concept\":{\"type\":\"A\",\"name\":1}}".to_owned(), "`name` is the number 1"),
            (
                "{\"concept\":{\"type\":\"A\",\"name\":\"a\",\"attributes\":[]}}".to_owned(),
                "`attributes` is an array",
            ),
            (format!("{{\"link\":{{\"subject\":{end},\"predicate\":\"p\"}}}}"), "`link` has no `object`"),
            (
                format!(
                    "{{\"link\":{{\"subject\":{{\"type\":\"A\",\"link\":{{}}}},\"predicate\":\"p\",\"object\":{end}}}}}"
                ),
                "and not both",
            ),
            (
                format!(
                    "{{\"link\":{{\"subject\":{{\"link\":{{\"subject\":{end},\"predicate\":\"p\",\"object\":{end},\"attributes\":{{}}}}}},\"predicate\":\"p\",\"object\":{end}}}}}"
                ),
                "`attributes` is no key of `link`",
            ),
        ];
        for (line, expected) in rows {
            let error = read(&line).unwrap_err();
            assert!(error.message.contains(expected), "{line}: {}", error.message);
            assert!(error.span.is_some(), "{line}");
        }
    }
}
