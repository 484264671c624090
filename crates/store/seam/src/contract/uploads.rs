//! Blobs that come and go in pieces.

use cairn_base::{ContentHash, TenantId};

use super::Make;
use super::kit::{THEM, US, commit, commit_for, now, refused};
use crate::{Blob, Sha256, Store, StoreError, blob_by_sha256, limits};

const CHUNK: usize = limits::BLOB_CHUNK_BYTES;
const IN_COMMIT: usize = limits::BLOB_IN_COMMIT_BYTES_MAX;

/// Bytes that compress in the first half and do not in the second.
fn content(bytes: usize) -> Vec<u8> {
    let noise = |at: usize| ContentHash::of(&(at / 32).to_le_bytes()).as_bytes()[at % 32];
    (0..bytes).map(|at| if at < bytes / 2 { b"all work and no play "[at % 21] } else { noise(at) }).collect()
}

fn upload(store: &dyn Store, tenant: TenantId, bytes: &[u8], piece: usize) -> Blob {
    let mut upload = store.upload(tenant).expect("an upload starts");
    bytes.chunks(piece).for_each(|piece| upload.write(piece).expect("the upload goes on"));
    upload.finish().expect("the upload ends")
}

/// Everything between two offsets, read in pieces.
fn read(store: &dyn Store, hash: &ContentHash, from: usize, to: usize, piece: usize) -> Vec<u8> {
    let reader = store.open_blob(US, hash).expect("it opens").expect("it is there");
    let mut found = Vec::new();
    while found.len() < to - from {
        let mut buffer = vec![0; piece.min(to - from - found.len())];
        let bytes = reader.read_at((from + found.len()) as u64, &mut buffer).expect("it can be read");
        assert!(bytes > 0, "the blob ends early");
        found.extend_from_slice(&buffer[..bytes]);
    }
    found
}

/// Around every threshold, whole and in part.
pub fn uploads_of_every_size_come_back(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let around = |size: usize| [size - 1, size, size + 1];
    // Of what is compressed, of a chunk, of what fits into a commit, and of a chunk more.
    let thresholds = [4096, CHUNK, IN_COMMIT, IN_COMMIT + CHUNK].map(around).concat();
    for size in [0, 1].into_iter().chain(thresholds).chain([3 * IN_COMMIT + 5]) {
        let bytes = content(size);
        let blob = upload(&*store, US, &bytes, 100_003);
        let hash = blob.hash();
        assert_eq!((hash, blob.len()), (ContentHash::of(&bytes), size as u64), "{size}");
        commit(&*store, move |tx| tx.put_blob(&blob));
        let reader = store.open_blob(US, &hash).expect("it opens").expect("it is there");
        assert_eq!(reader.len(), size as u64);
        assert_eq!(reader.read_at(size as u64, &mut [0; 5]).expect("nothing is behind the end"), 0);
        for (from, to, piece) in
            [(0, size, 1 << 20), (size / 3, size - size / 5, 7001), (size / 2, size, CHUNK)]
        {
            assert!(read(&*store, &hash, from, to, piece) == bytes[from..to], "{from}..{to} of {size}");
        }
    }
}

/// A large blob is refused in one piece, with a word on how to read it, and a small one is not.
pub fn what_was_uploaded_is_read_in_one_piece_if_it_is_small(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let blobs = [content(10), content(IN_COMMIT + 1)].map(|bytes| upload(&*store, US, &bytes, CHUNK));
    let [small, large] = [blobs[0].hash(), blobs[1].hash()];
    commit(&*store, move |tx| blobs.iter().try_for_each(|blob| tx.put_blob(blob)));
    let mut found = None;
    now(&*store).blobs(US, &[small], &mut |_, bytes| found = bytes.map(<[u8]>::to_vec)).expect("it is small");
    assert_eq!(found, Some(content(10)));
    let error = now(&*store).blobs(US, &[large], &mut |_, _| {}).expect_err("it is large");
    assert!(matches!(error, StoreError::BlobTooLarge { .. }), "{error}");
    let error = refused(&*store, move |tx| tx.blobs(US, &[large], &mut |_, _| {}));
    assert!(matches!(error, StoreError::BlobTooLarge { .. }), "{error}");
}

/// An upload that ends early or that no transaction puts is nowhere; a second one of it is no change.
pub fn only_what_a_transaction_puts_stays(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let bytes = content(2 * IN_COMMIT);
    let hash = ContentHash::of(&bytes);
    let is_there = || store.open_blob(US, &hash).expect("a look").is_some();
    let mut given_up = store.upload(US).expect("an upload starts");
    given_up.write(&bytes[..bytes.len() - 1]).expect("the upload goes on");
    drop(given_up);
    drop(upload(&*store, US, &bytes, CHUNK));
    assert!(!is_there());
    let (first, second) = (upload(&*store, US, &bytes, CHUNK), upload(&*store, US, &bytes, CHUNK));
    let ((), put) = commit_for(&*store, US, move |tx| tx.put_blob(&first));
    drop(second);
    assert!(is_there(), "another upload of the same content that was given up took it away");
    let third = upload(&*store, US, &bytes, CHUNK);
    let ((), again) = commit_for(&*store, US, move |tx| tx.put_blob(&third));
    assert_eq!(again, put, "nothing was changed the second time");
    assert!(is_there());
    assert!(store.open_blob(THEM, &hash).expect("a look").is_none(), "another tenant's");
}

/// A blob has a second name if it is to have one, and every upload has.
pub fn blobs_are_found_by_their_sha256(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let plain = Blob::new(b"plain".to_vec()).expect("a small blob");
    let named = Blob::new(b"named".to_vec()).expect("a small blob").with_sha256();
    let large = upload(&*store, US, &content(IN_COMMIT + 9), CHUNK);
    let expected = [(&b"plain"[..], None), (b"named", Some(named.hash()))]
        .map(|(bytes, hash)| (Sha256::of(bytes), hash));
    let large_names = (Sha256::of(&content(IN_COMMIT + 9)), Some(large.hash()));
    let again = named.clone();
    commit(&*store, move |tx| [&plain, &named, &large].into_iter().try_for_each(|blob| tx.put_blob(blob)));
    let position = store.position();
    for (sha256, hash) in expected.into_iter().chain([large_names]) {
        assert_eq!(blob_by_sha256(&*now(&*store), US, &sha256).expect("a look"), hash);
        assert_eq!(blob_by_sha256(&*now(&*store), THEM, &sha256).expect("a look"), None);
    }
    commit(&*store, move |tx| tx.put_blob(&again));
    assert_eq!(store.position(), position, "a second name is written down once");
}

/// A blob that was removed is gone, not absent, until it is put again.
pub fn a_removed_blob_is_gone_until_it_is_put_again(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    for bytes in [content(100), content(IN_COMMIT + 1)] {
        let hash = ContentHash::of(&bytes);
        let put = || {
            let blob = upload(&*store, US, &bytes, CHUNK);
            commit(&*store, move |tx| tx.put_blob(&blob));
        };
        put();
        assert!(!commit(&*store, move |tx| tx.remove_blob(&hash, 0)), "it was uploaded later");
        assert!(!commit_for(&*store, THEM, move |tx| tx.remove_blob(&hash, u64::MAX)).0, "it is not theirs");
        assert!(commit(&*store, move |tx| tx.remove_blob(&hash, u64::MAX)));
        assert!(!commit(&*store, move |tx| tx.remove_blob(&hash, u64::MAX)), "it is gone already");
        let gone = |error: &StoreError| matches!(error, StoreError::BlobGone { .. });
        assert!(store.open_blob(US, &hash).is_err_and(|error| gone(&error)));
        assert!(now(&*store).blobs(US, &[hash], &mut |_, _| {}).is_err_and(|error| gone(&error)));
        assert!(!commit(&*store, move |tx| tx.keep_blob(&hash)));
        put();
        assert!(read(&*store, &hash, 0, bytes.len(), 1 << 20) == bytes);
    }
    let blob = Blob::new(b"once more".to_vec()).expect("a small blob");
    let hash = blob.hash();
    commit(&*store, move |tx| {
        tx.put_blob(&blob)?;
        tx.remove_blob(&hash, u64::MAX)?;
        tx.put_blob(&blob)
    });
    assert_eq!(read(&*store, &hash, 0, 9, 9), b"once more");
}

/// Keeping says whether there is anything to keep.
pub fn a_blob_is_kept_if_it_is_there(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let blob = Blob::new(b"here".to_vec()).expect("a small blob");
    let hash = blob.hash();
    assert!(!commit(&*store, move |tx| tx.keep_blob(&hash)));
    commit(&*store, move |tx| tx.put_blob(&blob));
    let position = store.position();
    assert!(commit(&*store, move |tx| tx.keep_blob(&hash)));
    assert_eq!(store.position(), position, "it was uploaded a moment ago");
    assert!(!commit_for(&*store, THEM, move |tx| tx.keep_blob(&hash)).0);
}
