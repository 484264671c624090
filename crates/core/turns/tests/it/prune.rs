//! What comes while turns are pruned.

use cairn_base::{ContextId, TurnId};
use cairn_turns::Append;
use cairn_turns::prune::Sweep;

use crate::kit::{Kit, request};

#[test]
fn what_is_needed_again_before_it_goes_stays() {
    let kit = Kit::new();
    let context = kit.create(None).unwrap().id;
    kit.say_all(context, 5);
    let sweep = Sweep::begin(&*kit.snapshot(), &kit.scope).unwrap();
    let page = sweep.page(&*kit.snapshot(), &kit.scope, 100).unwrap();
    let unneeded = || {
        let arrivals = sweep.arrivals(&*kit.snapshot(), &kit.scope).unwrap();
        sweep.unneeded(&page, &arrivals).iter().map(|turn| turn.id.0).collect::<Vec<_>>()
    };
    assert_eq!(unneeded(), [5, 4, 3, 2, 1]);
    // A fork, and a turn below one of the others.
    let fork = kit.create(Some(TurnId(2))).unwrap().id;
    assert_eq!((fork, unneeded()), (ContextId(2), vec![5, 4, 3]));
    kit.append(Append { parent: Some(TurnId(4)), ..request(fork, "below") }).unwrap();
    assert_eq!(unneeded(), [5]);

    // What came before the page was passed counts for the next one too.
    let mut sweep = sweep;
    let arrivals = sweep.arrivals(&*kit.snapshot(), &kit.scope).unwrap();
    let first = sweep.page(&*kit.snapshot(), &kit.scope, 2).unwrap();
    let gone = sweep.unneeded(&first, &arrivals);
    sweep.pass(&first, &gone, &arrivals);
    let rest = sweep.page(&*kit.snapshot(), &kit.scope, 100).unwrap();
    let arrivals = sweep.arrivals(&*kit.snapshot(), &kit.scope).unwrap();
    assert_eq!((gone.len(), rest.len(), sweep.unneeded(&rest, &arrivals).len()), (1, 3, 0));
}
