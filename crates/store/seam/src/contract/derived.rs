//! Seals for files outside of the store.

use std::sync::Arc;

use super::Make;
use crate::{BlockPlace, DERIVED_TAG_BYTES, DerivedSeal, FileSeal, NotAsSealed, Store};

const USE: &str = "contract";

fn place(number: u64, is_last: bool) -> BlockPlace {
    BlockPlace { number, is_last }
}

fn open(seal: &dyn FileSeal, at: BlockPlace, sealed: &[u8]) -> Result<Vec<u8>, NotAsSealed> {
    let mut block = sealed.to_vec();
    let content_bytes = seal.open(at, &mut block)?;
    block.truncate(content_bytes);
    Ok(block)
}

fn derived(store: &dyn Store, used_as: &str) -> Option<Arc<dyn DerivedSeal>> {
    store.local()?.derived_seal(used_as)
}

/// A store either seals nothing or keeps what it sealed readable, for itself and at its place alone.
pub fn what_is_sealed_outside_opens_at_its_place_after_reopening(make: Make<'_>) {
    let mut subject = make();
    let Some(derived) = derived(&*subject.store(), USE) else {
        assert!(!subject.reopen() || self::derived(&*subject.store(), USE).is_none(), "sealed all at once");
        return;
    };
    let (stamp, seal) = derived.new_file(b"one");
    let (other_stamp, other) = derived.new_file(b"one");
    assert_ne!(stamp, other_stamp, "two files are sealed alike");
    let mut block = b"some content".to_vec();
    seal.seal(place(3, false), &mut block);
    assert_eq!(block.len(), b"some content".len() + DERIVED_TAG_BYTES);
    assert!(!block.windows(4).any(|window| window == b"some"), "not sealed");
    drop((derived, seal, other));

    subject.reopen();
    let store = subject.store();
    let derived = self::derived(&*store, USE).expect("what was sealed stays sealed");
    let seal = derived.of_file(b"one", &stamp).expect("the key is known");
    assert_eq!(open(&*seal, place(3, false), &block).expect("it opens"), b"some content");
    assert_eq!(open(&*seal, place(4, false), &block), Err(NotAsSealed), "at another place");
    assert_eq!(open(&*seal, place(3, true), &block), Err(NotAsSealed), "as the last one");
    assert_eq!(open(&*seal, place(3, false), &block[1..]), Err(NotAsSealed), "without a byte");
    assert_eq!(open(&*seal, place(3, false), &[]), Err(NotAsSealed), "without any");
    for foreign in [
        derived.of_file(b"two", &stamp),
        derived.of_file(b"one", &other_stamp),
        self::derived(&*store, "another use").and_then(|derived| derived.of_file(b"one", &stamp)),
    ] {
        let seal = foreign.expect("the key is the same");
        assert_eq!(open(&*seal, place(3, false), &block), Err(NotAsSealed), "as another file");
    }
}
