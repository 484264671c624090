//! Records of branches, names of their spaces and versions that do not agree, and the cure for each.
//!
//! A space that has the types and predicates of the KB is kept: its record or its name follows from the other.

use cairn_access::Scope;
use cairn_base::{KeyReader, SpaceId};
use cairn_graph::{View, spaces};
use cairn_kb::{BranchRecord, Schema, Version, branch_of_space, decode_branch, find_branch, version};
use cairn_seam::{KeyRange, Keyspace, Reader, Visit, WriteTx, get};

use super::state::space_scope;
use crate::EngineError;

/// Keyspaces whose rows are looked at, in this order: the cures of one are relied on by the next.
pub(super) const KEYSPACES: [Keyspace; 3] =
    [cairn_kb::tables::BRANCHES, cairn_graph::tables::SPACE_NAMES, cairn_kb::tables::VERSIONS];

/// Rows that are read from one snapshot.
const PAGE: usize = 256;

/// A row that does not agree with the others.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// The space that it is about, if that is known.
    pub(super) space: Option<SpaceId>,
    pub(super) detail: String,
    pub(super) cure: Option<Cure>,
}

/// A change that puts a row right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cure {
    /// Gives the space of a record its name again.
    Name(BranchRecord),
    /// Makes the record of a branch from its space.
    Record { name: String, space: SpaceId },
    /// Removes the record of a branch, with the version of its space.
    RemoveBranch(BranchRecord),
    /// Removes a record that nothing can be read from.
    RemoveRow(Vec<u8>),
    /// Removes the version of a space.
    RemoveVersion(SpaceId),
    /// Begins the version of a space again, behind all that it can have had.
    NewVersion(SpaceId),
}

/// The first keys of a keyspace in a range.
pub(super) fn page(
    reader: &dyn Reader,
    keyspace: Keyspace,
    range: KeyRange,
) -> Result<Vec<Vec<u8>>, EngineError> {
    let mut keys = Vec::new();
    reader.multi_scan(keyspace, &[range.limit(PAGE)], &mut |_, key, _| {
        keys.push(key.to_vec());
        Visit::Continue
    })?;
    Ok(keys)
}

/// Looks at a row of one of the [keyspaces](KEYSPACES). `scope` is that of its tenant.
pub(super) fn look(
    reader: &dyn Reader,
    scope: &Scope,
    keyspace: Keyspace,
    key: &[u8],
) -> Result<Option<Wrong>, EngineError> {
    let Some(value) = get(reader, keyspace, key)? else { return Ok(None) };
    let found = if keyspace == cairn_kb::tables::BRANCHES {
        look_at_record(reader, scope, key, &value)
    } else if keyspace == cairn_graph::tables::SPACE_NAMES {
        look_at_name(reader, scope, key, &value)
    } else {
        look_at_version(reader, scope, key)
    };
    match found {
        // A row that it depends on does not decode.
        Err(error) if is_damage(&error) => {
            Ok(Some(Wrong { space: None, detail: error.to_string(), cure: None }))
        }
        found => found,
    }
}

fn look_at_record(
    reader: &dyn Reader,
    scope: &Scope,
    key: &[u8],
    value: &[u8],
) -> Result<Option<Wrong>, EngineError> {
    let tenant = scope.tenant();
    let record = match decode_branch(tenant, key, value) {
        Ok(record) => record,
        Err(error) => {
            let cure = Some(Cure::RemoveRow(key.to_vec()));
            return Ok(Some(Wrong { space: None, detail: error.to_string(), cure }));
        }
    };
    let (name, space) = (record.space_name(), record.space);
    let by_name = spaces::find(reader, tenant, &name)?;
    let by_number = spaces::name_of(reader, tenant, space)?;
    let is_own = by_number.as_ref() == Some(&name);
    let wrong = |detail: String, cure| {
        Ok(Some(Wrong { space: Some(space), detail: format!("{name:?}: {detail}"), cure }))
    };
    if let Some(other) = by_name.filter(|found| *found != space) {
        let detail = format!("the branch record names space {space}, and space {other} has the name");
        let cure = missing_schema(reader, scope, other)?.is_none();
        return wrong(detail, cure.then(|| Cure::Record { name: name.clone(), space: other }));
    }
    let missing = missing_schema(reader, scope, space)?;
    if by_name.is_some() && is_own {
        let Some(missing) = missing else { return Ok(None) };
        return wrong(format!("its space {space} is not whole: {missing}"), None);
    }
    let is_hidden = spaces::state(reader, tenant, space)?.is_some_and(spaces::SpaceState::is_hidden);
    if !is_hidden && (is_own || (by_number.is_none() && (by_name.is_some() || missing.is_none()))) {
        return wrong(format!("its space {space} has lost its name"), Some(Cure::Name(record.clone())));
    }
    wrong(format!("its space {space} is gone"), Some(Cure::RemoveBranch(record.clone())))
}

fn look_at_name(
    reader: &dyn Reader,
    scope: &Scope,
    key: &[u8],
    value: &[u8],
) -> Result<Option<Wrong>, EngineError> {
    let Ok(name) = std::str::from_utf8(value) else { return Ok(None) };
    let Some(space) = key.last_chunk().map(|number| SpaceId(u32::from_be_bytes(*number))) else {
        return Ok(None);
    };
    if !spaces::managed(name) {
        return Ok(None);
    }
    let wrong = |detail: String, cure| {
        Ok(Some(Wrong { space: Some(space), detail: format!("{name:?}: {detail}"), cure }))
    };
    let Some((workspace, branch)) = branch_of_space(name) else {
        return wrong(format!("space {space} has this name, and no branch can have it"), None);
    };
    let by_name = spaces::find(reader, scope.tenant(), name)?;
    if let Some(other) = by_name.filter(|found| *found != space) {
        return wrong(format!("both space {space} and space {other} have this name"), None);
    }
    match find_branch(reader, scope.tenant(), workspace, branch).map_err(EngineError::from) {
        Ok(None) => {}
        Ok(Some(_)) => return Ok(None),
        // That was said of the record.
        Err(error) if is_damage(&error) => return Ok(None),
        Err(error) => return Err(error),
    }
    match missing_schema(reader, scope, space)? {
        None => {
            let cure = Cure::Record { name: name.to_owned(), space };
            wrong(format!("its space {space} has no branch record"), Some(cure))
        }
        Some(missing) => {
            let detail = format!("its space {space} has no branch record, and is not whole: {missing}");
            wrong(detail, None)
        }
    }
}

fn look_at_version(reader: &dyn Reader, scope: &Scope, key: &[u8]) -> Result<Option<Wrong>, EngineError> {
    let mut parts = KeyReader::new(key);
    let (Ok(tenant), Ok(space)) = (parts.tenant(), parts.space()) else { return Ok(None) };
    let wrong = |detail, cure| {
        let detail = format!("the version of space {space} {detail}");
        Ok(Some(Wrong { space: Some(space), detail, cure: Some(cure) }))
    };
    let name = spaces::name_of(reader, tenant, space)?;
    // A branch record that names another space was looked at before.
    let is_named = name.as_deref().is_some_and(|name| branch_of_space(name).is_some());
    if !is_named {
        return wrong("belongs to no branch", Cure::RemoveVersion(space));
    }
    match version(reader, &space_scope(scope, space)?).map_err(EngineError::from) {
        Ok(_) => Ok(None),
        Err(error) if is_damage(&error) => wrong("does not decode", Cure::NewVersion(space)),
        Err(error) => Err(error),
    }
}

/// The first type or predicate of the KB that a space does not have.
fn missing_schema(reader: &dyn Reader, scope: &Scope, space: SpaceId) -> Result<Option<String>, EngineError> {
    let view = View::new(reader, space_scope(scope, space)?);
    match Schema::read(&view).map_err(EngineError::from) {
        Ok(_) => Ok(None),
        Err(error) if is_damage(&error) => Ok(Some(error.to_string())),
        Err(error) => Err(error),
    }
}

/// Whether records are wrong, and not the store out of order.
pub(super) fn is_damage(error: &EngineError) -> bool {
    matches!(error, EngineError::Kb(_) | EngineError::Graph(_))
}

/// Looks at a row once more in a transaction, and puts it right.
pub(super) fn mend(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    (keyspace, key): (Keyspace, &[u8]),
    now_ms: u64,
) -> Result<(), EngineError> {
    let Some(cure) = look(&*tx, scope, keyspace, key)?.and_then(|wrong| wrong.cure) else { return Ok(()) };
    let tenant = scope.tenant();
    match cure {
        Cure::Name(record) => spaces::restore_name(tx, tenant, record.space, &record.space_name())?,
        Cure::Record { name, space } => {
            spaces::restore_name(tx, tenant, space, &name)?;
            let Some((workspace, branch)) = branch_of_space(&name) else { return Ok(()) };
            let (workspace, branch) = (workspace.to_owned(), branch.to_owned());
            let record = BranchRecord { workspace, branch, space, created_at_ms: now_ms, copied_from: None };
            cairn_kb::put_branch(tx, &record)?;
        }
        Cure::RemoveBranch(record) => {
            // A space of another name keeps what belongs to it.
            if spaces::name_of(&*tx, tenant, record.space)?.is_none() {
                cairn_kb::remove_version(tx, &space_scope(scope, record.space)?)?;
            }
            cairn_kb::remove_branch(tx, &record)?;
        }
        Cure::RemoveRow(key) => tx.delete(cairn_kb::tables::BRANCHES, &key)?,
        Cure::RemoveVersion(space) => cairn_kb::remove_version(tx, &space_scope(scope, space)?)?,
        Cure::NewVersion(space) => {
            // No branch was written to in every millisecond since 1970.
            let version = Version { number: now_ms, written_at_ms: now_ms };
            cairn_kb::put_version(tx, &space_scope(scope, space)?, version)?;
        }
    }
    Ok(())
}
