//! Which type, predicate or concept may have been meant.

use cairn_base::Nearest;
use cairn_seam::Visit;

use crate::{Meta, Result, TypeId, View};

/// Concepts that are compared with a name: this is for a hint, and nobody waits long for one.
const LOOKED_AT_MAX: usize = 1_000;

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
