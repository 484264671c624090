//! `CAIRN_*` variables.

use std::ffi::OsString;

use cairn_worktree::{BRANCH_VARIABLES, WORKSPACE_VARIABLES};

use super::{Assignment, KEYS, Raw, Source, nearest};
use crate::data_dir;
use crate::failure::Failure;

const PREFIX: &str = "CAIRN_";

/// Variables that are ours and set no key.
const OTHERS: &[&str] = &[data_dir::ENVIRONMENT, BRANCH_VARIABLES[0], WORKSPACE_VARIABLES[0]];

/// Every variable that starts with `CAIRN_`; one we do not know is a mistake somebody made.
pub(super) fn read(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Result<Vec<Assignment>, Failure> {
    let mut assignments = Vec::new();
    for (name, value) in variables {
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else { continue };
        if OTHERS.contains(&name) {
            continue;
        }
        let Some(key) = KEYS.iter().find(|key| key.environment() == name) else {
            let known =
                KEYS.iter().map(|key| key.environment()).chain(OTHERS.iter().map(|name| (*name).to_owned()));
            let failure = Failure::usage(format!("the environment variable {name} sets nothing"));
            return Err(failure.hint(nearest::hint(name, known)));
        };
        let Ok(value) = value.into_string() else {
            return Err(Failure::usage(format!("the environment variable {name} is not UTF-8")));
        };
        let source = Source::Environment(name.to_owned());
        assignments.push(Assignment { key: key.name.to_owned(), value: Raw::Text(value), source });
    }
    // The order of the environment is the system's; one of two mistakes must not win by chance.
    assignments.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(assignments)
}
