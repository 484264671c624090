//! Links of symbols with a directive: the requirements that they implement, and the tests that cover them.
//!
//! A symbol is covered by a test of its requirement whose source names the symbol. The source of a test is the file in
//! its `source`, or a test file that names its id.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use cairn_kb::tools::RelationshipInput;
use cairn_kb::{EntityType, Properties, Relation};

use super::symbols::{Directed, names};
use super::typed::TypedIndex;
use super::{signal, tags, upsert};
use crate::candidate::{Confidence, Draft, Evidence, Payloads, Provider};
use crate::existing::Existing;
use crate::ids::generated_id;
use crate::limits::{AUTOPILOT_DIRECTIVES_MAX, AUTOPILOT_EVIDENCE_MAX, AUTOPILOT_SOURCE_BYTES_MAX};
use crate::signal::{SignalKind, SourceSignal};
use crate::tree::Tree;

/// Test sources that are held at a time.
const TEXTS_HELD: usize = 16;

/// Entities of the KB and of typed documents by which symbols and tests are linked.
pub(crate) struct Links<'a> {
    existing: &'a Existing,
    typed: &'a TypedIndex,
    /// Tests of each requirement and scenario.
    verified: HashMap<String, BTreeSet<String>>,
    /// Scenarios of each requirement.
    specified: HashMap<String, BTreeSet<String>>,
    /// Files of each test.
    files: HashMap<String, BTreeSet<String>>,
    /// Files that tests have as their source.
    sources: HashSet<String>,
    named: usize,
}

/// What became of symbols with directives.
#[derive(Default)]
pub(crate) struct Linked {
    pub(crate) drafts: Vec<Draft>,
    pub(crate) signals: Vec<SourceSignal>,
}

impl<'a> Links<'a> {
    pub(crate) fn new(existing: &'a Existing, typed: &'a TypedIndex, listed: &HashSet<&str>) -> Self {
        let mut links = Links {
            existing,
            typed,
            verified: HashMap::new(),
            specified: HashMap::new(),
            files: HashMap::new(),
            sources: HashSet::new(),
            named: 0,
        };
        let branch = existing.branch();
        for edge in branch.edges() {
            if let (Some(from), Some(to)) = (branch.node(edge.from), branch.node(edge.to)) {
                links.edge(edge.relation, &from.id, &to.id);
            }
        }
        for (_, node) in branch.by_type(Some(EntityType::Test)) {
            links.file(&node.id, &node.source, listed);
        }
        for entity in typed.entities() {
            entity.links.iter().for_each(|(relation, to)| links.edge(*relation, &entity.id, to));
            if let (EntityType::Test, Some(source)) = (entity.kind, &entity.source) {
                links.file(&entity.id, source, listed);
            }
        }
        links
    }

    /// Ids of all tests.
    pub(crate) fn test_ids(existing: &Existing, typed: &TypedIndex) -> HashSet<String> {
        let typed = typed.entities().iter().filter(|entity| entity.kind == EntityType::Test);
        let typed = typed.map(|entity| entity.id.clone());
        existing.ids(EntityType::Test).map(str::to_owned).chain(typed).collect()
    }

    /// Notes that a test file names a test.
    pub(crate) fn named(&mut self, test: &str, path: &str) {
        if self.named < AUTOPILOT_DIRECTIVES_MAX {
            self.named += 1;
            self.files.entry(test.to_owned()).or_default().insert(path.to_owned());
        }
    }

    /// Whether a file is the source of a test.
    pub(crate) fn is_of_test(&self, path: &str) -> bool {
        self.sources.contains(path)
    }

    fn edge(&mut self, relation: Relation, from: &str, to: &str) {
        let (map, key, value) = match relation {
            Relation::Validates => (&mut self.verified, to, from),
            Relation::VerifiedBy => (&mut self.verified, from, to),
            Relation::SpecifiedBy => (&mut self.specified, from, to),
            Relation::DependsOn
            | Relation::Implements
            | Relation::CoveredBy
            | Relation::ExecutableFor
            | Relation::ConstrainedBy
            | Relation::Constrains
            | Relation::RequiresProperty
            | Relation::RequiresPredicate
            | Relation::Guards
            | Relation::Publishes
            | Relation::Consumes
            | Relation::Supersedes
            | Relation::RelatesTo => return,
        };
        map.entry(key.to_owned()).or_default().insert(value.to_owned());
    }

    /// Takes the file out of a source such as `tests/a.ts::logs in` or `tests/a.ts#L3`.
    fn file(&mut self, test: &str, source: &str, listed: &HashSet<&str>) {
        let path = source.split("::").next().unwrap_or_default();
        let path = path.split('#').next().unwrap_or_default().trim_start_matches("./");
        if listed.contains(path) {
            self.sources.insert(path.to_owned());
            self.files.entry(test.to_owned()).or_default().insert(path.to_owned());
        }
    }

    fn is_requirement(&self, id: &str) -> bool {
        let stored = self.existing.branch().find(id).is_some_and(|(_, node)| node.kind == EntityType::Req);
        stored || self.typed.find(id).is_some_and(|entity| entity.kind == EntityType::Req)
    }

    /// Tests that verify a requirement, directly or through its scenarios.
    fn tests_of(&self, requirement: &str) -> BTreeSet<&str> {
        let scenarios = self.specified.get(requirement).into_iter().flatten();
        let ends = scenarios.map(String::as_str).chain([requirement]);
        ends.flat_map(|end| self.verified.get(end).into_iter().flatten()).map(String::as_str).collect()
    }

    /// Makes candidates of symbols whose links are complete, and signals of the others.
    pub(crate) fn link(&self, tree: &dyn Tree, directed: &[Directed]) -> Linked {
        let mut linked = Linked::default();
        let mut texts = Texts { tree, held: BTreeMap::new() };
        for symbol in directed {
            match self.draft(symbol, &mut texts) {
                Ok(draft) => linked.drafts.push(draft),
                Err(title) => {
                    let (kind, line) = (SignalKind::UnresolvedDirective, Some(symbol.comment_line));
                    linked.signals.push(signal(kind, &symbol.path, line, title));
                }
            }
        }
        linked
    }

    fn draft(&self, symbol: &Directed, texts: &mut Texts<'_>) -> Result<Draft, String> {
        let known: BTreeSet<&str> =
            symbol.requirements.iter().map(String::as_str).filter(|id| self.is_requirement(id)).collect();
        if known.is_empty() {
            let ids = symbol.requirements.join(", ");
            return Err(format!("{} implements {ids}, which no entity is", symbol.name));
        }
        let tests: BTreeSet<&str> = known.iter().flat_map(|requirement| self.tests_of(requirement)).collect();
        let mut covering: Vec<(&str, &str)> = Vec::new();
        for test in tests {
            let files = self.files.get(test).into_iter().flatten();
            let named = files.map(String::as_str).find(|path| texts.names(path, symbol.short_name()));
            covering.extend(named.map(|path| (test, path)));
        }
        if covering.is_empty() {
            let ids: Vec<&str> = known.into_iter().collect();
            return Err(format!(
                "{} implements {}, and no test of it names the symbol",
                symbol.name,
                ids.join(", ")
            ));
        }
        let Directed { path, name, line, comment_line, role, .. } = symbol;
        let key = format!("{path}:{name}");
        let entity_id = generated_id("SYM-GEN", &key);
        let properties = Properties::from([
            ("title", name.as_str().into()),
            ("status", "active".into()),
            ("source", format!("{path}#L{line}").as_str().into()),
            ("sourceFile", path.as_str().into()),
            ("symbol_role", role.text().into()),
            ("tags", tags(Provider::SourceSymbols)),
        ]);
        let mut payload = upsert(EntityType::Symbol, &entity_id, properties);
        let link = |relation, to: &str| relationship(relation, &entity_id, to);
        payload.relationships.extend(known.iter().map(|to| link(Relation::Implements, to)));
        payload.relationships.extend(covering.iter().map(|(test, _)| link(Relation::CoveredBy, test)));
        let ids: Vec<&str> = known.into_iter().collect();
        let own = Evidence {
            path: path.clone(),
            line: Some(*comment_line),
            detail: format!("{name} implements {}", ids.join(", ")),
        };
        let theirs = covering.iter().map(|(test, path)| Evidence {
            path: (*path).to_owned(),
            line: None,
            detail: format!("source of {test}, names {}", symbol.short_name()),
        });
        Ok(Draft {
            id: format!("sym:{key}"),
            kind: EntityType::Symbol,
            title: name.clone(),
            provider: Provider::SourceSymbols,
            path: path.clone(),
            symbol_file: Some(path.clone()),
            confidence: Confidence(92),
            evidence: [own].into_iter().chain(theirs).take(AUTOPILOT_EVIDENCE_MAX).collect(),
            payloads: Payloads::Ready(vec![payload]),
            entity_id,
        })
    }
}

fn relationship(relation: Relation, from: &str, to: &str) -> RelationshipInput {
    RelationshipInput {
        relation,
        from: from.to_owned(),
        to: to.to_owned(),
        created_at: None,
        created_by: None,
        source: None,
        confidence: None,
    }
}

/// Texts of test files, a few at a time.
struct Texts<'a> {
    tree: &'a dyn Tree,
    held: BTreeMap<String, String>,
}

impl Texts<'_> {
    fn names(&mut self, path: &str, identifier: &str) -> bool {
        if !self.held.contains_key(path) {
            if self.held.len() >= TEXTS_HELD {
                self.held.clear();
            }
            let bytes = self.tree.read(path, AUTOPILOT_SOURCE_BYTES_MAX).unwrap_or_default();
            self.held.insert(path.to_owned(), String::from_utf8(bytes).unwrap_or_default());
        }
        self.held.get(path).is_some_and(|text| names(text, identifier))
    }
}
