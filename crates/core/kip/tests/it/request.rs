//! Requests, as callers send them.

use cairn_base::Value;
use cairn_kip::{Commands, Format, KipCode, KipError, KipRequest};

fn decode(json: &str) -> Result<KipRequest, KipError> {
    KipRequest::decode(Value::parse_json(json.as_bytes()).expect(json))
}

fn refused(json: &str, code: KipCode, message: &str, hint: &str) {
    let error = decode(json).expect_err(json);
    assert_eq!(error.code, code, "{json}: {error:?}");
    assert!(error.message.contains(message) && error.advice().contains(hint), "{json}: {error:?}");
}

fn syntax(json: &str, message: &str, hint: &str) {
    refused(json, KipCode::InvalidSyntax, message, hint);
}

#[test]
fn one_command() {
    let request = decode(r#"{"command":"DESCRIBE PRIMER"}"#).expect("a request");
    let Commands::One(command) = &request.commands else { panic!("{request:?}") };
    assert_eq!(command.text, "DESCRIBE PRIMER");
    assert_eq!(
        (request.dry_run, request.readonly, &request.space, request.format),
        (false, false, &None, Format::Columns)
    );
    let request = decode(
        r#"{"command":"x","commands":null,"parameters":{"a":1},"dry_run":true,"readonly":true,"space":"s","format":"rows","page_bytes":1}"#,
    )
    .expect("a request");
    assert_eq!((request.dry_run, request.readonly, request.format), (true, true, Format::Rows));
    assert_eq!(request.page_bytes, Some(1));
    assert_eq!((request.space.as_deref(), request.parameters.len()), (Some("s"), 1));
}

#[test]
fn a_batch_merges_parameters() {
    let json = r#"{"commands":["a",{"command":"b","parameters":{"y":3,"z":4}},{"command":"c"}],"parameters":{"x":1,"y":2}}"#;
    let request = decode(json).expect(json);
    let Commands::Batch(commands) = &request.commands else { panic!("{request:?}") };
    let seen = commands.iter().map(|command| {
        format!("{} {}", command.text, Value::from(request.parameters_of(command).into_owned()).to_json())
    });
    assert_eq!(
        seen.collect::<Vec<_>>(),
        [r#"a {"x":1,"y":2}"#, r#"b {"x":1,"y":3,"z":4}"#, r#"c {"x":1,"y":2}"#]
    );
}

#[test]
fn what_is_no_request_is_told_so() {
    syntax("[]", "this is an array", "{\"command\"");
    syntax("{}", "no command", "commands");
    syntax(r#"{"command":null}"#, "no command", "commands");
    syntax(r#"{"command":"a","commands":["b"]}"#, "exclude each other", "list");
    syntax(r#"{"command":5}"#, "`command` is the number 5", "a string");
    syntax(r#"{"commands":"a"}"#, "`commands` is the string \"a\"", "an array");
    for bytes in ["0", "-1", "1.5", "\"1\"", "[]"] {
        let json = format!(r#"{{"command":"a","page_bytes":{bytes}}}"#);
        syntax(&json, "`page_bytes` is", "a whole number above 0");
    }
    syntax(r#"{"commands":[]}"#, "empty", "at least one");
    syntax(r#"{"commands":["a",7]}"#, "`commands[1]` is the number 7", "a string or an object");
    syntax(r#"{"commands":["a",{}]}"#, "commands[1] has no `command`", "parameters");
    syntax(r#"{"commands":[{"command":1}]}"#, "`commands[0].command` is the number 1", "a string");
    syntax(
        r#"{"commands":[{"command":"a","param":{}}]}"#,
        "`param` is no key of commands[0]",
        "`command` or `parameters`",
    );
    syntax(r#"{"command":"a","dryrun":true}"#, "`dryrun` is no key", "did you mean `dry_run`?");
    syntax(r#"{"command":"a","zzzz":true}"#, "`zzzz` is no key", "`command`, `commands`");
    syntax(r#"{"command":"a","dry_run":"yes"}"#, "`dry_run` is the string \"yes\"", "true or false");
    syntax(r#"{"command":"a","readonly":1}"#, "`readonly` is the number 1", "true or false");
    syntax(r#"{"command":"a","space":1}"#, "`space`", "a string");
    syntax(
        r#"{"command":"a","format":"table"}"#,
        "`format` is the string \"table\"",
        "\"columns\" or \"rows\"",
    );
    syntax(r#"{"command":"a","parameters":[]}"#, "`parameters` is an array", "an object");
    refused(r#"{"command":"a","parameters":{":name":1}}"#, KipCode::InvalidIdentifier, "`:name`", "\"name\"");
    refused(
        r#"{"commands":[{"command":"a","parameters":{"1":1}}]}"#,
        KipCode::InvalidIdentifier,
        "`1`",
        "letters",
    );
}

#[test]
fn a_batch_has_a_limit() {
    let batch = |count: usize| format!("{{\"commands\":[{}]}}", vec!["\"a\""; count].join(","));
    assert!(decode(&batch(256)).is_ok());
    refused(
        &batch(257),
        KipCode::ResourceExhausted,
        "256 commands at most, and this one 257",
        "several requests",
    );
}
