//! Everything that can be asked for, one row each.

use cairn_seam::WriteClass;

use crate::Role;

/// What somebody wants to do.
///
/// The number stands in audit lines: it is chosen once and never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum Action {
    /// Gives a fresh store its node record.
    NodeInit = 1,
    /// Reads figures about the node.
    StatsRead = 2,
    /// Reads the audit trail.
    AuditRead = 3,
    /// Lists followers of the change feed.
    ConsumerRead = 4,
    /// Adds a follower of the change feed.
    ConsumerRegister = 5,
    /// Removes a follower of the change feed.
    ConsumerRemove = 6,
    /// Moves a follower's position forward.
    ConsumerAdvance = 7,
    /// Reads the change feed, or listens to it.
    FeedRead = 8,
    /// Has the whole store backed up or verified.
    Maintain = 9,
    /// Reads contexts, turns, their payloads and file trees.
    TurnsRead = 10,
    /// Makes and forks contexts, appends turns, uploads what they refer to.
    TurnsWrite = 11,
    /// Removes contexts and the turns that only they reach.
    TurnsPrune = 12,
    /// Lists users, teams, tokens and keys of a tenant.
    AccessRead = 13,
    /// Changes users, teams, tokens and keys of a tenant.
    AccessChange = 14,
    /// Lists tenants.
    TenantRead = 15,
    /// Makes tenants, and shuts them out.
    TenantChange = 16,
    /// Shows who one is.
    Authenticate = 17,
    /// Reads an artifact.
    ArtifactRead = 18,
    /// Publishes an artifact.
    ArtifactPublish = 19,
    /// Lists the ids of all artifacts of a tenant, and nothing else of them.
    ArtifactList = 20,
    /// Deletes an artifact.
    ArtifactDelete = 21,
    /// Notes in which tenant a key may be registered.
    KeyHome = 22,
    /// Reads and searches the graph of a space.
    GraphRead = 23,
    /// Writes to the graph of a space, and makes the space by doing so.
    GraphWrite = 24,
    /// Notes at the node which tenant holds an artifact.
    ArtifactHome = 25,
    /// Reads the requirements KB of a branch.
    KbRead = 26,
    /// Writes to the requirements KB of a branch, and makes it by doing so.
    KbWrite = 27,
    /// Deletes the requirements KB of a branch.
    KbDelete = 28,
}

/// Where an action can take place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Only on the node itself.
    Node,
    /// On the node or inside a tenant.
    Any,
}

/// What is known of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionRow {
    /// The action.
    pub action: Action,
    /// What people and dashboards read.
    pub name: &'static str,
    /// The least role that may do it.
    pub needs: Role,
    /// Whether it changes anything.
    pub writes: bool,
    /// Whether doing it leaves an audit line: what administrators change.
    pub audited: bool,
    /// Where it can take place.
    pub level: Level,
    /// What its transactions may use of a disk that is nearly full. An act that only takes something away
    /// may use more than others of its action: the engine's `Act` says so.
    pub class: WriteClass,
}

const fn row(
    action: Action,
    name: &'static str,
    needs: Role,
    writes: bool,
    audited: bool,
    level: Level,
    class: WriteClass,
) -> ActionRow {
    ActionRow { action, name, needs, writes, audited, level, class }
}

#[rustfmt::skip]
const TABLE: [ActionRow; 28] = [
    //                             name                   needs           writes  audited  level        class
    row(Action::NodeInit,          "node.init",           Role::Operator, true,   true,    Level::Node, WriteClass::Ordinary),
    row(Action::StatsRead,         "stats.read",          Role::Operator, false,  false,   Level::Node, WriteClass::Ordinary),
    row(Action::AuditRead,         "audit.read",          Role::Admin,    false,  false,   Level::Any,  WriteClass::Ordinary),
    row(Action::ConsumerRead,      "consumer.read",       Role::Operator, false,  false,   Level::Node, WriteClass::Ordinary),
    row(Action::ConsumerRegister,  "consumer.register",   Role::Operator, true,   true,    Level::Node, WriteClass::Ordinary),
    row(Action::ConsumerRemove,    "consumer.remove",     Role::Operator, true,   true,    Level::Node, WriteClass::Reserve),
    row(Action::ConsumerAdvance,   "consumer.advance",    Role::Operator, true,   false,   Level::Node, WriteClass::Ordinary),
    row(Action::FeedRead,          "feed.read",           Role::Reader,   false,  false,   Level::Any,  WriteClass::Ordinary),
    row(Action::Maintain,          "node.maintain",       Role::Operator, true,   true,    Level::Node, WriteClass::Reserve),
    row(Action::TurnsRead,         "turns.read",          Role::Reader,   false,  false,   Level::Any,  WriteClass::Ordinary),
    row(Action::TurnsWrite,        "turns.write",         Role::Writer,   true,   false,   Level::Any,  WriteClass::Ordinary),
    row(Action::TurnsPrune,        "turns.prune",         Role::Admin,    true,   true,    Level::Any,  WriteClass::Reserve),
    row(Action::AccessRead,        "access.read",         Role::Admin,    false,  false,   Level::Any,  WriteClass::Ordinary),
    row(Action::AccessChange,      "access.change",       Role::Admin,    true,   true,    Level::Any,  WriteClass::Ordinary),
    row(Action::TenantRead,        "tenant.read",         Role::Operator, false,  false,   Level::Node, WriteClass::Ordinary),
    row(Action::TenantChange,      "tenant.change",       Role::Operator, true,   true,    Level::Node, WriteClass::Ordinary),
    row(Action::Authenticate,      "access.authenticate", Role::Operator, false,  false,   Level::Node, WriteClass::Reserve),
    row(Action::ArtifactRead,      "artifact.read",       Role::Reader,   false,  false,   Level::Any,  WriteClass::Ordinary),
    row(Action::ArtifactPublish,   "artifact.publish",    Role::Writer,   true,   false,   Level::Any,  WriteClass::Ordinary),
    row(Action::ArtifactList,      "artifact.list",       Role::Admin,    false,  false,   Level::Any,  WriteClass::Ordinary),
    row(Action::ArtifactDelete,    "artifact.delete",     Role::Admin,    true,   true,    Level::Any,  WriteClass::Reserve),
    row(Action::KeyHome,           "access.key_home",     Role::Operator, true,   false,   Level::Node, WriteClass::Ordinary),
    row(Action::GraphRead,         "graph.read",          Role::Reader,   false,  false,   Level::Any,  WriteClass::Ordinary),
    row(Action::GraphWrite,        "graph.write",         Role::Writer,   true,   false,   Level::Any,  WriteClass::Ordinary),
    row(Action::ArtifactHome,      "artifact.home",       Role::Operator, true,   false,   Level::Node, WriteClass::Ordinary),
    row(Action::KbRead,            "kb.read",             Role::Reader,   false,  false,   Level::Any,  WriteClass::Ordinary),
    row(Action::KbWrite,           "kb.write",            Role::Writer,   true,   false,   Level::Any,  WriteClass::Ordinary),
    row(Action::KbDelete,          "kb.delete",           Role::Writer,   true,   true,    Level::Any,  WriteClass::Reserve),
];

impl Action {
    /// How many actions there are.
    pub const COUNT: usize = TABLE.len();

    /// Every action, in the order of its number.
    pub fn all() -> impl ExactSizeIterator<Item = Action> {
        TABLE.iter().map(|row| row.action)
    }

    /// What is known of it.
    pub fn row(self) -> &'static ActionRow {
        &TABLE[self.index()]
    }

    /// Its place in the table: dense, for arrays, and not for storing.
    pub fn index(self) -> usize {
        usize::from(self.number()) - 1
    }

    /// The number that is stored.
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// The action a stored number means.
    pub fn from_number(number: u16) -> Option<Action> {
        TABLE.iter().map(|row| row.action).find(|action| action.number() == number)
    }

    /// What people and dashboards read.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether it is for administrators only, of a tenant or of the node.
    pub fn is_administrative(self) -> bool {
        matches!(self.row().needs, Role::Admin | Role::Operator)
    }

    /// Whether doing it leaves an audit line.
    pub fn is_audited(self) -> bool {
        self.row().audited
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_table_is_dense_and_its_names_are_unique() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!((row.action.index(), row.action.row()), (index, row), "{}", row.name);
            assert_eq!(Action::from_number(row.action.number()), Some(row.action));
        }
        let names: BTreeSet<_> = TABLE.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), Action::COUNT);
        assert_eq!((Action::from_number(0), Action::from_number(u16::MAX)), (None, None));
    }
}
