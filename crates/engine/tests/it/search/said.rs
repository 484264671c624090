//! Which texts of turns and of contexts are found.

use cairn_base::{ContextId, MsgpackWriter};
use cairn_engine::SearchIn;
use cairn_turns::{Append, DeclaredType};

use super::kit::{Kit, TENANT, of_blob, question, request, text};

const BUNDLE: &str = r#"{"registry_version":1,"bundle_id":"b","types":{
  "note":{"versions":{"1":{"fields":{
    "1":{"name":"text","type":"string"},"2":{"name":"bytes","type":"bytes"},
    "3":{"name":"role","type":"u8","enum":"Role"},
    "4":{"name":"part","type":"ref","ref":"part"},
    "5":{"name":"parts","type":"array","items":{"type":"ref","ref":"part"}},
    "6":{"name":"lines","type":"array","items":"string"},
    "7":{"name":"gone","type":"string","tombstone":true}}}}},
  "part":{"versions":{"1":{"fields":{"1":{"name":"inner","type":"string"}}}}}
 },"enums":{"Role":{"1":"system"}}}"#;

/// A payload in which each text is one word that stands for where it is.
fn payload() -> Vec<u8> {
    let mut to = MsgpackWriter::new();
    to.map(8);
    to.unsigned(1);
    to.text("inatext");
    to.unsigned(2);
    to.binary(b"inbytes");
    to.unsigned(3);
    to.text("inanenum");
    to.unsigned(4);
    to.map(2);
    to.unsigned(1);
    to.text("nested");
    to.unsigned(9);
    to.text("nestedunknown");
    to.unsigned(5);
    to.array(2);
    for word in ["listedone", "listedtwo"] {
        to.map(1);
        to.unsigned(1);
        to.text(word);
    }
    to.unsigned(6);
    to.array(2);
    to.text("linefirst");
    to.text("linesecond");
    to.unsigned(7);
    to.text("buried");
    to.unsigned(99);
    to.text("unknown");
    to.into_bytes()
}

const DESCRIBED: [&str; 6] = ["inatext", "nested", "listedone", "listedtwo", "linefirst", "linesecond"];
const OTHERS: [&str; 4] = ["inanenum", "nestedunknown", "buried", "unknown"];

#[test]
fn types_that_are_described_later_are_found_by_their_texts_only_from_then_on() {
    for restarts in [false, true] {
        let mut kit = Kit::new();
        let context = kit.context();
        let turn = kit.append(TENANT, request(context, payload()));
        for word in DESCRIBED.iter().chain(&OTHERS) {
            assert_eq!(kit.found(word), [turn.0], "{word}");
        }
        assert_eq!(kit.found("inbytes"), [0; 0]);
        if restarts {
            kit.leave(true);
        }
        kit.publish(BUNDLE);
        if restarts {
            kit.start();
        }
        for word in OTHERS {
            assert_eq!(kit.found(word), [0; 0], "{word}");
        }
        for word in DESCRIBED {
            assert_eq!(kit.found(word), [turn.0], "{word}");
        }
        let after = kit.append(TENANT, request(context, payload()));
        assert_eq!((kit.found("nested"), kit.found("buried")), (vec![turn.0, after.0], vec![]));
        kit.restart();
        assert_eq!((kit.found("nested"), kit.found("buried")), (vec![turn.0, after.0], vec![]));
    }
}

#[test]
fn many_turns_of_a_type_are_looked_at_again() {
    let kit = Kit::new();
    let context = kit.context();
    for _ in 0..300 {
        kit.append(TENANT, request(context, payload()));
    }
    assert_eq!(kit.ask(&question("buried")).total, 300);
    kit.publish(BUNDLE);
    assert_eq!(kit.ask(&question("buried")).total, 0);
    assert_eq!((kit.ask(&question("nested")).total, kit.status().documents), (300, 300));
}

#[test]
fn long_payloads_are_found_by_their_beginning() {
    let kit = Kit::new();
    let context = kit.context();
    let mut long = MsgpackWriter::new();
    long.map(2);
    long.unsigned(1);
    long.text(&format!("osprey {} goshawk", "é ".repeat(1 << 20)));
    long.unsigned(2);
    long.text("merlin");
    let upload = |payload: MsgpackWriter| {
        let blob = kit.engine.blob(&kit.owner, TENANT, payload.into_bytes()).unwrap();
        kit.append(TENANT, of_blob(context, blob))
    };
    let whole = upload(long);
    let mut later = MsgpackWriter::new();
    later.map(2);
    later.unsigned(1);
    later.text("hobby");
    later.unsigned(2);
    later.binary(&vec![0; 2 << 20]);
    let binary = upload(later);
    assert_eq!((kit.found("osprey"), kit.found("hobby")), (vec![whole.0], vec![binary.0]));
    assert_eq!((kit.found("goshawk"), kit.found("merlin")), (vec![], vec![]));
    let described = kit.ask(&question("osprey"));
    assert!(described.hits[0].snippet.as_ref().unwrap().text.contains("osprey"));
    // Much that comes together does not come into memory together.
    let mut turns = Vec::new();
    for _ in 0..20 {
        turns.push(kit.say(context, &format!("lanner {}", "x".repeat(900_000))).0);
    }
    assert_eq!(kit.found("lanner"), turns);
}

#[test]
fn what_cannot_be_read_does_no_harm() {
    let mut kit = Kit::new();
    let context = kit.context();
    let mut cut = MsgpackWriter::new();
    cut.map(3);
    cut.unsigned(1);
    cut.text("ruff");
    cut.unsigned(2);
    cut.text("reeve");
    let mut cut = cut.into_bytes();
    cut.truncate(cut.len() - 2);
    let mut list = MsgpackWriter::new();
    list.array(1);
    list.text("knot");
    let odd: Vec<Append> =
        [vec![0xc1], vec![0xdf, 0xff, 0xff, 0xff, 0xff], vec![0x92; 5000], list.into_bytes()]
            .into_iter()
            .map(|payload| request(context, payload))
            .collect();
    for request in odd {
        kit.append(TENANT, request);
    }
    kit.append(TENANT, Append { encoding: 7, ..request(context, text("ruff")) });
    let turn = kit.append(TENANT, request(context, cut));
    let after = kit.say(context, "turnstone");
    for _ in 0..2 {
        assert_eq!((kit.found("ruff"), kit.found("turnstone")), (vec![turn.0], vec![after.0]));
        assert_eq!(kit.status().documents, 7);
        kit.restart();
    }
}

/// What a first turn says about its context.
fn about(title: &str, labels: &[&str], custom: &[(&str, &str)]) -> Vec<u8> {
    let mut to = MsgpackWriter::new();
    to.map(1);
    to.unsigned(30);
    to.map(3);
    to.unsigned(2);
    to.text(title);
    to.unsigned(3);
    to.array(labels.len());
    labels.iter().for_each(|label| to.text(label));
    to.unsigned(4);
    to.map(custom.len());
    for (name, value) in custom {
        to.text(name);
        to.text(value);
    }
    to.into_bytes()
}

fn contexts(kit: &Kit, words: &str) -> Vec<u64> {
    let page = kit.ask(&cairn_engine::SearchQuestion { search_in: SearchIn::Contexts, ..question(words) });
    let mut contexts: Vec<_> = page.hits.iter().map(|hit| hit.context.0).collect();
    contexts.sort_unstable();
    contexts
}

#[test]
fn contexts_are_found_by_what_is_said_about_them_and_forks_inherit_it() {
    let mut kit = Kit::new();
    let first = kit.context();
    let said = about("Harbour seals", &["coastal"], &[("place", "Lindisfarne")]);
    let root = kit.append(TENANT, request(first, said));
    kit.say(first, "they sleep on the bank");
    let fork = kit.context_of(TENANT, Some(root));
    let other = kit.context();
    kit.append(TENANT, request(other, about("Grey seals", &[], &[])));
    for _ in 0..2 {
        for words in
            ["harbour", "coastal", "lindisfarne", "title:harbour", "label:coastal", "about:lindisfarne"]
        {
            assert_eq!(contexts(&kit, words), [first.0, fork.0], "{words}");
        }
        assert_eq!(contexts(&kit, "seals"), [first.0, fork.0, other.0]);
        assert_eq!(contexts(&kit, "sleep"), [first.0]);
        kit.restart();
    }
    // A first turn of another history: what is said about it takes the place of what was said.
    let moved = Append { parent: Some(root), ..request(other, text("moved below")) };
    kit.append(TENANT, moved);
    assert_eq!(contexts(&kit, "title:grey"), [0; 0]);
    assert_eq!(contexts(&kit, "title:harbour"), [first.0, fork.0, other.0]);
    kit.prune(&[fork, other]);
    assert_eq!(contexts(&kit, "title:harbour"), [first.0]);
    kit.prune(&[first]);
    assert_eq!((contexts(&kit, "seals"), kit.status().documents), (vec![], 0));
}

#[test]
fn a_type_that_nobody_names_is_found_by_its_kind() {
    let kit = Kit::new();
    let context: ContextId = kit.context();
    let declared = DeclaredType { id: "com.example.Odd\u{0}1".into(), version: 7 };
    let odd = kit.try_append(TENANT, Append { declared, ..request(context, text("avocet")) });
    let plain = kit.say(context, "avocet");
    let expected: Vec<_> = odd.iter().map(|turn| turn.0).chain([plain.0]).collect();
    assert_eq!(kit.found("avocet"), expected);
}
