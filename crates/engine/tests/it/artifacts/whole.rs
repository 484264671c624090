//! What has to hold of the artifacts in a store, whatever happened to it: everything that is derived from the records is
//! computed from them once more, and compared key by key.

use std::collections::BTreeMap;

use cairn_access::identity::PublicKey;
use cairn_access::{Action, Principal, Resource, Scope};
use cairn_artifacts::{
    Artifact, ArtifactEvent, ArtifactId, Audience, PayloadAt, artifact, load_payload, tables, tombstone,
};
use cairn_base::{ContentHash, KeyBuf, KeyReader, Position, SpaceId, TenantId, put_varint};
use cairn_engine::{Act, Engine};
use cairn_seam::{KeyRange, Keyspace, Sha256, Snapshot, Store, Visit};

/// Records by keyspace and key.
pub(super) type Records = BTreeMap<(u16, Vec<u8>), Vec<u8>>;

/// Whether blobs may be lost.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Blobs {
    All,
    MayBeLost,
}

/// Everything that is stored of artifacts.
pub(super) fn dump(store: &dyn Store) -> Records {
    let snapshot = store.snapshot(Position::START).unwrap();
    let mut found = Records::new();
    for keyspace in tables::KEYSPACES {
        snapshot
            .multi_scan(*keyspace, &[KeyRange::prefix(&[])], &mut |_, key, value| {
                found.insert((keyspace.id, key.to_vec()), value.to_vec());
                Visit::Continue
            })
            .unwrap();
    }
    found
}

/// What tenants have stored, without what only the node knows.
pub(super) fn dump_of_tenants(store: &dyn Store) -> Records {
    let mut all = dump(store);
    all.retain(|(_, key), _| !key.starts_with(&TenantId::NODE.0.to_be_bytes()));
    all
}

pub(super) fn scope_of(engine: &Engine, tenant: TenantId) -> Scope {
    let act = Act::new(Action::TurnsRead, Resource::tenant(tenant));
    engine.read(&Principal::local_owner(), act, Position::START, |_, scope| Ok(*scope)).unwrap()
}

/// Checks everything, and returns the artifacts.
pub(super) fn check(store: &dyn Store, engine: &Engine, blobs: Blobs, what: &str) -> Vec<Artifact> {
    let snapshot = store.snapshot(Position::START).unwrap();
    let all = dump(store);
    let of = |keyspace: Keyspace| -> BTreeMap<&[u8], &[u8]> {
        let of = all.iter().filter(|((id, _), _)| *id == keyspace.id);
        of.map(|((_, key), value)| (key.as_slice(), value.as_slice())).collect()
    };
    let mut expected = Expected::default();
    let mut artifacts = Vec::new();
    for key in of(tables::ARTIFACTS).into_keys() {
        let mut parts = KeyReader::new(key);
        let (tenant, _) = (parts.tenant().unwrap(), parts.space().unwrap());
        let id = ArtifactId::from_bytes(parts.fixed().unwrap());
        let scope = scope_of(engine, tenant);
        let found = artifact(&*snapshot, &scope, id).unwrap().unwrap();
        let home = of(tables::HOMES).get(node_key(&found).as_slice()).copied();
        assert_eq!(home.map(|home| &home[..4]), Some(&tenant.0.to_be_bytes()[..]), "{what}: home of {id}");
        assert!(!of(tables::QUARANTINE).contains_key(key), "{what}: {id} is in quarantine too");
        if found.payload != PayloadAt::Erased {
            expected.add(tenant, &found);
            assert_eq!(
                tombstone(&*snapshot, &scope, id).unwrap().is_some(),
                !found.is_live(),
                "{what}: tombstone of {id}"
            );
            check_bytes(store, &*snapshot, &scope, &found, blobs, what);
        }
        artifacts.push(found);
    }
    for keyspace in [
        tables::ARRIVALS,
        tables::AUTHORS,
        tables::CONTENTS,
        tables::CONTENT_BLOBS,
        tables::CHILDREN,
        tables::CITATIONS,
    ] {
        let stored = of(keyspace);
        let wanted = expected.of(keyspace);
        let wanted: BTreeMap<&[u8], &[u8]> =
            wanted.iter().map(|(key, value)| (key.as_slice(), value.as_slice())).collect();
        assert_eq!(stored, wanted, "{what}: {}", keyspace.name);
    }
    for key in of(tables::TOMBSTONES).into_keys() {
        let id = ArtifactId::from_bytes(*key.last_chunk().unwrap());
        let is_deleted = artifacts.iter().any(|known| known.id == id && !known.is_live());
        assert!(is_deleted, "{what}: a tombstone without {id}");
    }
    for (audience, marks) in &expected.audiences {
        assert_eq!(of(tables::AUDIENCES).get(audience.as_slice()), Some(&marks.as_slice()), "{what}");
    }
    artifacts
}

/// How often it was announced that each artifact was published and deleted.
pub(super) fn announced(store: &dyn Store) -> BTreeMap<ArtifactId, (u64, u64)> {
    let mut counts: BTreeMap<ArtifactId, (u64, u64)> = BTreeMap::new();
    let mut after = Position::START;
    loop {
        let page = store.changes(after, None, 100).unwrap();
        for event in page.changes.iter().flat_map(|change| &change.events) {
            match ArtifactEvent::decode(event).unwrap() {
                Some(ArtifactEvent::Published(id)) => counts.entry(id).or_default().0 += 1,
                Some(ArtifactEvent::Deleted(id)) => counts.entry(id).or_default().1 += 1,
                Some(ArtifactEvent::Erased(_)) | None => {}
            }
        }
        after = page.next;
        if page.at_end {
            return counts;
        }
    }
}

/// The signature verifies, and the content is the one that was signed.
fn check_bytes(
    store: &dyn Store,
    snapshot: &dyn Snapshot,
    scope: &Scope,
    found: &Artifact,
    blobs: Blobs,
    what: &str,
) {
    let id = found.id;
    match load_payload(snapshot, scope, found) {
        Ok((signed, payload)) => {
            let key = PublicKey::from_bytes(&found.public_key).unwrap();
            assert!(key.has_signed(signed.as_bytes(), &found.signature), "{what}: signature of {id}");
            assert_eq!((payload.id, payload.content_hash), (id, found.sha256), "{what}");
        }
        Err(error) => assert!(blobs == Blobs::MayBeLost, "{what}: payload of {id}: {error}"),
    }
    let Some(content) = &found.content else { return };
    let opened = store.open_blob(scope.tenant(), &content.hash);
    let Ok(Some(reader)) = opened else {
        assert!(blobs == Blobs::MayBeLost, "{what}: content of {id}: {:?}", opened.map(|_| "none"));
        return;
    };
    let mut bytes = vec![0; usize::try_from(reader.len()).unwrap()];
    let mut filled = 0;
    while filled < bytes.len() {
        match reader.read_at(filled as u64, &mut bytes[filled..]) {
            Ok(count) if count > 0 => filled += count,
            ended => {
                assert!(blobs == Blobs::MayBeLost, "{what}: content of {id}: {ended:?}");
                return;
            }
        }
    }
    assert_eq!((content.bytes, Sha256::of(&bytes)), (bytes.len() as u64, found.sha256), "{what}: {id}");
}

/// What follows from the records.
#[derive(Default)]
struct Expected {
    records: Records,
    cited: BTreeMap<Vec<u8>, u64>,
    audiences: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Expected {
    fn add(&mut self, tenant: TenantId, found: &Artifact) {
        let id = found.id.as_bytes();
        let own = || KeyBuf::new().tenant(tenant).space(SpaceId::NONE);
        let mut put = |keyspace: Keyspace, key: KeyBuf, value: &[u8]| {
            self.records.insert((keyspace.id, key.into_vec()), value.to_vec());
        };
        put(tables::ARRIVALS, own().u64(found.received_at_ms).fixed(id), &[]);
        let author: [u8; 32] = *ContentHash::of(found.author.as_bytes()).as_bytes();
        put(tables::AUTHORS, own().fixed(author.first_chunk::<16>().unwrap()).fixed(id), &[]);
        if let Some(content) = &found.content {
            put(tables::CONTENTS, own().fixed(found.sha256.as_bytes()).fixed(id), &[]);
            put(tables::CONTENT_BLOBS, own().fixed(content.hash.as_bytes()).fixed(id), &[]);
        }
        let marks = found.sharing().marks();
        let audience = Audience::of(&marks);
        for (parent, attested) in &found.parents {
            put(tables::CHILDREN, own().fixed(parent.as_bytes()).fixed(id), &[u8::from(*attested)]);
            if found.is_live() {
                let key = own().fixed(parent.as_bytes()).fixed(&audience.0).into_vec();
                *self.cited.entry(key).or_default() += 1;
                let mut value = Vec::new();
                put_varint(&mut value, marks.len() as u64);
                for mark in &marks {
                    put_varint(&mut value, mark.len() as u64);
                    value.extend_from_slice(mark.as_bytes());
                }
                self.audiences.insert(own().fixed(&audience.0).into_vec(), value);
            }
        }
    }

    fn of(&self, keyspace: Keyspace) -> BTreeMap<Vec<u8>, Vec<u8>> {
        if keyspace == tables::CITATIONS {
            let count = |count: &u64| {
                let mut value = Vec::new();
                put_varint(&mut value, *count);
                value
            };
            return self.cited.iter().map(|(key, times)| (key.clone(), count(times))).collect();
        }
        let of = self.records.iter().filter(|((id, _), _)| *id == keyspace.id);
        of.map(|((_, key), value)| (key.clone(), value.clone())).collect()
    }
}

fn node_key(found: &Artifact) -> Vec<u8> {
    KeyBuf::new().tenant(TenantId::NODE).space(SpaceId::NONE).fixed(found.id.as_bytes()).into_vec()
}
