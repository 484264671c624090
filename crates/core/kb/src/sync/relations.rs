//! Relationships that files declare, examined against the branch as it will be.

use std::collections::BTreeSet;

use cairn_graph::Map;

use super::circles::{self, Circles};
use super::claims::Claim;
use super::outlook::{Outlook, Written, fits};
use super::plan::End;
use super::problems::Problems;
use crate::KbError;
use crate::entity::{check_id, cut};
use crate::limits;
use crate::model::{EntityType, Relation};
use crate::tools::RelationshipInput;
use crate::write::{check_metadata, metadata};

/// A relationship of an entity as it will be.
#[derive(Debug, Clone)]
pub(super) struct Accepted {
    pub(super) relation: Relation,
    pub(super) to: End,
    pub(super) metadata: Map,
}

/// Relationships of the entities that become what their files say.
pub(super) struct Examining<'o, 'a> {
    outlook: &'o Outlook<'a>,
    circles: &'o Circles<'a>,
}

/// What to do about a relationship that is wrong.
pub(super) const HINT: &str = "correct the link, or the entity that it names";

impl<'o, 'a> Examining<'o, 'a> {
    pub(super) fn new(outlook: &'o Outlook<'a>, circles: &'o Circles<'a>) -> Self {
        Examining { outlook, circles }
    }

    /// Returns the valid relationships of an entity, each once. Every other one is a problem of its file.
    pub(super) fn accept(
        &self,
        claim: &Claim<'a>,
        written: &Written,
        problems: &mut Problems,
    ) -> Vec<Accepted> {
        let Claim { path, line, input, .. } = *claim;
        if input.relationships.len() > limits::UPSERT_RELATIONSHIPS_MAX {
            let (count, max) = (input.relationships.len() as u64, limits::UPSERT_RELATIONSHIPS_MAX as u64);
            let error = KbError::TooLarge { what: "relationships of one entity", count, max };
            problems.add_error(path, line, &input.id, error);
            return Vec::new();
        }
        let mut accepted: Vec<Accepted> = Vec::with_capacity(input.relationships.len());
        let mut seen = BTreeSet::new();
        for (index, declared) in input.relationships.iter().enumerate() {
            if !seen.insert((declared.relation, declared.to.as_str())) {
                continue;
            }
            match self.examine(input.id.as_str(), written, declared, &accepted) {
                Ok(to) => {
                    let metadata = metadata(declared);
                    accepted.push(Accepted { relation: declared.relation, to, metadata });
                }
                Err(message) => {
                    let line = claim.line_of(index);
                    problems.add(path, line, Some(&input.id), message, Some(HINT.to_owned()));
                }
            }
        }
        accepted
    }

    /// Checks one relationship, and returns its target.
    fn examine(
        &self,
        id: &str,
        written: &Written,
        declared: &RelationshipInput,
        accepted: &[Accepted],
    ) -> Result<End, String> {
        let end = target_of(self.outlook, id, written, declared)?;
        let RelationshipInput { relation, to, .. } = declared;
        if *relation == Relation::Supersedes && self.circles.holds(id, to) {
            return Err(circles::message(cut(id), cut(to)));
        }
        if written.entity.kind == EntityType::Symbol && mixes(*relation, accepted) {
            return Err(format!(
                "symbol {} cannot mix executable_for with production ownership/coverage relationships",
                cut(id)
            ));
        }
        Ok(end)
    }
}

/// Checks a relationship by itself, and returns its target.
pub(super) fn target_of(
    outlook: &Outlook<'_>,
    id: &str,
    written: &Written,
    declared: &RelationshipInput,
) -> Result<End, String> {
    let RelationshipInput { relation, from, to, .. } = declared;
    if from != id {
        return Err(format!("it starts at {}, and not at {}, its entity", cut(from), cut(id)));
    }
    check_id("to", to).map_err(|error| error.to_string())?;
    check_metadata(declared)?;
    let Some((end, kind, fact_kind)) = outlook.find(to) else {
        return Err(format!("{relation} {}: there is no such entity", cut(to)));
    };
    let from = written.entity.kind;
    if !relation.allows(from, kind) {
        let pairs = relation.pairs().unwrap_or_default().iter();
        let pairs: Vec<_> = pairs.map(|(from, to)| format!("{from} -> {to}")).collect();
        return Err(format!(
            "{relation} {} cannot link a {from} to a {kind}; it links {}",
            cut(to),
            pairs.join(", ")
        ));
    }
    if !fits(*relation, from, kind, fact_kind) {
        let fact = fact_kind.map(|fact| fact.text()).unwrap_or_default();
        let is_subject = *relation == Relation::RequiresProperty;
        let right = if is_subject { Relation::Constrains } else { Relation::RequiresProperty };
        return Err(format!("{} is a {fact} fact; link it by {right} instead of {relation}", cut(to)));
    }
    Ok(end)
}

/// Whether a symbol would be code of a test and production code.
fn mixes(relation: Relation, accepted: &[Accepted]) -> bool {
    let has = |wanted: &[Relation]| accepted.iter().any(|one| wanted.contains(&one.relation));
    let (of_test, of_code) = (&[Relation::ExecutableFor], &[Relation::Implements, Relation::CoveredBy]);
    (of_test.contains(&relation) && has(of_code)) || (of_code.contains(&relation) && has(of_test))
}
