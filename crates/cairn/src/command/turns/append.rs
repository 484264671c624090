//! `cairn turns append`.

use std::io::Read;
use std::path::{Path, PathBuf};

use cairn_base::{ContextId, Entropy, ErrorCode, Hex, MsgpackWriter, SystemEntropy, TurnId, Value};
use cairn_http::{Client, ClientError, NewTurn};
use cairn_turns::limits;
use cairn_wire::turns::AppendedTurn;
use clap::Args;

use super::encode::msgpack;
use crate::command::answer::json;
use crate::failure::Failure;
use crate::{logging, reach};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn turns append new --type com.example.Note --text 'hello'
                                         a context with a first turn {1: \"hello\"}
  cairn turns append 1 --type com.example.Message@3 --json-payload '{\"1\":\"user\",\"2\":\"hi\"}'
                                         keys of digits become numbers
  cairn turns append 1 --type com.example.Message --file turn.msgpack
  make-turn | cairn turns append 1 --type com.example.Message --file - --key run-17-step-3
                                         safe to repeat: the same key is the same turn
  cairn turns append 1 --type t --text hi --expect-head 41
                                         only if nobody else was quicker

The turn is on disk when the command ends.";

/// What to append.
#[derive(Debug, Args)]
pub(crate) struct AppendArgs {
    /// The context, or `new` to make one
    #[arg(value_name = "CONTEXT|new", value_parser = target)]
    context: Target,

    /// What the payload is, with its version if that is not 1
    #[arg(long = "type", value_name = "ID[@VERSION]", value_parser = declared_type)]
    declared: (String, u32),

    #[command(flatten)]
    payload: PayloadArgs,

    /// Append below this turn instead of the head
    #[arg(long, value_name = "TURN")]
    parent: Option<u64>,

    /// A name for this append: repeated with the same content, it is the same turn
    #[arg(long, value_name = "KEY", value_parser = key)]
    key: Option<String>,

    /// Append only if this turn is the head; 0 for an empty context
    #[arg(long, value_name = "TURN")]
    expect_head: Option<u64>,
}

/// Where the payload comes from.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct PayloadArgs {
    /// A file with the payload in msgpack, or - for standard input
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// The payload as JSON; keys of digits become numbers
    #[arg(long, value_name = "JSON")]
    json_payload: Option<String>,

    /// A payload with this text as its field 1
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
}

/// Where a turn goes.
#[derive(Debug, Clone, Copy)]
enum Target {
    New,
    Context(u64),
}

/// Appends.
pub(super) fn append(data_dir: Option<&Path>, as_json: bool, arguments: AppendArgs) -> Result<(), Failure> {
    let payload = arguments.payload.read()?;
    let (data_dir, settings) = crate::command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let (type_id, type_version) = arguments.declared;
    let mut turn = NewTurn {
        context: ContextId(0),
        type_id,
        type_version,
        parent: arguments.parent.map(TurnId),
        expected_head: arguments.expect_head.map(TurnId),
        // The owner may go away before it answers, and then this is asked again.
        key: arguments.key.unwrap_or_else(random_key),
        payload,
    };
    let mut target = arguments.context;
    let appended = reach::reach(&data_dir.path, &settings.config, async |client| {
        send(client, &mut target, &mut turn).await
    });
    // A context that was made for a turn which then was refused is named, so that it can be used.
    let appended = appended.map_err(|failure| match (arguments.context, target) {
        (Target::New, Target::Context(made)) => {
            failure.hint(format!("context {made} was made for it and is empty; append to it, or leave it"))
        }
        (Target::New | Target::Context(_), _) => failure,
    })?;
    crate::command::print(&if as_json { json(&appended) } else { told(&appended) })
}

async fn send(
    client: &mut Client,
    target: &mut Target,
    turn: &mut NewTurn,
) -> Result<AppendedTurn, ClientError> {
    let context = match *target {
        Target::Context(context) => context,
        Target::New => {
            let ContextId(made) = client.create_context(None).await?.context_id;
            *target = Target::Context(made);
            made
        }
    };
    turn.context = ContextId(context);
    client.append(turn).await
}

fn told(appended: &AppendedTurn) -> String {
    let (turn, context) = (appended.turn_id, appended.context_id);
    if appended.is_repeated {
        return format!("turn {turn} was appended to context {context} before, with the same key\n");
    }
    format!("turn {turn} appended to context {context} at depth {}\n", appended.depth)
}

impl PayloadArgs {
    fn read(&self) -> Result<Vec<u8>, Failure> {
        let payload = if let Some(file) = &self.file {
            read_file(file)?
        } else if let Some(json) = &self.json_payload {
            let value = Value::parse_json(json.as_bytes());
            let value =
                value.map_err(|error| Failure::usage(format!("--json-payload is no JSON: {error}")))?;
            msgpack(&value)
        } else {
            let mut writer = MsgpackWriter::new();
            writer.map(1);
            writer.unsigned(1);
            writer.text(self.text.as_deref().unwrap_or(""));
            writer.into_bytes()
        };
        if payload.len() > cairn_gate::limits::HTTP_CONTENT_BYTES_MAX {
            Err(too_large())
        } else {
            Ok(payload)
        }
    }
}

/// Reads a file, and not much more of it than a payload may have.
fn read_file(file: &Path) -> Result<Vec<u8>, Failure> {
    let mut payload = Vec::new();
    let limit = cairn_gate::limits::HTTP_CONTENT_BYTES_MAX as u64 + 1;
    let read = if file.as_os_str() == "-" {
        std::io::stdin().lock().take(limit).read_to_end(&mut payload)
    } else {
        std::fs::File::open(file).and_then(|opened| opened.take(limit).read_to_end(&mut payload))
    };
    let doing = format!("read {}", file.display());
    read.map_err(|error| Failure::io(doing, &error).hint("name a file that is there and may be read"))?;
    Ok(payload)
}

fn too_large() -> Failure {
    Failure::usage(format!("a payload has at most {} bytes", cairn_gate::limits::HTTP_CONTENT_BYTES_MAX))
        .hint(ErrorCode::TooLarge.hint())
}

fn random_key() -> String {
    let mut bytes = [0; 16];
    SystemEntropy.fill(&mut bytes);
    format!("cairn-{}", Hex(&bytes))
}

fn target(text: &str) -> Result<Target, String> {
    if text == "new" {
        return Ok(Target::New);
    }
    text.parse().map(Target::Context).map_err(|_| "write the number of a context, or new".to_owned())
}

fn declared_type(text: &str) -> Result<(String, u32), String> {
    let Some((id, version)) = text.rsplit_once('@') else { return checked_type(text, 1) };
    let version =
        version.parse().map_err(|_| "write a number after @, such as com.example.Message@3".to_owned());
    checked_type(id, version?)
}

fn checked_type(id: &str, version: u32) -> Result<(String, u32), String> {
    if id.is_empty() || id.len() > limits::TYPE_ID_BYTES_MAX {
        return Err(format!("a type has 1 to {} bytes", limits::TYPE_ID_BYTES_MAX));
    }
    Ok((id.to_owned(), version))
}

fn key(text: &str) -> Result<String, String> {
    let length_ok = (1..=limits::IDEMPOTENCY_KEY_BYTES_MAX).contains(&text.len());
    if length_ok && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(text.to_owned());
    }
    Err(format!("a key has 1 to {} letters, digits and signs", limits::IDEMPOTENCY_KEY_BYTES_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_a_version_behind_the_last_sign() {
        for (text, expected) in
            [("t", Some(("t", 1))), ("t@3", Some(("t", 3))), ("a@b@4294967295", Some(("a@b", u32::MAX)))]
        {
            let expected = expected.map(|(id, version)| (id.to_owned(), version));
            assert_eq!(declared_type(text).ok(), expected, "{text}");
        }
        for bad in ["", "@1", "t@", "t@x", "t@-1", "t@4294967296", &"t".repeat(257)] {
            assert!(declared_type(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn keys_and_targets_are_checked() {
        assert!(key(&"k".repeat(256)).is_ok());
        for bad in ["", "two words", "ä", "a\n", &"k".repeat(257)] {
            assert!(key(bad).is_err(), "{bad}");
        }
        assert!(matches!(target("new"), Ok(Target::New)));
        assert!(matches!(target("7"), Ok(Target::Context(7))));
        assert!(target("-7").is_err() && target("old").is_err());
    }

    #[test]
    fn a_text_is_field_one() {
        let payload = PayloadArgs { file: None, json_payload: None, text: Some("hi".into()) };
        assert_eq!(payload.read().expect("short"), b"\x81\x01\xa2hi");
    }
}
