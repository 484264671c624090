//! A space of its own in memory, and commands that are carried out in it as the engine does.

use std::sync::Arc;

use cairn_access::{Action, Principal, Resource, Scope, authorize};
use cairn_base::{ManualClock, Position, SpaceId, TenantId, Value};
use cairn_graph::{View, Writer};
use cairn_kip::tree::Command;
use cairn_kip::{KipCode, KipError, parse};
use cairn_query::{Allowance, Budget, Format, Found, QueryError};
use cairn_seam::{MemoryStore, Store, WriteTx};

const NOW_MS: u64 = 1_700_000_000_000;

pub(crate) struct World {
    pub(crate) store: MemoryStore,
    pub(crate) clock: ManualClock,
    pub(crate) scope: Scope,
}

impl World {
    /// With the bootstrap, and with drugs, symptoms and what they have to do with each other.
    pub(crate) fn new() -> Self {
        let world = World::bare();
        world.ok(r#"UPSERT {
            CONCEPT { {type: "$ConceptType", name: "Drug"} SET ATTRIBUTES { description: "A remedy." } }
            CONCEPT { {type: "$ConceptType", name: "Symptom"} }
            CONCEPT { {type: "$PropositionType", name: "treats"} }
            CONCEPT { {type: "$PropositionType", name: "stated"} }
            CONCEPT { {type: "Symptom", name: "Headache"} }
            CONCEPT { {type: "Symptom", name: "Fever"} }
            CONCEPT { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { risk: 2, form: "tablet" }
                SET PROPOSITIONS { ("treats", {type: "Symptom", name: "Headache"}) } }
        } WITH METADATA { source: "kit" }"#);
        world
    }

    /// With the bootstrap only.
    pub(crate) fn bare() -> Self {
        let clock = ManualClock::new(NOW_MS);
        let resource = Resource::space(TenantId::LOCAL, SpaceId::MEMORY);
        let scope = authorize(&Principal::local_owner(), Action::GraphWrite, resource).unwrap().scope();
        let world = World { store: MemoryStore::new(Arc::new(clock.clone())), clock, scope };
        world.transact(move |tx| Ok(cairn_graph::bootstrap(tx, &scope, NOW_MS)?)).unwrap();
        world
    }

    pub(crate) fn transact<T: Send + 'static>(
        &self,
        body: impl FnMut(&mut dyn WriteTx) -> Result<T, QueryError> + Send + 'static,
    ) -> Result<T, QueryError> {
        cairn_seam::write(&self.store, self.scope.tenant(), body).map(|(value, _)| value)
    }

    /// Carries out a command.
    pub(crate) fn found(&self, text: &str) -> Result<Found, KipError> {
        let command = parse(text)?;
        let done = if command.writes() {
            let (scope, clock) = (self.scope, self.clock.clone());
            let written = self.transact(move |tx| {
                let mut writer = Writer::new(tx, scope, NOW_MS);
                let result = write(&mut writer, &command, &clock)?;
                writer.finish()?;
                Ok(result)
            });
            written.map(Found::from)
        } else {
            let snapshot = self.store.snapshot(Position::START).unwrap();
            read(&View::new(&*snapshot, self.scope), &command, &self.clock)
        };
        done.map_err(|error| match error {
            QueryError::Kip(error) => error,
            QueryError::Store(error) => panic!("{text}: {error}"),
        })
    }

    pub(crate) fn run(&self, text: &str) -> Result<Value, KipError> {
        self.found(text).map(|found| found.result)
    }

    pub(crate) fn ok(&self, text: &str) -> Value {
        self.run(text).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
    }

    /// The answer to a command as JSON.
    pub(crate) fn json(&self, text: &str) -> String {
        self.ok(text).to_json()
    }

    /// A command fails with this code and changes nothing.
    pub(crate) fn fails(&self, text: &str, code: KipCode) -> KipError {
        let before = self.store.position();
        let error = match self.run(text) {
            Ok(result) => panic!("{text}\nanswers {}", result.to_json()),
            Err(error) => error,
        };
        assert_eq!(error.code, code, "{text}\n{error:?}");
        assert_eq!(self.store.position(), before, "{text}\nchanged something");
        error
    }

    /// The same, and the place it names reads like this.
    pub(crate) fn fails_at(&self, text: &str, code: KipCode, place: &str) -> KipError {
        let error = self.fails(text, code);
        let span = error.span.unwrap_or_else(|| panic!("{text}\nhas no place: {error:?}"));
        assert_eq!(&text[span.range()], place, "{text}\n{error:?}");
        error
    }

    /// How many concepts and links there are.
    pub(crate) fn size(&self) -> (u64, u64) {
        let snapshot = self.store.snapshot(Position::START).unwrap();
        let (mut concepts, mut links) = (0, 0);
        let view = View::new(&*snapshot, self.scope);
        view.statistics(&mut |statistic, count| {
            match statistic {
                cairn_graph::Statistic::Type(_) => concepts += count,
                cairn_graph::Statistic::Predicate(_) => links += count,
                cairn_graph::Statistic::Subjects(_)
                | cairn_graph::Statistic::Objects(_)
                | cairn_graph::Statistic::SubjectType(..)
                | cairn_graph::Statistic::ObjectType(..) => {}
            }
            cairn_seam::Visit::Continue
        })
        .unwrap();
        (concepts, links)
    }
}

fn write(writer: &mut Writer<'_>, command: &Command, clock: &ManualClock) -> Result<Value, QueryError> {
    let mut budget = Budget::new(clock, Allowance::default());
    match command {
        Command::Upsert(capsule) => cairn_query::upsert(writer, capsule, &mut budget),
        Command::Delete(delete) => cairn_query::delete(writer, delete, &mut budget),
        Command::Find(_) | Command::Describe(_) | Command::Search(_) | Command::Explain { .. } => {
            panic!("{command:?} writes nothing")
        }
    }
}

fn read(view: &View<'_>, command: &Command, clock: &ManualClock) -> Result<Found, QueryError> {
    let mut budget = Budget::new(clock, Allowance::default());
    match command {
        Command::Find(find) => cairn_query::find(view, find, Format::Columns, &mut budget),
        Command::Describe(describe) => cairn_query::describe(view, describe, None, &mut budget),
        Command::Upsert(_) | Command::Delete(_) | Command::Search(_) | Command::Explain { .. } => {
            panic!("{command:?} is not for here")
        }
    }
}

/// Part of an answer as JSON.
pub(crate) fn part(value: &Value, key: &str) -> String {
    value.get(key).unwrap_or(&Value::Null).to_json()
}
