//! `cairn init`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use cairn_seam::Store;
use serde_json::json;

use crate::config::{FILE_NAME, load, template};
use crate::data_dir::{ENVIRONMENT, PROJECT_FOLDER, Surroundings};
use crate::failure::Failure;
use crate::{dir_access, key_file, open, private_file};

/// Makes a data directory: a commented `cairn.toml`, an empty store, and a `.gitignore` that keeps both out of commits.
pub(super) fn init(data_dir: Option<&Path>, project: Option<&Path>, as_json: bool) -> Result<(), Failure> {
    let around = Surroundings::of_process()?;
    let path = match (data_dir, project) {
        (Some(_), Some(_)) => {
            return Err(Failure::usage("both --data-dir and a project's folder are given")
                .hint("`cairn init DIR` makes DIR/.cairn; `cairn --data-dir DIR init` makes DIR itself"));
        }
        (Some(path), None) => around.absolute(path),
        (None, project) => project_dir(&around.absolute(project.unwrap_or(Path::new("."))))?,
    };
    dir_access::refuse_writable(&path)?;
    let settings = load(&path, std::env::vars_os(), &[])?;
    // A key that cannot be used is refused before anything is made.
    key_file::configured(&settings.config)?;
    create(&path)?;
    write_template(&path)?;
    open::embedded(&path, &settings.config, open::Loss::Refuse)?.close()?;
    report(&path, data_dir.is_some(), as_json)
}

fn project_dir(project: &Path) -> Result<PathBuf, Failure> {
    if !project.is_dir() {
        return Err(Failure::usage(format!("{} is not a folder", project.display()))
            .hint("name the folder of a project, or make it first"));
    }
    // As people would write it: `init .` must not print `/project/./.cairn`.
    let project = project.canonicalize().unwrap_or_else(|_| project.to_path_buf());
    Ok(project.join(PROJECT_FOLDER))
}

/// Makes the directory; an empty one may be there.
fn create(path: &Path) -> Result<(), Failure> {
    let taken = match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(Failure::io(format_args!("look into {}", path.display()), &error)),
    };
    if taken {
        return Err(Failure::usage(format!("{} is there already; nothing was changed", path.display()))
            .hint("`cairn serve` uses it; to start anew, move it away first"));
    }
    open::create_dir(path)
}

fn write_template(path: &Path) -> Result<(), Failure> {
    let hint = "another command makes a data directory there; nothing was changed";
    private_file::write_new(&path.join(FILE_NAME), template().as_bytes(), hint)?;
    private_file::write_new(&path.join(".gitignore"), b"*\n", hint)
}

fn report(path: &Path, named: bool, as_json: bool) -> Result<(), Failure> {
    if let Some(other) = std::env::var_os(ENVIRONMENT).filter(|_| !named) {
        eprintln!("note: {ENVIRONMENT} is set, so commands use {} instead", Path::new(&other).display());
    }
    if as_json {
        return super::print(&format!("{}\n", json!({"data_dir": path.to_string_lossy()})));
    }
    let flag = if named { format!("--data-dir {} ", path.display()) } else { String::new() };
    super::print(&format!("made {}\nstart the server with `cairn {flag}serve`\n", path.display()))
}
