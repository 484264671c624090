//! Tenants: who works together, apart from all others.

use cairn_base::{KeyBuf, KeyReader, TenantId};
use cairn_seam::{KeyRange, Reader, Visit, WriteTx};

use super::{Page, PageOf, RegistryError, TenantName, page, record};
use crate::{Scope, limits, tables};

/// A tenant. It is never removed, so that its number never means another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenant {
    /// Its number, which stands first in every key.
    pub id: TenantId,
    /// What people call it.
    pub name: TenantName,
    /// When it was made, in Unix milliseconds.
    pub created_at_ms: u64,
    /// Since when none of its users may come in.
    pub disabled_at_ms: Option<u64>,
}

/// Makes a tenant.
pub fn create_tenant(
    tx: &mut dyn WriteTx,
    node: &Scope,
    name: &TenantName,
    now_ms: u64,
) -> Result<Tenant, RegistryError> {
    if find_tenant(tx, node, name)?.is_some() {
        return Err(RegistryError::Exists { what: "tenant", name: name.to_string() });
    }
    let id = last(tx, node)? + 1;
    if u64::from(id) > limits::TENANTS_MAX {
        return Err(RegistryError::Full {
            what: "tenants",
            max: usize::try_from(limits::TENANTS_MAX).unwrap_or(0),
        });
    }
    let tenant = Tenant { id: TenantId(id), name: name.clone(), created_at_ms: now_ms, disabled_at_ms: None };
    tx.put(tables::TENANT_NAMES, &node.key().str(name.as_str()), &id.to_be_bytes())?;
    put(tx, node, &tenant)?;
    Ok(tenant)
}

/// Lets the users of a tenant in, or shuts them out.
pub fn change_tenant(
    tx: &mut dyn WriteTx,
    node: &Scope,
    name: &TenantName,
    disabled_at_ms: Option<u64>,
) -> Result<Tenant, RegistryError> {
    let tenant = find_tenant(tx, node, name)?.ok_or_else(|| RegistryError::missing("tenant", name))?;
    // Shut out twice is shut out since the first time.
    let disabled_at_ms = disabled_at_ms.map(|now_ms| tenant.disabled_at_ms.unwrap_or(now_ms));
    let tenant = Tenant { disabled_at_ms, ..tenant };
    put(tx, node, &tenant)?;
    Ok(tenant)
}

/// A tenant by its number.
pub fn load_tenant<R: Reader + ?Sized>(
    reader: &R,
    node: &Scope,
    id: TenantId,
) -> Result<Option<Tenant>, RegistryError> {
    let stored = cairn_seam::get(reader, tables::TENANTS, &key(node, id))?;
    stored.map(|bytes| record::decode_tenant(id, &bytes)).transpose()
}

/// A tenant by its name.
pub fn find_tenant<R: Reader + ?Sized>(
    reader: &R,
    node: &Scope,
    name: &TenantName,
) -> Result<Option<Tenant>, RegistryError> {
    let Some(id) = cairn_seam::get(reader, tables::TENANT_NAMES, &node.key().str(name.as_str()))? else {
        return Ok(None);
    };
    let id = id.try_into().map_err(|_| RegistryError::BadRecord { what: "tenant's number" })?;
    load_tenant(reader, node, TenantId(u32::from_be_bytes(id)))
}

/// Tenants, in the order in which they were made.
pub fn tenants<R: Reader + ?Sized>(
    reader: &R,
    node: &Scope,
    wanted: Page<'_>,
) -> Result<PageOf<Tenant>, RegistryError> {
    let after = wanted.after.map(|name| {
        let name = TenantName::parse(name).map_err(|_| RegistryError::Cursor)?;
        let tenant = find_tenant(reader, node, &name)?.ok_or(RegistryError::Cursor)?;
        Ok::<_, RegistryError>(key(node, tenant.id))
    });
    let read = |rest: &[u8], value: &[u8]| record::decode_tenant(number(rest)?, value);
    page::read(reader, tables::TENANTS, &node.key(), after.transpose()?, wanted.limit, read, |last| {
        last.name.to_string()
    })
}

fn put(tx: &mut dyn WriteTx, node: &Scope, tenant: &Tenant) -> Result<(), RegistryError> {
    Ok(tx.put(tables::TENANTS, &key(node, tenant.id), &record::encode_tenant(tenant))?)
}

fn key(node: &Scope, id: TenantId) -> KeyBuf {
    node.key().tenant(id)
}

fn number(rest: &[u8]) -> Result<TenantId, RegistryError> {
    KeyReader::new(rest).tenant().map_err(RegistryError::bad_key("tenant's key"))
}

/// The last number that was given.
fn last(tx: &dyn WriteTx, node: &Scope) -> Result<u32, RegistryError> {
    let prefix = node.key();
    let mut last = Ok(TenantId::NODE);
    let newest = KeyRange::prefix(&prefix).descending().limit(1);
    tx.multi_scan(tables::TENANTS, &[newest], &mut |_, key, _| {
        last = number(&key[prefix.len()..]);
        Visit::Stop
    })?;
    Ok(last?.0)
}
