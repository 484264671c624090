//! Which type, predicate or concept may have been meant.

use cairn_seam::Visit;

use crate::{Meta, Result, TypeId, View};

/// Longer names are not compared: somebody sent a text, not a name.
const COMPARED_BYTES_MAX: usize = 128;

/// Concepts that are compared with a name: this is for a hint, and nobody waits long for one.
const LOOKED_AT_MAX: usize = 1_000;

/// Fewer letters begin too many names.
const BEGINNING_LETTERS_MIN: usize = 4;

impl View<'_> {
    /// The registered type or predicate whose name is nearest to one that is not registered, if any is near.
    pub fn nearest(&self, of: Meta, name: &str) -> Result<Option<String>> {
        let mut best = Nearest::to(name);
        self.definitions(of, &mut |_, candidate| {
            best.look_at(candidate);
            Visit::Continue
        })?;
        Ok(best.found())
    }

    /// The concept of a type whose name is nearest to one that is not there, if any is near. Of a large type only the
    /// first concepts are looked at.
    pub fn nearest_concept(&self, kind: TypeId, name: &str) -> Result<Option<String>> {
        let (mut best, mut left) = (Nearest::to(name), LOOKED_AT_MAX);
        self.concepts_of_type(kind, None, &mut |_, record| {
            record.name().into_iter().for_each(|candidate| best.look_at(candidate));
            left -= 1;
            if left == 0 { Visit::Stop } else { Visit::Continue }
        })?;
        Ok(best.found())
    }
}

/// The best of many candidates.
struct Nearest {
    wanted: String,
    best: Option<(usize, String)>,
}

impl Nearest {
    fn to(name: &str) -> Self {
        Nearest { wanted: plain(name), best: None }
    }

    fn look_at(&mut self, candidate: &str) {
        if self.wanted.len() > COMPARED_BYTES_MAX || candidate.len() > COMPARED_BYTES_MAX {
            return;
        }
        let plain = plain(candidate);
        // A third of the letters may be wrong, and of the shortest names one.
        let allowed = (self.wanted.chars().count() / 3).max(1);
        let distance = strsim::osa_distance(&self.wanted, &plain);
        let is_near = distance <= allowed && distance < plain.chars().count();
        let is_better = self.best.as_ref().is_none_or(|(best, _)| distance < *best);
        if (is_near || begins(&self.wanted, &plain)) && is_better {
            self.best = Some((distance, candidate.to_owned()));
        }
    }

    fn found(self) -> Option<String> {
        self.best.map(|(_, name)| name)
    }
}

/// Whether one of them is the beginning of the other, and long enough to say something: `slept` for `slept_at`.
fn begins(wanted: &str, candidate: &str) -> bool {
    let (short, long) =
        if wanted.len() < candidate.len() { (wanted, candidate) } else { (candidate, wanted) };
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
        let mut nearest = Nearest::to(wanted);
        known.iter().for_each(|candidate| nearest.look_at(candidate));
        assert_eq!(nearest.found().as_deref(), expected, "{wanted}");
    }

    #[test]
    fn what_is_almost_the_name_is_meant_and_nothing_else() {
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
        check("slept", &["slept_at", "swept_at"], Some("slept_at"));
        check("slept_at_the_hut", &["slept_at"], Some("slept_at"));
        check("has", &["has_side_effect"], None);
    }
}
