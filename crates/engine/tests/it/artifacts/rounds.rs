//! What is hidden costs the reads of what does not exist.

use cairn_access::Principal;
use cairn_seam::Sha256;

use super::kit::{World, id};

#[test]
fn what_is_hidden_takes_the_rounds_of_what_does_not_exist() {
    let world = World::new();
    world.put(1, &[("visibility", "\"private\""), ("team", "\"core\"")]);
    // A longer payload is a blob, which is not read before it is known that the caller may.
    let long = format!("\"{}\"", "x".repeat(40 << 10));
    world.put(2, &[("visibility", "\"private\""), ("unknown", &long)]);
    let eve = world.stranger("eve", &[]);
    for principal in [eve, Principal::anonymous()] {
        let rounds = |ask: &dyn Fn()| {
            world.store.take_rounds();
            ask();
            let rounds = world.store.take_rounds();
            rounds.iter().map(|round| format!("{round:?}")).collect::<Vec<_>>().len()
        };
        let by_id = |number: u8| rounds(&|| drop(world.engine.artifact(&principal, id(number)).unwrap_err()));
        assert_eq!((by_id(1), by_id(2)), (by_id(77), by_id(77)));
        let content =
            |number: u8| rounds(&|| drop(world.engine.artifact_content(&principal, id(number)).unwrap_err()));
        assert_eq!(content(1), content(77));
        let by_hash = |text: &[u8]| {
            let hash = Sha256::of(text);
            rounds(&|| drop(world.engine.content_by_hash(&principal, hash).unwrap_err()))
        };
        assert_eq!(by_hash(b"content number 1 about kingfishers"), by_hash(b"nothing"));
        let keys =
            |user: &str| rounds(&|| drop(world.engine.artifact_keys(&principal, "acme", user).unwrap_err()));
        assert_eq!(keys("ada"), keys("nobody"));
    }
}
