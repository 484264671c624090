//! Removing single attributes and metadata.

use super::{Writer, content};
use crate::element::has_text;
use crate::{Element, Map, Part, Result, protected};

impl Writer<'_> {
    /// Removes keys of a concept or link that is there, and says whether it had any of them.
    pub fn remove_keys(&mut self, element: Element, part: Part, keys: &[String]) -> Result<bool> {
        content::check_keys(part, keys.iter())?;
        match element {
            Element::Concept(id) => {
                let mut concept = self.concept(id)?;
                let entries = self.entries(&concept)?;
                let stored = match part {
                    Part::Attributes => &mut concept.attributes,
                    Part::Metadata => &mut concept.metadata,
                };
                if !self.is_privileged {
                    protected::check_keys(id, &concept.name, part, stored, keys.iter())?;
                }
                let is_changed = remove(stored, keys);
                if is_changed {
                    self.save_concept(concept, entries, part == Part::Attributes)?;
                }
                Ok(is_changed)
            }
            Element::Link(id) => {
                let mut link = self.link(id)?;
                if !self.is_privileged && !keys.is_empty() {
                    protected::check_link(link.edge.subject)?;
                }
                let had_text = has_text(&link.attributes);
                let stored = match part {
                    Part::Attributes => &mut link.attributes,
                    Part::Metadata => &mut link.metadata,
                };
                let is_changed = remove(stored, keys);
                if is_changed {
                    self.save_link(link, part == Part::Attributes, had_text)?;
                }
                Ok(is_changed)
            }
        }
    }
}

fn remove(stored: &mut Map, keys: &[String]) -> bool {
    let before = stored.len();
    keys.iter().for_each(|key| {
        stored.remove(key);
    });
    stored.len() != before
}
