//! The indexes of all spaces at once, for whoever looks after them.

use std::ops::Bound;

use cairn_base::{KeyReader, SpaceId, TenantId};
use cairn_seam::{KeyRange, Reader, Visit};

use super::{IndexInfo, Indexes};
use crate::tables::INDEXES;
use crate::{GraphError, Result};

/// Every index of every tenant. There is one record for each space that has some.
pub fn all_indexes(reader: &dyn Reader) -> Result<Vec<(TenantId, SpaceId, IndexInfo)>> {
    let mut found = Vec::new();
    let mut verdict = Ok(());
    let everything = KeyRange::new(Bound::Unbounded, Bound::Unbounded);
    reader.multi_scan(INDEXES, &[everything], &mut |_, key, record| match place(key)
        .and_then(|(tenant, space)| Ok((tenant, space, Indexes::decode(record)?)))
    {
        Ok((tenant, space, indexes)) => {
            found.extend(indexes.all.into_iter().map(|info| (tenant, space, info)));
            Visit::Continue
        }
        Err(error) => {
            verdict = Err(error);
            Visit::Stop
        }
    })?;
    verdict.map(|()| found)
}

fn place(key: &[u8]) -> Result<(TenantId, SpaceId)> {
    let mut parts = KeyReader::new(key);
    let place = (|| {
        let place = (parts.tenant()?, parts.space()?);
        parts.finish().map(|()| place)
    })();
    place.map_err(|error| GraphError::BadRecord { what: "list of indexes", detail: error.to_string() })
}
