//! Relationships that files declare, examined against the branch as it will be.

use std::collections::{BTreeSet, HashMap};

use cairn_graph::Map;

use super::claims::Claim;
use super::outlook::{Outcome, Outlook, Written, fits};
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
    /// Targets of `supersedes` of the entities that were examined.
    supersedes: HashMap<&'a str, Vec<&'a str>>,
}

impl<'o, 'a> Examining<'o, 'a> {
    pub(super) fn new(outlook: &'o Outlook<'a>) -> Self {
        Examining { outlook, supersedes: HashMap::new() }
    }

    /// Returns the valid relationships of an entity, each once. Every other one is a problem of its file.
    pub(super) fn accept(
        &mut self,
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
                    if declared.relation == Relation::Supersedes {
                        self.supersedes.entry(&input.id).or_default().push(&declared.to);
                    }
                    let metadata = metadata(declared);
                    accepted.push(Accepted { relation: declared.relation, to, metadata });
                }
                Err(message) => {
                    let error = KbError::Relationship { index, message };
                    problems.add_error(path, line, &input.id, error);
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
        let RelationshipInput { relation, from, to, .. } = declared;
        if from != id {
            return Err(format!("it starts at {}, and not at {}, its entity", cut(from), cut(id)));
        }
        check_id("to", to).map_err(|error| error.to_string())?;
        check_metadata(declared)?;
        let Some((end, kind, fact_kind)) = self.outlook.find(to) else {
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
            let right = match relation {
                Relation::Constrains => Relation::RequiresProperty,
                _ => Relation::Constrains,
            };
            return Err(format!("{} is a {fact} fact; link it by {right} instead of {relation}", cut(to)));
        }
        if *relation == Relation::Supersedes && self.reaches(to, id) {
            return Err(format!(
                "{} supersedes {} already; supersedes goes from new to old",
                cut(to),
                cut(id)
            ));
        }
        if from == EntityType::Symbol && mixes(*relation, accepted) {
            return Err(format!(
                "symbol {} cannot mix executable_for with production ownership/coverage relationships",
                cut(id)
            ));
        }
        Ok(end)
    }

    /// Whether an entity supersedes another one, perhaps by way of others, or is it.
    fn reaches(&self, from: &str, wanted: &str) -> bool {
        let mut waiting = vec![from.to_owned()];
        let mut seen = BTreeSet::new();
        while let Some(id) = waiting.pop() {
            if id == wanted {
                return true;
            }
            if !seen.insert(id.clone()) {
                continue;
            }
            let claim = self.outlook.claims.by_id.get(id.as_str());
            if claim.is_some_and(|at| matches!(self.outlook.outcomes[*at], Outcome::Write(_))) {
                let known = self.supersedes.get(id.as_str()).into_iter().flatten();
                waiting.extend(known.map(|to| (*to).to_owned()));
                continue;
            }
            let branch = self.outlook.branch;
            let Some((key, _)) = branch.find(&id) else { continue };
            let targets = branch.targets(key, Relation::Supersedes);
            let targets = targets.filter(|to| !self.outlook.leaving.contains(to));
            waiting.extend(targets.filter_map(|to| Some(branch.node(to)?.id.to_string())));
        }
        false
    }
}

/// Whether a symbol would be code of a test and production code.
fn mixes(relation: Relation, accepted: &[Accepted]) -> bool {
    let has = |wanted: &[Relation]| accepted.iter().any(|one| wanted.contains(&one.relation));
    match relation {
        Relation::ExecutableFor => has(&[Relation::Implements, Relation::CoveredBy]),
        Relation::Implements | Relation::CoveredBy => has(&[Relation::ExecutableFor]),
        _ => false,
    }
}
