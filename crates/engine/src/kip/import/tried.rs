//! Dry runs: the beginning of the input is written in one transaction that is given up.
//!
//! More than that cannot be tried, because what comes later refers to what came before, and no transaction
//! holds everything. The rest is read, so that mistakes in its form are found.

use std::sync::Arc;

use cairn_access::Principal;
use cairn_base::TenantId;
use cairn_query::UpsertCounts;

use super::parsed::Parsed;
use super::work::write;
use crate::graph::spaces::space_to_write;
use crate::{Engine, EngineError, limits};

#[derive(Default)]
pub(super) struct Tried {
    parts: Vec<Parsed>,
    bytes: usize,
    elements: u64,
    only_read: u64,
}

impl Tried {
    pub(super) fn add(&mut self, parsed: Parsed) {
        self.elements += parsed.elements;
        // The first one in any case, and nothing behind what was left out.
        let fits = self.bytes + parsed.bytes <= limits::KIP_IMPORT_TRIED_BYTES || self.parts.is_empty();
        if fits && self.only_read == 0 {
            self.bytes += parsed.bytes;
            self.parts.push(parsed);
        } else {
            self.only_read += parsed.elements;
        }
    }

    /// Elements that came.
    pub(super) fn elements(&self) -> u64 {
        self.elements
    }

    /// What would become of them, and how many were only read.
    pub(super) fn attempt(
        self,
        engine: &Engine,
        principal: &Principal,
        tenant: TenantId,
        space: &str,
    ) -> Result<(UpsertCounts, u64), EngineError> {
        let act = engine.import_act(principal, tenant, space);
        let (parts, clock, space) = (self.parts, Arc::clone(engine.clock()), space.to_owned());
        let counts = engine.pipeline.attempt(principal, &act, move |tx, scope| {
            let scope = space_to_write(tx, scope, &space, clock.now_ms())?;
            let mut counts = UpsertCounts::default();
            for part in &parts {
                counts = counts.plus(write(tx, &scope, part, &*clock)?);
            }
            Ok(counts)
        })?;
        Ok((counts, self.only_read))
    }
}
