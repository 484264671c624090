//! Staged documents of the KB.

use cairn_documents::{Problem, parse_markdown, parse_symbols};
use cairn_kb::EntityType;
use cairn_worktree::Lane;

/// Problems of a document.
pub(super) fn problems(path: &str, bytes: &[u8], lane: Lane) -> Vec<Problem> {
    let kind = match lane {
        Lane::Requirements => EntityType::Req,
        Lane::Scenarios => EntityType::Scenario,
        Lane::Tests => EntityType::Test,
        Lane::Adr => EntityType::Adr,
        Lane::Flags => EntityType::Flag,
        Lane::Events => EntityType::Event,
        Lane::Facts => EntityType::Fact,
        Lane::Symbols => return parse_symbols(path, bytes).problems,
    };
    parse_markdown(path, bytes, Some(kind)).problems
}
