//! Signatures, verified in batches on two threads.

use std::thread;

use cairn_access::identity::{PublicKey, Signature};
use cairn_base::CanonicalObject;

use crate::limits::{VERIFY_BATCH_ARTIFACTS_MAX, VERIFY_BATCH_BYTES_MAX};

/// Batches below this size are not worth a thread.
const WORTH_A_THREAD: usize = 16;

/// A signed text that waits to be verified.
#[derive(Debug)]
pub(super) struct Signed<T> {
    /// What it is, for the caller.
    pub(super) note: T,
    pub(super) text: String,
    pub(super) signature: Signature,
    pub(super) public_key: [u8; 32],
}

/// A signed text that was verified.
#[derive(Debug)]
pub(super) struct Checked<T> {
    pub(super) note: T,
    pub(super) public_key: [u8; 32],
    /// The text as an object; `None` if it is not one, or not canonical.
    pub(super) object: Option<CanonicalObject>,
    /// Whether the text is a canonical object that the key signed.
    pub(super) is_signed: bool,
}

/// Texts that wait to be verified together.
#[derive(Debug)]
pub(super) struct Batch<T> {
    waiting: Vec<Signed<T>>,
    bytes: usize,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Batch { waiting: Vec::new(), bytes: 0 }
    }
}

impl<T: Send> Batch<T> {
    pub(super) fn push(&mut self, signed: Signed<T>) {
        self.bytes += signed.text.len();
        self.waiting.push(signed);
    }

    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= VERIFY_BATCH_ARTIFACTS_MAX || self.bytes >= VERIFY_BATCH_BYTES_MAX
    }

    /// Verifies everything that waits, in its order.
    pub(super) fn check(&mut self) -> Vec<Checked<T>> {
        self.bytes = 0;
        let mut first = std::mem::take(&mut self.waiting);
        if first.len() < WORTH_A_THREAD {
            return first.into_iter().map(check).collect();
        }
        let second = first.split_off(first.len() / 2);
        thread::scope(|scope| {
            let first = scope.spawn(|| first.into_iter().map(check).collect::<Vec<_>>());
            let second: Vec<_> = second.into_iter().map(check).collect();
            let mut checked = first.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            checked.extend(second);
            checked
        })
    }
}

fn check<T>(signed: Signed<T>) -> Checked<T> {
    let Signed { note, text, signature, public_key } = signed;
    let object = CanonicalObject::parse(text.as_bytes()).ok();
    let object = object.filter(|object| object.to_json(|_| true) == text);
    let is_signed = object.is_some()
        && PublicKey::from_bytes(&public_key).is_ok_and(|key| key.has_signed(text.as_bytes(), &signature));
    Checked { note, public_key, object, is_signed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::tests::identity;

    #[test]
    fn verdicts_come_in_the_order_of_the_texts() {
        for count in [0, 1, WORTH_A_THREAD - 1, WORTH_A_THREAD, 101] {
            let identity = identity(1);
            let mut batch = Batch::default();
            for note in 0..count {
                let text =
                    if note % 5 == 3 { format!("{{ \"n\":{note}}}") } else { format!("{{\"n\":{note}}}") };
                let signature = identity.sign_bytes(if note % 7 == 2 { b"" } else { text.as_bytes() });
                batch.push(Signed { note, text, signature, public_key: *identity.public_key().as_bytes() });
            }
            assert!(!batch.is_full());
            let checked = batch.check();
            assert!(checked.iter().map(|checked| checked.note).eq(0..count));
            for Checked { note, object, is_signed, .. } in checked {
                assert_eq!((object.is_some(), is_signed), (note % 5 != 3, note % 5 != 3 && note % 7 != 2));
            }
            assert!(batch.check().is_empty());
        }
    }
}
