//! Reasons why YAML was refused.

/// Invalid YAML, or YAML that documents may not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct YamlError {
    pub(crate) line: u32,
    pub(crate) message: String,
    pub(crate) hint: Option<&'static str>,
    /// Whether the text is no YAML at all; otherwise it goes beyond what documents may have.
    pub(crate) is_syntax: bool,
}

impl YamlError {
    pub(crate) fn refused(line: u32, message: impl Into<String>, hint: &'static str) -> Self {
        YamlError { line, message: message.into(), hint: Some(hint), is_syntax: false }
    }

    pub(crate) fn syntax(line: u32, message: impl Into<String>) -> Self {
        YamlError { line, message: message.into(), hint: None, is_syntax: true }
    }
}
