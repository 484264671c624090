//! Which blobs records refer to: what keeps them from being swept.

use std::collections::HashSet;
use std::ops::Bound;

use cairn_base::{ContentHash, Position, TenantId};
use cairn_seam::{Finding, KeyRange, Keyspace, OnStage, References, Stage, Store, StoreError, Visit, limits};

use crate::EngineError;

/// Records read from one snapshot: it is short-lived, and there may be many records.
const PAGE_RECORDS: usize = 1000;
/// References between two reports of how far it is.
const STAGE_EVERY: u64 = 10_000;
/// A longer blob is no tree object: that many entries are not read either.
const TREE_BYTES_MAX: u64 = 512 << 20;

/// What a record refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// A blob.
    Blob(ContentHash),
    /// The root of a file tree: a blob that lists others.
    Tree(ContentHash),
}

/// Called with everything that a record refers to.
pub type VisitReference<'a> = &'a mut dyn FnMut(Reference);

/// What a folder of a file tree names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeEntry {
    /// Another folder: a blob that lists others.
    Folder(ContentHash),
    /// A file or a link: a blob.
    File(ContentHash),
}

/// Reads a folder of a file tree out of the blob of this hash; `None` if the blob is no folder.
pub type ReadFolder = fn(hash: &ContentHash, bytes: &[u8]) -> Option<Vec<TreeEntry>>;

/// A keyspace whose records refer to blobs, and how to find out to which.
#[derive(Debug, Clone, Copy)]
pub struct Referring {
    /// The keyspace.
    pub keyspace: Keyspace,
    /// What people call the record, with its number behind: `tree of turn `. Without it, the keyspace is named.
    pub called: Option<&'static str>,
    /// How folders of the trees that records refer to are read; `None` if none refers to a tree.
    pub folder: Option<ReadFolder>,
    /// Calls back with everything that a record's value refers to. A value that does not decode is an
    /// error: what it refers to must not be swept.
    pub references: fn(value: &[u8], visit: VisitReference<'_>) -> Result<(), StoreError>,
}

/// What refers to a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Referrer {
    /// A record.
    Record,
    /// A folder of the file tree with this root.
    Tree(ContentHash),
}

/// Called with each blob that is referred to, and by what.
type VisitReferred<'a> = &'a mut dyn FnMut(TenantId, &ContentHash, Referrer);

/// Everything that the records of a store refer to.
pub(crate) struct RecordReferences<'a> {
    store: &'a dyn Store,
    tables: Vec<Referring>,
}

impl<'a> RecordReferences<'a> {
    pub(crate) fn new(store: &'a dyn Store, tables: Vec<Referring>) -> Self {
        RecordReferences { store, tables }
    }

    /// Reads records behind a key; the last key read, or `None` when there are no more.
    fn page(
        &self,
        table: &Referring,
        after: Option<Vec<u8>>,
        visit: &mut dyn FnMut(TenantId, Reference),
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let low = after.map_or(Bound::Unbounded, Bound::Excluded);
        let range = KeyRange { limit: PAGE_RECORDS, ..KeyRange::new(low, Bound::Unbounded) };
        let mut last = None;
        let mut count = 0;
        let mut bad = Ok(());
        let snapshot = self.store.snapshot(Position::START)?;
        snapshot.multi_scan(table.keyspace, &[range], &mut |_, key, value| {
            if let Some(tenant) = key.first_chunk::<4>() {
                let tenant = TenantId(u32::from_be_bytes(*tenant));
                bad = (table.references)(value, &mut |reference| visit(tenant, reference));
            }
            last = Some(key.to_vec());
            count += 1;
            if bad.is_ok() { Visit::Continue } else { Visit::Stop }
        })?;
        bad?;
        Ok(last.filter(|_| count == PAGE_RECORDS))
    }

    /// Visits a tree and everything in it that was not visited before.
    fn tree(
        &self,
        tenant: TenantId,
        root: ContentHash,
        read_folder: ReadFolder,
        seen: &mut HashSet<(TenantId, ContentHash)>,
        visit: VisitReferred<'_>,
    ) -> Result<(), StoreError> {
        let mut folders = vec![(root, Referrer::Record)];
        while let Some((folder, referrer)) = folders.pop() {
            if !seen.insert((tenant, folder)) {
                continue;
            }
            visit(tenant, &folder, referrer);
            // Any blob may be attached as a tree; one that is none refers to nothing.
            let Some(bytes) = self.whole_blob(tenant, &folder)? else { continue };
            for entry in read_folder(&folder, &bytes).unwrap_or_default() {
                match entry {
                    TreeEntry::Folder(hash) => folders.push((hash, Referrer::Tree(root))),
                    TreeEntry::File(hash) => visit(tenant, &hash, Referrer::Tree(root)),
                }
            }
        }
        Ok(())
    }

    fn whole_blob(&self, tenant: TenantId, hash: &ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        let reader = match self.store.open_named_blob(tenant, hash) {
            Ok(reader) if reader.len() <= TREE_BYTES_MAX => reader,
            Ok(_) | Err(StoreError::BlobGone { .. } | StoreError::BlobLost { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = vec![0; usize::try_from(reader.len()).unwrap_or(0)];
        reader.read_at(0, &mut bytes)?;
        Ok(Some(bytes))
    }
}

/// References that lead nowhere.
#[derive(Debug, Default)]
pub(crate) struct Dangling {
    /// Those of records: what they refer to was there, and is lost.
    pub(crate) findings: Vec<Finding>,
    /// Entries of file trees: a client may attach a tree without uploading all that it names.
    pub(crate) warnings: Vec<Finding>,
    /// How many there are of each, those without room to name them included.
    counts: [u64; 2],
}

impl Dangling {
    fn add(&mut self, tenant: TenantId, hash: &ContentHash, referrer: Referrer) {
        let (named, count, detail) = match referrer {
            Referrer::Record => (
                &mut self.findings,
                &mut self.counts[0],
                format!("a record of tenant {tenant} refers to blob {hash}, which is not there"),
            ),
            Referrer::Tree(root) => (
                &mut self.warnings,
                &mut self.counts[1],
                format!(
                    "file tree {root} of tenant {tenant} is incomplete: blob {hash} was not uploaded, or was removed before the tree was attached"
                ),
            ),
        };
        *count += 1;
        if named.len() < limits::FINDINGS_MAX {
            named.push(Finding { file: "records".into(), offset: 0, detail, repaired: false });
        }
    }

    /// Counts for the report: missing entries of trees, and references that are not named.
    pub(crate) fn figures(&self) -> Vec<(&'static str, u64)> {
        let [findings, warnings] = self.counts;
        let left_out = findings - self.findings.len() as u64;
        let figures = [
            ("incomplete_tree_entries", warnings),
            ("findings_left_out", left_out),
            ("findings_left_out_in_records", left_out),
        ];
        figures.into_iter().filter(|(_, count)| *count > 0).collect()
    }
}

/// References to blobs that are not there.
pub(crate) fn dangling(
    references: &RecordReferences<'_>,
    on_stage: OnStage<'_>,
) -> Result<Dangling, EngineError> {
    let store = references.store;
    let mut dangling = Dangling::default();
    let mut failed = None;
    let mut done = 0_u64;
    references.visit_referred(&mut |tenant, hash, referrer| {
        if failed.is_some() {
            return;
        }
        done += 1;
        // How much there is to follow is not known before.
        let stage = Stage { name: "following references", done: 0, total: 0 };
        if done.is_multiple_of(STAGE_EVERY) && !on_stage(stage) {
            failed = Some(StoreError::Stopped);
            return;
        }
        match store.open_named_blob(tenant, hash) {
            Ok(_) => {}
            Err(StoreError::BlobLost { .. } | StoreError::BlobGone { .. }) => {
                dangling.add(tenant, hash, referrer);
            }
            // The blob is there, and what is wrong with it stands in another finding.
            Err(StoreError::Damaged(_)) => {}
            Err(error) => failed = Some(error),
        }
    })?;
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(dangling),
    }
}

impl RecordReferences<'_> {
    fn visit_referred(&self, visit: VisitReferred<'_>) -> Result<(), StoreError> {
        let mut seen = HashSet::new();
        for table in &self.tables {
            let no_folder: ReadFolder = |_, _| None;
            let read_folder = table.folder.unwrap_or(no_folder);
            let mut after = None;
            loop {
                // Trees are read outside of the scan.
                let mut trees = Vec::new();
                after = self.page(table, after, &mut |tenant, reference| match reference {
                    Reference::Blob(hash) => visit(tenant, &hash, Referrer::Record),
                    Reference::Tree(root) => trees.push((tenant, root)),
                })?;
                for (tenant, root) in trees {
                    self.tree(tenant, root, read_folder, &mut seen, visit)?;
                }
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(())
    }
}

impl References for RecordReferences<'_> {
    fn visit(&self, visit: &mut dyn FnMut(TenantId, &ContentHash)) -> Result<(), StoreError> {
        self.visit_referred(&mut |tenant, hash, _| visit(tenant, hash))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cairn_base::ManualClock;
    use cairn_seam::{Aborted, MemoryStore};

    use super::*;

    const NOTES: Keyspace = Keyspace::new(900, "notes");

    /// A value is a list of hashes.
    #[expect(clippy::unnecessary_wraps, reason = "other values may not decode")]
    fn references(value: &[u8], visit: VisitReference<'_>) -> Result<(), StoreError> {
        let hashes = value.as_chunks::<32>().0.iter();
        hashes.for_each(|hash| visit(Reference::Blob(ContentHash::from_bytes(*hash))));
        Ok(())
    }

    #[test]
    fn every_record_of_every_page_and_tenant_is_asked() {
        let store = MemoryStore::new(Arc::new(ManualClock::new(0)));
        let mut expected = Vec::new();
        for tenant in [TenantId(3), TenantId(4)] {
            let names: Vec<u64> =
                (0..PAGE_RECORDS as u64 + 7).map(|n| n * 10 + u64::from(tenant.0)).collect();
            expected.extend(names.iter().map(|name| (tenant, ContentHash::of(&name.to_be_bytes()))));
            let body = move |tx: &mut dyn cairn_seam::WriteTx| {
                for name in &names {
                    let key = [&tenant.0.to_be_bytes()[..], &name.to_be_bytes()].concat();
                    let value = *ContentHash::of(&name.to_be_bytes()).as_bytes();
                    tx.put(NOTES, &key, &value).map_err(|_| Aborted)?;
                }
                Ok(())
            };
            store.write(tenant, Box::new(body)).unwrap();
        }
        let tables = vec![Referring { keyspace: NOTES, called: None, folder: None, references }];
        let mut found = Vec::new();
        let references = RecordReferences::new(&store, tables);
        references.visit(&mut |tenant, hash| found.push((tenant, *hash))).unwrap();
        assert!(found == expected, "{} of {}", found.len(), expected.len());
    }
}
