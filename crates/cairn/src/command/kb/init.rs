//! `cairn kb init`.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use clap::Args;
use serde_json::json;

use super::tree::created;
use super::{Call, checks};
use crate::command::answer::{self, text};
use crate::command::{print, table};
use crate::failure::Failure;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn init && cairn kb init        a data directory in this folder, and the KB of this branch
  cairn kb init --config             also write cairn-kb.toml with every setting, commented out
  cairn kb init --branch release-1   the KB of another branch

Stores a random workspace id in the git directory, where all worktrees of the clone find it, and
creates the KB of the branch: as a copy of that of the branch that was active before in this
worktree, else empty. Running it again changes nothing. Other commands create the KB of a new branch
by themselves.";

/// What to create.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Also write cairn-kb.toml to the root of the working tree, unless it exists
    #[arg(long)]
    config: bool,
}

const CONFIG: &str = "cairn-kb.toml";

const TEMPLATE: &str = "\
# Settings of the requirements KB of this repository. Every line that is commented out is a default.

# Version of the model that the documents were written for.
schema_version = {version}

# Documents of each type: folders or globs below this one.
[paths]
# requirements = \"documentation/requirements\"
# scenarios = \"documentation/scenarios\"
# tests = \"documentation/tests\"
# adr = \"documentation/adr\"
# flags = \"documentation/flags\"
# events = \"documentation/events\"
# facts = \"documentation/facts\"
# symbols = \"documentation/symbols.yaml\"

# Rules of `cairn kb check`.
[checks.rules]
";

const TEMPLATE_END: &str = "
[checks.symbol_traceability]
# Whether a symbol needs a decision beside a requirement.
# require_adr = false
";

/// Creates the KB of the active branch.
pub(super) fn init(call: &Call<'_>, arguments: &InitArgs) -> Result<(), Failure> {
    let tree = call.tree()?;
    let ensured = tree.reach(Needs::Store, async |client| tree.ensure(client).await)?;
    tree.remember();
    let config = tree.root().join(CONFIG);
    let is_written = if arguments.config { Some(write_config(&config)?) } else { None };
    if call.as_json {
        return print(&answer::json(&json!({
            "workspace": tree.id,
            "root": tree.root().to_string_lossy(),
            "branch": tree.branch(),
            "created": ensured.created,
            "copiedFrom": ensured.branch.copied_from,
            "space": ensured.branch.space,
            "configWritten": is_written.unwrap_or(false),
        })));
    }
    let mut rows = vec![
        ["workspace".to_owned(), tree.id.clone()],
        ["root".to_owned(), text(&tree.root().to_string_lossy())],
        ["branch".to_owned(), created(&ensured)],
    ];
    rows.extend(is_written.map(|is_written| {
        let done = if is_written { "written" } else { "exists already" };
        ["config".to_owned(), format!("{}: {done}", text(&config.to_string_lossy()))]
    }));
    print(&table(&rows))
}

/// Writes the file of settings; returns false if there is one.
fn write_config(path: &Path) -> Result<bool, Failure> {
    let failed = |error| Failure::io(format_args!("write {}", path.display()), &error);
    let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(failed(error)),
    };
    file.write_all(template().as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    Ok(true)
}

fn template() -> String {
    let rules = checks::defaults().map(|(rule, is_on)| format!("# {rule} = {is_on}\n"));
    TEMPLATE.replace("{version}", &cairn_kb::SCHEMA_VERSION_LATEST.to_string())
        + &rules.collect::<String>()
        + TEMPLATE_END
}

#[cfg(test)]
mod tests {
    use cairn_worktree::{ConfigOrigin, KbConfig};

    use super::*;

    fn read(text: &str) -> KbConfig {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join(CONFIG), text).expect("a file");
        KbConfig::read(dir.path(), cairn_kb::Rule::TEXTS).expect("it is valid")
    }

    #[test]
    fn the_template_shows_every_setting_with_its_default() {
        let template = template();
        let schema_version = Some(cairn_kb::SCHEMA_VERSION_LATEST);
        let defaults = KbConfig { origin: ConfigOrigin::Toml, schema_version, ..KbConfig::default() };
        assert_eq!(read(&template), defaults);
        // A line that begins with a name is a setting; the others are about them.
        let names = |line: &str| line.strip_prefix("# ").is_some_and(|line| line.contains(" = "));
        let on = template.lines().map(|line| if names(line) { &line[2..] } else { line });
        let on = read(&(on.collect::<Vec<_>>().join("\n") + "\n"));
        assert_eq!((on.paths, on.checks.require_adr), (defaults.paths, false));
        let rules: Vec<_> = on.checks.rules.iter().map(|(rule, is_on)| (rule.as_str(), *is_on)).collect();
        let mut all: Vec<_> = checks::defaults().collect();
        all.sort_unstable();
        assert_eq!(rules, all);
    }

    #[test]
    fn a_file_that_is_there_stays() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join(CONFIG);
        assert!(write_config(&path).expect("written"));
        std::fs::write(&path, "mine").expect("written");
        assert!(!write_config(&path).expect("there"));
        assert_eq!(std::fs::read(&path).expect("there"), b"mine");
    }
}
