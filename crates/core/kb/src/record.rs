//! Records of branches: which space holds the KB of a branch, and its version.

use cairn_access::Scope;
use cairn_base::{KeyBuf, SpaceId, TenantId, put_varint, take_varint};
use cairn_seam::{Event, KeyRange, Reader, Visit, WriteTx, get};

use crate::tables::{BRANCH_CREATED, BRANCH_DELETED, BRANCHES, VERSIONS};
use crate::{KbError, Result, limits};

/// The format of a record; it stands first in each.
const FORMAT: u8 = 1;

/// The KB of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchRecord {
    /// The workspace.
    pub workspace: String,
    /// The branch.
    pub branch: String,
    /// The space that holds it.
    pub space: SpaceId,
    /// Time of creation, in Unix milliseconds.
    pub created_at_ms: u64,
    /// The branch that it was copied from.
    pub copied_from: Option<String>,
}

/// The version of a branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Version {
    /// Grows with every write.
    pub number: u64,
    /// Time of the last write, in Unix milliseconds; 0 if there was none.
    pub written_at_ms: u64,
}

impl BranchRecord {
    /// The name of its space in the graph.
    pub fn space_name(&self) -> String {
        space_name(&self.workspace, &self.branch)
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![FORMAT];
        put_varint(&mut bytes, u64::from(self.space.0));
        put_varint(&mut bytes, self.created_at_ms);
        for text in [&self.workspace, &self.branch, self.copied_from.as_ref().unwrap_or(&String::new())] {
            put_varint(&mut bytes, text.len() as u64);
            bytes.extend_from_slice(text.as_bytes());
        }
        bytes
    }

    fn decode(bytes: &[u8]) -> Result<Self> {
        let bad = || KbError::Record("the record of a branch does not decode".into());
        let (&format, mut rest) = bytes.split_first().ok_or_else(bad)?;
        if format != FORMAT {
            return Err(bad());
        }
        let space = take_varint(&mut rest).and_then(|number| u32::try_from(number).ok()).ok_or_else(bad)?;
        let created_at_ms = take_varint(&mut rest).ok_or_else(bad)?;
        let mut text = || {
            let length = take_varint(&mut rest).and_then(|length| usize::try_from(length).ok())?;
            let (text, behind) = rest.split_at_checked(length)?;
            rest = behind;
            String::from_utf8(text.to_vec()).ok()
        };
        let (workspace, branch, from) =
            text().zip(text()).zip(text()).map(|((one, two), three)| (one, two, three)).ok_or_else(bad)?;
        let copied_from = (!from.is_empty()).then_some(from);
        Ok(BranchRecord { workspace, branch, space: SpaceId(space), created_at_ms, copied_from })
    }
}

/// The name of the space of a branch in the graph.
pub fn space_name(workspace: &str, branch: &str) -> String {
    format!("kb/{workspace}/{branch}")
}

/// Returns the workspace and the branch of a space by its name, or `None` if no branch has a space of that name.
pub fn branch_of_space(name: &str) -> Option<(&str, &str)> {
    let (workspace, branch) = name.strip_prefix("kb/")?.split_once('/')?;
    let is_fine = check_workspace(workspace).is_ok() && check_branch(branch).is_ok();
    is_fine.then_some((workspace, branch))
}

/// Checks the id of a workspace.
pub fn check_workspace(workspace: &str) -> Result<()> {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let length = 1..=limits::WORKSPACE_ID_BYTES_MAX;
    if length.contains(&workspace.len()) && workspace.bytes().all(is_fine) && !workspace.starts_with('.') {
        return Ok(());
    }
    let message = format!(
        "{:?} is no workspace id; use 1 to {} of A-Z, a-z, 0-9, -, _ and .",
        crate::entity::cut(workspace),
        limits::WORKSPACE_ID_BYTES_MAX
    );
    Err(KbError::argument("workspace", message))
}

/// Checks the name of a branch: as git has them, without white space at the ends and control characters.
pub fn check_branch(branch: &str) -> Result<()> {
    let refuse = |rule: &str| {
        let message = format!("{:?} is no name of a branch: {rule}", crate::entity::cut(branch));
        Err(KbError::argument("branch", message))
    };
    if branch.is_empty() || branch.len() > limits::BRANCH_NAME_BYTES_MAX {
        return refuse(&format!(
            "it has {} bytes, 1 to {} are allowed",
            branch.len(),
            limits::BRANCH_NAME_BYTES_MAX
        ));
    }
    if branch.trim() != branch || branch.chars().any(|letter| letter.is_control()) {
        return refuse("it has white space at an end, or control characters");
    }
    if branch.starts_with(['/', '-']) || branch.ends_with(['/', '.']) {
        return refuse("it begins with / or -, or ends with / or .");
    }
    if branch.contains("..") || branch.contains("//") {
        return refuse("it contains .. or //");
    }
    Ok(())
}

/// Returns the KB of a branch, if it has one.
pub fn find_branch(
    reader: &dyn Reader,
    tenant: TenantId,
    workspace: &str,
    branch: &str,
) -> Result<Option<BranchRecord>> {
    let Some(value) = get(reader, BRANCHES, &key(tenant, workspace, branch))? else { return Ok(None) };
    let record = BranchRecord::decode(&value)?;
    // A hash is no proof.
    Ok((record.workspace == workspace && record.branch == branch).then_some(record))
}

/// Decodes the row of a branch. Fails if it does not decode, or stands under the key of another branch.
pub fn decode_branch(tenant: TenantId, row: &[u8], value: &[u8]) -> Result<BranchRecord> {
    let record = BranchRecord::decode(value)?;
    if key(tenant, &record.workspace, &record.branch).as_slice() != row {
        return Err(KbError::Record("the record of a branch stands under another one's key".into()));
    }
    Ok(record)
}

/// Returns branches of a workspace, or of all, ordered by workspace and name; at most so many, and whether there
/// are more.
pub fn list_branches(
    reader: &dyn Reader,
    tenant: TenantId,
    workspace: Option<&str>,
    limit: usize,
) -> Result<(Vec<BranchRecord>, bool)> {
    let prefix = match workspace {
        Some(workspace) => all(tenant).fixed(&hash(workspace)),
        None => all(tenant),
    };
    let mut found = Vec::new();
    let range = KeyRange::prefix(&prefix).limit(limit.saturating_add(1));
    reader.multi_scan(BRANCHES, &[range], &mut |_, _, value| {
        found.push(BranchRecord::decode(value));
        Visit::Continue
    })?;
    let mut found = found.into_iter().collect::<Result<Vec<_>>>()?;
    found.retain(|record| workspace.is_none_or(|workspace| record.workspace == workspace));
    let has_more = found.len() > limit;
    found.truncate(limit);
    found.sort_by(|one, other| (&one.workspace, &one.branch).cmp(&(&other.workspace, &other.branch)));
    Ok((found, has_more))
}

/// Notes the KB of a branch.
pub fn put_branch(tx: &mut dyn WriteTx, record: &BranchRecord) -> Result<()> {
    let key = key(tx.tenant(), &record.workspace, &record.branch);
    tx.put(BRANCHES, &key, &record.encode())?;
    tx.emit(Event { kind: BRANCH_CREATED, body: number(record.space) })?;
    Ok(())
}

/// Removes the note of the KB of a branch.
pub fn remove_branch(tx: &mut dyn WriteTx, record: &BranchRecord) -> Result<()> {
    let key = key(tx.tenant(), &record.workspace, &record.branch);
    tx.delete(BRANCHES, &key)?;
    tx.emit(Event { kind: BRANCH_DELETED, body: number(record.space) })?;
    Ok(())
}

/// Returns the version of the branch in a space; the first one if it was never written to.
pub fn version(reader: &dyn Reader, scope: &Scope) -> Result<Version> {
    let Some(value) = get(reader, VERSIONS, &scope.key())? else { return Ok(Version::default()) };
    let mut rest = &value[..];
    let found = take_varint(&mut rest).zip(take_varint(&mut rest)).filter(|_| rest.is_empty());
    let (number, written_at_ms) =
        found.ok_or_else(|| KbError::Record("the version of a branch does not decode".into()))?;
    Ok(Version { number, written_at_ms })
}

/// Stores the version of the branch in a space.
pub fn put_version(tx: &mut dyn WriteTx, scope: &Scope, version: Version) -> Result<()> {
    let mut value = Vec::new();
    put_varint(&mut value, version.number);
    put_varint(&mut value, version.written_at_ms);
    tx.put(VERSIONS, &scope.key(), &value)?;
    Ok(())
}

/// Removes the version of the branch in a space.
pub fn remove_version(tx: &mut dyn WriteTx, scope: &Scope) -> Result<()> {
    tx.delete(VERSIONS, &scope.key())?;
    Ok(())
}

fn all(tenant: TenantId) -> KeyBuf {
    KeyBuf::new().tenant(tenant).space(SpaceId::NONE)
}

fn key(tenant: TenantId, workspace: &str, branch: &str) -> KeyBuf {
    all(tenant).fixed(&hash(workspace)).fixed(&hash(branch))
}

fn hash(text: &str) -> [u8; 16] {
    let hash = cairn_base::ContentHash::of(text.as_bytes());
    let mut short = [0; 16];
    short.copy_from_slice(&hash.as_bytes()[..16]);
    short
}

fn number(space: SpaceId) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_varint(&mut bytes, u64::from(space.0));
    bytes
}
