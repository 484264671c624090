//! The last numbers that were given, and how often the schema changed.
//!
//! ```text
//! version u8 (1) | last concept | last link | changes of the schema      varints
//! ```

use cairn_access::Scope;
use cairn_base::{put_varint, take_varint};
use cairn_seam::{Reader, get};

use crate::tables::COUNTERS;
use crate::{GraphError, Result};

const VERSION: u8 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counters {
    pub(crate) concept: u64,
    pub(crate) link: u64,
    /// Grows whenever a type or predicate is made, changed or deleted.
    pub(crate) schema: u64,
}

impl Counters {
    /// `None` in a space where nothing was ever written.
    pub(crate) fn read<R: Reader + ?Sized>(reader: &R, scope: &Scope) -> Result<Option<Self>> {
        get(reader, COUNTERS, &scope.key())?.as_deref().map(Counters::decode).transpose()
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        [self.concept, self.link, self.schema].into_iter().for_each(|number| put_varint(&mut out, number));
        out
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        let bad = |detail: &str| GraphError::BadRecord { what: "graph counters", detail: detail.into() };
        let (version, mut rest) = bytes.split_first().ok_or_else(|| bad("they are empty"))?;
        if *version != VERSION {
            return Err(bad("their version is not known here; use a newer cairn"));
        }
        let mut next = || take_varint(&mut rest);
        let numbers = (|| Some(Counters { concept: next()?, link: next()?, schema: next()? }))();
        let counters = numbers.ok_or_else(|| bad("they end too early"))?;
        if rest.is_empty() { Ok(counters) } else { Err(bad("they are too long")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counters_round_trip_and_no_cut_decodes(concept: u64, link: u64, schema: u64, bytes: Vec<u8>) {
            let counters = Counters { concept, link, schema };
            let encoded = counters.encode();
            prop_assert_eq!(Counters::decode(&encoded).unwrap(), counters);
            for cut in 0..encoded.len() {
                prop_assert!(Counters::decode(&encoded[..cut]).is_err());
            }
            prop_assert!(Counters::decode(&[&encoded[..], &[0]].concat()).is_err());
            let _ = Counters::decode(&bytes);
        }
    }
}
