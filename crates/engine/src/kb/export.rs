//! Whole entities with their relationships, in pages.

use cairn_access::Principal;
use cairn_kb::sync::{ExportInput, ExportOutput, export_page, exported};
use cairn_kb::stored_entities;

use super::KbTarget;
use crate::{Engine, EngineError};

impl Engine {
    /// Returns entities with all relationships that start at them, ordered by id, in pages.
    pub fn kb_export(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &ExportInput,
    ) -> Result<ExportOutput, EngineError> {
        self.kb_read(principal, target, |state, view| {
            let page = export_page(&state.branch, input)?;
            let wanted = state.wanted(&page.keys).into_iter();
            let wanted: Vec<_> = wanted.map(|(key, kind)| (key, kind, false)).collect();
            let stored = stored_entities(view, &state.schema, &wanted)?;
            let entities = page.keys.iter().filter_map(|key| stored.get(key));
            let entities = entities.map(|stored| exported(&state.branch, stored)).collect();
            Ok(ExportOutput { entities, next: page.next, unknown: page.unknown })
        })
    }
}
