//! Evidence that is no candidate: a person or an agent has to author from it.

use cairn_kb::SymbolRole;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Evidence that is no candidate, with advice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceSignal {
    /// Its kind.
    pub kind: SignalKind,
    /// The file.
    pub path: String,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Title: a heading, a statement, or a count of symbols.
    pub title: String,
    /// Confidence from 0 to 1.
    pub confidence: f64,
    /// What to do with it.
    pub advice: String,
    /// Exported symbols of the file; at most 20 are listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<SignalSymbol>,
}

/// An exported symbol without a link to the KB.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignalSymbol {
    /// Its name, with the names of what it is a member of.
    pub name: String,
    /// Its role.
    pub symbol_role: SymbolRole,
    /// The file.
    pub source_file: String,
    /// The line, from 1.
    pub source_line: u32,
}

/// A kind of source signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignalKind {
    /// A heading about requirements.
    RequirementHeading,
    /// A heading about scenarios.
    ScenarioHeading,
    /// A heading about tests or verification.
    TestHeading,
    /// A statement that is normative, and that no property claim expresses.
    NormativeStatement,
    /// A file with tests.
    TestFile,
    /// A symbol with a directive whose requirement or test is not there.
    UnresolvedDirective,
    /// Exported functions, classes and methods without a requirement.
    ExportedSymbols,
}

impl SignalKind {
    pub(crate) fn text(self) -> &'static str {
        match self {
            SignalKind::RequirementHeading => "requirement_heading",
            SignalKind::ScenarioHeading => "scenario_heading",
            SignalKind::TestHeading => "test_heading",
            SignalKind::NormativeStatement => "normative_statement",
            SignalKind::TestFile => "test_file",
            SignalKind::UnresolvedDirective => "unresolved_directive",
            SignalKind::ExportedSymbols => "exported_symbols",
        }
    }

    /// Confidence of signals of this kind, in hundredths.
    pub(crate) fn confidence(self) -> u8 {
        match self {
            SignalKind::UnresolvedDirective => 90,
            SignalKind::RequirementHeading => 84,
            SignalKind::ScenarioHeading => 83,
            SignalKind::TestHeading => 82,
            SignalKind::NormativeStatement => 78,
            SignalKind::TestFile => 76,
            SignalKind::ExportedSymbols => 70,
        }
    }

    pub(crate) fn advice(self) -> &'static str {
        match self {
            SignalKind::RequirementHeading => {
                "read the section and model each statement with kb_model_requirement"
            }
            SignalKind::ScenarioHeading => {
                "write each scenario as a scenario entity and link it by specified_by from its requirement"
            }
            SignalKind::TestHeading => {
                "write each verification as a test entity and link it by validates to its requirement"
            }
            SignalKind::NormativeStatement => {
                "ask kb_suggest_predicates for a predicate, or state the subject first and call kb_model_requirement"
            }
            SignalKind::TestFile => {
                "write a test entity whose source is the file, and link it by validates to its requirement"
            }
            SignalKind::UnresolvedDirective => {
                "create the requirement that the directive names, and a test whose source names the symbol"
            }
            SignalKind::ExportedSymbols => {
                "write a requirement, put `implements REQ-…` above the symbol that fulfils it, and a test that names both"
            }
        }
    }
}
