//! The tour of the README runs as it is pasted.

use std::path::Path;
use std::process::Command;

use crate::program::{output, stderr, stdout};

/// Marks the block of the README that is the tour.
const TOUR: &str = "```sh tour\n";

#[test]
fn the_tour_of_the_readme_can_be_pasted() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).expect("the README is read");
    let (_, rest) = readme.split_once(TOUR).expect("the README has a tour");
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
            .env("HOME", dir.path()),
    );

    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let shown = stdout(&output);
    for expected in ["context 2 goes on from turn 1", "1 hit", "Ada      tea", "all is well"] {
        assert!(shown.contains(expected), "`{expected}` is not in:\n{shown}");
    }
}
