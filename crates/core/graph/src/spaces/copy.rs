//! Copying a space into a staged one: page by page, and then what changed meanwhile.
//!
//! No record names its space, so a row is copied under another beginning of its key. Ordered indexes are rebuilt.

use cairn_access::Scope;
use cairn_base::ContentHash;
use cairn_seam::{KeyRange, Keyspace, Read, Reader, Visit, WriteTx, read_all};

use super::stage::check_staged;
use crate::index::{IndexState, Indexes};
use crate::keys::SCOPE_BYTES;
use crate::record::{blob_of_concept, blob_of_link};
use crate::tables::{CONCEPTS, COUNTERS, HOMES, LINKS, NAMES, OPS, PSO, SPO, STATISTICS};
use crate::{ConceptId, Result, Statistic, View};

/// Keyspaces whose rows are copied.
const COPIED: &[Keyspace] = &[COUNTERS, CONCEPTS, HOMES, NAMES, LINKS, SPO, PSO, OPS, STATISTICS];
/// Rows of one concept: its record, its type and its name.
const ROWS_OF_CONCEPT: u64 = 3;
/// Rows of one link: its record and the three orders.
const ROWS_OF_LINK: u64 = 4;

/// A row of the graph, by its keyspace and key.
pub type Row = (Keyspace, Vec<u8>);

/// Where copying goes on: behind a key of a keyspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyPlace {
    /// Place among the keyspaces that are copied.
    at: usize,
    /// The last key that was copied, without its scope; none at the beginning of a keyspace.
    after: Option<Vec<u8>>,
}

/// Rows of a space, ready to be written to another one.
#[derive(Debug, Clone, Default)]
pub struct CopyPage {
    /// Keyspace, key without its scope, value.
    rows: Vec<(Keyspace, Vec<u8>, Vec<u8>)>,
    blobs: Vec<ContentHash>,
    /// Where the next page begins; `None` behind the last one.
    pub next: Option<CopyPlace>,
}

impl CopyPage {
    /// Reads some rows of a space: at most `rows_max`, and no more once they have `bytes_max` bytes. It begins where the
    /// last page ended, or at the first row.
    ///
    /// Each page may come from another snapshot; [`copy_rows`] makes the copy exact.
    pub fn read(
        reader: &dyn Reader,
        from: &Scope,
        place: Option<&CopyPlace>,
        rows_max: usize,
        bytes_max: usize,
    ) -> Result<CopyPage> {
        let mut page = CopyPage::default();
        let (mut bytes, rows_max) = (0, rows_max.max(1));
        let first = place.map_or(0, |place| place.at);
        for (at, keyspace) in COPIED.iter().copied().enumerate().skip(first) {
            let after = place.filter(|place| place.at == at).and_then(|place| place.after.as_deref());
            let mut range = KeyRange::prefix(&from.key()).limit(rows_max - page.rows.len());
            if let Some(after) = after {
                range.low = std::ops::Bound::Excluded([&from.key(), after].concat());
            }
            let mut verdict = Ok(());
            let (rows, blobs) = (&mut page.rows, &mut page.blobs);
            reader.multi_scan(keyspace, &[range], &mut |_, key, value| {
                match blob(keyspace, value) {
                    Ok(blob) => blobs.extend(blob),
                    Err(error) => {
                        verdict = Err(error);
                        return Visit::Stop;
                    }
                }
                rows.push((keyspace, key.get(SCOPE_BYTES..).unwrap_or_default().to_vec(), value.to_vec()));
                bytes += key.len() + value.len();
                if bytes < bytes_max { Visit::Continue } else { Visit::Stop }
            })?;
            verdict?;
            if page.rows.len() >= rows_max || bytes >= bytes_max {
                let after =
                    page.rows.last().filter(|(last, ..)| *last == keyspace).map(|(_, key, _)| key.clone());
                page.next = Some(CopyPlace { at, after });
                return Ok(page);
            }
        }
        Ok(page)
    }

    /// Writes the rows to a staged space, and keeps the blobs that they refer to. Returns how many rows there are.
    ///
    /// Fails with [`GraphError::NotStaged`](crate::GraphError::NotStaged) if the space is not staged.
    pub fn write(&self, tx: &mut dyn WriteTx, to: &Scope) -> Result<usize> {
        check_staged(tx, to.tenant(), to.space())?;
        for hash in &self.blobs {
            // One that is gone belongs to a record that has changed since, or is as lost here as there.
            tx.keep_blob(hash)?;
        }
        let mut target = to.key().into_vec();
        for (keyspace, key, value) in &self.rows {
            target.truncate(SCOPE_BYTES);
            target.extend_from_slice(key);
            tx.put(*keyspace, &target, value)?;
        }
        Ok(self.rows.len())
    }
}

/// Makes rows of a staged space what they are now in the space that it is a copy of; what is gone there goes here.
/// `rows` are keys of that space; others are left out.
///
/// Fails with [`GraphError::NotStaged`](crate::GraphError::NotStaged) if the space is not staged.
pub fn copy_rows(tx: &mut dyn WriteTx, from: &Scope, to: &Scope, rows: &[Row]) -> Result<()> {
    check_staged(tx, to.tenant(), to.space())?;
    let prefix = from.key();
    let ours = |(keyspace, key): &&Row| is_copied(*keyspace) && key.starts_with(&prefix);
    let rows: Vec<&Row> = rows.iter().filter(ours).collect();
    let reads: Vec<Read<'_>> = rows.iter().map(|(keyspace, key)| Read::Key(*keyspace, key)).collect();
    let values = read_all(&*tx, &reads)?;
    for ((keyspace, key), value) in rows.into_iter().zip(values) {
        let target = [&to.key(), key.get(SCOPE_BYTES..).unwrap_or_default()].concat();
        match value {
            Some(value) => {
                if let Some(hash) = blob(*keyspace, &value)? {
                    tx.keep_blob(&hash)?;
                }
                tx.put(*keyspace, &target, &value)?;
            }
            None => tx.delete(*keyspace, &target)?,
        }
    }
    Ok(())
}

/// Defines the ordered indexes of a space in its copy, where they are built from the beginning. It belongs into the
/// transaction that publishes the copy.
pub fn copy_indexes(tx: &mut dyn WriteTx, from: &Scope, to: &Scope) -> Result<()> {
    let mut indexes = Indexes::read(&*tx, from)?;
    indexes.all.retain(|info| info.state != IndexState::Dropping);
    if indexes.all.is_empty() {
        return Ok(());
    }
    indexes.all.iter_mut().for_each(|info| info.state = IndexState::Building { covered: ConceptId(0) });
    indexes.write(tx, to)
}

/// Whether rows of a keyspace are copied with a space.
pub fn is_copied(keyspace: Keyspace) -> bool {
    COPIED.contains(&keyspace)
}

/// About how many rows a copy of a space has.
pub fn rows_about(reader: &dyn Reader, scope: &Scope) -> Result<u64> {
    let mut rows = 0_u64;
    View::new(reader, *scope).statistics(&mut |statistic, count| {
        let each = match statistic {
            Statistic::Type(_) => ROWS_OF_CONCEPT,
            Statistic::Predicate(_) => ROWS_OF_LINK,
            Statistic::Subjects(_)
            | Statistic::Objects(_)
            | Statistic::SubjectType(..)
            | Statistic::ObjectType(..) => 0,
        };
        rows = rows.saturating_add(count.saturating_mul(each)).saturating_add(1);
        Visit::Continue
    })?;
    Ok(rows)
}

/// The blob that a row refers to.
fn blob(keyspace: Keyspace, value: &[u8]) -> Result<Option<ContentHash>> {
    match keyspace {
        CONCEPTS => blob_of_concept(value),
        LINKS => blob_of_link(value),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spaces::delete::GOING;
    use crate::tables::{INDEX_ENTRIES, INDEXES, KEYSPACES, SPACE_NAMES, SPACE_STATES, SPACES};

    #[test]
    fn every_keyspace_is_copied_or_built_anew_or_belongs_to_the_tenant() {
        let built_anew = [INDEXES, INDEX_ENTRIES];
        let of_tenant = [SPACES, SPACE_NAMES, SPACE_STATES];
        let mut all = [COPIED, &built_anew, &of_tenant].concat();
        all.sort_unstable();
        let mut expected = KEYSPACES.to_vec();
        expected.sort_unstable();
        assert_eq!(all, expected, "say what becomes of a new keyspace when its space is copied");
        let mut of_space = [COPIED, &built_anew].concat();
        of_space.sort_unstable();
        let mut going = GOING.to_vec();
        going.sort_unstable();
        assert_eq!(going, of_space, "rows of a deleted space go");
    }
}
