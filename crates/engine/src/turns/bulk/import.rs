//! Import: what another store exported, a few hundred lines a transaction.

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{ContextId, TenantId, TurnId};
use cairn_seam::{Blob, WriteTx};
use cairn_turns::registry::{Bundle, Published, publish};
use cairn_turns::{
    ImportId, NewContext, NewTurn, Taken, TurnsError, import_context, import_head, import_turn,
};

use crate::{Act, Engine, EngineError};

/// One thing to be taken over.
#[derive(Debug, Clone)]
pub enum ImportItem {
    /// A bundle of the registry, and its bytes as they were sent.
    Bundle(Box<Bundle>, Blob),
    /// A context.
    Context(NewContext),
    /// A turn.
    Turn(Box<NewTurn>),
    /// A turn whose payload the other store could not read, with a [`Placeholder`](crate::Placeholder) instead.
    Placeholder(Box<NewTurn>),
    /// A blob of a file tree.
    Blob(Blob),
    /// The head of a context when the last turn was the newest one of all.
    Head(ContextId, TurnId, TurnId),
}

/// What was taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportCounts {
    /// Contexts.
    pub contexts: u64,
    /// Turns.
    pub turns: u64,
    /// Blobs of file trees.
    pub blobs: u64,
    /// Bundles of the registry.
    pub bundles: u64,
    /// Turns among these that are placeholders, because the other store could not read their payloads.
    pub placeholders: u64,
    /// Things that were there already.
    pub skipped: u64,
}

impl ImportCounts {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: ImportCounts) -> ImportCounts {
        ImportCounts {
            contexts: self.contexts + other.contexts,
            turns: self.turns + other.turns,
            blobs: self.blobs + other.blobs,
            bundles: self.bundles + other.bundles,
            placeholders: self.placeholders + other.placeholders,
            skipped: self.skipped + other.skipped,
        }
    }

    fn count(&mut self, taken: Taken, which: fn(&mut ImportCounts) -> &mut u64) {
        *match taken {
            Taken::New => which(self),
            Taken::Known => &mut self.skipped,
        } += 1;
    }
}

impl Engine {
    /// Whether somebody may import into their tenant.
    pub fn permit_import(&self, principal: &Principal) -> Result<(), EngineError> {
        let act = Act::new(Action::TurnsWrite, Resource::tenant(principal.tenant()));
        self.pipeline.permit(principal, &act).map(drop)
    }

    /// Takes over things in one transaction, each with the number of its line; all of them or, if one
    /// is wrong, none. What was taken over before under this name is passed over.
    pub fn import(
        &self,
        principal: &Principal,
        tenant: TenantId,
        import: ImportId,
        items: Vec<(u64, ImportItem)>,
    ) -> Result<ImportCounts, EngineError> {
        let act = Act::new(Action::TurnsWrite, Resource::tenant(tenant));
        let done = self.pipeline.transact(principal, &act, move |tx, scope| {
            let mut counts = ImportCounts::default();
            for (line, item) in &items {
                take(tx, scope, &import, item, &mut counts).map_err(|error| at_line(*line, error))?;
            }
            Ok(counts)
        })?;
        Ok(done.value)
    }
}

fn take(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    import: &ImportId,
    item: &ImportItem,
    counts: &mut ImportCounts,
) -> Result<(), TurnsError> {
    match item {
        ImportItem::Bundle(bundle, blob) => {
            let taken = match publish(tx, scope, bundle, blob)? {
                Published::New => Taken::New,
                Published::Known => Taken::Known,
            };
            counts.count(taken, |counts| &mut counts.bundles);
        }
        ImportItem::Context(new) => {
            counts.count(import_context(tx, scope, import, new)?, |counts| &mut counts.contexts);
        }
        ImportItem::Turn(new) => {
            counts.count(import_turn(tx, scope, import, new)?, |counts| &mut counts.turns);
        }
        ImportItem::Placeholder(new) => {
            let taken = import_turn(tx, scope, import, new)?;
            counts.count(taken, |counts| &mut counts.turns);
            counts.placeholders += u64::from(taken == Taken::New);
        }
        ImportItem::Blob(blob) => {
            let known = tx.keep_blob(&blob.hash())?;
            tx.put_blob(blob)?;
            counts.count(if known { Taken::Known } else { Taken::New }, |counts| &mut counts.blobs);
        }
        ImportItem::Head(context, turn, as_of) => import_head(tx, scope, import, *context, *turn, *as_of)?,
    }
    Ok(())
}

/// What the store says is not the line's fault.
fn at_line(line: u64, error: TurnsError) -> EngineError {
    if let TurnsError::Store(error) = error {
        return EngineError::Store(error);
    }
    EngineError::ImportLine { line, error }
}
