//! Markdown outside of the folders of the KB: decisions, notes, normative statements, and headings that ask for an
//! author.

use cairn_kb::{EntityType, Properties};

use super::language::{folder_of, name_of};
use super::{Findings, signal, statement, tags, upsert};
use crate::candidate::{Confidence, Draft, Evidence, Payloads, Provider};
use crate::ids::{generated_id, shortened};
use crate::limits::{
    AUTOPILOT_EXCERPT_CHARS_MAX, AUTOPILOT_FILE_FINDINGS_MAX, AUTOPILOT_QUOTE_CHARS_MAX,
    AUTOPILOT_TITLE_CHARS_MAX,
};
use crate::prose::{Block, blocks, normative, plain, sentences};
use crate::signal::SignalKind;
use crate::tree::Skipped;

/// Files whose statements are about the past, about the licence or about people.
const NO_STATEMENTS: [&str; 6] = ["changelog", "changes", "code_of_conduct", "history", "licence", "license"];
/// Headings of such sections in other files.
const NO_STATEMENTS_BELOW: [&str; 7] =
    ["changelog", "code of conduct", "copyright", "licence", "license", "licensing", "release notes"];
/// Folders of decisions.
const DECISION_FOLDERS: [&str; 5] = ["adr", "adrs", "architecture-decisions", "decisions", "rfcs"];

/// Facts about a file that do not come from its text.
pub(crate) struct Context<'a> {
    /// Whether the request calls it a source of truth: its statements count as if they were below a heading of
    /// requirements.
    pub(crate) is_source_of_truth: bool,
    /// The folder of requirements, if it is not the default.
    pub(crate) requirements_dir: Option<&'a str>,
}

/// Adds what a Markdown text says.
pub(crate) fn examine(path: &str, text: &str, context: &Context<'_>, findings: &mut Findings) {
    let stem = name_of(path).split('.').next().unwrap_or_default().to_lowercase();
    let mut reading = Reading {
        path,
        has_statements: !NO_STATEMENTS.contains(&stem.as_str()),
        is_source_of_truth: context.is_source_of_truth,
        requirements_dir: context.requirements_dir,
        title: None,
        open: None,
        above: Vec::new(),
        findings,
    };
    blocks(text, &mut |block| reading.block(block));
    reading.close();
}

struct Reading<'a> {
    path: &'a str,
    has_statements: bool,
    is_source_of_truth: bool,
    requirements_dir: Option<&'a str>,
    /// The first heading.
    title: Option<String>,
    /// The decision or note whose text is being read.
    open: Option<Section>,
    /// Headings above: their levels, and what they say of statements.
    above: Vec<(usize, Below)>,
    findings: &'a mut Findings,
}

/// A section that becomes an entity.
struct Section {
    kind: SectionKind,
    title: String,
    line: u32,
    level: usize,
    text: String,
}

/// The meaning of a heading for the statements below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Below {
    /// They are requirements.
    Policy,
    /// They are not about the project.
    NoStatements,
    /// It says nothing of them.
    Anything,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SectionKind {
    Decision,
    Note,
}

impl Reading<'_> {
    /// Takes over a block. Returns false when the file has contributed as much as it may.
    fn block(&mut self, block: Block) -> bool {
        match block {
            Block::Heading { level, text, line } => self.heading(level, &plain(&text), line),
            Block::Prose { text, lines } => self.prose(&text, &lines),
        }
        if !self.is_full() {
            return true;
        }
        self.findings.is_truncated = true;
        let message =
            "the rest of the file was not examined: it has as many findings as one file may contribute";
        self.findings.warn(self.path, Skipped::TooMany, message);
        false
    }

    /// Whether the file has contributed as much as it may.
    fn is_full(&self) -> bool {
        self.findings.drafts.len() + self.findings.signals.len() >= AUTOPILOT_FILE_FINDINGS_MAX
    }

    fn heading(&mut self, level: usize, text: &str, line: u32) {
        if self.open.as_ref().is_some_and(|open| level <= open.level) {
            self.close();
        }
        let words = Words::of(text);
        while self.above.last().is_some_and(|(above, _)| *above >= level) {
            self.above.pop();
        }
        self.above.push((level, words.below()));
        let is_first = self.title.is_none();
        if is_first {
            self.title = Some(text.to_owned());
        }
        let title = shortened(text, AUTOPILOT_TITLE_CHARS_MAX);
        if words.is_decision() || (is_first && self.is_decision_file()) {
            self.close();
            self.open(SectionKind::Decision, title, level, line);
        } else if words.has(&["observation", "observations", "fact", "facts", "note", "notes"])
            && words.0.len() <= 6
        {
            self.close();
            let title = self.with_document(&words, title);
            self.open(SectionKind::Note, title, level, line);
        } else if let Some(kind) = words.signal() {
            self.findings.signals.push(signal(kind, self.path, Some(line), title));
        }
    }

    fn open(&mut self, kind: SectionKind, title: String, level: usize, line: u32) {
        self.open = Some(Section { kind, title, line, level, text: String::new() });
    }

    /// Whether the first heading of the file is the title of a decision.
    fn is_decision_file(&self) -> bool {
        let folder = name_of(folder_of(self.path)).to_lowercase();
        let is_numbered = name_of(self.path).starts_with(|letter: char| letter.is_ascii_digit())
            || name_of(self.path).to_lowercase().starts_with("adr");
        is_numbered && DECISION_FOLDERS.contains(&folder.as_str())
    }

    /// A heading that is only the word needs the name of its document.
    fn with_document(&self, words: &Words, title: String) -> String {
        if words.0.len() > 1 {
            return title;
        }
        let document = self.title.as_deref().filter(|document| *document != title);
        shortened(&format!("{}: {title}", document.unwrap_or(self.path)), AUTOPILOT_TITLE_CHARS_MAX)
    }

    fn prose(&mut self, text: &str, lines: &[(usize, u32)]) {
        if let Some(open) = &mut self.open
            && open.text.len() < AUTOPILOT_QUOTE_CHARS_MAX * 4
        {
            if !open.text.is_empty() {
                open.text.push('\n');
            }
            open.text.push_str(&plain(text));
        }
        if !self.has_statements || self.is_below(Below::NoStatements) {
            return;
        }
        for (offset, sentence) in sentences(text) {
            if self.is_full() {
                return;
            }
            let at = lines.partition_point(|(start, _)| *start <= offset);
            let line = at.checked_sub(1).and_then(|at| lines.get(at)).map_or(1, |(_, line)| *line);
            self.sentence(&plain(sentence), line);
        }
    }

    fn is_below(&self, heading: Below) -> bool {
        self.above.iter().any(|(_, below)| *below == heading)
    }

    fn sentence(&mut self, sentence: &str, line: u32) {
        let Some(found) = normative(sentence) else { return };
        let is_policy = self.is_source_of_truth || self.is_below(Below::Policy);
        let confidence = (found.modal.confidence() + if is_policy { 8 } else { 0 }).min(95);
        let modelled = found
            .has_subject
            .then(|| {
                statement::model(sentence, self.path, line, Confidence(confidence), self.requirements_dir)
            })
            .flatten();
        match modelled {
            Some(draft) => self.findings.drafts.push(draft),
            None => {
                let title = shortened(sentence, AUTOPILOT_TITLE_CHARS_MAX);
                let kind = SignalKind::NormativeStatement;
                self.findings.signals.push(signal(kind, self.path, Some(line), title));
            }
        }
    }

    /// Makes an entity of the open section. A note without text says nothing.
    fn close(&mut self) {
        let Some(Section { kind, title, line, level: _, text }) = self.open.take() else { return };
        let (entity_type, prefix, status, confidence, detail) = match kind {
            SectionKind::Decision => (EntityType::Adr, "ADR-GEN", "proposed", 90, "heading of a decision"),
            SectionKind::Note if text.is_empty() => return,
            SectionKind::Note => (EntityType::Fact, "FACT-GEN", "active", 80, "heading of notes"),
        };
        let key = format!("{}:{title}", self.path);
        let entity_id = generated_id(prefix, &key);
        let mut properties = Properties::from([
            ("title", title.as_str().into()),
            ("status", status.into()),
            ("source", self.path.into()),
            ("tags", tags(Provider::GenericRepoDocs)),
        ]);
        if !text.is_empty() {
            let quote = shortened(&text, AUTOPILOT_QUOTE_CHARS_MAX);
            properties.0.insert("text_ref".to_owned(), quote.into());
        }
        if kind == SectionKind::Note {
            properties.0.insert("fact_kind".to_owned(), "observation".into());
        }
        let detail = format!("{detail}: {}", shortened(&title, AUTOPILOT_EXCERPT_CHARS_MAX));
        self.findings.drafts.push(Draft {
            id: format!("gen:{key}"),
            kind: entity_type,
            title,
            provider: Provider::GenericRepoDocs,
            path: self.path.to_owned(),
            symbol_file: None,
            confidence: Confidence(confidence),
            evidence: vec![Evidence { path: self.path.to_owned(), line: Some(line), detail }],
            payloads: Payloads::Ready(vec![upsert(entity_type, &entity_id, properties)]),
            entity_id,
        });
    }
}

/// The words of a heading, in lower case.
struct Words(Vec<String>);

impl Words {
    fn of(text: &str) -> Self {
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        Words(words.map(str::to_lowercase).collect())
    }

    fn has(&self, any: &[&str]) -> bool {
        self.0.iter().any(|word| any.contains(&word.as_str()))
    }

    /// Whether the heading is that of one decision, and not of a list of them.
    fn is_decision(&self) -> bool {
        let words: Vec<&str> = self.0.iter().map(String::as_str).collect();
        let is_many = self.has(&["adrs", "decisions", "records"]);
        // `ADR-007`, and `ADR007`.
        let is_adr = words.iter().any(|word| {
            word.strip_prefix("adr").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
        });
        !is_many && (is_adr || words.windows(2).any(|two| two == ["architecture", "decision"]))
    }

    fn below(&self) -> Below {
        if NO_STATEMENTS_BELOW.contains(&self.0.join(" ").as_str()) {
            Below::NoStatements
        } else if self.has(&["requirement", "requirements", "policy", "policies", "rule", "rules"]) {
            Below::Policy
        } else {
            Below::Anything
        }
    }

    fn signal(&self) -> Option<SignalKind> {
        if self.has(&["requirement", "requirements"]) {
            Some(SignalKind::RequirementHeading)
        } else if self.has(&["scenario", "scenarios"]) {
            Some(SignalKind::ScenarioHeading)
        } else if self.has(&["test", "tests", "verification"]) {
            Some(SignalKind::TestHeading)
        } else {
            None
        }
    }
}
