//! The layers together.

use std::net::SocketAddr;

use super::keys::KEYS;
use super::*;

fn load_with(file: &str, variables: &[(&str, &str)], flags: &[Assignment]) -> Result<Settings, Failure> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(dir.path().join(FILE_NAME), file).expect("the file");
    let variables = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    load(dir.path(), variables, flags)
}

/// The complaint, without the folder of the file.
fn complaint(file: &str, variables: &[(&str, &str)]) -> String {
    let failure = load_with(file, variables, &[]).expect_err("it is wrong");
    let text = format!("{failure:?}");
    let start = text.find(FILE_NAME).or_else(|| text.find("message")).expect("it has a message");
    text[start..].to_owned()
}

#[test]
fn each_layer_goes_over_the_one_before() {
    let file = "log.level = \"warn\"\n[http]\naddr = \"127.0.0.1:1\"\ndeadline_ms = 5\n[store]\nsegment_bytes = \"2 MiB\"\n";
    let variables = [("CAIRN_HTTP_ADDR", "127.0.0.1:2"), ("CAIRN_LOG_LEVEL", "debug"), ("PATH", "x")];
    let flags = [Assignment::flag("http.addr", "127.0.0.1:3", "--http")];
    let settings = load_with(file, &variables, &flags).expect("all of it is right");

    assert_eq!(settings.config.http_addr, SocketAddr::from(([127, 0, 0, 1], 3)));
    assert_eq!(settings.config.log_level, "debug");
    assert_eq!(settings.config.http_deadline, Duration::from_millis(5));
    assert_eq!(settings.config.store_segment_bytes, 2 << 20);
    let source = |name: &str| {
        let at = KEYS.iter().position(|key| key.name == name).expect("a setting");
        settings.sources[at].to_string()
    };
    assert_eq!(source("http.addr"), "--http");
    assert_eq!(source("http.allowed_origins"), "default");
    assert!(source("http.deadline_ms").ends_with("cairn.toml:4"), "{}", source("http.deadline_ms"));
    assert_eq!(source("log.level"), "CAIRN_LOG_LEVEL");
    assert!(source("store.segment_bytes").ends_with("cairn.toml:6"), "{}", source("store.segment_bytes"));
}

#[test]
fn mistakes_name_their_place_and_the_nearest_name() {
    let text = complaint("\n[http]\nadress = \"x\"\n", &[]);
    assert!(text.starts_with("cairn.toml:3: there is no setting `http.adress`"), "{text}");
    assert!(text.contains("did you mean `http.addr`?"), "{text}");

    let text = complaint("http.deadline_ms = true\n", &[]);
    assert!(
        text.starts_with("cairn.toml:1: `http.deadline_ms` must be a number from 1 to 3600000"),
        "{text}"
    );

    let text = complaint("a = 1\nb = = 2\n", &[]);
    assert!(text.starts_with("cairn.toml:2: "), "{text}");

    let text = complaint("", &[("CAIRN_HTP_ADDR", "x")]);
    assert!(text.contains("CAIRN_HTP_ADDR sets nothing"), "{text}");
    assert!(text.contains("did you mean `CAIRN_HTTP_ADDR`?"), "{text}");

    let text = complaint("", &[("CAIRN_HTTP_WAITING_MAX", "many")]);
    assert!(text.contains("CAIRN_HTTP_WAITING_MAX: `http.waiting_max` must be a number"), "{text}");
}

#[test]
fn variables_of_ours_that_set_no_key_are_left_alone() {
    let variables = [("CAIRN_DATA_DIR", "x")];
    assert_eq!(load_with("", &variables, &[]).expect("nothing is wrong").config, Config::default());
}

#[test]
fn the_key_file_has_a_shorter_variable() {
    let variables = [("CAIRN_ENCRYPTION_KEY_FILE", "keys/a")];
    let settings = load_with("", &variables, &[]).expect("nothing is wrong");
    assert_eq!(settings.config.store_encryption_key_file, Some("keys/a".into()));
    let longer = complaint("", &[("CAIRN_STORE_ENCRYPTION_KEY_FILE", "x")]);
    assert!(longer.contains("did you mean `CAIRN_ENCRYPTION_KEY_FILE`?"), "{longer}");
}

#[test]
fn the_template_is_all_comments_and_becomes_the_defaults() {
    let template = template();
    assert_eq!(load_with(&template, &[], &[]).expect("it is right").config, Config::default());
    let lines = template.lines().map(|line| match line.strip_prefix("# ") {
        Some(setting) if setting.contains(" = ") => setting,
        _ => line,
    });
    let uncommented = lines.collect::<Vec<_>>().join("\n");
    let settings = load_with(&uncommented, &[], &[]).expect("every default is valid");
    assert_eq!(settings.config, Config::default());
    assert!(!settings.sources.contains(&Source::Default), "every key is in the template");
}

#[test]
fn a_missing_file_is_no_mistake() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    assert!(load(&dir.path().join("nowhere"), std::iter::empty(), &[]).is_ok());
}
