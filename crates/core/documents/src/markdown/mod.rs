//! Markdown documents: front matter with the fields of one entity, and its body.

mod split;

use cairn_base::nearest;
use cairn_kb::EntityType;

pub(crate) use self::split::plain_body;
use self::split::{Split, split};
use crate::document::{Document, DocumentEntity, Problems};
use crate::entity::{Defaults, Draft, cut};
use crate::limits::MARKDOWN_BYTES_MAX;
use crate::problem::{Problem, ProblemClass};
use crate::text::{Refusal, text_of};
use crate::yaml::{NodeKind, Reader, YamlError};

/// Folders whose name implies the type of their documents.
const FOLDERS: &[(&str, EntityType)] = &[
    ("requirements", EntityType::Req),
    ("scenarios", EntityType::Scenario),
    ("tests", EntityType::Test),
    ("adr", EntityType::Adr),
    ("flags", EntityType::Flag),
    ("events", EntityType::Event),
    ("facts", EntityType::Fact),
];

/// The status of an entity whose document gives none.
const DEFAULT_STATUS: &str = "draft";

/// Reads a Markdown document with the entity of its front matter.
///
/// The type is that of the front matter, else `lane`, the type of the configured folder it is in, else that of the
/// nearest folder of `path` named after a type. A missing `id` is derived from path and title, a missing `status` is
/// `draft`, a missing `source` is the path. Text below the front matter is the `body`. A file without front matter is no
/// document, and has no problems.
pub fn parse_markdown(path: &str, bytes: &[u8], lane: Option<EntityType>) -> Document {
    let mut problems = Problems::of(path);
    let text = match text_of(bytes, MARKDOWN_BYTES_MAX) {
        Ok(text) => text,
        Err(refusal) => {
            let Refusal { line, message, hint } = refusal;
            if split::begins(bytes) {
                problems.add(line, ProblemClass::Unreadable, message, hint);
                return problems.document(Vec::new(), true);
            }
            // Without a first line of front matter it is someone else's file, or one in another encoding.
            let (path, class) = (path.to_owned(), ProblemClass::Unreadable);
            let refusal = Some(Problem { path, line, class, message, hint });
            return Document { refusal, ..problems.document(Vec::new(), false) };
        }
    };
    match split(&text) {
        Split::None => problems.document(Vec::new(), false),
        Split::NoEnd => {
            let hint = "end the front matter with a line that is just ---".to_owned();
            let message = "the front matter begins here and does not end";
            problems.add(1, ProblemClass::MissingEnd, message, hint);
            problems.document(Vec::new(), true)
        }
        Split::Whole { front, body, body_line } => {
            let entity = read(path, front, body, body_line, lane, &mut problems);
            problems.document(entity.into_iter().collect(), true)
        }
    }
}

fn read(
    path: &str,
    front: &str,
    body: &str,
    body_line: u32,
    lane: Option<EntityType>,
    problems: &mut Problems,
) -> Option<DocumentEntity> {
    let entries = match Reader::read_all(front, 1) {
        Ok(Some(node)) => match node.kind {
            NodeKind::Map(entries) => entries,
            NodeKind::Scalar(_) | NodeKind::List(_) => {
                let message = format!("the front matter is {}, not a mapping", node.word());
                let hint = "write one `field: value` per line".to_owned();
                problems.add(node.line, ProblemClass::Yaml, message, hint);
                return None;
            }
        },
        Ok(None) => Vec::new(),
        Err(error) => {
            add_yaml_error(front, 1, error, problems);
            return None;
        }
    };
    let mut draft = Draft::read(entries, 2, problems);
    let body = plain_body(body);
    match (body.is_empty(), draft.text("body")) {
        (true, _) => {}
        (false, None) => draft.set("body", body_line, body.into()),
        (false, Some(_)) => {
            let message = "there is a body both in the front matter and below it";
            problems.add(body_line, ProblemClass::InvalidField, message, "keep one of them".to_owned());
            return None;
        }
    }
    let kind = kind_of(path, &draft, lane, problems)?;
    draft.finish(kind, &Defaults { path, status: DEFAULT_STATUS }, problems)
}

fn kind_of(
    path: &str,
    draft: &Draft,
    lane: Option<EntityType>,
    problems: &mut Problems,
) -> Option<EntityType> {
    let types = || EntityType::TEXTS.join(", ");
    if let Some((text, line)) = &draft.kind {
        let kind = EntityType::parse(text);
        if kind.is_none() {
            let hint = match nearest(text, EntityType::TEXTS.iter().copied()) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("types are {}", types()),
            };
            let message = format!("unknown type {}", cut(text));
            problems.add(*line, ProblemClass::InvalidField, message, hint);
        }
        return kind;
    }
    let kind = lane.or_else(|| kind_of_path(path));
    if kind.is_none() {
        let hint = format!("add a line like `type: req`; types are {}", types());
        problems.add(draft.line, ProblemClass::MissingType, "type is missing", hint);
    }
    kind
}

/// The type that the nearest folder with the name of one implies.
fn kind_of_path(path: &str) -> Option<EntityType> {
    let folders = path.split('/').rev().skip(1);
    let of_folder = |folder: &str| FOLDERS.iter().find(|(name, _)| *name == folder).map(|(_, kind)| *kind);
    folders.into_iter().find_map(of_folder)
}

/// Adds an error of YAML, and its probable cause.
pub(crate) fn add_yaml_error(text: &str, lines_before: u32, error: YamlError, problems: &mut Problems) {
    let YamlError { line, message, hint, is_syntax } = error;
    if !is_syntax {
        return problems.add(line, ProblemClass::Yaml, message, hint.map(str::to_owned));
    }
    let lines = || (lines_before + 1..).zip(text.lines());
    // The scanner may notice the second colon on the line after.
    let around = lines().filter(|(at, _)| (line.saturating_sub(1)..=line).contains(at));
    if let Some((at, (key, value))) = around.filter_map(|(at, text)| Some((at, unquoted_colon(text)?))).last()
    {
        let message = format!("{} has an unquoted colon in its value", cut(key));
        let value: String = value.chars().take(200).collect();
        let hint = format!("put the value in quotes: {}: \"{}\"", cut(key), value.replace('"', "\\\""));
        return problems.add(at, ProblemClass::UnquotedColon, message, hint);
    }
    let has_tab = |(_, text): (u32, &str)| text.trim_start_matches(' ').starts_with('\t');
    let hint = if lines().filter(|(at, _)| *at == line).any(has_tab) {
        "indent with spaces instead of tabs"
    } else {
        "put text with special characters in quotes, and check the indentation"
    };
    problems.add(line, ProblemClass::Yaml, message, hint.to_owned());
}

/// Key and value of a line like `title: Login: second factor`.
fn unquoted_colon(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim().trim_start_matches("- ").split_once(':')?;
    let value = value.strip_prefix([' ', '\t'])?.trim();
    let is_plain = !value.starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '!', '#']);
    let has_colon = value.contains(": ") || value.ends_with(':');
    let is_key =
        !key.is_empty() && key.chars().all(|letter| letter.is_alphanumeric() || "_-".contains(letter));
    (is_plain && has_colon && is_key).then_some((key, value))
}
