//! "Did you mean …?": the known name that an unknown one may stand for.
//!
//! There are two measures. [`nearest`] and [`Nearest`] find slips of the pen, for vocabularies in which a wrong
//! guess is worse than none. [`most_alike`] is more generous, for short closed lists of options of which the
//! caller must have meant one.

/// Longer names are not compared: somebody sent a text, not a name, and comparing would take long.
const COMPARED_BYTES_MAX: usize = 128;

/// Fewer letters begin too many names.
const BEGINNING_LETTERS_MIN: usize = 4;

/// Below this, guesses mislead more often than they help.
const LIKENESS_MIN: f64 = 0.75;

/// Returns the known name that differs least from `name`, or `None` if all of them are other names.
///
/// Case and punctuation do not count: `startsWith` is `STARTS_WITH`. A third of the letters may be wrong, and one
/// of a short name.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let wanted = comparable(name)?;
    let distances = known.into_iter().filter_map(|known| Some((slip(&wanted, &comparable(known)?)?, known)));
    distances.min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

/// The same for names that come one by one and are gone afterwards, such as those in a store. One that begins with
/// the other counts as near, too: `slept` is `slept_at`.
#[derive(Debug)]
pub struct Nearest {
    /// `None` if the name is too long to be compared.
    wanted: Option<String>,
    best: Option<(usize, String)>,
}

impl Nearest {
    /// Starts the search for a name.
    pub fn to(name: &str) -> Self {
        Nearest { wanted: comparable(name), best: None }
    }

    /// Compares with one more known name.
    pub fn look_at(&mut self, known: &str) {
        let (Some(wanted), Some(plain)) = (&self.wanted, comparable(known)) else { return };
        let begun = || begins(wanted, &plain).then(|| strsim::osa_distance(wanted, &plain));
        let Some(distance) = slip(wanted, &plain).or_else(begun) else { return };
        if self.best.as_ref().is_none_or(|(best, _)| distance < *best) {
            self.best = Some((distance, known.to_owned()));
        }
    }

    /// Returns the first of the nearest names, if any was near.
    pub fn found(self) -> Option<String> {
        self.best.map(|(_, name)| name)
    }
}

/// Returns the known option that is most like `name`, or `None` if none is like it.
pub fn most_alike<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if name.len() > COMPARED_BYTES_MAX {
        return None;
    }
    let scored = known.into_iter().map(|known| (strsim::jaro_winkler(name, known), known));
    let best = scored.max_by(|one, other| one.0.total_cmp(&other.0));
    best.filter(|(likeness, _)| *likeness >= LIKENESS_MIN).map(|(_, known)| known)
}

/// A name as it is compared, unless it is too long for that.
fn comparable(name: &str) -> Option<String> {
    (name.len() <= COMPARED_BYTES_MAX).then(|| plain(name))
}

/// Letters in which a known name differs from the wanted one, unless it is another name altogether.
fn slip(wanted: &str, known: &str) -> Option<usize> {
    let allowed = (wanted.chars().count() / 3).max(1);
    let distance = strsim::osa_distance(wanted, known);
    (distance <= allowed && distance < known.chars().count()).then_some(distance)
}

/// Whether one of them is the beginning of the other, and long enough to say something: `slept` for `slept_at`.
fn begins(wanted: &str, known: &str) -> bool {
    let (short, long) = if wanted.len() < known.len() { (wanted, known) } else { (known, wanted) };
    short.chars().count() >= BEGINNING_LETTERS_MIN && long.starts_with(short)
}

/// Letters and digits in lower case: `has-SideEffect` and `has_side_effect` are the same.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wanted: &str, known: &[&str], expected: Option<&str>) {
        assert_eq!(nearest(wanted, known.iter().copied()), expected, "{wanted}");
        check_one_by_one(wanted, known, expected);
    }

    fn check_one_by_one(wanted: &str, known: &[&str], expected: Option<&str>) {
        let mut one_by_one = Nearest::to(wanted);
        known.iter().for_each(|known| one_by_one.look_at(known));
        assert_eq!(one_by_one.found().as_deref(), expected, "{wanted}");
    }

    #[test]
    fn a_misspelt_name_is_found_and_another_name_is_not() {
        let types = ["Drug", "Symptom", "ClinicalTrial", "Event", "$ConceptType"];
        check("drug", &types, Some("Drug"));
        check("Drugs", &types, Some("Drug"));
        check("Simptom", &types, Some("Symptom"));
        check("clinical_trial", &types, Some("ClinicalTrial"));
        check("ConceptType", &types, Some("$ConceptType"));
        check("Evnet", &types, Some("Event"));
        check("Person", &types, None);
        check("", &types, None);
        check("X", &["Y"], None);
        check(&"Drug".repeat(100), &types, None);
        check("treat", &["tweets", "treats"], Some("treats"));
        check("treats", &["treat", "treated"], Some("treat"));
        check("has", &["has_side_effect"], None);
        let words = ["STARTS_WITH", "IS_NULL", "REGEX", "IN", "WHERE"];
        check("startsWith", &words, Some("STARTS_WITH"));
        check("ISNULL", &words, Some("IS_NULL"));
        check("REGEXP", &words, Some("REGEX"));
        check("WEHRE", &words, Some("WHERE"));
        check("in", &words, Some("IN"));
        check("LIKE", &words, None);
        check("WHEN", &words, None);
        check(&"X".repeat(100_000), &words, None);
        let handles = ["headache", "aspirin", "fever"];
        check("headach", &handles, Some("headache"));
        check("asprin", &handles, Some("aspirin"));
        check("fevr", &handles, Some("fever"));
        check("ibuprofen", &handles, None);
        check("aaaa", &[&"a".repeat(1 << 20)], None);
    }

    #[test]
    fn the_beginning_of_a_name_in_a_store_is_near_as_well() {
        check_one_by_one("slept", &["slept_at", "swept_at"], Some("slept_at"));
        check_one_by_one("slept_at_the_hut", &["slept_at"], Some("slept_at"));
        check_one_by_one("has", &["has_side_effect"], None);
        assert_eq!(nearest("param", ["parameters"]), None);
    }

    #[test]
    fn an_option_is_guessed_more_generously() {
        let known = ["http.addr", "log.level"];
        assert_eq!(most_alike("http.adress", known), Some("http.addr"));
        assert_eq!(most_alike("loglevel", known), Some("log.level"));
        assert_eq!(most_alike("zzz", known), None);
        assert_eq!(most_alike("", known), None);
        assert_eq!(most_alike(&"http.addr".repeat(1 << 16), known), None);
        assert_eq!(most_alike("x", []), None);
    }
}
