//! `kb_sparql_remote`: SELECT queries at endpoints elsewhere.

use cairn_access::{Action, Principal, Resource};
use cairn_kb::KbError;
use cairn_kb::tools::{SparqlRemoteInput, SparqlRemoteOutput};

use crate::{Act, Engine, EngineError};

impl Engine {
    /// Runs a SELECT query at a SPARQL endpoint elsewhere. Blocks until its answer is complete or its time is over.
    ///
    /// # Errors
    ///
    /// Fails with [`KbError::Off`] unless the node was configured with a client for endpoints.
    pub fn kb_sparql(
        &self,
        principal: &Principal,
        input: &SparqlRemoteInput,
    ) -> Result<SparqlRemoteOutput, EngineError> {
        let act = Act::new(Action::KbRead, Resource::tenant(principal.tenant()));
        self.pipeline.permit(principal, &act)?;
        let off = KbError::Off { what: "kb_sparql_remote", setting: "kb.sparql_remote" };
        let endpoint = self.memories.kb.sparql.as_deref().ok_or(off)?;
        Ok(input.run(Some(endpoint)).map_err(KbError::from)?)
    }
}
