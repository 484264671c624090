//! Rows through the cache.

use std::sync::Arc;

use cairn_base::KeyBuf;
use cairn_seam::Keyspace;

use super::{CacheAt, Kept, Key};
use crate::tables::NAMES;
use crate::{Result, View};

/// A value, or that there is none.
type Row = Option<Arc<[u8]>>;

impl View<'_> {
    /// The values of keys, in their order. Those that are not kept are one call to the store, and no visitor
    /// may call the store.
    pub(crate) fn rows(
        &self,
        keyspace: Keyspace,
        keys: &[KeyBuf],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<()> {
        let Some(cache) = self.cache() else {
            let keys: Vec<&[u8]> = keys.iter().map(KeyBuf::as_slice).collect();
            return Ok(self.reader().multi_get(keyspace, &keys, visit)?);
        };
        let kept: Vec<Option<Row>> = keys.iter().map(|key| cache.row(keyspace, key)).collect();
        let missing: Vec<usize> = (0..keys.len()).filter(|place| kept[*place].is_none()).collect();
        cache.cache.count(keys.len() - missing.len(), missing.len());
        let mut next = 0;
        if !missing.is_empty() {
            let asked: Vec<&[u8]> = missing.iter().map(|place| keys[*place].as_slice()).collect();
            self.reader().multi_get(keyspace, &asked, &mut |at, value| {
                let place = missing[at];
                visit_kept(&kept, next..place, visit);
                visit(place, value);
                next = place + 1;
                cache.keep_row(keyspace, asked[at], value);
            })?;
        }
        visit_kept(&kept, next..keys.len(), visit);
        Ok(())
    }
}

fn visit_kept(
    kept: &[Option<Row>],
    places: std::ops::Range<usize>,
    visit: &mut dyn FnMut(usize, Option<&[u8]>),
) {
    for place in places {
        if let Some(row) = &kept[place] {
            visit(place, row.as_deref());
        }
    }
}

impl CacheAt<'_> {
    fn row(&self, keyspace: Keyspace, key: &[u8]) -> Option<Row> {
        match self.cache.get(&Key::row(keyspace, key)?, self.at)? {
            Kept::Row(row) => Some(row),
            Kept::Links(_) => None,
        }
    }

    fn keep_row(&self, keyspace: Keyspace, key: &[u8], value: Option<&[u8]>) {
        // Anybody can ask for names that nobody has, and there is no end of them.
        if value.is_none() && keyspace == NAMES {
            return;
        }
        if let Some(key) = Key::row(keyspace, key) {
            self.cache.keep(key, self.at, Kept::Row(value.map(Arc::from)));
        }
    }
}
