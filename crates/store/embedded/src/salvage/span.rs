//! Stretches of keys that a source of records cannot be asked for.

use std::collections::BTreeMap;

use cairn_seam::UnreadKeys;

/// A keyspace and a key in it.
pub(super) type KeyAt = (u16, Vec<u8>);

/// Called with the keyspace, key and value of each record.
pub(super) type Emit<'a> = &'a mut dyn FnMut(u16, &[u8], &[u8]) -> std::io::Result<()>;

/// Keys between two others, neither of them included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) after: KeyAt,
    /// `None`: to the end.
    pub(super) before: Option<KeyAt>,
}

impl Span {
    pub(super) fn contains(&self, keyspace: u16, key: &[u8]) -> bool {
        let at = (keyspace, key);
        at > (self.after.0, self.after.1.as_slice())
            && self.before.as_ref().is_none_or(|(keyspace, key)| at < (*keyspace, key.as_slice()))
    }

    pub(super) fn to_unread(&self) -> UnreadKeys {
        UnreadKeys { after: self.after.clone(), before: self.before.clone() }
    }

    /// All keys of a keyspace; none of them is empty.
    pub(super) fn keyspace(keyspace: u16) -> Self {
        Span { after: (keyspace, Vec::new()), before: keyspace.checked_add(1).map(|next| (next, Vec::new())) }
    }
}

/// Whether a key is in one of some spans, which are sorted and do not meet.
pub(super) fn contain(spans: &[Span], keyspace: u16, key: &[u8]) -> bool {
    let behind = spans.partition_point(|span| (span.after.0, span.after.1.as_slice()) < (keyspace, key));
    behind.checked_sub(1).is_some_and(|at| spans[at].contains(keyspace, key))
}

/// Records of spans that their own source cannot be asked for, from older sources.
#[derive(Debug, Default)]
pub(super) struct Patch {
    pub(super) spans: Vec<Span>,
    /// Transactions up to here count.
    pub(super) up_to: u64,
    /// Where records of the spans come from up to a position: everything that is not in the other spans.
    pub(super) older: Option<(u64, Vec<Span>)>,
    pub(super) records: BTreeMap<KeyAt, Vec<u8>>,
    pub(super) bytes: usize,
}

impl Patch {
    /// Whether the log has to be asked for a key as of a position.
    fn wants(&self, position: u64, keyspace: u16, key: &[u8]) -> bool {
        position <= self.up_to
            && contain(&self.spans, keyspace, key)
            && self.older.as_ref().is_none_or(|(to, unread)| position > *to || contain(unread, keyspace, key))
    }

    /// Takes over a change that the log knows.
    pub(super) fn change(&mut self, position: u64, keyspace: u16, key: &[u8], value: Option<&[u8]>) {
        if self.wants(position, keyspace, key) {
            self.set(keyspace, key, value);
        }
    }

    /// Takes over a record of the older source.
    pub(super) fn record(&mut self, keyspace: u16, key: &[u8], value: &[u8]) {
        if contain(&self.spans, keyspace, key) {
            self.set(keyspace, key, Some(value));
        }
    }

    fn set(&mut self, keyspace: u16, key: &[u8], value: Option<&[u8]>) {
        let at = (keyspace, key.to_vec());
        match value {
            Some(value) => {
                self.bytes += key.len() + value.len();
                let before = self.records.insert(at, value.to_vec());
                self.bytes -= before.map_or(0, |before| key.len() + before.len());
            }
            None => self.bytes -= self.records.remove(&at).map_or(0, |before| key.len() + before.len()),
        }
    }

    /// Records between two keys, neither included.
    pub(super) fn between<'a>(&'a self, span: &Span) -> impl Iterator<Item = (&'a KeyAt, &'a Vec<u8>)> {
        use std::ops::Bound::{Excluded, Unbounded};
        let high = span.before.clone().map_or(Unbounded, Excluded);
        self.records.range((Excluded(span.after.clone()), high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_takes_what_its_spans_lack_and_the_older_source_does_not_know() {
        let span = |after: &[u8], before: &[u8]| Span {
            after: (3, after.to_vec()),
            before: Some((3, before.to_vec())),
        };
        let mut patch = Patch {
            spans: vec![span(b"b", b"f"), span(b"m", b"p")],
            up_to: 100,
            older: Some((50, vec![span(b"c", b"e")])),
            ..Patch::default()
        };
        for (key, inside) in
            [("a", false), ("b", false), ("c", true), ("f", false), ("g", false), ("n", true), ("z", false)]
        {
            assert_eq!(contain(&patch.spans, 3, key.as_bytes()), inside, "{key}");
            assert!(!contain(&patch.spans, 4, key.as_bytes()));
        }
        patch.record(3, b"c", b"image");
        patch.record(3, b"g", b"not asked for");
        // The image knew better up to 50, except for what it cannot be asked for.
        patch.change(40, 3, b"c", Some(b"old"));
        patch.change(40, 3, b"d", Some(b"only the log"));
        patch.change(60, 3, b"n", Some(b"new"));
        patch.change(101, 3, b"n", Some(b"too new"));
        patch.change(60, 3, b"o", Some(b"soon gone"));
        patch.change(70, 3, b"o", None);
        let found: Vec<(&[u8], &[u8])> = patch.records.iter().map(|((_, k), v)| (&**k, &**v)).collect();
        assert_eq!(found, [(&b"c"[..], &b"image"[..]), (b"d", b"only the log"), (b"n", b"new")]);
        assert_eq!(patch.bytes, found.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>());
        assert_eq!(patch.between(&span(b"c", b"n")).count(), 1);
        assert!(Span::keyspace(3).contains(3, b"anything") && !Span::keyspace(3).contains(4, b"a"));
    }
}
