//! A node that is asked in KIP.

use std::sync::Arc;

use cairn_access::{Principal, Role, Roles};
use cairn_base::{TenantId, Value};
use cairn_engine::{Engine, EngineError};
use cairn_kip::KipRequest;

use crate::support::World;

pub(crate) const ACME: TenantId = TenantId(7);

/// Types, predicates and two drugs.
pub(crate) const DRUGS: &str = r#"UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Drug"} }
    CONCEPT { {type: "$ConceptType", name: "Symptom"} }
    CONCEPT { {type: "$PropositionType", name: "treats"} SET ATTRIBUTES { description: "Makes something better." } }
    CONCEPT ?fever { {type: "Symptom", name: "Fever"} }
    CONCEPT { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { risk: 2 } SET PROPOSITIONS { ("treats", ?fever) } }
    CONCEPT { {type: "Drug", name: "Ibuprofen"} SET ATTRIBUTES { risk: 3 } }
}"#;

pub(crate) struct Kip {
    pub(crate) world: World,
}

impl Kip {
    /// With drugs in the memory of the local owner.
    pub(crate) fn new() -> Self {
        let kip = Kip { world: World::new() };
        kip.ok(DRUGS);
        kip
    }

    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.world.engine
    }

    /// Sends a request as somebody.
    pub(crate) fn send(&self, principal: &Principal, request: &str) -> Result<Value, EngineError> {
        send(self.engine(), principal, principal.tenant(), request)
    }

    /// Sends a request as the local owner, and answers what it is answered.
    pub(crate) fn ask(&self, request: &str) -> Value {
        self.send(&self.world.owner, request).unwrap()
    }

    /// Has one command carried out in the owner's memory.
    pub(crate) fn command(&self, text: &str) -> Value {
        self.ask(&one(text))
    }

    /// What a command comes to.
    pub(crate) fn ok(&self, text: &str) -> Value {
        let answer = self.command(text);
        answer.get("result").unwrap_or_else(|| panic!("{text}\n{}", answer.to_json())).clone()
    }

    /// The code of what is wrong with a command.
    pub(crate) fn code(&self, text: &str) -> String {
        code(&self.command(text))
    }
}

pub(crate) fn send(
    engine: &Engine,
    principal: &Principal,
    tenant: TenantId,
    request: &str,
) -> Result<Value, EngineError> {
    let request = Value::parse_json(request.as_bytes()).unwrap();
    let request = KipRequest::decode(request).unwrap_or_else(|error| panic!("{error:?}"));
    engine.kip(principal, tenant, &request).map(cairn_engine::KipAnswer::into_value)
}

/// A request with one command.
pub(crate) fn one(text: &str) -> String {
    format!(r#"{{"command":{}}}"#, Value::String(text.to_owned()).to_json())
}

/// A request with several commands, and more keys.
pub(crate) fn several(commands: &[&str], more: &str) -> String {
    let commands: Vec<_> = commands.iter().map(|text| Value::String((*text).to_owned())).collect();
    format!(r#"{{"commands":{}{more}}}"#, Value::Array(commands).to_json())
}

/// The code of an error, or `ok`.
pub(crate) fn code(answer: &Value) -> String {
    let Some(error) = answer.get("error") else { return "ok".to_owned() };
    error.get("code").unwrap().as_str().unwrap().to_owned()
}

/// The codes of a batch's answers.
pub(crate) fn codes(answer: &Value) -> Vec<String> {
    answer.get("result").unwrap().as_array().unwrap().iter().map(code).collect()
}

pub(crate) fn user(name: &str, tenant: TenantId, role: Role) -> Principal {
    Principal::new(name, tenant, Roles::NONE.with(role))
}
