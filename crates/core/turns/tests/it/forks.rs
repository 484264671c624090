//! Which context was forked from which.

use cairn_base::ContextId;
use cairn_turns::{forks, parents};

use crate::kit::Kit;

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
        found.iter().map(|(fork, base)| (fork.id.0, base.depth)).collect::<Vec<_>>()
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
