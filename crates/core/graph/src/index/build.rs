//! Making an index, and covering what was there before it.

use cairn_access::Scope;
use cairn_seam::{Visit, WriteTx};

use super::{Index, IndexField, IndexId, IndexInfo, IndexOrigin, IndexState, Indexes, entry_key};
use crate::tables::INDEX_ENTRIES;
use crate::{ConceptId, GraphError, Result, TypeId, View, known};

/// Long ones count as so many: each is read from a blob of up to 1 MiB.
const LONG_COUNTS_AS: usize = 64;

/// How far the making of an index has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildProgress {
    /// Concepts that were covered now.
    pub covered: u64,
    /// Whether those were the last.
    pub is_ready: bool,
}

/// Begins an index of a field of a type; one that is there already, ready or not, is left as it is.
///
/// It is of no use before [`build_index_page`] has said that it is ready. One that was made automatically and
/// is asked for now counts as asked for from now on.
pub fn create_index(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    kind: TypeId,
    field: &IndexField,
    origin: IndexOrigin,
) -> Result<IndexInfo> {
    field.check()?;
    let is_type = View::new(&*tx, *scope).names(&[(kind.concept(), known::CONCEPT_TYPE)])?;
    if is_type.into_iter().flatten().next().is_none() {
        return Err(GraphError::NoType(kind));
    }
    let mut indexes = Indexes::read(&*tx, scope)?;
    let path: Vec<&str> = field.path.iter().map(String::as_str).collect();
    if let Some(found) = indexes.all.iter_mut().find(|info| info.is_of(kind, field.part, &path)) {
        let is_promoted = (found.origin, origin) == (IndexOrigin::Automatic, IndexOrigin::Asked);
        if is_promoted {
            found.origin = IndexOrigin::Asked;
        }
        let found = found.clone();
        if is_promoted {
            indexes.write(tx, scope)?;
        }
        return Ok(found);
    }
    indexes.check_room()?;
    indexes.last = indexes.last.checked_add(1).ok_or(GraphError::OutOfNumbers)?;
    let index = Index { id: IndexId(indexes.last), kind, part: field.part, path: field.path.clone() };
    let info = IndexInfo { index, state: IndexState::Building { covered: ConceptId(0) }, origin };
    indexes.all.push(info.clone());
    indexes.write(tx, scope)?;
    Ok(info)
}

/// Covers the next concepts of an index that is being made, at most so many. Fails if it was dropped meanwhile.
pub fn build_index_page(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    id: IndexId,
    concepts_max: usize,
) -> Result<BuildProgress> {
    let mut indexes = Indexes::read(&*tx, scope)?;
    let info = indexes.find_mut(id)?;
    let IndexState::Building { covered } = info.state else {
        return Ok(BuildProgress { covered: 0, is_ready: true });
    };
    let page = next_page(&View::new(&*tx, *scope), &info.index, covered, concepts_max)?;
    info.state = match page.entries.last() {
        Some((last, _)) if !page.is_last => IndexState::Building { covered: *last },
        Some(_) | None => IndexState::Ready,
    };
    indexes.write(tx, scope)?;
    for (concept, bytes) in &page.entries {
        tx.put(INDEX_ENTRIES, &entry_key(scope, id, bytes, *concept), &[])?;
    }
    Ok(BuildProgress { covered: page.entries.len() as u64, is_ready: page.is_last })
}

struct Page {
    entries: Vec<(ConceptId, Vec<u8>)>,
    /// Whether nothing is behind it.
    is_last: bool,
}

fn next_page(view: &View<'_>, index: &Index, after: ConceptId, concepts_max: usize) -> Result<Page> {
    let mut page = Page { entries: Vec::new(), is_last: true };
    let (mut weight, mut verdict) = (0, Ok(()));
    view.concepts_of_type(index.kind, Some(after), &mut |concept, record| {
        match index.entry_of(&record) {
            Ok(bytes) => page.entries.push((concept, bytes)),
            Err(error) => {
                verdict = Err(error);
                return Visit::Stop;
            }
        }
        weight += if record.is_long() { LONG_COUNTS_AS } else { 1 };
        if weight < concepts_max {
            return Visit::Continue;
        }
        page.is_last = false;
        Visit::Stop
    })?;
    verdict.map(|()| page)
}
