//! How many dependent read rounds turns take. On a store over a network each of them is a round trip.

use std::sync::Arc;

use cairn_base::{ContextId, ManualClock, Position, TenantId, TurnId};
use cairn_seam::{CountingStore, MemoryStore, Snapshot, Store, Visit, write};
use cairn_turns::registry::{self, Bundle};
use cairn_turns::{Append, Appended, DeclaredType, Turn, TurnsError};

use crate::kit::{keyed, request, scope};

const PAGE: usize = 64;

struct Counted(CountingStore);

impl Counted {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new(1_000));
        Counted(CountingStore::new(Arc::new(MemoryStore::new(clock).with_strides(19))))
    }

    fn create(&self) -> ContextId {
        let scope = scope(TenantId::LOCAL);
        let made = write(&self.0, scope.tenant(), move |tx| cairn_turns::create(tx, &scope, None, 5));
        made.unwrap().0.id
    }

    fn append(&self, request: Append) -> Result<Appended, TurnsError> {
        let scope = scope(TenantId::LOCAL);
        write(&self.0, scope.tenant(), move |tx| cairn_turns::append(tx, &scope, &request)).map(|done| done.0)
    }

    /// The rounds of an append.
    fn rounds_of(&self, request: Append) -> Vec<String> {
        self.0.take_rounds();
        self.append(request).unwrap();
        self.0.take_rounds()
    }

    fn snapshot(&self) -> Box<dyn Snapshot> {
        self.0.snapshot(Position::START).unwrap()
    }

    /// A page of the newest turns with what is shown beside them, and the rounds that it took.
    fn page(&self, context: ContextId, limit: usize) -> (Vec<TurnId>, Vec<String>) {
        self.0.take_rounds();
        let (scope, view) = (scope(TenantId::LOCAL), self.snapshot());
        let (_, turns) = cairn_turns::last(&*view, &scope, context, limit, &mut |_| Visit::Continue).unwrap();
        let beside = cairn_turns::beside(&*view, &scope, &turns, true).unwrap();
        assert!(turns.iter().all(|turn| beside.type_names.contains_key(&turn.type_number)));
        assert_eq!(beside.trees.len(), turns.len());
        (turns.iter().map(|turn| turn.id).collect(), self.0.take_rounds())
    }

    /// The chain as its turns say, one by one.
    fn chain(&self, context: ContextId, limit: usize) -> Vec<TurnId> {
        let (scope, view) = (scope(TenantId::LOCAL), self.snapshot());
        let mut at = cairn_turns::head(&*view, &scope, context).unwrap().head;
        let mut chain = Vec::new();
        while at != TurnId::NONE && chain.len() < limit {
            let turn: Turn = cairn_turns::turn(&*view, &scope, at).unwrap();
            chain.push(turn.id);
            at = turn.parent;
        }
        chain.reverse();
        chain
    }
}

#[test]
fn an_append_reads_in_at_most_three_rounds() {
    let store = Counted::new();
    let context = store.create();
    for number in 0..200 {
        let text = number.to_string();
        let append = if number % 2 == 0 { request(context, &text) } else { keyed(context, &text, &text) };
        let rounds = store.rounds_of(append);
        assert!(rounds.len() <= 3, "append {number}: {rounds:#?}");
    }
    let again = store.rounds_of(keyed(context, "7", "7"));
    assert_eq!(again.len(), 2, "the key and its turn: {again:#?}");
}

#[test]
fn an_append_of_a_published_type_reads_in_at_most_three_rounds_where_that_is_asked_for() {
    let store = Counted::new();
    let context = store.create();
    let text = r#"{"registry_version":1,"bundle_id":"b","types":{"test.Said":{"versions":{"1":{"fields":{
        "1":{"name":"text","type":"string"}}}}}}}"#;
    let bundle = Bundle::parse(text.as_bytes()).unwrap();
    let blob = cairn_seam::Blob::new(text.as_bytes().to_vec()).unwrap();
    let of = scope(TenantId::LOCAL);
    write(&store.0, of.tenant(), move |tx| registry::publish(tx, &of, &bundle, &blob)).unwrap();
    for number in 0..50 {
        let rounds = store.rounds_of(Append { strict: true, ..request(context, &number.to_string()) });
        assert!(rounds.len() <= 3, "append {number}: {rounds:#?}");
    }
    let unknown = DeclaredType { id: "test.Said".into(), version: 2 };
    let refused = store.append(Append { strict: true, declared: unknown, ..request(context, "no") });
    assert!(matches!(refused, Err(TurnsError::TypeUnknown { .. })), "{refused:?}");
}

#[test]
fn a_page_reads_in_three_rounds_before_its_payloads() {
    let store = Counted::new();
    let (context, other) = (store.create(), store.create());
    for number in 0..300 {
        // Every other turn is somebody else's, and types differ.
        store.append(request(other, &number.to_string())).unwrap();
        let declared = DeclaredType { id: format!("test.T{}", number % 7), version: 1 };
        store.append(Append { declared, ..request(context, &number.to_string()) }).unwrap();
    }
    for limit in [1, 2, PAGE, 299, 300, 1000] {
        let (turns, rounds) = store.page(context, limit);
        assert_eq!(turns, store.chain(context, limit), "{limit} turns");
        assert_eq!(rounds.len(), 3, "the context, its turns, what types are called: {rounds:#?}");
    }
}

#[test]
fn a_page_of_turns_that_lie_far_apart_reads_in_few_rounds_too() {
    let store = Counted::new();
    let contexts: Vec<_> = (0..40).map(|_| store.create()).collect();
    for number in 0..100 {
        for context in &contexts {
            store.append(request(*context, &number.to_string())).unwrap();
        }
    }
    for limit in [1, 2, 3, PAGE, 99, 100, 200] {
        let (turns, rounds) = store.page(contexts[7], limit);
        assert_eq!(turns, store.chain(contexts[7], limit), "{limit} turns");
        // The context, a scan that is given up, at most about 3 log2(limit) rounds up the chain, and names.
        assert!(rounds.len() <= 3 + 20, "{} rounds for {limit}: {rounds:#?}", rounds.len());
    }
}
