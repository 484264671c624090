//! What becomes of each entity that a file names, and what entities there are after the sync.

use std::collections::{BTreeMap, HashMap, HashSet};

use cairn_graph::Map;

use super::candidate::{candidate, says_the_same};
use super::claims::{Claim, Claims};
use super::plan::{End, Stored, StoredEntity};
use super::problems::Problems;
use super::request::Request;
use crate::KbError;
use crate::branch::{Branch, Node, NodeKey};
use crate::entity::Entity;
use crate::model::{EntityType, FactKind, Relation};
use crate::tools::RelationshipInput;
use crate::write::metadata;

/// What becomes of an entity that a file names.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It becomes what the file says.
    Write(Box<Written>),
    /// It stays as tools have changed it.
    Keep,
    /// The file says nothing valid about it; one that is stored stays.
    Invalid,
}

/// An entity that becomes what its file says.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) entity: Entity,
    pub(super) fact_kind: Option<FactKind>,
    pub(super) end: End,
}

/// The branch as it will be.
pub(super) struct Outlook<'a> {
    pub(super) branch: &'a Branch,
    pub(super) claims: Claims<'a>,
    /// One per claim.
    pub(super) outcomes: Vec<Outcome>,
    /// Claims by the entity that is stored.
    pub(super) by_key: HashMap<NodeKey, usize>,
    /// Entities that go.
    pub(super) leaving: HashSet<NodeKey>,
    /// The number of entities that are created.
    pub(super) created: usize,
    /// Whether entities that tools have changed become what their files say.
    force: bool,
}

impl<'a> Outlook<'a> {
    /// Decides what becomes of each entity that is claimed.
    pub(super) fn of(
        branch: &'a Branch,
        stored: &'a Stored,
        request: &Request<'a>,
        claims: Claims<'a>,
        now_ms: u64,
        problems: &mut Problems,
    ) -> Self {
        let by_key =
            claims.all.iter().enumerate().filter_map(|(at, claim)| Some((claim.stored?, at))).collect();
        let outcomes = Vec::with_capacity(claims.all.len());
        let leaving = HashSet::new();
        let force = request.header.force;
        let mut outlook = Outlook { branch, claims, outcomes, by_key, leaving, created: 0, force };
        for at in 0..outlook.claims.all.len() {
            let claim = outlook.claims.all[at];
            let known = claim.stored.and_then(|key| stored.get(&key));
            let outcome = outlook.outcome(&claim, known, now_ms, problems);
            outlook.outcomes.push(outcome);
        }
        // What stays as tools have written it has to be known of all.
        for at in 0..outlook.claims.all.len() {
            outlook.place(at, problems);
        }
        outlook
    }

    fn outcome(
        &self,
        claim: &Claim<'_>,
        known: Option<&StoredEntity>,
        now_ms: u64,
        problems: &mut Problems,
    ) -> Outcome {
        let Claim { path, line, input, stored, .. } = *claim;
        let entity = match candidate(path, input, known.map(|known| &known.entity), now_ms) {
            Ok(entity) => entity,
            Err(errors) => {
                problems.add_error(path, line, &input.id, KbError::Entity(errors));
                return Outcome::Invalid;
            }
        };
        if let Some(node) = stored.and_then(|key| self.branch.node(key)) {
            let is_of_tools = node.file.is_none() || node.diverged;
            let is_same = || {
                known.is_some_and(|known| {
                    known.entity.kind == entity.kind
                        && says_the_same(&known.entity.attributes, &entity.attributes)
                        && self.declares(&input.relationships, known)
                })
            };
            if is_of_tools && !self.force && !is_same() {
                return Outcome::Keep;
            }
        }
        let fact_kind = fact_kind_of(&entity.node());
        // The end is known when all outcomes are.
        Outcome::Write(Box::new(Written { entity, fact_kind, end: End::New(usize::MAX) }))
    }

    /// Gives an entity that is written its place, unless relationships of tools stand against it.
    fn place(&mut self, at: usize, problems: &mut Problems) {
        let Claim { path, line, input, stored, .. } = self.claims.all[at];
        let Outcome::Write(written) = &self.outcomes[at] else { return };
        let (kind, fact_kind) = (written.entity.kind, written.fact_kind);
        let node = stored.and_then(|key| Some((key, self.branch.node(key)?)));
        let refused = node.and_then(|(key, node)| self.refused_by_tools(key, node, kind, fact_kind));
        if let Some(message) = refused {
            let hint = "remove these relationships first, or give the entity of the document another id";
            problems.add(path, line, Some(&input.id), message, Some(hint.into()));
            self.outcomes[at] = Outcome::Invalid;
            return;
        }
        let end = match node.filter(|(_, node)| node.kind == kind) {
            Some((key, _)) => End::Stored(key),
            None => {
                self.created += 1;
                End::New(self.created - 1)
            }
        };
        if let Outcome::Write(written) = &mut self.outcomes[at] {
            written.end = end;
        }
    }

    /// Whether relationships of a file are exactly those that are stored.
    fn declares(&self, declared: &[RelationshipInput], known: &StoredEntity) -> bool {
        let mut wanted: BTreeMap<(Relation, &str), Map> = BTreeMap::new();
        for one in declared {
            wanted.entry((one.relation, &one.to)).or_insert_with(|| metadata(one));
        }
        let is_declared = |link: &super::plan::StoredLink| {
            let id = self.branch.node(link.to).map(|node| &*node.id);
            id.is_some_and(|id| wanted.get(&(link.relation, id)) == Some(&link.metadata))
        };
        wanted.len() == known.links.len() && known.links.iter().all(is_declared)
    }

    /// The reason why an entity cannot become one of another kind: relationships of tools would not fit any more.
    fn refused_by_tools(
        &self,
        key: NodeKey,
        node: &Node,
        kind: EntityType,
        fact_kind: Option<FactKind>,
    ) -> Option<String> {
        if node.kind == kind && fact_kind_of(node) == fact_kind {
            return None;
        }
        let (relation, from) = self.branch.incoming(key).find_map(|(relation, from)| {
            let is_of_tools = self.is_of_tools(from);
            let from = self.branch.node(from)?;
            (is_of_tools && !fits(relation, from.kind, kind, fact_kind)).then_some((relation, from))
        })?;
        let now = fact_kind.map_or_else(|| kind.to_string(), |fact| format!("{kind} of kind {fact}"));
        Some(format!("it cannot become a {now}: {} refers to it by {relation}", from.id))
    }

    /// Whether a stored entity stays as tools have written it, so that its relationships are theirs.
    pub(super) fn is_of_tools(&self, key: NodeKey) -> bool {
        let Some(node) = self.branch.node(key) else { return false };
        match self.of_key(key) {
            Some((_, Outcome::Write(_))) => false,
            Some((_, Outcome::Keep)) => true,
            Some((_, Outcome::Invalid)) | None => node.file.is_none() || (node.diverged && !self.force),
        }
    }

    /// Finds an entity as it will be: where it is stored, its type, and its kind if it is a fact.
    pub(super) fn find(&self, id: &str) -> Option<(End, EntityType, Option<FactKind>)> {
        if let Some(Outcome::Write(written)) = self.claims.by_id.get(id).map(|at| &self.outcomes[*at]) {
            return Some((written.end, written.entity.kind, written.fact_kind));
        }
        let (key, node) = self.branch.find(id)?;
        (!self.leaving.contains(&key)).then(|| (End::Stored(key), node.kind, fact_kind_of(node)))
    }

    /// Returns the claim of a stored entity and what becomes of it.
    pub(super) fn of_key(&self, key: NodeKey) -> Option<(&Claim<'a>, &Outcome)> {
        let at = *self.by_key.get(&key)?;
        Some((&self.claims.all[at], &self.outcomes[at]))
    }

    /// Returns the entity that takes the place of a stored one, if its file rewrites that.
    pub(super) fn written(&self, key: NodeKey) -> Option<&Written> {
        match self.of_key(key)? {
            (_, Outcome::Write(written)) => Some(written),
            (_, Outcome::Keep | Outcome::Invalid) => None,
        }
    }

    /// Returns the file that will own a stored entity.
    pub(super) fn file_of(&self, key: NodeKey) -> Option<&str> {
        let node = self.branch.node(key)?;
        match self.of_key(key) {
            Some((claim, Outcome::Write(_) | Outcome::Keep)) => Some(claim.path),
            Some((claim, Outcome::Invalid)) => node.file.as_deref().map(|_| claim.path),
            None => node.file.as_deref(),
        }
    }
}

pub(super) fn fact_kind_of(node: &Node) -> Option<FactKind> {
    node.fact.as_deref().and_then(|fact| fact.kind())
}

/// Whether a relationship may link entities of these types, the second one perhaps a fact of a kind.
pub(super) fn fits(relation: Relation, from: EntityType, to: EntityType, fact: Option<FactKind>) -> bool {
    let wrong = match relation {
        Relation::Constrains => Some(FactKind::PropertyValue),
        Relation::RequiresProperty => Some(FactKind::Subject),
        Relation::DependsOn
        | Relation::SpecifiedBy
        | Relation::VerifiedBy
        | Relation::Validates
        | Relation::Implements
        | Relation::CoveredBy
        | Relation::ExecutableFor
        | Relation::ConstrainedBy
        | Relation::RequiresPredicate
        | Relation::Guards
        | Relation::Publishes
        | Relation::Consumes
        | Relation::Supersedes
        | Relation::RelatesTo => None,
    };
    relation.allows(from, to) && (wrong.is_none() || fact != wrong)
}
