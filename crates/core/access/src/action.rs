//! Everything that can be asked for, one row each.

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
    /// Whether it is for administrators only.
    pub administrative: bool,
    /// Whether it changes anything.
    pub writes: bool,
    /// Where it can take place.
    pub level: Level,
}

const fn row(
    action: Action,
    name: &'static str,
    administrative: bool,
    writes: bool,
    level: Level,
) -> ActionRow {
    ActionRow { action, name, administrative, writes, level }
}

#[rustfmt::skip]
const TABLE: [ActionRow; 12] = [
    //                             name                 administrative  writes  level
    row(Action::NodeInit,         "node.init",          true,           true,   Level::Node),
    row(Action::StatsRead,        "stats.read",         true,           false,  Level::Node),
    row(Action::AuditRead,        "audit.read",         true,           false,  Level::Any),
    row(Action::ConsumerRead,     "consumer.read",      false,          false,  Level::Node),
    row(Action::ConsumerRegister, "consumer.register",  true,           true,   Level::Node),
    row(Action::ConsumerRemove,   "consumer.remove",    true,           true,   Level::Node),
    row(Action::ConsumerAdvance,  "consumer.advance",   false,          true,   Level::Node),
    row(Action::FeedRead,         "feed.read",          false,          false,  Level::Any),
    row(Action::Maintain,         "node.maintain",      true,           true,   Level::Node),
    row(Action::TurnsRead,        "turns.read",         false,          false,  Level::Any),
    row(Action::TurnsWrite,       "turns.write",        false,          true,   Level::Any),
    row(Action::TurnsPrune,       "turns.prune",        true,           true,   Level::Any),
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

    /// Whether it is for administrators only.
    pub fn is_administrative(self) -> bool {
        self.row().administrative
    }

    /// Whether doing it leaves an audit line: administrative acts that change something.
    pub fn is_audited(self) -> bool {
        self.row().administrative && self.row().writes
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
