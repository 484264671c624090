//! Reasons why a skill or one of its resources was not returned.

use cairn_base::ErrorCode;

/// Situations a caller can act on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SkillError {
    /// No skill has this id or alias.
    #[error("unknown skill {id:?}; {}", hint(.meant.as_deref(), .known))]
    UnknownSkill {
        /// The id in the request.
        id: String,
        /// The id that was probably meant.
        meant: Option<String>,
        /// Every id.
        known: Vec<String>,
    },
    /// The skill declares no such resource.
    #[error("skill `{id}` declares no resource {resource:?}; {}", hint(.meant.as_deref(), .known))]
    UndeclaredResource {
        /// The id of the skill.
        id: String,
        /// The path in the request.
        resource: String,
        /// The path that was probably meant.
        meant: Option<String>,
        /// Every declared path.
        known: Vec<String>,
    },
    /// The path leaves the folder of the skill.
    #[error(
        "resource path {resource:?} {problem}; send a path that the skill declares, such as `resources/NAME.md`"
    )]
    PathOutside {
        /// The path in the request.
        resource: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// An id, a path or a file is over its limit.
    #[error("the {what} has {bytes} bytes, and {max} are the most")]
    TooLarge {
        /// What it is.
        what: &'static str,
        /// Its length.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// The front matter of a skill is invalid.
    #[error("invalid front matter of skill `{folder}`, line {line}: {problem}")]
    BadManifest {
        /// The folder of the skill.
        folder: String,
        /// The line of `SKILL.md`, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

impl SkillError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            SkillError::UnknownSkill { .. } | SkillError::UndeclaredResource { .. } => ErrorCode::NotFound,
            SkillError::PathOutside { .. } => ErrorCode::InvalidRequest,
            SkillError::TooLarge { .. } => ErrorCode::TooLarge,
            SkillError::BadManifest { .. } => ErrorCode::Internal,
        }
    }
}

fn hint(meant: Option<&str>, known: &[String]) -> String {
    match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.is_empty() => "it has none".to_owned(),
        None => format!("there are: {}", known.join(", ")),
    }
}
