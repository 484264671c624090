//! The query log.

use cairn_access::{Principal, Role};
use cairn_base::Value;

use super::kit::{ACME, DRUGS, Kip, code, one, user};

fn logs(kip: &Kip, who: &Principal, parameters: &str) -> Value {
    let parameters = Value::parse_json(parameters.as_bytes()).unwrap();
    kip.engine().kip_logs(who, who.tenant(), &parameters).unwrap().into_value()
}

fn field(answer: &Value, name: &str) -> Vec<String> {
    let lines = answer.get("result").unwrap().as_array().unwrap();
    lines.iter().map(|line| line.get(name).unwrap().as_str().unwrap().to_owned()).collect()
}

#[test]
fn commands_are_listed_newest_first_with_what_became_of_them() {
    let kip = Kip { world: crate::support::World::new() };
    let owner = kip.world.owner.clone();
    kip.command(DRUGS);
    kip.command("NONSENSE");
    kip.command(r#"FIND(?x) WHERE { ?x {type: "Nothing"} }"#);
    kip.command("DESCRIBE PRIMER");
    let all = logs(&kip, &owner, "{}");
    assert_eq!(field(&all, "kind"), ["DESCRIBE", "FIND", "SYNTAX", "UPSERT"]);
    assert_eq!(field(&all, "outcome"), ["ok", "KIP_2001", "KIP_1001", "ok"]);
    assert_eq!(field(&all, "command")[0], "DESCRIBE PRIMER");
    assert_eq!(field(&all, "space")[0], "memory");
    assert!(all.get("next_cursor").is_none());
    let first = logs(&kip, &owner, r#"{"limit":3}"#);
    let cursor = first.get("next_cursor").unwrap().to_json();
    let rest = logs(&kip, &owner, &format!(r#"{{"limit":3,"cursor":{cursor}}}"#));
    assert_eq!(field(&rest, "kind"), ["UPSERT"]);
    for bad in
        [r#"{"cursor":"x"}"#, r#"{"cursor":7}"#, r#"{"limit":0}"#, r#"{"limit":101}"#, r#"{"limit":"1"}"#]
    {
        assert_eq!(code(&logs(&kip, &owner, bad)), "KIP_1001", "{bad}");
    }
    // Nothing of it is on disk.
    let reopened = kip.world.reopen();
    let none = reopened.kip_logs(&owner, owner.tenant(), &Value::Null).unwrap().into_value();
    assert_eq!(none.to_json(), r#"{"result":[]}"#);
}

#[test]
fn administrators_see_all_others_their_own_and_strangers_nothing() {
    let kip = Kip::new();
    let [ada, bob] = ["ada", "bob"].map(|name| user(name, ACME, Role::Writer));
    kip.send(&ada, &one("DESCRIBE DOMAINS")).unwrap();
    kip.send(&bob, &one("DESCRIBE PRIMER")).unwrap();
    assert_eq!(field(&logs(&kip, &ada, "{}"), "user"), ["ada"]);
    assert_eq!(field(&logs(&kip, &bob, "{}"), "user"), ["bob"]);
    assert_eq!(field(&logs(&kip, &user("root", ACME, Role::Admin), "{}"), "user"), ["bob", "ada"]);
    let elsewhere = user("eve", cairn_base::TenantId(8), Role::Admin);
    assert_eq!(logs(&kip, &elsewhere, "{}").to_json(), r#"{"result":[]}"#);
}

#[test]
fn parameters_are_not_in_the_log() {
    let kip = Kip::new();
    kip.ask(r#"{"command":"FIND(?d) WHERE { ?d {name: :name} }","parameters":{"name":"hunter2"}}"#);
    let all = logs(&kip, &kip.world.owner, "{}");
    assert!(!all.to_json().contains("hunter2"));
}
