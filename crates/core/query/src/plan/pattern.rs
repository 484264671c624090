//! Patterns taken apart: whatever stands inside another becomes an atom of its own.

use cairn_kip::tree::{ConceptMatch, Predicate, PropositionMatch, Term, Text, Triple};
use cairn_kip::{KipCode, KipError};

use super::Slot;
use super::atom::{Atom, ElementAtom, End, LinkAtom, PathAtom, Predicates, Test};
use super::build::Builder;
use super::scope::Space;
use crate::Result;

impl Builder<'_> {
    /// `?v {…}`
    pub(super) fn concept(
        &mut self,
        variable: &Text,
        matcher: &ConceptMatch,
        place: &mut Place<'_>,
    ) -> Result<()> {
        let slot = place.space.slot(&variable.node, &mut self.places);
        let test = self.grounding.concepts(&mut self.names, matcher, place.is_mandatory)?;
        place.atoms.push(Atom::Element(ElementAtom { slot, test }));
        Ok(())
    }

    /// `?l (…)` or `(…)`
    pub(super) fn proposition(
        &mut self,
        variable: Option<&Text>,
        matcher: &PropositionMatch,
        place: &mut Place<'_>,
    ) -> Result<()> {
        let slot = variable.map(|variable| place.space.slot(&variable.node, &mut self.places));
        self.link(slot, matcher, place)
    }

    fn link(&mut self, link: Option<Slot>, matcher: &PropositionMatch, place: &mut Place<'_>) -> Result<()> {
        match matcher {
            PropositionMatch::Id { id, .. } => {
                let test = self.grounding.link(id, place.is_mandatory)?;
                let slot = link.unwrap_or_else(|| self.places.add_hidden());
                place.atoms.push(Atom::Element(ElementAtom { slot, test }));
                Ok(())
            }
            PropositionMatch::Triple(triple) => self.triple(link, triple, place),
        }
    }

    fn triple(&mut self, link: Option<Slot>, triple: &Triple, place: &mut Place<'_>) -> Result<()> {
        let subject = self.end(&triple.subject, place)?;
        let object = self.end(&triple.object, place)?;
        let atom = match &triple.predicate {
            Predicate::OneOf(names) => {
                let mut ids = Vec::with_capacity(names.len());
                for name in names {
                    let id = self.names.predicate(name)?;
                    // `"a" | "a"` is one predicate, and its links match once.
                    if !ids.contains(&id) {
                        ids.push(id);
                    }
                }
                Atom::Link(LinkAtom { link, subject, predicates: Predicates::OneOf(ids), object })
            }
            Predicate::Variable(variable) => {
                let slot = place.space.slot(&variable.node, &mut self.places);
                Atom::Link(LinkAtom { link, subject, predicates: Predicates::Variable(slot), object })
            }
            Predicate::Path { name, least, most, .. } => {
                let predicate = self.names.predicate(name)?;
                Atom::Path(PathAtom { link, subject, predicate, least: *least, most: *most, object })
            }
        };
        place.atoms.push(atom);
        Ok(())
    }

    fn end(&mut self, term: &Term, place: &mut Place<'_>) -> Result<End> {
        match term {
            Term::Variable(variable) => Ok(End::Slot(place.space.slot(&variable.node, &mut self.places))),
            Term::Concept { variable, matcher } => {
                let test = self.grounding.concepts(&mut self.names, matcher, place.is_mandatory)?;
                let slot = match (variable, &test) {
                    (Some(variable), _) => place.space.slot(&variable.node, &mut self.places),
                    // The type of an end stands in the index: nothing needs to be kept.
                    (None, Test::Type(_)) => return Ok(End::Any(test)),
                    // To start from.
                    (None, Test::OneOf(_)) => self.places.add_hidden(),
                };
                place.atoms.push(Atom::Element(ElementAtom { slot, test }));
                Ok(End::Slot(slot))
            }
            Term::Proposition { variable, matcher } => {
                refuse_path(matcher)?;
                let slot = match variable {
                    Some(variable) => place.space.slot(&variable.node, &mut self.places),
                    None => self.places.add_hidden(),
                };
                self.link(Some(slot), matcher, place)?;
                Ok(End::Slot(slot))
            }
        }
    }
}

/// Where the atoms of a pattern go.
pub(super) struct Place<'a> {
    pub(super) atoms: &'a mut Vec<Atom>,
    pub(super) space: &'a mut Space,
    pub(super) is_mandatory: bool,
}

/// A path is not a link that something could be said about.
fn refuse_path(matcher: &PropositionMatch) -> Result<()> {
    if let PropositionMatch::Triple(triple) = matcher
        && let Predicate::Path { span, .. } = &triple.predicate
    {
        let message = "a path of hops is not one link, so it cannot be the end of another";
        return Err(KipError::new(KipCode::InvalidSyntax, message)
            .hint("leave the hops out, or match the path in a clause of its own")
            .at(*span)
            .into());
    }
    Ok(())
}
