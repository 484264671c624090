//! Limits of the requirements KB. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::{KIB, MIB};

/// Bytes of the id of an entity.
pub const ENTITY_ID_BYTES_MAX: usize = 256;
/// Bytes of a title, a key, a unit and other short texts of an entity.
pub const ENTITY_TEXT_BYTES_MAX: usize = 4 * KIB;
/// Bytes of `text_ref`, of a string value and of one example or hint.
pub const ENTITY_PROSE_BYTES_MAX: usize = 64 * KIB;
/// Bytes of the Markdown body of an entity.
pub const ENTITY_BODY_BYTES_MAX: usize = 256 * KIB;
/// Items of one list of an entity: tags, links, arguments.
pub const ENTITY_LIST_ITEMS_MAX: usize = 256;
/// Bytes of all properties of one entity together.
pub const ENTITY_BYTES_MAX: usize = 512 * KIB;
/// Errors about properties that one refusal lists; the others are counted.
pub const FIELD_ERRORS_MAX: usize = 50;
/// Relationships of one upsert.
pub const UPSERT_RELATIONSHIPS_MAX: usize = 1_000;
/// Entities that the refusal of a deletion names: those that are referred to, and those that refer to them.
pub const BLOCKED_NAMED_MAX: usize = 100;
/// Ids of one deletion.
pub const DELETE_IDS_MAX: usize = 1_000;
/// Entities of one branch.
pub const BRANCH_ENTITIES_MAX: usize = 1_000_000;
/// Rows of one page of a report or a query.
pub const PAGE_MAX: u32 = 1_000;
/// Rows of one page, unless the request says otherwise.
pub const PAGE_DEFAULT: u32 = 100;
/// Results of one page of a search, unless the request says otherwise.
pub const KB_SEARCH_PAGE_DEFAULT: u32 = 20;
/// Results of a search that can be paged through.
pub const SEARCH_RESULTS_MAX: u32 = 1_000;
/// Bytes of a search query.
pub const SEARCH_QUERY_BYTES_MAX: usize = 4 * KIB;
/// Characters of a snippet.
pub const SNIPPET_CHARS_MAX: usize = 160;
/// Items of a filter: tags, relationship types, entity types.
pub const FILTER_ITEMS_MAX: usize = 64;
/// Tests that a row of a coverage report lists of each kind; all of them are counted.
pub const COVERAGE_TESTS_MAX: usize = 1_000;
/// Distinct words of a search query that are compared with titles and bodies; the others only count in the index.
pub const SEARCH_TOKENS_MAX: usize = 32;
/// Entities of a branch that a search compares with the query as a title; in larger ones it relies on the index.
pub const SEARCH_TITLES_MAX: usize = 100_000;
/// Ids that a traversal starts from.
pub const GRAPH_SEEDS_MAX: usize = 100;
/// Relationships between a seed and the farthest node of a traversal.
pub const GRAPH_DEPTH_MAX: u32 = 5;
/// Nodes of one traversal.
pub const GRAPH_NODES_MAX: u32 = 10_000;
/// Nodes of one traversal, unless the request says otherwise.
pub const GRAPH_NODES_DEFAULT: u32 = 200;
/// Relationships of one traversal.
pub const GRAPH_EDGES_MAX: u32 = 20_000;
/// Relationships of one traversal, unless the request says otherwise.
pub const GRAPH_EDGES_DEFAULT: u32 = 500;
/// Linked entities that a row of a traceability matrix lists of each type; all of them are counted.
pub const MATRIX_CELLS_MAX: usize = 100;
/// Entities that a linked entity of a traceability matrix is shown to be reached through.
pub const MATRIX_THROUGH_MAX: usize = 10;
/// Linked entities that a cell of a rendered report names; the others are counted.
pub const RENDER_CELLS_MAX: usize = 12;
/// Characters of a title or a source in a rendered report.
pub const RENDER_TITLE_CHARS_MAX: usize = 240;
/// Ids of one impact analysis.
pub const IMPACT_IDS_MAX: usize = 1_000;
/// Paths of one impact analysis.
pub const IMPACT_PATHS_MAX: usize = 5_000;
/// Entities that an impact analysis lists as starts; all of them are counted.
pub const IMPACT_STARTS_MAX: usize = 1_000;
/// Relationships between a start and the farthest entity of an impact analysis.
pub const IMPACT_DEPTH_MAX: u32 = 20;
/// The same, unless the request says otherwise.
pub const IMPACT_DEPTH_DEFAULT: u32 = 5;
/// Entities that an impact analysis visits in each direction.
pub const IMPACT_ENTITIES_MAX: usize = 10_000;
/// Rows of each direction of an impact analysis, unless the request says otherwise.
pub const IMPACT_ROWS_DEFAULT: u32 = 200;
/// Ids of one request about suspect links.
pub const SUSPECT_IDS_MAX: usize = 1_000;
/// Links that one request accepts.
pub const ACCEPT_LINKS_MAX: usize = 10_000;
/// Bytes of the name of a branch.
pub const BRANCH_NAME_BYTES_MAX: usize = 255;
/// Bytes of the id of a workspace.
pub const WORKSPACE_ID_BYTES_MAX: usize = 64;
/// Bytes of the text of one tool result; structured content has everything.
pub const TOOL_TEXT_BYTES_MAX: usize = 32 * KIB;

/// Bytes of the `SKILL.md` of an agent skill.
pub const SKILL_BYTES_MAX: usize = 256 * KIB;
/// Bytes of one resource of an agent skill.
pub const SKILL_RESOURCE_BYTES_MAX: usize = 128 * KIB;
/// Bytes of a skill id or a resource path in a request.
pub const SKILL_NAME_BYTES_MAX: usize = 256;
/// Bytes of the URL of a SPARQL endpoint.
pub const SPARQL_ENDPOINT_BYTES_MAX: usize = 2 * KIB;
/// Bytes of a SPARQL query.
pub const SPARQL_QUERY_BYTES_MAX: usize = 64 * KIB;
/// Time for a remote SPARQL query, from resolving the name to the end of the answer. Default of `timeoutMs`.
pub const SPARQL_TIMEOUT_DEFAULT: Duration = Duration::from_secs(15);
/// Longest `timeoutMs` of a remote SPARQL query.
pub const SPARQL_TIMEOUT_MAX: Duration = Duration::from_secs(60);
/// Variables of one SPARQL answer.
pub const SPARQL_VARS_MAX: usize = 256;
/// Rows of one SPARQL answer.
pub const SPARQL_ROWS_MAX: usize = 10_000;
/// Rows of a SPARQL answer that its text shows; the structured content has all of them.
pub const SPARQL_TEXT_ROWS_MAX: usize = 20;
/// Characters of one value that the text of a SPARQL answer shows.
pub const SPARQL_TEXT_VALUE_CHARS_MAX: usize = 200;
/// Violations of one rule that a report can show; more are only counted.
pub const CHECK_FINDINGS_MAX: usize = 100_000;
/// Violations to skip in a report.
pub const CHECK_OFFSET_MAX: u32 = 1_000_000;
/// Bytes of the description and of the suggestion of a violation.
pub const CHECK_DESCRIPTION_BYTES_MAX: usize = 4 * KIB;
/// Cycles reported among requirements that all depend on each other.
pub const CHECK_CYCLES_MAX: usize = 1_000;
/// Requirements of all cycles reported among requirements that all depend on each other.
pub const CHECK_CYCLE_STEPS_MAX: usize = 100_000;
/// Requirements that the description of a cycle names.
pub const CHECK_CYCLE_NAMES_MAX: usize = 32;
/// Contradictions of one branch that are held; more are not reported.
pub const CHECK_CONTRADICTIONS_MAX: usize = 100_000;
/// Entities of one page of an export, and ids that one call names.
pub const EXPORT_ENTITIES_MAX: usize = 1_000;
/// Test cases of one import of results.
pub const RESULT_CASES_MAX: usize = 100_000;
/// Tests with results in one import, which is one transaction.
pub const RESULT_TESTS_MAX: usize = 10_000;
/// Bytes of the name of a test case, of its class, suite and file, and of a property.
pub const RESULT_TEXT_BYTES_MAX: usize = 4 * KIB;
/// Properties of a test case.
pub const RESULT_PROPERTIES_MAX: usize = 64;
/// Tests and cases of each kind that the response to an import of results lists; all of them are counted.
pub const RESULTS_LISTED_MAX: usize = 1_000;
/// Files of one sync, those included that are gone.
pub const SYNC_FILES_MAX: usize = 200_000;
/// Entities of one file of a sync.
pub const SYNC_FILE_ENTITIES_MAX: usize = 20_000;
/// Bytes of one line of a sync: a file with all its entities.
pub const SYNC_LINE_BYTES_MAX: usize = 16 * MIB;
/// Bytes of all lines of a sync.
pub const SYNC_BYTES_MAX: usize = 256 * MIB;
/// Bytes of the path of a synced file.
pub const SYNC_PATH_BYTES_MAX: usize = 1_000;
/// Bytes of the hash of a synced file.
pub const SYNC_HASH_BYTES_MAX: usize = 128;
/// Problems, diverged entities and released entities that the report of a sync lists; all of them are counted.
pub const SYNC_LISTED_MAX: usize = 1_000;
/// Contradictions that the report of a sync lists; all of them are counted.
pub const SYNC_CONTRADICTIONS_MAX: usize = 100;
/// Bytes of a statement that is modelled as a requirement.
pub const MODEL_STATEMENT_BYTES_MAX: usize = 16 * KIB;
/// Bytes of a key that is read out of a statement; longer ones are no keys.
pub const MODEL_KEY_BYTES_MAX: usize = 128;
/// Documents of a statement that is modelled.
pub const MODEL_SOURCE_FILES_MAX: usize = 256;
/// Bytes of a text that is analysed for claims.
pub const PROSE_BYTES_MAX: usize = 64 * KIB;
/// Bytes of an argument of such an analysis: a title, a source, a hint.
pub const PROSE_ARGUMENT_BYTES_MAX: usize = KIB;
/// Bytes of a sentence that is compared with sentence patterns.
pub const SENTENCE_BYTES_MAX: usize = 2 * KIB;
/// Clauses of one text that are compared with sentence patterns.
pub const CLAUSES_MAX: usize = 200;
/// Suggestions of one receipt of the semantic advisor.
pub const SUGGESTIONS_MAX: usize = 50;
/// Predicate candidates of one suggestion.
pub const CANDIDATES_MAX: u32 = 20;
/// Predicate candidates of one suggestion, unless the request says otherwise.
pub const CANDIDATES_DEFAULT: u32 = 5;
/// Predicate schemas of a branch that are ranked beside the built-in ones.
pub const PREDICATE_SCHEMAS_MAX: usize = 1_000;
