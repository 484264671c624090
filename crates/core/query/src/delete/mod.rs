//! DELETE: keys, propositions or concepts, wherever a pattern matches.

use cairn_base::Value;
use cairn_graph::{ConceptId, Element, LinkId, Part, Writer};
use cairn_kip::tree::{Delete, Deleted, ElementKind, Text};
use cairn_kip::{KipCode, KipError};

use crate::{Budget, QueryError, matches};

/// Deletes what a pattern matches, and says how much that was. The caller finishes the writer, or gives
/// up the transaction if this fails: a protected element anywhere in the set fails all of it.
///
/// A target of the wrong kind fails all of it as well: DELETE PROPOSITIONS deletes no concepts, and DELETE
/// CONCEPT no links but those of its concepts.
pub fn delete(
    writer: &mut Writer<'_>,
    delete: &Delete,
    budget: &mut Budget<'_>,
) -> Result<Value, QueryError> {
    if let Deleted::Metadata(keys) = &delete.what {
        refuse_reserved(keys)?;
    }
    let wanted = match &delete.what {
        Deleted::Attributes(_) | Deleted::Metadata(_) => None,
        Deleted::Propositions => Some(ElementKind::Proposition),
        Deleted::Concept => Some(ElementKind::Concept),
    };
    let found = matches(&writer.view(), &delete.pattern, &delete.target, wanted, budget)?;
    let outcome = match &delete.what {
        Deleted::Attributes(keys) => remove_keys(writer, &found, Part::Attributes, keys, budget),
        Deleted::Metadata(keys) => remove_keys(writer, &found, Part::Metadata, keys, budget),
        Deleted::Propositions => propositions(writer, &links_of(&found)),
        Deleted::Concept => concepts(writer, &concepts_of(&found)),
    };
    outcome.map_err(|error| error.at(delete.target.span))
}

const STEPS_PER_ELEMENT: u32 = 64;

fn remove_keys(
    writer: &mut Writer<'_>,
    found: &[Element],
    part: Part,
    keys: &[Text],
    budget: &mut Budget<'_>,
) -> Result<Value, QueryError> {
    let keys: Vec<String> = keys.iter().map(|key| key.node.clone()).collect();
    let (mut concepts, mut links) = (0, 0);
    for element in found {
        // Each is read, and may be long, also where nothing changes.
        budget.steps(STEPS_PER_ELEMENT)?;
        let changed = u64::from(writer.remove_keys(*element, part, &keys)?);
        match element {
            Element::Concept(_) => concepts += changed,
            Element::Link(_) => links += changed,
        }
    }
    Ok(counts([("updated_concepts", concepts), ("updated_propositions", links)]))
}

fn propositions(writer: &mut Writer<'_>, links: &[LinkId]) -> Result<Value, QueryError> {
    Ok(counts([("deleted_propositions", writer.delete_links(links)?)]))
}

fn concepts(writer: &mut Writer<'_>, concepts: &[ConceptId]) -> Result<Value, QueryError> {
    let deleted = writer.delete_concepts(concepts)?;
    Ok(counts([("deleted_concepts", deleted.concepts), ("deleted_propositions", deleted.links)]))
}

fn links_of(found: &[Element]) -> Vec<LinkId> {
    let link = |element: &Element| match element {
        Element::Link(id) => Some(*id),
        Element::Concept(_) => None,
    };
    found.iter().filter_map(link).collect()
}

fn concepts_of(found: &[Element]) -> Vec<ConceptId> {
    let concept = |element: &Element| match element {
        Element::Concept(id) => Some(*id),
        Element::Link(_) => None,
    };
    found.iter().filter_map(concept).collect()
}

/// Nobody takes away what the engine keeps, also where nothing matches.
fn refuse_reserved(keys: &[Text]) -> Result<(), KipError> {
    let Some(key) = keys.iter().find(|key| key.node.starts_with('_')) else { return Ok(()) };
    let message = format!("{:?} is kept by the engine", key.node);
    let hint = "keys of metadata that begin with _ can be read, and neither written nor deleted";
    Err(KipError::new(KipCode::ConstraintViolation, message).hint(hint).at(key.span))
}

fn counts<const N: usize>(counts: [(&str, u64); N]) -> Value {
    Value::Object(counts.map(|(name, count)| (name.to_owned(), Value::from(count))).into())
}
