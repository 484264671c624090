//! Blobs of 63 MiB and of 1 GiB, which is the most: streamed in and out, in memory that stays flat.
//!
//! A program of its own, because memory is counted for all of it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;

use cairn_base::{Entropy, SeededEntropy, TenantId};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore, EncryptionKey};
use cairn_seam::{Aborted, Blob, BlobReader, LocalStore, Maintenance, Store, StoreError, limits};

const TENANT: TenantId = TenantId(5);
const PIECE: usize = 256 << 10;
/// What a blob may take in memory, however large it is.
const MEMORY_BYTES_MAX: u64 = 64 << 20;

/// Part noise, part what compresses; another one for every number.
fn piece(number: u64) -> Vec<u8> {
    let mut piece = vec![7; PIECE];
    SeededEntropy::new(number).fill(&mut piece[..PIECE / 4]);
    piece
}

/// The most memory this process had so far.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

fn upload(store: &EmbeddedStore, bytes: u64) -> Blob {
    let mut upload = store.upload(TENANT).unwrap();
    for number in 0..bytes / PIECE as u64 {
        upload.write(&piece(number)).unwrap();
    }
    if bytes == limits::BLOB_BYTES_MAX {
        let error = upload.write(&[1]).unwrap_err();
        assert!(matches!(error, StoreError::BlobTooLarge { .. }), "{error}");
    }
    upload.finish().unwrap()
}

/// Reads from `offset` to the end of the piece it is in, and compares.
fn check(reader: &dyn BlobReader, offset: u64) {
    let (number, skip) = (offset / PIECE as u64, usize::try_from(offset).unwrap() % PIECE);
    let mut found = vec![0; PIECE - skip];
    assert_eq!(reader.read_at(offset, &mut found).unwrap(), found.len());
    assert!(found == piece(number)[skip..], "at {offset}");
}

fn stream(dir: &Path, bytes: u64, key: Option<EncryptionKey>) {
    let options = EmbeddedOptions { key, reserve_bytes: 0, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(dir, options).unwrap();
    let before = most_memory();
    let blob = upload(&store, bytes);
    let hash = blob.hash();
    assert_eq!(blob.len(), bytes);
    store.write(TENANT, Box::new(move |tx| tx.put_blob(&blob).map_err(|_| Aborted))).unwrap();
    let reader = store.open_blob(TENANT, &hash).unwrap().unwrap();
    assert_eq!(reader.len(), bytes);
    (0..bytes / PIECE as u64).for_each(|number| check(&*reader, number * PIECE as u64));
    let random = SeededEntropy::new(bytes);
    (0..50).for_each(|_| check(&*reader, random.next_u64() % bytes));
    assert_eq!(reader.read_at(bytes, &mut [0; 9]).unwrap(), 0);
    let report = store.maintain(&Maintenance::Verify { repair: false }, &mut |_| true).unwrap();
    assert_eq!(report.findings, []);
    let took = most_memory() - before;
    assert!(took < MEMORY_BYTES_MAX, "{took} bytes of memory for a blob of {bytes}");
    store.close().unwrap();
}

#[test]
fn large_blobs_stream_in_and_out_in_little_memory() {
    let temporary = tempfile::tempdir().unwrap();
    let key = EncryptionKey::generate(&SeededEntropy::new(1));
    stream(&temporary.path().join("sealed"), 63 << 20, Some(key));
    stream(&temporary.path().join("open"), limits::BLOB_BYTES_MAX, None);
}
