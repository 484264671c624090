//! Artifacts beside what else is found.

use cairn_access::Principal;

use super::list::{ArtifactItem, ArtifactQuestion};
use crate::{Engine, EngineError, SearchIn, SearchPage, SearchQuestion, limits};

/// Artifacts that are shown beside turns, at most.
const BESIDE_MAX: usize = 5;

/// A page of a search over everything.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundEverywhere {
    /// Turns, windows or contexts.
    pub page: SearchPage,
    /// Artifacts: a page of them, or the best few beside turns.
    pub artifacts: Vec<ArtifactItem>,
    /// How many artifacts there are in all.
    pub artifacts_total: u64,
}

impl Engine {
    /// Searches in turns and artifacts. Artifacts are looked for where the question asks for them, and on the first
    /// page of a question that leaves it open and has no filter that artifacts do not have.
    pub fn search_everywhere(
        &self,
        principal: &Principal,
        question: &SearchQuestion,
    ) -> Result<FoundEverywhere, EngineError> {
        let is_open = question.search_in == SearchIn::Auto
            && question.skip == 0
            && question.kinds.is_empty()
            && question.context.is_none();
        let limit = match question.search_in {
            SearchIn::Artifacts => question.limit,
            SearchIn::Auto if is_open => question.limit.min(BESIDE_MAX),
            SearchIn::Auto | SearchIn::Turns | SearchIn::Windows | SearchIn::Contexts => {
                let page = self.search(principal, question)?;
                return Ok(FoundEverywhere { page, artifacts: Vec::new(), artifacts_total: 0 });
            }
        };
        let list = ArtifactQuestion {
            text: Some(question.text.clone()),
            from_ms: question.since_ms,
            to_ms: question.until_ms.map(|until| until.saturating_add(1)),
            offset: question.skip,
            limit,
            ..ArtifactQuestion::default()
        };
        let found = self.artifact_list(principal, &list)?;
        let mut page = self.search(principal, question)?;
        if question.search_in == SearchIn::Artifacts {
            let seen = question.skip + found.items.len();
            let end = found.total.min(limits::SEARCH_DEPTH_MAX as u64);
            page = SearchPage {
                total: found.total,
                ignored: found.ignored,
                suggestions: found.suggestions,
                behind: page.behind || found.behind,
                rebuilding: page.rebuilding || found.rebuilding,
                next_skip: (!found.items.is_empty() && (seen as u64) < end).then_some(seen),
                ..page
            };
        }
        Ok(FoundEverywhere { page, artifacts: found.items, artifacts_total: found.total })
    }
}
