//! Windows of a context's history, turn by turn.

use std::collections::HashMap;

use cairn_access::{Principal, Scope};
use cairn_base::{ContentHash, ContextId, Position, TenantId, TurnId};
use cairn_seam::{Snapshot, Visit};
use cairn_turns::{Beside, Context, Turn, TypeNumber};

use super::acts::reading;
use super::payload::in_batches;
use crate::{Engine, EngineError, TurnPayload, limits};

/// Which turns to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Of which context.
    pub context: ContextId,
    /// Where it lies.
    pub at: WindowAt,
    /// How many turns at the most.
    pub limit: usize,
    /// Whether payloads are wanted.
    pub with_payload: bool,
    /// Bytes that turns and payloads may take; the newest stay, or the oldest of a range by depth. One
    /// turn stays however large it is, so that paging gets past it.
    pub bytes_max: usize,
}

/// Where a window lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowAt {
    /// Up to the newest turn.
    Head,
    /// Before a turn.
    Before(TurnId),
    /// From a depth on.
    Depth(u32),
}

/// Called with a turn of a window, and its payload if that is wanted.
pub type VisitTurn<'a> = &'a mut dyn FnMut(&WindowTurns, &Turn, Option<&TurnPayload>);

/// What a turn takes in a window besides its payload, at the most.
const TURN_BYTES: usize = 128 + cairn_turns::limits::TYPE_ID_BYTES_MAX;

/// The turns of a window, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowTurns {
    /// The context.
    pub context: Context,
    /// The turns.
    pub turns: Vec<Turn>,
    /// Names of their types.
    pub type_names: HashMap<TypeNumber, String>,
    /// The generation of the registry that was there with them.
    pub generation: u64,
    /// Whether turns that were asked for were left out because of [`Window::bytes_max`] or
    /// [`limits::TURNS_PAGE_MAX`].
    pub is_cut: bool,
}

impl WindowTurns {
    /// Bytes of all their payloads.
    pub fn payload_bytes(&self) -> u64 {
        self.turns.iter().map(|turn| u64::from(turn.payload_bytes)).sum()
    }

    /// The name of a turn's type.
    pub fn type_name(&self, turn: &Turn) -> &str {
        self.type_names.get(&turn.type_number).map_or("", String::as_str)
    }
}

impl Engine {
    /// Reads a window, and gives every turn of it to `visit`, oldest first, with its payload if that is
    /// wanted. A payload that is damaged costs no other turn of the window.
    ///
    /// Before any payload is read, `begin` sees the turns, and may refuse.
    pub fn turns_window(
        &self,
        principal: &Principal,
        tenant: TenantId,
        window: Window,
        begin: impl FnOnce(&WindowTurns) -> Result<(), EngineError>,
        visit: VisitTurn<'_>,
    ) -> Result<(), EngineError> {
        let started = self.clock().monotonic();
        let read = self.pipeline.read(principal, &reading(tenant), Position::START, |snapshot, scope| {
            let (found, _) = find(snapshot, scope, window, With::TurnsOnly)?;
            begin(&found)?;
            if !window.with_payload {
                found.turns.iter().for_each(|turn| visit(&found, turn, None));
                return Ok(());
            }
            for turns in in_batches(&found.turns) {
                let payloads = self.payloads_of(snapshot, scope, turns)?;
                turns.iter().zip(&payloads).for_each(|(turn, payload)| visit(&found, turn, Some(payload)));
            }
            Ok(())
        });
        self.memories.turns.windows.observe(self.clock().monotonic().saturating_sub(started));
        read
    }
}

/// What is found together with the turns of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum With {
    /// Nothing else.
    TurnsOnly,
    /// The roots of their own file trees.
    Trees,
}

/// The turns of a window, without their payloads, and the roots of their own file trees if they are wanted.
pub(super) fn find(
    snapshot: &dyn Snapshot,
    scope: &Scope,
    window: Window,
    with: With,
) -> Result<(WindowTurns, Vec<Option<ContentHash>>), EngineError> {
    let (mut room, mut is_first, mut is_cut) = (window.bytes_max, true, false);
    let mut admit = |turn: &Turn| {
        let payload = if window.with_payload { turn.payload_bytes as usize } else { 0 };
        let left = room.checked_sub(TURN_BYTES + payload);
        let fits = left.is_some() || is_first;
        (room, is_first) = (left.unwrap_or(0), false);
        is_cut |= !fits;
        if fits { Visit::Continue } else { Visit::Stop }
    };
    let limit = window.limit.min(limits::TURNS_PAGE_MAX);
    let context = window.context;
    let (context, turns) = match window.at {
        WindowAt::Head => cairn_turns::last(snapshot, scope, context, limit, &mut admit)?,
        WindowAt::Before(turn) => cairn_turns::before(snapshot, scope, context, turn, limit, &mut admit)?,
        WindowAt::Depth(start) => cairn_turns::by_depth(snapshot, scope, context, start, limit, &mut admit)?,
    };
    // Fewer were asked of the history than the client wants, and there were as many.
    if limit < window.limit && turns.len() == limit {
        is_cut |= match window.at {
            WindowAt::Head | WindowAt::Before(_) => {
                turns.first().is_some_and(|oldest| oldest.parent != TurnId::NONE)
            }
            WindowAt::Depth(_) => turns.last().is_some_and(|newest| newest.id != context.head),
        };
    }
    let Beside { generation, type_names, trees } =
        cairn_turns::beside(snapshot, scope, &turns, with == With::Trees)?;
    Ok((WindowTurns { context, turns, type_names, generation, is_cut }, trees))
}
