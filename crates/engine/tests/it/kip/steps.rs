//! Requests that are carried out step by step.

use std::borrow::Cow;

use cairn_base::Value;
use cairn_engine::{KipRun, KipStep};
use cairn_kip::KipRequest;

use super::kit::{Kip, codes, one, several};

const FIND: &str = r#"FIND(?d.name) WHERE { ?d {type: "Drug"} }"#;

fn begin(kip: &Kip, request: &str) -> KipRun<'static> {
    let request = KipRequest::decode(Value::parse_json(request.as_bytes()).unwrap()).unwrap();
    let owner = kip.world.owner.clone();
    let tenant = owner.tenant();
    kip.engine().kip_begin(Cow::Owned(owner), tenant, Cow::Owned(request)).unwrap()
}

/// Carries a request out, and says which steps it took.
fn steps(kip: &Kip, request: &str) -> (String, Value) {
    let (engine, mut run, mut taken) = (kip.engine(), begin(kip, request), String::new());
    loop {
        match run.step(engine) {
            KipStep::Write(write) => {
                taken.push('w');
                run.wrote(engine.commit(write).map(|committed| committed.value)).unwrap();
            }
            KipStep::Block => {
                taken.push('b');
                run.block(engine).unwrap();
            }
            KipStep::Again => taken.push('a'),
            KipStep::Done => return (taken, run.answer().into_value()),
        }
    }
}

fn drug(name: &str) -> String {
    format!(r#"UPSERT {{ CONCEPT {{ {{type: "Drug", name: "{name}"}} }} }}"#)
}

#[test]
fn only_what_cannot_block_is_given_out_as_a_write() {
    let kip = Kip::new();
    let with = |more: &str| one(&drug("A")).replacen('{', &format!("{{{more},"), 1);
    // A new space has its first types, and no others.
    let domain = one(r#"UPSERT { CONCEPT { {type: "Domain", name: "A"} } }"#);
    let elsewhere = domain.replacen('{', r#"{"space":"new","#, 1);
    for (request, expected) in [
        (one(&drug("A")), "w"),
        (one(&format!("\n  {}", drug("A"))), "w"),
        (one(&format!("// noted\n{}", drug("A"))), "w"),
        (one("UPSERT {"), "a"),
        (one(FIND), "b"),
        (one(r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug", name: "A"} }"#), "b"),
        (with(r#""dry_run":true"#), "b"),
        (with(r#""readonly":true"#), "b"),
        (elsewhere.clone(), "b"),
        (elsewhere, "w"),
    ] {
        assert_eq!(steps(&kip, &request).0, expected, "{request}");
    }
    let (taken, answer) = steps(&kip, &several(&[&drug("B"), FIND, FIND, &drug("C"), &drug("D")], ""));
    assert_eq!((&*taken, codes(&answer).len()), ("wbww", 5), "{}", answer.to_json());
    let failing = r#"UPSERT { CONCEPT { {type: "Nothing", name: "x"} } }"#;
    let (taken, answer) = steps(&kip, &several(&[failing, &drug("E")], ""));
    assert_eq!((&*taken, codes(&answer)), ("w", vec!["KIP_2001".to_owned()]), "a failed change ends a batch");
}

#[test]
fn a_write_is_noted_when_it_is_done_and_whoever_asked() {
    let kip = Kip::new();
    let mut run = begin(&kip, &one(&drug("Late")));
    let KipStep::Write(write) = run.step(kip.engine()) else { panic!("a write") };
    // Its deadline is over.
    drop(run);
    let logged = |kip: &Kip| {
        let owner = &kip.world.owner;
        let page = kip.engine().kip_logs(owner, owner.tenant(), &Value::Object([].into())).unwrap();
        let shown = page.to_value();
        let lines = shown.get("result").unwrap().as_array().unwrap();
        lines.iter().filter(|line| line.get("command").unwrap().as_str() == Some(&*drug("Late"))).count()
    };
    assert_eq!(logged(&kip), 0);
    kip.engine().commit(write).unwrap();
    assert_eq!(logged(&kip), 1);
    assert!(kip.ok(FIND).to_json().contains("Late"));
}

#[test]
fn what_is_long_is_read_elsewhere() {
    let kip = Kip::new();
    let long = "x".repeat(70_000);
    assert!(begin(&kip, &one(&drug("A"))).is_short());
    assert!(!begin(&kip, &one(&drug(&long))).is_short());
    let parameter = one(FIND).replacen('{', &format!(r#"{{"parameters":{{"a":["{long}"]}},"#), 1);
    assert!(!begin(&kip, &parameter).is_short());
    // Also behind a command that is short and wrong.
    let mut run = begin(&kip, &several(&["UPSERT {", &drug(&long)], ""));
    assert!(run.is_short());
    assert!(matches!(run.step(kip.engine()), KipStep::Again));
    assert!(!run.is_short());
}
