//! Blobs by content hash.

use cairn_base::ContentHash;

use super::Make;
use super::kit::{THEM, US, blob, commit, commit_for, content, now};
use crate::{Blob, StoreError, limits};

/// From nothing to the most that fits, alone and many in one call.
pub fn blobs_of_every_size_come_back(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let most = limits::BLOB_IN_COMMIT_BYTES_MAX;
    let sizes = [0, 1, 4095, 4096, 4097, 65_535, 65_536, 65_537, most - 1, most];
    let all = sizes.map(|size| (0..size).map(|n| (n * 7 + size) as u8).collect::<Vec<_>>());
    let blobs = all.clone().map(blob);
    let hashes: Vec<_> = blobs.iter().map(Blob::hash).collect();
    commit(&*store, move |tx| blobs.iter().try_for_each(|blob| tx.put_blob(blob)));
    let asked: Vec<_> = hashes.iter().copied().chain([ContentHash::of(b"absent"), hashes[1]]).collect();
    let expected: Vec<_> =
        all.iter().cloned().map(Some).chain([None, Some(all[1].clone())]).enumerate().collect();
    let mut found = Vec::new();
    let read =
        now(&*store).blobs(US, &asked, &mut |index, bytes| found.push((index, bytes.map(<[u8]>::to_vec))));
    read.expect("the blobs can be read");
    assert!(found == expected, "a blob of the wrong content or in the wrong place");
}

/// Putting what is there already, stored or in the same transaction, is no change.
pub fn the_same_content_twice_is_one_blob(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let hash = ContentHash::of(b"content");
    let ((), first) = commit_for(&*store, US, |tx| {
        tx.put_blob(&blob("content"))?;
        tx.put_blob(&blob("content"))
    });
    let ((), second) = commit_for(&*store, US, |tx| tx.put_blob(&blob("content")));
    assert_eq!((second, store.position()), (first, first), "nothing was changed the second time");
    assert_eq!(content(&*now(&*store), US, hash), Some(b"content".to_vec()));
}

/// A tenant does not see another one's blob, not even by putting its own of the same content.
pub fn blobs_belong_to_their_tenant(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let hash = ContentHash::of(b"content");
    commit(&*store, |tx| tx.put_blob(&blob("content")));
    assert_eq!(content(&*now(&*store), THEM, hash), None);
    commit_for(&*store, THEM, move |tx| {
        assert_eq!(content(&*tx, THEM, hash), None);
        tx.put_blob(&blob("content"))
    });
    assert_eq!(content(&*now(&*store), THEM, hash), Some(b"content".to_vec()));
    assert_eq!(content(&*now(&*store), US, hash), Some(b"content".to_vec()));
}

/// One byte more than fits into a commit is refused before there is a transaction.
pub fn a_blob_over_the_limit_cannot_be_made(_make: Make<'_>) {
    let bytes = limits::BLOB_IN_COMMIT_BYTES_MAX + 1;
    let answer = Blob::new(vec![0; bytes]);
    assert!(matches!(answer, Err(StoreError::BlobTooLarge { bytes: said, .. }) if said == bytes as u64));
}
