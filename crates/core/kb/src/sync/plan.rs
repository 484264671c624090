//! The plan of a sync: every change that it makes, and its report.

use std::collections::{BTreeMap, HashMap};

use cairn_base::to_iso_utc;
use cairn_graph::Map;

use super::bookkeeping::{self, Bookkeeping};
use super::claims;
use super::edges::{self, Edges};
use super::files::{FileRecord, Files};
use super::input::SyncInput;
use super::leaving::{self, Counts, Leaving};
use super::outlook::{Outcome, Outlook};
use super::problems::Problems;
use super::report::{KeptReason, SyncKept, SyncReport};
use super::request::Request;
use crate::branch::{Branch, Change, Edge, Ends, Node, NodeKey};
use crate::digest::ContentDigest;
use crate::entity::{Entity, bytes_of};
use crate::model::Relation;
use crate::{KbError, Result, limits};

/// An entity as it is stored, with its relationships.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEntity {
    /// The entity.
    pub entity: Entity,
    /// Relationships that start at it.
    pub links: Vec<StoredLink>,
    /// Relationships that end at it; only needed if a file gives the entity another type.
    pub incoming: Vec<(NodeKey, Relation, Map)>,
}

/// A relationship as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredLink {
    /// Its type.
    pub relation: Relation,
    /// Its target.
    pub to: NodeKey,
    /// Its metadata.
    pub metadata: Map,
}

/// Entities as they are stored.
pub type Stored = HashMap<NodeKey, StoredEntity>;

/// An entity at an end of a new relationship.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// One that is stored.
    Stored(NodeKey),
    /// The one at this place among those that are created.
    New(usize),
}

/// An entity whose attributes change.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// The entity.
    pub key: NodeKey,
    /// The entity as checks and reports need it.
    pub node: Node,
    /// Attributes that it has not yet, or with other values.
    pub changed: Map,
    /// Attributes that it has and will not have.
    pub removed: Vec<String>,
}

/// A relationship that is added.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Its type.
    pub relation: Relation,
    /// The entity that it starts at.
    pub from: End,
    /// The entity that it ends at.
    pub to: End,
    /// Its metadata.
    pub metadata: Map,
    /// Contents that its ends have after the sync.
    pub ends: Ends,
}

/// Changes of a sync.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SyncPlan {
    /// Entities that are created.
    pub created: Vec<Entity>,
    /// Entities that change.
    pub updated: Vec<Update>,
    /// Entities that go with all their relationships; those of another type are created again.
    pub removed: Vec<NodeKey>,
    /// Relationships that are removed from entities that stay.
    pub unlinked: Vec<Edge>,
    /// Relationships that go with an entity at their end.
    pub dangling: Vec<Edge>,
    /// Relationships that are added.
    pub linked: Vec<Link>,
    /// Relationships whose metadata is replaced.
    pub relinked: Vec<(Edge, Map)>,
    /// Files that are noted, or forgotten.
    pub files: BTreeMap<String, Option<FileRecord>>,
    /// The report. Contradictions, snapshots and times of the store are not in it.
    pub report: SyncReport,
    /// Attributes of the concept that counts syncs.
    pub tree: Map,
    /// The time of the sync, ISO 8601.
    pub now: String,
}

impl SyncPlan {
    /// Whether it stores nothing.
    pub fn is_empty(&self) -> bool {
        let SyncPlan { created, updated, removed, unlinked, linked, relinked, files, .. } = self;
        created.is_empty()
            && updated.is_empty()
            && removed.is_empty()
            && unlinked.is_empty()
            && linked.is_empty()
            && relinked.is_empty()
            && files.is_empty()
    }

    /// Returns a number of changes and of bytes that storing it takes at least.
    pub fn size_min(&self) -> (usize, usize) {
        let entities = 4 * self.created.len() + self.updated.len() + 3 * self.removed.len();
        let links = 4 * (self.linked.len() + self.unlinked.len()) + self.relinked.len();
        let created = self.created.iter().map(|entity| bytes_of(&entity.attributes));
        let updated = self.updated.iter().map(|update| bytes_of(&update.changed));
        (entities + links + self.files.len(), created.chain(updated).sum())
    }

    /// Returns the changes of the branch, given the numbers of the entities that are created.
    pub fn changes(&self, created: &[NodeKey]) -> Vec<Change> {
        let gone = self.unlinked.iter().chain(&self.dangling).copied().map(Change::Unlink);
        let removed = self.removed.iter().copied().map(Change::Remove);
        let new = self.created.iter().zip(created);
        let new = new.map(|(entity, key)| Change::Put(*key, Box::new(entity.node())));
        let updated = self.updated.iter().map(|one| Change::Put(one.key, Box::new(one.node.clone())));
        let key = |end: End| match end {
            End::Stored(key) => Some(key),
            End::New(at) => created.get(at).copied(),
        };
        let linked = self.linked.iter().filter_map(|link| {
            Some(Change::Link(Edge { relation: link.relation, from: key(link.from)?, to: key(link.to)? }))
        });
        gone.chain(removed).chain(new).chain(updated).chain(linked).collect()
    }

    /// Makes the changes of the files.
    pub fn apply_files(&self, files: &mut Files) {
        for (path, record) in &self.files {
            match record {
                Some(record) => files.put(path, record.clone()),
                None => files.remove(path),
            }
        }
        files.count(files.syncs().saturating_add(1), &self.now);
    }
}

/// Plans a sync. `stored` has the entities that the sync [names](SyncInput::named).
///
/// # Errors
///
/// Fails if the sync as a whole is invalid, or the branch would be too large.
pub fn plan_sync(
    branch: &Branch,
    files: &Files,
    stored: &Stored,
    input: &SyncInput,
    now_ms: u64,
) -> Result<SyncPlan> {
    let request = Request::of(input)?;
    let mut problems = Problems::default();
    let claims = claims::collect(branch, files, &request, &mut problems);
    let mut outlook = Outlook::of(branch, stored, &request, claims, now_ms, &mut problems);
    let leaving = leaving::decide(&outlook, files, &request);
    outlook.leaving = leaving.removed.iter().copied().collect();
    let edges = edges::plan(&outlook, stored, &mut problems);
    let mut counts = Counts::default();
    let bookkeeping = bookkeeping::plan(&outlook, &leaving, stored, &edges, now_ms, &mut counts);
    check_size(branch, &outlook, &leaving)?;
    let noted = noted(branch, files, &request, &counts, &problems);
    let report = report(&outlook, &leaving, &request, &edges, &bookkeeping, problems);
    let retyped = outlook.by_key.keys().copied().filter(|key| is_retyped(&outlook, *key));
    let mut removed: Vec<NodeKey> = leaving.removed.iter().copied().chain(retyped).collect();
    removed.sort_unstable();
    let Edges { unlinked, dangling, mut linked, relinked, .. } = edges;
    let Bookkeeping { created, updated, .. } = bookkeeping;
    note_ends(branch, &created, &updated, &mut linked);
    let now = to_iso_utc(now_ms);
    Ok(SyncPlan {
        created,
        updated,
        removed,
        unlinked,
        dangling,
        linked,
        relinked,
        files: noted,
        report,
        tree: files.next_tree(&now),
        now,
    })
}

/// Notes the contents that the ends of new relationships have after the sync.
fn note_ends(branch: &Branch, created: &[Entity], updated: &[Update], linked: &mut [Link]) {
    let updated: HashMap<NodeKey, ContentDigest> =
        updated.iter().map(|update| (update.key, update.node.digest)).collect();
    let created: Vec<ContentDigest> =
        created.iter().map(|entity| ContentDigest::of(&entity.attributes)).collect();
    let digest = |end: End| match end {
        End::New(at) => created.get(at).copied().unwrap_or_default(),
        End::Stored(key) => {
            let stored = || branch.node(key).map(|node| node.digest).unwrap_or_default();
            updated.get(&key).copied().unwrap_or_else(stored)
        }
    };
    for link in linked {
        link.ends = Ends { from: digest(link.from), to: digest(link.to) };
    }
}

/// Whether a stored entity is replaced by one of another type.
pub(super) fn is_retyped(outlook: &Outlook<'_>, key: NodeKey) -> bool {
    outlook.written(key).is_some_and(|written| written.end != End::Stored(key))
}

fn check_size(branch: &Branch, outlook: &Outlook<'_>, leaving: &Leaving) -> Result<()> {
    let retyped = outlook.by_key.keys().filter(|key| is_retyped(outlook, **key)).count();
    let count = (branch.len() + outlook.created).saturating_sub(leaving.removed.len() + retyped) as u64;
    let max = limits::BRANCH_ENTITIES_MAX as u64;
    if count > max { Err(KbError::TooLarge { what: "entities of a branch", count, max }) } else { Ok(()) }
}

/// Records of files that change.
fn noted(
    branch: &Branch,
    files: &Files,
    request: &Request<'_>,
    counts: &Counts<'_>,
    problems: &Problems,
) -> BTreeMap<String, Option<FileRecord>> {
    let mut owned: HashMap<&str, i64> = HashMap::new();
    for (_, node) in branch.nodes() {
        if let Some(file) = node.file.as_deref() {
            *owned.entry(file).or_default() += 1;
        }
    }
    let entities = |path: &str| {
        let count = owned.get(path).copied().unwrap_or_default() + counts.of(path);
        u64::try_from(count).unwrap_or_default()
    };
    let mut noted = BTreeMap::new();
    for (path, file) in &request.sent {
        let has_problems = file.problems || problems.has(path);
        let record = FileRecord { hash: file.hash.as_str().into(), entities: entities(path), has_problems };
        if files.get(path) != Some(&record) {
            noted.insert((*path).to_owned(), Some(record));
        }
    }
    let others = counts.files().chain(problems.paths()).filter(|path| !request.sent.contains_key(path));
    for path in others {
        if let Some(known) = files.get(path) {
            let record =
                FileRecord { hash: known.hash.clone(), entities: entities(path), has_problems: true };
            if *known != record {
                noted.insert(path.to_owned(), Some(record));
            }
        }
    }
    for (path, _) in files.iter() {
        let is_known = request.sent.contains_key(path) || request.kept.contains(path);
        if request.removed.contains(path) || (request.header.rebuild && !is_known) {
            noted.insert(path.to_owned(), None);
        }
    }
    noted
}

fn report(
    outlook: &Outlook<'_>,
    leaving: &Leaving,
    request: &Request<'_>,
    edges: &Edges,
    bookkeeping: &Bookkeeping,
    problems: Problems,
) -> SyncReport {
    let problems = problems.into_sorted();
    let kept = |key: NodeKey, reason: KeptReason| SyncKept {
        id: outlook.branch.node(key).map(|node| node.id.to_string()).unwrap_or_default(),
        path: outlook.file_of(key).unwrap_or_default().to_owned(),
        reason,
    };
    let reason = |key: NodeKey| {
        let has_diverged = outlook.branch.node(key).is_some_and(|node| node.diverged);
        if has_diverged && !request.header.force { KeptReason::Diverged } else { KeptReason::Referred }
    };
    let diverged = outlook.claims.all.iter().zip(&outlook.outcomes);
    let diverged = diverged.filter(|(_, outcome)| matches!(outcome, Outcome::Keep));
    let mut diverged: Vec<_> =
        diverged.filter_map(|(claim, _)| Some(kept(claim.stored?, KeptReason::Diverged))).collect();
    let mut released: Vec<_> = leaving.released.iter().map(|key| kept(*key, reason(*key))).collect();
    diverged.sort();
    released.sort();
    let count = |count: usize| count as u64;
    let mut report = SyncReport {
        files: count(request.sent.len()),
        files_removed: count(request.removed.len()),
        created: bookkeeping.new,
        updated: bookkeeping.rewritten,
        unchanged: bookkeeping.unchanged,
        removed: count(leaving.removed.len()),
        relationships_created: count(edges.linked.len() + edges.relinked.len()),
        relationships_removed: count(edges.unlinked.len() + edges.dangling.len() + edges.leaving),
        problem_count: count(problems.len()),
        diverged_count: count(diverged.len()),
        released_count: count(released.len()),
        problems,
        diverged,
        released,
        ..SyncReport::default()
    };
    report.problems.truncate(limits::SYNC_LISTED_MAX);
    report.diverged.truncate(limits::SYNC_LISTED_MAX);
    report.released.truncate(limits::SYNC_LISTED_MAX);
    report
}
