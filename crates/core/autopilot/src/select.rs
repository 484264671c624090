//! The best candidates of those that are offered, and those that are suppressed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use cairn_kb::EntityType;

use crate::candidate::{Draft, Payloads, Provider, SuppressedCandidate, Suppression};
use crate::existing::{Existing, folded};
use crate::input::Request;
use crate::limits::{AUTOPILOT_HELD_PER_CANDIDATE, AUTOPILOT_SUPPRESSED_MAX};
use crate::provider::typed::TypedIndex;

/// The place of a candidate among all: the best first.
pub(crate) type Rank = (Reverse<u8>, bool, usize, String, u32, String);

/// A title within its type, and for symbols within their file.
type TitleKey = (EntityType, String, String);

/// The best candidates so far. What it holds depends on the candidates, and on their order only among equals.
pub(crate) struct Pool<'a> {
    request: &'a Request,
    existing: &'a Existing,
    typed: &'a TypedIndex,
    kept: BTreeMap<Rank, Draft>,
    by_title: HashMap<TitleKey, Rank>,
    by_entity: HashMap<String, Rank>,
    held_max: usize,
    found: u64,
    per_provider: BTreeMap<Provider, u64>,
    pub(crate) suppressed: Suppressed,
}

/// Suppressed candidates: the first of them, and the number of each reason.
#[derive(Debug, Default)]
pub(crate) struct Suppressed {
    list: BTreeSet<SuppressedCandidate>,
    pub(crate) counts: BTreeMap<Suppression, u64>,
}

impl Suppressed {
    pub(crate) fn add(&mut self, suppressed: SuppressedCandidate) {
        *self.counts.entry(suppressed.reason).or_default() += 1;
        self.list.insert(suppressed);
        if self.list.len() > AUTOPILOT_SUPPRESSED_MAX {
            self.list.pop_last();
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    pub(crate) fn into_list(self) -> Vec<SuppressedCandidate> {
        self.list.into_iter().collect()
    }
}

impl<'a> Pool<'a> {
    pub(crate) fn new(request: &'a Request, existing: &'a Existing, typed: &'a TypedIndex) -> Self {
        Pool {
            request,
            existing,
            typed,
            kept: BTreeMap::new(),
            by_title: HashMap::new(),
            by_entity: HashMap::new(),
            held_max: request.candidates_max * AUTOPILOT_HELD_PER_CANDIDATE,
            found: 0,
            per_provider: BTreeMap::new(),
            suppressed: Suppressed::default(),
        }
    }

    /// Takes over a candidate, suppresses it, or leaves it out because others are better.
    pub(crate) fn offer(&mut self, draft: Draft) {
        *self.per_provider.entry(draft.provider).or_default() += 1;
        if draft.confidence < self.request.min_confidence || !self.request.wants(draft.kind) {
            return;
        }
        self.found += 1;
        if self.existing.has(draft.kind, &draft.entity_id, &draft.title, file_of(&draft)) {
            self.suppressed.add(draft.suppressed(Suppression::EntityExists, Some(draft.entity_id.clone())));
            return;
        }
        let is_typed = draft.provider == Provider::TypedDocs;
        if !is_typed
            && let Some(id) = self.typed.shadow(draft.kind, &draft.entity_id, &draft.title, file_of(&draft))
        {
            self.suppressed.add(draft.suppressed(Suppression::ShadowedByTypedSource, Some(id.to_owned())));
            return;
        }
        let rank = self.rank(&draft);
        let title = title_key(&draft);
        let others = [self.by_title.get(&title), self.by_entity.get(&draft.entity_id)];
        let others: BTreeSet<Rank> = others.into_iter().flatten().cloned().collect();
        if let Some(better) = others.iter().find(|other| **other <= rank) {
            let detail = self.kept.get(better).map(|kept| kept.id.clone());
            self.suppressed.add(draft.suppressed(Suppression::DuplicateTitle, detail));
            return;
        }
        for worse in others {
            if let Some(loser) = self.remove(&worse) {
                let loser = loser.suppressed(Suppression::DuplicateTitle, Some(draft.id.clone()));
                self.suppressed.add(loser);
            }
        }
        self.by_title.insert(title, rank.clone());
        self.by_entity.insert(draft.entity_id.clone(), rank.clone());
        self.kept.insert(rank, draft);
        if self.kept.len() > self.held_max
            && let Some(last) = self.kept.last_key_value().map(|(rank, _)| rank.clone())
        {
            self.remove(&last);
        }
    }

    /// Suppresses a candidate without comparing it.
    pub(crate) fn refuse(&mut self, draft: &Draft, suppressed: SuppressedCandidate) {
        *self.per_provider.entry(draft.provider).or_default() += 1;
        if draft.confidence >= self.request.min_confidence && self.request.wants(draft.kind) {
            self.found += 1;
            self.suppressed.add(suppressed);
        }
    }

    /// The candidates, the best first.
    pub(crate) fn ranked(&self) -> impl Iterator<Item = &Draft> {
        self.kept.values()
    }

    /// Candidates of enough confidence and of the types that were asked for.
    pub(crate) fn found(&self) -> u64 {
        self.found
    }

    /// Candidates that each provider found.
    pub(crate) fn per_provider(&self) -> &BTreeMap<Provider, u64> {
        &self.per_provider
    }

    fn rank(&self, draft: &Draft) -> Rank {
        let document = match draft.payloads {
            Payloads::Ready(_) => 0,
            Payloads::Document { rank, .. } => rank,
        };
        let line = draft.evidence.first().and_then(|evidence| evidence.line).unwrap_or(0);
        let is_elsewhere = !self.request.priority_roots.hold(&draft.path);
        (Reverse(draft.confidence.0), is_elsewhere, document, draft.path.clone(), line, draft.id.clone())
    }

    fn remove(&mut self, rank: &Rank) -> Option<Draft> {
        let draft = self.kept.remove(rank)?;
        self.by_title.remove(&title_key(&draft));
        self.by_entity.remove(&draft.entity_id);
        Some(draft)
    }
}

fn title_key(draft: &Draft) -> TitleKey {
    (draft.kind, folded(&draft.title), file_of(draft).to_owned())
}

/// The file that a symbol is defined in; titles of other entities are compared across files.
fn file_of(draft: &Draft) -> &str {
    match draft.kind {
        EntityType::Symbol => draft.symbol_file(),
        EntityType::Req
        | EntityType::Scenario
        | EntityType::Test
        | EntityType::Adr
        | EntityType::Flag
        | EntityType::Event
        | EntityType::Fact => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::{Confidence, Evidence};
    use crate::input::AutopilotInput;
    use cairn_kb::tools::EntityJson;

    fn draft(id: &str, title: &str, path: &str, confidence: u8) -> Draft {
        Draft {
            id: format!("gen:{id}"),
            kind: EntityType::Fact,
            entity_id: id.to_owned(),
            title: title.to_owned(),
            provider: Provider::GenericRepoDocs,
            path: path.to_owned(),
            symbol_file: None,
            confidence: Confidence(confidence),
            evidence: vec![Evidence { path: path.to_owned(), line: Some(1), detail: String::new() }],
            payloads: Payloads::Ready(Vec::new()),
        }
    }

    fn check(input: serde_json::Value, drafts: &[Draft], kept: &[&str], suppressed: &[(&str, Suppression)]) {
        let input: AutopilotInput = serde_json::from_value(input).expect("arguments");
        let request = Request::new(&input).expect("a request");
        let mut existing = Existing::default();
        let stored = serde_json::json!({"id": "F-OLD", "type": "fact", "title": "Old"});
        existing.add(&serde_json::from_value::<EntityJson>(stored).expect("an entity"));
        let typed = TypedIndex::default();
        for reversed in [false, true] {
            let mut pool = Pool::new(&request, &existing, &typed);
            let mut drafts = drafts.to_vec();
            if reversed {
                drafts.reverse();
            }
            drafts.into_iter().for_each(|draft| pool.offer(draft));
            let ids: Vec<_> = pool.ranked().map(|draft| draft.entity_id.as_str()).collect();
            assert_eq!(ids, kept, "reversed: {reversed}");
            let list = pool.suppressed.into_list();
            let list: Vec<_> = list.iter().map(|one| (one.candidate_id.as_str(), one.reason)).collect();
            assert_eq!(list, suppressed, "reversed: {reversed}");
        }
    }

    #[test]
    fn the_best_are_first_and_their_order_does_not_matter() {
        let drafts = [
            draft("A", "a", "z.md", 90),
            draft("B", "b", "y.md", 90),
            draft("C", "c", "a.md", 80),
            draft("D", "d", "a.md", 79),
        ];
        check(serde_json::json!({}), &drafts, &["B", "A", "C"], &[]);
        check(serde_json::json!({"minConfidence": 0.9}), &drafts, &["B", "A"], &[]);
        check(serde_json::json!({"entityTypes": ["req"]}), &drafts, &[], &[]);
        let root = serde_json::json!({"bootstrapContext": {"priorityRoots": ["z.md"]}});
        check(root, &drafts, &["A", "B", "C"], &[]);
    }

    #[test]
    fn duplicates_and_what_exists_are_suppressed() {
        let drafts = [
            draft("A", "Same", "b.md", 80),
            draft("B", "same", "a.md", 80),
            draft("C", " SAME", "c.md", 90),
            draft("F-OLD", "x", "c.md", 90),
            draft("D", "old", "c.md", 90),
        ];
        check(
            serde_json::json!({}),
            &drafts,
            &["C"],
            &[
                ("gen:A", Suppression::DuplicateTitle),
                ("gen:B", Suppression::DuplicateTitle),
                ("gen:D", Suppression::EntityExists),
                ("gen:F-OLD", Suppression::EntityExists),
            ],
        );
    }

    #[test]
    fn a_pool_holds_a_few_for_each_place() {
        let drafts: Vec<Draft> =
            (10..100).map(|n| draft(&format!("F{n}"), &format!("t{n}"), &format!("{n}.md"), 90)).collect();
        check(serde_json::json!({"maxCandidates": 1}), &drafts, &["F10", "F11", "F12", "F13"], &[]);
    }
}
