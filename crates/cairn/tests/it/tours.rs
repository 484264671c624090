//! Tours of the documentation run as they are pasted.

use std::path::Path;
use std::process::Command;

use crate::program::{output, stderr, stdout};

/// Marks the block of a page that is its tour.
const TOUR: &str = "```sh tour\n";

/// Runs the tour of a page, which is a path from the root of the repository, and expects texts in what it prints.
#[track_caller]
fn check(page: &str, expected: &[&str]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = std::fs::read_to_string(path).expect("the page is read");
    let (_, rest) = text.split_once(TOUR).expect("the page has a tour");
    let (tour, _) = rest.split_once("```").expect("the tour ends");

    let dir = tempfile::tempdir().expect("a temporary folder");
    let programs = Path::new(env!("CARGO_BIN_EXE_cairn")).parent().expect("the program is in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = output(
        Command::new("sh")
            .args(["-e", "-c", tour])
            .current_dir(dir.path())
            .env_clear()
            .env("PATH", format!("{}:{path}", programs.display()))
            .env("HOME", dir.path())
            .env("GIT_CONFIG_NOSYSTEM", "1"),
    );

    let shown = format!("{}{}", stdout(&output), stderr(&output));
    assert!(output.status.success(), "{shown}");
    for expected in expected {
        assert!(shown.contains(expected), "`{expected}` is not in:\n{shown}");
    }
}

#[test]
fn the_tour_of_the_readme_can_be_pasted() {
    check("README.md", &["context 2 goes on from turn 1", "1 hit", "Ada      tea", "all is well"]);
}

#[test]
fn the_tour_of_the_kb_can_be_pasted() {
    let refused = ["contradiction detected for REQ-LONG", "it was refused"];
    let violated = ["2 violations", "there are violations", "no violations"];
    check("docs/kb.md", &[&refused[..], &violated[..]].concat());
}
