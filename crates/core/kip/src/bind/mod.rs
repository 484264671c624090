//! Putting values in the places of parameters.
//!
//! Values go into the tree and never into the text: whatever a value holds, it stays a value. Each is checked
//! against what its place can take.
//!
//! A string of the command that names a given parameter (`"Hello :name"`) is refused: whoever wrote it hoped
//! that the value would be put in. A string names a parameter where a colon does not follow a letter, a digit,
//! `_` or another colon, and the longest identifier after it is the name of a parameter that was given. So
//! `"at :time"` is refused with a parameter `time`, and `"P:9:time"`, `"10:time"` and `":times"` are not.
//! Values of parameters are not looked at.

mod check;
mod tree;

use std::collections::BTreeMap;

use cairn_base::Value;

use crate::KipError;
use crate::tree::Command;

pub(crate) use check::kind;

/// Puts values in the places of parameters.
///
/// Fails when a parameter is not given, or its value cannot stand where its name does, or a string of the
/// command names a parameter. Parameters that the command does not use are ignored.
pub fn bind(mut command: Command, parameters: &BTreeMap<String, Value>) -> Result<Command, KipError> {
    tree::Binder::new(parameters).command(&mut command)?;
    Ok(command)
}
