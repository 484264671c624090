//! Limits of the search, and groups too large for comparing each pair.

use super::{conflicts, conflicts_by, fields};
use crate::{CONFLICT_CLAIMS_MAX, CONFLICTS_PER_GROUP_MAX, FactFields};

#[test]
fn conflicts_per_group_end_at_the_limit() {
    for (low, high, cut) in [(25, 40, false), (25, 41, true)] {
        // Claims of further scopes do not count the conflicts outside of scopes again.
        let scoped = vec!["gte int:0 scope=a", "gte int:0 scope=b"];
        let claims: Vec<&str> = [vec!["gte int:10"; low], vec!["lte int:5"; high], scoped].concat();
        let found = conflicts(&claims);
        assert_eq!((found.list.len(), found.cut), (CONFLICTS_PER_GROUP_MAX, cut));
    }
}

#[test]
fn sets_end_at_the_limit() {
    for (holes, expected) in [(CONFLICT_CLAIMS_MAX - 2, (1, false)), (CONFLICT_CLAIMS_MAX - 1, (0, true))] {
        let bounds = ["gte int:1".to_owned(), format!("lte int:{holes}")];
        let mut claims: Vec<String> = (1..=holes).map(|at| format!("neq int:{at}")).chain(bounds).collect();
        for _ in 0..claims.len() {
            claims.rotate_left(1);
            let found = conflicts(&claims.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!((found.list.len(), found.cut), expected, "{claims:?}");
        }
    }
}

/// Compared pair by pair these would visit a hundred million claims, far more than the limit on steps.
#[test]
fn large_groups_without_conflicts_are_searched_to_the_end() {
    let rows: [&dyn Fn(usize) -> String; 4] = [
        &|at| format!("{} int:{at}", if at % 2 == 0 { "gte" } else { "neq" }),
        &|at| format!("eq int:{at} from={at:06} to={at:06}"),
        &|at| format!("eq string:v{} scope={}", at % 3, at % 3),
        &|at| format!("forbid {} int:{at}", if at % 2 == 0 { "gte" } else { "lt" }),
    ];
    for row in rows {
        let claims: Vec<(&str, FactFields)> = (0..10_000).map(|at| ("R", fields(&row(at)))).collect();
        let found = conflicts_by(&claims, None);
        assert_eq!((found.list.len(), found.cut), (0, false), "{}", row(0));
    }
}

/// Claims whose scopes alone keep them apart: the worst case, ended by the limit on steps.
#[test]
fn a_group_built_to_be_slow_ends_and_says_so() {
    let claims: Vec<(&str, FactFields)> =
        (0..5_000)
            .map(|at| {
                if at % 2 == 0 {
                    format!("gte int:{at}")
                } else {
                    format!("eq int:{} scope={at}", at + 9_999)
                }
            })
            .map(|claim| ("R", fields(&claim)))
            .collect();
    let found = conflicts_by(&claims, None);
    assert_eq!((found.list.len(), found.cut), (0, true));
}
