//! Providers of evidence: what each finds in one file, and what becomes of the findings of all.

pub(crate) mod language;
pub(crate) mod layout;
pub(crate) mod links;
pub(crate) mod manifest;
pub(crate) mod markdown;
pub(crate) mod statement;
pub(crate) mod symbols;
pub(crate) mod topology;
pub(crate) mod typed;

use cairn_base::Value;
use cairn_kb::tools::UpsertInput;
use cairn_kb::{EntityType, Properties};

use crate::candidate::{Confidence, Draft, Evidence, Payloads, Provider};
use crate::ids::{generated_id, shortened};
use crate::limits::AUTOPILOT_QUOTE_CHARS_MAX;
use crate::output::ScanWarning;
use crate::provider::symbols::FileSymbols;
use crate::provider::topology::TestFile;
use crate::signal::{SignalKind, SourceSignal};
use crate::tree::Skipped;

/// What one file contributes.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) drafts: Vec<Draft>,
    pub(crate) signals: Vec<SourceSignal>,
    pub(crate) warnings: Vec<ScanWarning>,
    pub(crate) test: Option<TestFile>,
    pub(crate) symbols: Option<FileSymbols>,
    /// Test frameworks that manifests name.
    pub(crate) frameworks: Vec<&'static str>,
    /// Whether a limit left something out.
    pub(crate) is_truncated: bool,
    /// Bytes that were read; `None` if the file was not.
    pub(crate) bytes: Option<u64>,
}

impl Findings {
    /// Adds a remark about the file.
    pub(crate) fn warn(&mut self, path: &str, reason: Skipped, message: impl Into<String>) {
        self.warnings.push(ScanWarning { path: path.to_owned(), reason, message: message.into() });
    }
}

/// A signal of a kind, with the advice of the kind.
pub(crate) fn signal(kind: SignalKind, path: &str, line: Option<u32>, title: String) -> SourceSignal {
    let confidence = Confidence(kind.confidence()).number();
    let advice = kind.advice().to_owned();
    SourceSignal { kind, path: path.to_owned(), line, title, confidence, advice, symbols: Vec::new() }
}

/// What a generated fact says.
pub(crate) struct GeneratedFact<'a> {
    pub(crate) provider: Provider,
    /// Key of the fact: its kind, and the path or folder.
    pub(crate) key: &'a str,
    pub(crate) path: &'a str,
    pub(crate) fact_kind: &'static str,
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) confidence: u8,
    pub(crate) evidence: Vec<Evidence>,
}

impl GeneratedFact<'_> {
    /// The candidate that adds the fact.
    pub(crate) fn draft(self) -> Draft {
        let GeneratedFact { provider, key, path, fact_kind, title, text, confidence, evidence } = self;
        let entity_id = generated_id("FACT-GEN", key);
        let properties = Properties::from([
            ("title", title.as_str().into()),
            ("status", "active".into()),
            ("source", path.into()),
            ("fact_kind", fact_kind.into()),
            ("text_ref", shortened(&text, AUTOPILOT_QUOTE_CHARS_MAX).into()),
            ("tags", tags(provider)),
        ]);
        let payload = upsert(EntityType::Fact, &entity_id, properties);
        Draft {
            id: format!("prov:{}:{key}", provider.text()),
            kind: EntityType::Fact,
            entity_id,
            title,
            provider,
            path: path.to_owned(),
            symbol_file: None,
            confidence: Confidence(confidence),
            evidence,
            payloads: Payloads::Ready(vec![payload]),
        }
    }
}

/// Tags of a generated entity.
pub(crate) fn tags(provider: Provider) -> Value {
    Value::Array(vec!["autopilot".into(), format!("evidence:{}", provider.text()).as_str().into()])
}

/// A payload without relationships.
pub(crate) fn upsert(kind: EntityType, id: &str, properties: Properties) -> UpsertInput {
    UpsertInput { kind, id: id.to_owned(), properties, relationships: Vec::new(), request_id: None }
}
