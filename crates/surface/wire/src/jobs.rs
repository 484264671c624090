//! Long jobs: the lines of their responses.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::error::{ErrorBody, ErrorContent};

/// One line of the response of a long job: progress now and then, and at the end a report or an error.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum JobLine<R> {
    /// Progress.
    Stage {
        /// Name of the stage, in a few words.
        stage: String,
        /// Bytes or items done in this stage.
        done: u64,
        /// Bytes or items of this stage in all; 0 if that is not known.
        total: u64,
    },
    /// The job is done.
    Report {
        /// What it did.
        report: R,
    },
    /// The job failed.
    Error(ErrorBody),
}

/// The members of every kind of line.
#[derive(Deserialize)]
#[serde(bound = "R: Deserialize<'de>")]
struct Members<R> {
    stage: Option<String>,
    #[serde(default)]
    done: u64,
    #[serde(default)]
    total: u64,
    report: Option<R>,
    error: Option<ErrorContent>,
}

/// By hand: serde reads untagged enums through a buffer, which has no exact numbers.
impl<'de, R: Deserialize<'de>> Deserialize<'de> for JobLine<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Members { stage, done, total, report, error } = Members::deserialize(deserializer)?;
        match (error, report, stage) {
            (Some(error), _, _) => Ok(JobLine::Error(ErrorBody { error })),
            (None, Some(report), _) => Ok(JobLine::Report { report }),
            (None, None, Some(stage)) => Ok(JobLine::Stage { stage, done, total }),
            (None, None, None) => Err(D::Error::custom("a line of a job has a stage, a report or an error")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kip::KipResponse;

    #[test]
    fn lines_read_back() {
        for text in [
            r#"{"stage":"reading","done":1,"total":18446744073709551615}"#,
            r#"{"report":{"result":[18446744073709551615,0.9812852326851965]}}"#,
            r#"{"error":{"code":"Internal","message":"m","details":{"a":0.9812852326851965}}}"#,
        ] {
            let line: JobLine<KipResponse> = serde_json::from_str(text).expect("its own text");
            assert_eq!(serde_json::to_string(&line).expect("plain data"), text);
        }
        assert!(serde_json::from_str::<JobLine<KipResponse>>("{}").is_err());
    }
}
