//! What indexes cost those who write.

use std::cell::Cell;

use cairn_graph::{ConceptWrite, Result, Target, TypeId, Writer, tables};
use cairn_seam::{KeyRange, Keyspace, Reader, StoreError, Visit, WriteTx, forward};

use super::make;
use crate::kit::{Kit, map};

/// How often indexes were looked at, and how often entries were written or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Cost {
    looks: usize,
    changes: usize,
}

/// A transaction that counts.
struct Counting<'a> {
    tx: &'a mut dyn WriteTx,
    cost: Cell<Cost>,
}

impl Counting<'_> {
    fn look(&self, keyspace: Keyspace) {
        if [tables::INDEXES, tables::INDEX_ENTRIES].contains(&keyspace) {
            let cost = self.cost.get();
            self.cost.set(Cost { looks: cost.looks + 1, ..cost });
        }
    }

    fn change(&self, keyspace: Keyspace) {
        if [tables::INDEXES, tables::INDEX_ENTRIES].contains(&keyspace) {
            let cost = self.cost.get();
            self.cost.set(Cost { changes: cost.changes + 1, ..cost });
        }
    }
}

impl Reader for Counting<'_> {
    forward!(tx: hashed_get, blobs);

    fn multi_get(
        &self,
        keyspace: Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> std::result::Result<(), StoreError> {
        self.look(keyspace);
        self.tx.multi_get(keyspace, keys, visit)
    }

    fn multi_scan(
        &self,
        keyspace: Keyspace,
        ranges: &[KeyRange],
        visit: &mut dyn FnMut(usize, &[u8], &[u8]) -> Visit,
    ) -> std::result::Result<(), StoreError> {
        self.look(keyspace);
        self.tx.multi_scan(keyspace, ranges, visit)
    }
}

impl WriteTx for Counting<'_> {
    forward!(tx: tenant, hashed_put, put_blob, keep_blob, remove_blob, emit);

    fn put(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]) -> std::result::Result<(), StoreError> {
        self.change(keyspace);
        self.tx.put(keyspace, key, value)
    }

    fn delete(&mut self, keyspace: Keyspace, key: &[u8]) -> std::result::Result<(), StoreError> {
        self.change(keyspace);
        self.tx.delete(keyspace, key)
    }

    fn delete_range(&mut self, keyspace: Keyspace, range: &KeyRange) -> std::result::Result<u64, StoreError> {
        self.change(keyspace);
        self.tx.delete_range(keyspace, range)
    }
}

fn cost_of(kit: &Kit, mut body: impl FnMut(&mut Writer<'_>) -> Result<()> + Send + 'static) -> Cost {
    kit.transact(move |tx, scope| {
        let mut tx = Counting { tx, cost: Cell::default() };
        let mut writer = Writer::new(&mut tx, *scope, 5_000);
        body(&mut writer)?;
        writer.finish()?;
        Ok(tx.cost.get())
    })
    .unwrap()
}

fn put(writer: &mut Writer<'_>, kind: TypeId, name: &str, attributes: &str) -> Result<()> {
    let target = Target::Named(kind, name.to_owned());
    let (attributes, metadata) = (map(attributes), map("{}"));
    writer.upsert_concept(ConceptWrite { target, expect_version: None, attributes, metadata }).map(drop)
}

#[test]
fn a_writer_looks_once_and_writes_only_entries_that_change() {
    let kit = Kit::new();
    let (drug, plain) = (kit.define_type("Drug"), kit.define_type("Plain"));
    kit.put(drug, "a", r#"{"dose": 1, "note": "x"}"#);
    make(&kit, drug, "attributes.dose");
    let only_plain = cost_of(&kit, move |writer| {
        (0..100).try_for_each(|place| put(writer, plain, &format!("p{place}"), r#"{"dose": 1}"#))
    });
    assert_eq!(only_plain, Cost { looks: 1, changes: 0 });
    let made = cost_of(&kit, move |writer| {
        (0..100).try_for_each(|place| put(writer, drug, &format!("d{place}"), r#"{"dose": 1}"#))
    });
    assert_eq!(made, Cost { looks: 1, changes: 100 });
    let same = cost_of(&kit, move |writer| {
        put(writer, drug, "a", r#"{"note": "y"}"#)?;
        put(writer, drug, "a", r#"{"dose": 1.0}"#)
    });
    assert_eq!(same, Cost { looks: 1, changes: 0 });
    let moved = cost_of(&kit, move |writer| put(writer, drug, "a", r#"{"dose": 2}"#));
    assert_eq!(moved, Cost { looks: 1, changes: 2 });
    let links_only = cost_of(&kit, |_| Ok(()));
    assert_eq!(links_only, Cost::default());
}
