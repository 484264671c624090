//! The search against brute force over small domains.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{conflicts_by, fields};
use crate::{FactFields, Operator};

/// A claim in seconds or minutes, over values from -2 to 5 minutes.
#[derive(Debug, Clone)]
struct Small {
    requirement: usize,
    forbid: bool,
    operator: Operator,
    int: bool,
    /// Whole units.
    count: i64,
    /// Half a unit more, of a `number`.
    half: bool,
    minute: bool,
    scope: &'static str,
    from: &'static str,
    to: &'static str,
}

impl Small {
    fn fields(&self) -> FactFields {
        let value = match (self.int, self.half) {
            (true, _) => format!("int:{}", self.count),
            (false, half) => format!("number:{}.{}", self.count, if half { 5 } else { 0 }),
        };
        fields(&format!(
            "{}{} {value} unit={} scope={} from={} to={}",
            if self.forbid { "forbid " } else { "" },
            self.operator,
            if self.minute { "min" } else { "s" },
            self.scope,
            self.from,
            self.to
        ))
    }

    /// Steps of a quarter second in its unit.
    fn unit(&self) -> i64 {
        if self.minute { 240 } else { 4 }
    }

    fn holds(&self, at: i64) -> bool {
        let value = self.count * self.unit() + if self.half && !self.int { self.unit() / 2 } else { 0 };
        let holds = match self.operator {
            Operator::Eq => at == value,
            Operator::Neq => at != value,
            Operator::Lt => at < value,
            Operator::Lte => at <= value,
            Operator::Gt => at > value,
            Operator::Gte => at >= value,
        };
        holds != self.forbid
    }

    fn meets(&self, other: &Self) -> bool {
        let scopes = self.scope == other.scope || self.scope.is_empty() || other.scope.is_empty();
        let before = |one: &Self, other: &Self| !one.to.is_empty() && one.to < other.from;
        scopes && !before(self, other) && !before(other, self) && !before(self, self) && !before(other, other)
    }
}

/// Whether no value is left: over quarter seconds, or over the integers of one unit.
fn impossible(set: &[&Small]) -> bool {
    let none = |set: &[&Small], step: usize| {
        !(-480..=1_200).step_by(step).any(|at| set.iter().all(|claim| claim.holds(at)))
    };
    let of = |minute: bool| -> Vec<&Small> {
        set.iter().copied().filter(|claim| claim.int && claim.minute == minute).collect()
    };
    none(set, 1) || none(&of(false), 4) || none(&of(true), 240)
}

/// Smallest impossible sets with a `require` whose claims meet, as sets of the names of facts.
fn expected(claims: &[Small], only: Option<usize>) -> BTreeSet<Vec<String>> {
    let mut all = BTreeSet::new();
    for mask in 1_u32..1 << claims.len() {
        let places: Vec<usize> = (0..claims.len()).filter(|at| mask & (1 << at) != 0).collect();
        let set: Vec<&Small> = places.iter().map(|at| &claims[*at]).collect();
        let meet = set.iter().enumerate().all(|(at, one)| set[..at].iter().all(|other| one.meets(other)));
        let wanted = only.is_none_or(|only| set.iter().any(|claim| claim.requirement == only));
        let smallest = || (0..set.len()).all(|at| !impossible(&[&set[..at], &set[at + 1..]].concat()));
        if meet && wanted && set.iter().any(|claim| !claim.forbid) && impossible(&set) && smallest() {
            all.insert(places.iter().map(|at| format!("F{at}")).collect());
        }
    }
    all
}

fn check(claims: &[Small]) -> Result<(), TestCaseError> {
    let names = ["R0", "R1", "R2"];
    let holders: Vec<(&str, FactFields)> =
        claims.iter().map(|claim| (names[claim.requirement], claim.fields())).collect();
    for only in [None, Some(0), Some(1)] {
        let found = conflicts_by(&holders, only.map(|only| names[only]));
        let sets: Vec<Vec<String>> = found
            .list
            .iter()
            .map(|conflict| conflict.facts.iter().map(|fact| fact.to_string()).collect())
            .collect();
        let distinct: BTreeSet<Vec<String>> = sets.iter().cloned().collect();
        prop_assert_eq!(sets.len(), distinct.len(), "a conflict twice");
        prop_assert_eq!(distinct, expected(claims, only));
        prop_assert!(!found.cut);
        for conflict in &found.list {
            let owners: BTreeSet<&str> =
                conflict.facts.iter().map(|fact| holders[fact[1..].parse::<usize>().unwrap()].0).collect();
            prop_assert!(conflict.requirements.iter().map(|id| &**id).eq(owners));
        }
    }
    Ok(())
}

/// Claims of one unit with open gates, so that larger sets are common.
fn plain(int: BoxedStrategy<bool>) -> impl Strategy<Value = Small> {
    let operator = proptest::sample::select(Operator::ALL);
    (0..3_usize, proptest::bool::weighted(0.4), operator, int, 0..4_i64, any::<bool>()).prop_map(
        |(requirement, forbid, operator, int, count, half)| Small {
            requirement,
            forbid,
            operator,
            int,
            count,
            half,
            minute: false,
            scope: "",
            from: "",
            to: "",
        },
    )
}

/// Claims with every trait.
fn full() -> impl Strategy<Value = Small> {
    let moment = || proptest::sample::select(vec!["", "", "1", "2", "3"]);
    let scope = proptest::sample::select(vec!["", "", "a", "b"]);
    (plain(any::<bool>().boxed()), any::<bool>(), scope, moment(), moment()).prop_map(
        |(claim, minute, scope, from, to)| Small {
            count: if minute { claim.count % 2 } else { claim.count * 30 },
            minute,
            scope,
            from,
            to,
            ..claim
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn integers_equal_brute_force(claims in proptest::collection::vec(plain(Just(true).boxed()), 1..6)) {
        check(&claims)?;
    }

    #[test]
    fn numbers_equal_brute_force(claims in proptest::collection::vec(plain(any::<bool>().boxed()), 1..6)) {
        check(&claims)?;
    }

    #[test]
    fn units_scopes_and_windows_equal_brute_force(claims in proptest::collection::vec(full(), 1..6)) {
        check(&claims)?;
    }
}
