//! Payloads of upserts: one of flags, or several of a file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use cairn_base::Value;
use cairn_kb::tools::{RelationshipInput, UpsertInput};
use cairn_kb::{EntityType, Properties, Relation, Shape, field};
use clap::Args;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::command::input::is_stdin;
use crate::failure::Failure;
use crate::limits::KB_PAYLOADS_BYTES_MAX;

/// One payload as flags, or a file of payloads.
#[derive(Debug, Args)]
pub(crate) struct PayloadArgs {
    /// Type of the entity: req, scenario, test, adr, flag, event, symbol or fact; - for standard input
    #[arg(value_name = "TYPE", value_parser = subject, required_unless_present = "file")]
    subject: Option<Subject>,

    /// Id of the entity
    #[arg(value_name = "ID")]
    id: Option<String>,

    /// File with a payload in JSON, a list of them, or an object with `applyPlan`; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["subject", "id"])]
    file: Option<PathBuf>,

    /// Title; a new entity needs one
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    title: Option<String>,

    /// Status; a new entity needs one
    #[arg(long, value_name = "STATUS", conflicts_with = "file")]
    status: Option<String>,

    /// Source: a path, a URL
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    source: Option<String>,

    /// Tag; can be repeated, and replaces all tags
    #[arg(long = "tag", value_name = "TAG", conflicts_with = "file")]
    tags: Vec<String>,

    /// Another property; can be repeated. A list is JSON, or texts separated by commas
    #[arg(long = "field", value_name = "NAME=VALUE", value_parser = property, conflicts_with = "file")]
    fields: Vec<(String, Value)>,

    /// Property to remove; can be repeated
    #[arg(long = "unset", value_name = "NAME", conflicts_with = "file")]
    unset: Vec<String>,

    /// Relationship that starts at the entity; can be repeated
    #[arg(long = "link", value_name = "RELATION:TARGET", value_parser = link, conflicts_with = "file")]
    links: Vec<(Relation, String)>,
}

/// The first argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Entity(EntityType),
    Stdin,
}

/// Payloads in the order in which they are applied.
#[derive(Debug)]
pub(super) struct Payloads {
    pub(super) inputs: Vec<UpsertInput>,
    /// Whether they are a list, even of one.
    pub(super) is_list: bool,
}

impl PayloadArgs {
    /// Reads the payloads.
    pub(super) fn read(&self) -> Result<Payloads, Failure> {
        let file = match (&self.file, self.subject) {
            (Some(file), _) => file,
            (None, Some(Subject::Entity(kind))) => {
                return Ok(Payloads { inputs: vec![self.given(kind)?], is_list: false });
            }
            (None, _) => Path::new("-"),
        };
        if self.file.is_none() && !self.is_bare() {
            return Err(Failure::usage("properties and links come from standard input, too")
                .hint("name the type and the id of the entity in place of -"));
        }
        let name = if is_stdin(file) { "standard input".to_owned() } else { file.display().to_string() };
        parse(&read(file, &name)?, &name)
    }

    fn is_bare(&self) -> bool {
        let texts = [&self.id, &self.title, &self.status, &self.source];
        texts.into_iter().all(Option::is_none)
            && [self.tags.len(), self.fields.len(), self.unset.len(), self.links.len()] == [0; 4]
    }

    /// The payload of the flags.
    fn given(&self, kind: EntityType) -> Result<UpsertInput, Failure> {
        let Some(id) = self.id.clone() else {
            return Err(Failure::usage("the id of the entity is missing")
                .hint(format!("write it behind the type: {kind} ID")));
        };
        let texts = [("title", &self.title), ("status", &self.status), ("source", &self.source)];
        let texts =
            texts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?.into())));
        let tags: Vec<Value> = self.tags.iter().map(|tag| Value::from(tag.as_str())).collect();
        let tags = (!tags.is_empty()).then(|| ("tags".to_owned(), Value::Array(tags)));
        let unset = self.unset.iter().map(|name| (name.clone(), Value::Null));
        let mut properties = BTreeMap::new();
        for (name, value) in texts.chain(tags).chain(self.fields.iter().cloned()).chain(unset) {
            if properties.insert(name.clone(), value).is_some() {
                return Err(Failure::usage(format!("the property {name} is given twice")));
            }
        }
        let relationships = self.links.iter().map(|(relation, to)| RelationshipInput {
            relation: *relation,
            from: id.clone(),
            to: to.clone(),
            created_at: None,
            created_by: None,
            source: None,
            confidence: None,
        });
        let relationships = relationships.collect();
        Ok(UpsertInput { kind, properties: Properties(properties), relationships, request_id: None, id })
    }
}

fn read(file: &Path, name: &str) -> Result<Vec<u8>, Failure> {
    let failed = |error| Failure::io(format_args!("read {name}"), &error);
    let input: Box<dyn Read> =
        if is_stdin(file) { Box::new(std::io::stdin()) } else { Box::new(File::open(file).map_err(failed)?) };
    let mut bytes = Vec::new();
    input.take(KB_PAYLOADS_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > KB_PAYLOADS_BYTES_MAX {
        let message = format!("{name} has more than the {KB_PAYLOADS_BYTES_MAX} bytes allowed");
        return Err(Failure::usage(message).hint("split it into several files"));
    }
    Ok(bytes)
}

fn parse(json: &[u8], name: &str) -> Result<Payloads, Failure> {
    let first = json.iter().find(|byte| !byte.is_ascii_whitespace());
    let is_list = first == Some(&b'[');
    let is_plan = !is_list && serde_json::from_slice::<HasPlan>(json).is_ok();
    let parsed = if is_list {
        serde_json::from_slice(json)
    } else if is_plan {
        serde_json::from_slice(json).map(|Plan { apply_plan }| apply_plan)
    } else {
        serde_json::from_slice(json).map(|one| vec![one])
    };
    let inputs = parsed.map_err(|error| {
        Failure::usage(format!("{name} holds no payload of `cairn kb upsert`: {error}")).hint(
            "write an object with type, id, properties and relationships, a list of such objects, or an object with \
             such a list as applyPlan",
        )
    })?;
    Ok(Payloads { inputs, is_list: is_list || is_plan })
}

/// The output of a tool that plans upserts.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Plan {
    apply_plan: Vec<UpsertInput>,
}

/// An object with a plan, whatever the plan is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HasPlan {
    #[serde(rename = "applyPlan")]
    _apply_plan: IgnoredAny,
}

fn subject(text: &str) -> Result<Subject, String> {
    if text == "-" {
        return Ok(Subject::Stdin);
    }
    let kind = EntityType::parse(text).map(Subject::Entity);
    kind.ok_or_else(|| format!("no such type; write one of {}", EntityType::TEXTS.join(", ")))
}

/// Parses `NAME=VALUE`. The value has the shape that the field needs; what is wrong with it is for the server to say.
fn property(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("write the name, an equals sign and the value")?;
    let shape = field(name).map(|field| field.shape);
    let json = || Value::parse_json(value.as_bytes()).unwrap_or_else(|_| value.into());
    let list = |item: fn(&str) -> Value| match Value::parse_json(value.as_bytes()) {
        Ok(list @ Value::Array(_)) => list,
        _ if value.is_empty() => Value::Array(Vec::new()),
        _ => Value::Array(value.split(',').map(|part| item(part.trim())).collect()),
    };
    let value = match shape {
        Some(Shape::Text(_) | Shape::Word(_)) => value.into(),
        Some(Shape::Texts) => list(|part| part.into()),
        Some(Shape::Scalars) => {
            list(|part| Value::parse_json(part.as_bytes()).unwrap_or_else(|_| part.into()))
        }
        Some(Shape::Integer | Shape::Number | Shape::Bool) | None => json(),
    };
    Ok((name.to_owned(), value))
}

/// Parses `RELATION:TARGET`.
fn link(text: &str) -> Result<(Relation, String), String> {
    let (relation, target) = text.split_once(':').ok_or("write the relationship type, a colon and an id")?;
    let known = Relation::parse(relation).ok_or_else(|| {
        format!("no relationship type {relation:?}; write one of {}", Relation::TEXTS.join(", "))
    })?;
    Ok((known, target.to_owned()))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        payload: PayloadArgs,
    }

    fn line(arguments: &[&str]) -> Result<PayloadArgs, clap::Error> {
        Line::try_parse_from(["line"].iter().chain(arguments)).map(|line| line.payload)
    }

    fn given(arguments: &[&str]) -> String {
        let payloads = line(arguments).expect("well written").read().expect("complete");
        assert!(!payloads.is_list);
        serde_json::to_string(&payloads.inputs[0]).expect("plain data")
    }

    #[test]
    fn flags_are_a_payload() {
        let arguments = [
            &["req", "REQ-1", "--title", "T: a=b", "--status", "open", "--tag", "x", "--tag", "y"][..],
            &["--field", "priority=must=now", "--unset", "owner"],
            &["--link", "specified_by:SCEN:1", "--link", "depends_on:REQ-0"],
        ];
        assert_eq!(
            given(&arguments.concat()),
            r#"{"type":"req","id":"REQ-1","properties":{"owner":null,"priority":"must=now","status":"open","tags":["x","y"],"title":"T: a=b"},"relationships":[{"type":"specified_by","from":"REQ-1","to":"SCEN:1"},{"type":"depends_on","from":"REQ-1","to":"REQ-0"}]}"#
        );
    }

    #[test]
    fn values_have_the_shape_of_their_field() {
        for (text, json) in [
            ("value_int=30", "30"),
            ("value_int=many", "\"many\""),
            ("value_number=0.30000000000000004", "0.30000000000000004"),
            ("value_bool=true", "true"),
            ("value_string=30", "\"30\""),
            ("title=true", "\"true\""),
            ("aliases=a, b", r#"["a","b"]"#),
            ("aliases=", "[]"),
            ("aliases=[\"a, b\"]", r#"["a, b"]"#),
            ("predicate_args=a,1,true", r#"["a",1,true]"#),
            ("predicate_args=[\"1\"]", r#"["1"]"#),
            ("unknown=7", "7"),
            ("subjectKey=a.b", "\"a.b\""),
        ] {
            let (_, value) = property(text).expect("well written");
            assert_eq!(value.to_json(), json, "{text}");
        }
        assert!(property("title").is_err());
    }

    #[test]
    fn mistakes_name_what_is_allowed() {
        for (arguments, part) in [
            (&["requirement", "R"][..], "req, scenario, test"),
            (&["req", "R", "--link", "depends-on:X"], "depends_on, specified_by"),
            (&["req", "R", "--link", "depends_on"], "a colon"),
            (&["req", "R", "--field", "title"], "an equals sign"),
            (&["req", "R", "--file", "x.json"], "cannot be used with"),
            (&["--file", "x.json", "--title", "T"], "cannot be used with"),
            (&[], "required"),
        ] {
            let said = line(arguments).expect_err("wrong").to_string();
            assert!(said.contains(part), "{said}");
        }
        for (arguments, part) in [
            (&["req"][..], "the id of the entity is missing"),
            (&["req", "R", "--title", "a", "--field", "title=b"], "title is given twice"),
            (&["-", "--title", "a"], "standard input, too"),
        ] {
            let failure = line(arguments).expect("well written").read().expect_err("wrong");
            assert!(failure.into_words().0.contains(part), "{part}");
        }
    }

    #[test]
    fn a_file_holds_one_payload_or_a_list() {
        let one = parse(b" {\"type\": \"req\", \"id\": \"R\"}", "f").expect("a payload");
        assert_eq!((one.inputs.len(), one.is_list), (1, false));
        let list = parse(b"[{\"type\": \"req\", \"id\": \"R\"}]\n", "f").expect("a list");
        assert_eq!((list.inputs.len(), list.is_list), (1, true));
        assert_eq!(parse(b"[]", "f").expect("a list").inputs.len(), 0);
        let plan = br#"{"text": "T", "applyPlan": [{"type": "req", "id": "R"}], "warnings": []}"#;
        let plan = parse(plan, "f").expect("a plan");
        assert_eq!((plan.inputs.len(), plan.is_list), (1, true));
        assert!(parse(br#"{"applyPlan": {"type": "req"}}"#, "f").is_err());
        for (json, part) in [
            (
                "{\"type\": \"requirement\", \"id\": \"R\"}",
                "unknown variant `requirement`, expected one of `req`",
            ),
            (
                "[{\"type\": \"req\", \"id\": \"R\"},\n {\"type\": \"req\", \"name\": \"R\"}]",
                "unknown field `name`",
            ),
            ("[{\"type\": \"req\", \"id\": \"R\"},\n {\"type\": \"req\"}]", "line 2"),
            ("", "EOF"),
            ("R", "expected value"),
        ] {
            let (message, hint) = parse(json.as_bytes(), "the file").expect_err("wrong").into_words();
            assert!(message.starts_with("the file holds no payload") && message.contains(part), "{message}");
            assert!(hint.is_some());
        }
    }
}
