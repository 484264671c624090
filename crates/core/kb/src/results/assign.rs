//! Cases and the tests that they belong to.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::locate::{Group, Located, Near, Run};
use super::place::{PathEnd, Reading, places, plain_path, readings, sources};
use super::word;
use crate::branch::{Branch, NodeKey};
use crate::entity::cut;
use crate::limits::{RESULT_TESTS_MAX, RESULTS_LISTED_MAX};
use crate::model::EntityType;
use crate::tools::{ResultCase, ResultStatus, UnmatchedCase};
use crate::{KbError, Result};

/// Tests that an ambiguous case names.
const CANDIDATES_MAX: usize = 5;

/// Results by test.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assigned {
    /// The outcome of each test and the number of its cases: failing if one of them fails, passing if one passes.
    pub tests: BTreeMap<NodeKey, (ResultStatus, u64)>,
    /// Cases that belong to at least one test.
    pub matched: u64,
    /// Cases that belong to none, as many as are listed.
    pub unmatched: Vec<UnmatchedCase>,
    /// Number of cases that belong to none.
    pub unmatched_count: u64,
}

/// Finds the tests of a branch that cases belong to. Fails if they are more than one import can change.
pub fn assign_results(branch: &Branch, cases: &[ResultCase]) -> Result<Assigned> {
    let tests = Tests {
        branch,
        located: Located::of(branch, run_of(cases)),
        words_max: branch
            .by_type(Some(EntityType::Test))
            .map(|(_, node)| word::count(&node.id))
            .max()
            .unwrap_or(0),
    };
    let found: Vec<Found> = cases.iter().map(|case| tests.of(case)).collect();
    let claims = Claims::of(&found);
    let mut assigned = Assigned::default();
    // Tests with the same source have the same results, which are counted once.
    let mut groups: BTreeMap<Group, Outcome> = BTreeMap::new();
    for (case, Found { groups: wanted, named, candidates }) in cases.iter().zip(&found) {
        let one = (case.status, 1);
        let (located, lost): (BTreeSet<Group>, BTreeSet<Group>) =
            wanted.keys().copied().partition(|group| claims.holds(*group, &wanted[group]));
        let is_new =
            |key: &&NodeKey| tests.located.group_of(**key).is_none_or(|group| !located.contains(&group));
        let named: Vec<NodeKey> = named.iter().filter(is_new).copied().collect();
        if located.is_empty() && named.is_empty() {
            assigned.unmatched_count += 1;
            if assigned.unmatched.len() < RESULTS_LISTED_MAX {
                let candidates = tests.ids(candidates.iter().chain(&lost));
                assigned.unmatched.push(UnmatchedCase { case: shown(case), status: case.status, candidates });
            }
            continue;
        }
        assigned.matched += 1;
        located.into_iter().for_each(|group| add(&mut groups, group, one));
        named.into_iter().for_each(|key| add(&mut assigned.tests, key, one));
    }
    for (group, outcome) in groups {
        tests.located.tests(group).iter().for_each(|key| add(&mut assigned.tests, *key, outcome));
    }
    let count = assigned.tests.len();
    if count > RESULT_TESTS_MAX {
        let message = format!(
            "they belong to {count} tests, more than the {RESULT_TESTS_MAX} of one import; import fewer reports at once"
        );
        return Err(KbError::argument("cases", message));
    }
    Ok(assigned)
}

/// An outcome and its number of cases.
type Outcome = (ResultStatus, u64);

fn add<K: Ord>(outcomes: &mut BTreeMap<K, Outcome>, key: K, (status, count): Outcome) {
    let (known, counted) = outcomes.entry(key).or_insert((status, 0));
    *known = both(*known, status);
    *counted += count;
}

/// The outcome of a test with two cases.
pub(super) fn both(one: ResultStatus, other: ResultStatus) -> ResultStatus {
    use ResultStatus::{Failing, Passing, Skipped};
    match (one, other) {
        (Failing, _) | (_, Failing) => Failing,
        (Passing, _) | (_, Passing) => Passing,
        (Skipped, Skipped) => Skipped,
    }
}

struct Tests<'a> {
    branch: &'a Branch,
    located: Located,
    /// Words of the longest id.
    words_max: usize,
}

/// How well a source fits a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The case is of a class nested in that of the source.
    Outer,
    /// The source is one of those that may fit.
    Near,
    /// The source is that of the case.
    Whole,
}

/// A source that fits a case, and the file, module or package that the case comes from.
type Claim = (Fit, String);

/// Tests that a case may belong to.
#[derive(Debug, Default)]
struct Found {
    /// By their source.
    groups: BTreeMap<Group, Claim>,
    /// By their id.
    named: BTreeSet<NodeKey>,
    /// By their source, in several files.
    candidates: BTreeSet<Group>,
}

/// The claims of all cases to each source.
struct Claims<'a>(HashMap<Group, Best<'a>>);

/// The best fit to a source.
struct Best<'a> {
    fit: Fit,
    origin: &'a str,
    /// Whether cases from different files, modules or packages fit as well.
    is_shared: bool,
}

impl<'a> Claims<'a> {
    fn of(found: &'a [Found]) -> Self {
        let mut claims: HashMap<Group, Best<'a>> = HashMap::new();
        for (group, (fit, origin)) in found.iter().flat_map(|found| &found.groups) {
            let best = claims.entry(*group).or_insert(Best { fit: *fit, origin, is_shared: false });
            if *fit > best.fit {
                *best = Best { fit: *fit, origin, is_shared: false };
            } else if *fit == best.fit {
                best.is_shared |= best.origin != origin;
            }
        }
        Claims(claims)
    }

    /// Whether no case has a better claim, and none from elsewhere one as good.
    fn holds(&self, group: Group, (fit, _): &Claim) -> bool {
        self.0.get(&group).is_some_and(|best| best.fit == *fit && (*fit == Fit::Whole || !best.is_shared))
    }
}

impl Tests<'_> {
    /// The tests that a case may belong to.
    fn of(&self, case: &ResultCase) -> Found {
        let mut found = Found { named: self.named(case), ..Found::default() };
        for reading in readings(case) {
            self.located(case, &reading, &mut found);
            if !found.groups.is_empty() || !found.candidates.is_empty() {
                break;
            }
        }
        found
    }

    /// Adds tests by their source.
    fn located(&self, case: &ResultCase, reading: &Reading<'_>, found: &mut Found) {
        let fit = |is_whole| {
            if reading.is_outer {
                Fit::Outer
            } else if is_whole {
                Fit::Whole
            } else {
                Fit::Near
            }
        };
        // Classes that are nested in the same one are different ones.
        let origin = |of: &str| match &case.class {
            Some(class) if reading.is_outer => class.clone(),
            Some(_) | None => of.to_owned(),
        };
        let whole = sources(case, reading);
        let whole = whole.iter().filter_map(|source| self.located.with_source(source));
        found.groups.extend(whole.map(|group| (group, (fit(true), origin("")))));
        if !found.groups.is_empty() {
            return;
        }
        let mut near: Vec<(Near, String)> = Vec::new();
        for place in places(case, reading) {
            // An absolute path is that of another machine.
            if !matches!(&place.path, PathEnd::File(file) if file.starts_with('/')) {
                let origin = origin(place.origin());
                near.extend(self.located.at(&place).into_iter().map(|near| (near, origin.clone())));
            }
        }
        let files: BTreeSet<&str> = near.iter().map(|(near, _)| near.path.as_str()).collect();
        if files.len() > 1 {
            found.candidates.extend(near.iter().map(|(near, _)| near.group));
            return;
        }
        for (Near { group, is_whole, .. }, origin) in near {
            found.groups.entry(group).or_insert((fit(is_whole), origin));
        }
    }

    /// Ids of the first tests of some groups.
    fn ids<'a>(&self, groups: impl Iterator<Item = &'a Group>) -> Vec<String> {
        let tests = groups.flat_map(|group| self.located.tests(*group));
        let nodes = tests.filter_map(|key| self.branch.node(*key));
        nodes.take(CANDIDATES_MAX).map(|node| node.id.to_string()).collect()
    }

    /// Tests whose id stands in the name or in a property.
    fn named(&self, case: &ResultCase) -> BTreeSet<NodeKey> {
        let properties = case.properties.iter().flat_map(|property| [&property.name, &property.value]);
        let texts = std::iter::once(&case.name).chain(properties);
        let ids = texts.flat_map(|text| word::pieces(text, self.words_max));
        let found = ids.filter_map(|id| self.branch.find(id));
        found.filter(|(_, node)| node.kind == EntityType::Test).map(|(key, _)| key).collect()
    }
}

/// What all cases of a run say together.
fn run_of(cases: &[ResultCase]) -> Run {
    let classes = cases.iter().filter_map(|case| case.class.as_deref());
    let packages = classes.clone().filter(|class| !class.contains(['.', ' ']));
    let packages: HashSet<&str> = packages.filter_map(|class| class.split("::").next()).collect();
    let folders: HashSet<&str> = classes.filter(|class| is_import_path(class)).collect();
    let mut folders = folders.into_iter();
    let first: Vec<&str> = folders.next().unwrap_or_default().split('/').collect();
    let mut shared = None;
    for folder in folders {
        let same = first.iter().zip(folder.split('/')).take_while(|(one, other)| **one == *other).count();
        shared = Some(shared.unwrap_or(first.len()).min(same));
    }
    // Packages of several modules have nothing in common.
    Run { has_one_package: packages.len() == 1, go_shared: shared.filter(|shared| *shared > 0) }
}

/// Whether a class can be the import path of a Go package, and is neither a file nor a Rust binary.
fn is_import_path(class: &str) -> bool {
    let name = class.rsplit('/').next().unwrap_or(class);
    class.contains('/') && !name.contains('.') && !class.contains(['\\', ' ', '$']) && !class.contains("::")
}

/// A case as a source would name it.
fn shown(case: &ResultCase) -> String {
    let before = [&case.file, &case.class, &case.suite].into_iter().flatten().find(|text| !text.is_empty());
    match before {
        Some(before) => format!("{}::{}", cut(&plain_path(before)), cut(&case.name)),
        None => cut(&case.name).to_owned(),
    }
}
