//! Which context was forked from which.

use cairn_base::{ContextId, MsgpackWriter};
use cairn_seam::{Blob, KeyRange, Visit};
use cairn_turns::{Append, forks, parents, tables, unlist};

use crate::kit::{Kit, request};

#[test]
fn forks_are_paged_newest_first_and_parents_nearest_first() {
    let kit = Kit::new();
    kit.create(None).unwrap();
    let base = kit.say(ContextId(1), "one").id;
    for _ in 0..5 {
        kit.create(Some(base)).unwrap();
    }
    let deeper = kit.say(ContextId(3), "two").id;
    kit.create(Some(deeper)).unwrap();
    // A fork at a turn that was appended to another context is a fork of that one.
    kit.create(Some(base)).unwrap();
    let (snapshot, scope) = (kit.snapshot(), kit.scope);
    let page = |context, before: Option<u64>, limit| {
        let found = forks(&*snapshot, &scope, ContextId(context), before.map(ContextId), limit).unwrap();
        found.iter().map(|(fork, base)| (fork.id.0, base.unwrap().depth)).collect::<Vec<_>>()
    };
    assert_eq!(page(1, None, 3), [(8, 0), (6, 0), (5, 0)]);
    assert_eq!(page(1, Some(5), 3), [(4, 0), (3, 0), (2, 0)]);
    assert_eq!((page(1, Some(2), 3), page(3, None, 3)), (vec![], vec![(7, 1)]));
    let above = |limit| {
        let found = parents(&*snapshot, &scope, &kit.head(ContextId(7)), limit).unwrap();
        found.iter().map(|above| (above.context.0, above.base.id)).collect::<Vec<_>>()
    };
    assert_eq!(above(9), [(3, deeper), (1, base)]);
    assert_eq!(above(1), [(3, deeper)]);
}

#[test]
fn what_goes_leaves_nothing_behind_and_hides_nothing_else() {
    let kit = Kit::new();
    kit.create(None).unwrap();
    let mut to = MsgpackWriter::new();
    to.map(1);
    to.unsigned(30);
    to.map(1);
    to.unsigned(1);
    to.text("tag");
    let payload = Blob::new(to.into_bytes()).unwrap();
    let base = kit.append(Append { payload, ..request(ContextId(1), "") }).unwrap().turn.id;
    kit.create(Some(base)).unwrap();
    let inner = kit.say(ContextId(2), "more").id;
    kit.create(Some(inner)).unwrap();
    let gone = kit.head(ContextId(2));
    kit.write(move |tx, scope| {
        unlist(tx, scope, &gone)?;
        Ok(tx.delete(tables::CONTEXTS, &scope.key().u64(2))?)
    })
    .unwrap();
    let (snapshot, scope) = (kit.snapshot(), kit.scope);
    for (keyspace, expected) in [(tables::ROOTS, 2), (tables::TERMS, 2), (tables::FORKS, 1)] {
        let mut count = 0;
        let all = KeyRange::prefix(&scope.key());
        let mut visit = |_: usize, _: &[u8], _: &[u8]| {
            count += 1;
            Visit::Continue
        };
        snapshot.multi_scan(keyspace, &[all], &mut visit).unwrap();
        assert_eq!(count, expected, "{keyspace:?}");
    }
    assert_eq!(forks(&*snapshot, &scope, ContextId(1), None, 9).unwrap(), []);
    let above = parents(&*snapshot, &scope, &kit.head(ContextId(3)), 9).unwrap();
    assert_eq!(
        above.iter().map(|above| above.context.0).collect::<Vec<_>>(),
        [2],
        "one that is gone is the last"
    );

    // The turn may be gone as well.
    kit.write(move |tx, scope| Ok(tx.delete(tables::TURNS, &scope.key().u64(inner.0))?)).unwrap();
    let snapshot = kit.snapshot();
    assert_eq!(parents(&*snapshot, &scope, &kit.head(ContextId(3)), 9).unwrap(), []);
    let left = forks(&*snapshot, &scope, ContextId(2), None, 9).unwrap();
    assert_eq!(left.iter().map(|(fork, base)| (fork.id.0, *base)).collect::<Vec<_>>(), [(3, None)]);
}
