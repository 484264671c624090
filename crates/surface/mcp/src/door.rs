//! Where calls go.

use std::pin::Pin;

use serde_json::{Map, Value};

/// What comes of a call, in its own time: what KIP answers, or why it could not be asked.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<Value, Unreached>> + Send + 'a>>;

/// The way to whoever executes commands.
///
/// A door may be opened behind the first call. It bounds by itself how long a call waits for that, and what
/// KIP takes to answer.
pub trait Door: Send + Sync + 'static {
    /// Has a function of KIP called, as it stands in its list of functions.
    fn call<'a>(&'a self, function: &'static str, arguments: Map<String, Value>) -> Answer<'a>;
}

/// Why KIP could not be asked, in its own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreached {
    /// The nearest code of KIP.
    pub code: &'static str,
    /// What went wrong.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}
