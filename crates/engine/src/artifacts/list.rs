//! Listing and searching artifacts: what the caller may read, filtered before it is ranked, counted and paged.
//!
//! Three partitions of the search index hold everything that a caller can find: its own tenant's, the one of public
//! artifacts of all tenants, and the one of artifacts that other tenants share with its tenant. No artifact is in two
//! of them.

use cairn_access::{Action, Principal, Role, Visibility};
use cairn_artifacts::{ARTIFACTS, Artifact, ArtifactId, Facet, Payload, Usage, grantee, load_payload, usage};
use cairn_base::{SpaceId, TenantId};
use cairn_search::SearchError;
use cairn_search::document::Partition;
use cairn_search::found::{Hit, Reason};
use cairn_search::index::SearchIndex;
use cairn_search::query::{self, Parsed};
use cairn_search::request::{Filter, Recency, Request, Times};

use super::seen::SeenBy;
use crate::search::Consulted;
use crate::{Act, Engine, EngineError, limits};

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ArtifactOrder {
    /// The best match first; the newest first without a query.
    #[default]
    Relevance,
    /// The newest first.
    Newest,
    /// The most cited first.
    MostCited,
    /// The most read first.
    MostRead,
}

/// A list to be made.
#[derive(Debug, Clone, Default)]
pub struct ArtifactQuestion {
    /// The search query; `None` lists everything.
    pub text: Option<String>,
    /// Only artifacts of the tenant of this name.
    pub tenant: Option<String>,
    /// Only artifacts of this team.
    pub team: Option<String>,
    /// Only artifacts with all of these tags.
    pub tags: Vec<String>,
    /// Only artifacts of this author.
    pub author: Option<String>,
    /// Only artifacts of this format.
    pub format: Option<String>,
    /// Only artifacts of this tier.
    pub visibility: Option<Visibility>,
    /// Not before, in Unix milliseconds.
    pub from_ms: Option<u64>,
    /// Before, in Unix milliseconds.
    pub to_ms: Option<u64>,
    /// The order.
    pub order: ArtifactOrder,
    /// Artifacts to skip, at most [`limits::ARTIFACTS_DEPTH_MAX`].
    pub offset: usize,
    /// Artifacts to return, at most [`limits::ARTIFACTS_PAGE_MAX`].
    pub limit: usize,
}

/// An artifact of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ArtifactItem {
    /// The record.
    pub artifact: Artifact,
    /// The canonical JSON that was signed.
    pub signed: String,
    /// The same, read.
    pub payload: Payload,
    /// How well it matches, from 0 to 1; 1 without a query.
    pub relevance: f64,
    /// Why it matches.
    pub reasons: Vec<Reason>,
    /// The first characters of its content, or of its summary.
    pub preview: String,
    /// How often it was read and downloaded.
    pub usage: Usage,
    /// How many artifacts that the caller may read are derived from it.
    pub citations: u64,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ArtifactList {
    /// The artifacts.
    pub items: Vec<ArtifactItem>,
    /// How many there are in all.
    pub total: u64,
    /// Search terms that were not looked for.
    pub ignored: Vec<String>,
    /// Queries that may have been meant.
    pub suggestions: Vec<String>,
    /// Whether not everything that was committed before was looked at.
    pub behind: bool,
    /// Whether the search index is being rebuilt, and this is what it holds so far.
    pub rebuilding: bool,
}

impl Engine {
    /// Lists artifacts that the caller may read. Sees everything that was committed before.
    pub fn artifact_list(
        &self,
        principal: &Principal,
        question: &ArtifactQuestion,
    ) -> Result<ArtifactList, EngineError> {
        // The index is the node's; what of it is shown is decided below, for everybody and artifact by artifact.
        let act = Act::new(Action::ArtifactRead, cairn_access::Resource::tenant(principal.tenant()));
        let permit = self.pipeline.permit(&Principal::local_owner(), &act)?;
        let consulted = self.consult_under(permit, |index, snapshot, _| {
            let each = self.pipeline.each(principal, Action::ArtifactRead);
            let seen = SeenBy { engine: self, snapshot, each: &each, principal };
            Asked { seen, index, question }.answer()
        })?;
        let Consulted { answer, behind, rebuilding } = consulted;
        Ok(ArtifactList { behind, rebuilding, ..answer })
    }
}

struct Asked<'a> {
    seen: SeenBy<'a>,
    index: &'a SearchIndex,
    question: &'a ArtifactQuestion,
}

impl Asked<'_> {
    fn answer(&self) -> Result<ArtifactList, EngineError> {
        let question = self.question;
        let (offset, limit) = (question.offset, question.limit.clamp(1, limits::ARTIFACTS_PAGE_MAX));
        let end = offset.saturating_add(limit).min(limits::ARTIFACTS_DEPTH_MAX);
        let query = match &question.text {
            Some(text) => {
                query::parse(text, &["title", "summary", "about", "text"]).map_err(SearchError::from)?
            }
            None => Parsed::default(),
        };
        let wanted = match question.order {
            ArtifactOrder::Relevance | ArtifactOrder::Newest => end,
            ArtifactOrder::MostCited | ArtifactOrder::MostRead => limits::ARTIFACTS_RANKED_MAX,
        };
        let Some(request) = self.request(query, wanted)? else { return Ok(nothing()) };
        let by_worth = question.text.is_some() && question.order == ArtifactOrder::Relevance;
        let found = if by_worth { self.index.search(&request)? } else { self.index.newest(&request)? };
        let hits = match question.order {
            ArtifactOrder::Relevance | ArtifactOrder::Newest => found.hits,
            ArtifactOrder::MostCited => self.most_cited(found.hits)?,
            ArtifactOrder::MostRead => self.most_read(found.hits)?,
        };
        let page: Vec<_> = hits.into_iter().skip(offset).take(end.saturating_sub(offset)).collect();
        let (ignored, suggestions) = (found.ignored, found.suggestions);
        let items = self.items(page)?;
        Ok(ArtifactList { items, total: found.total, ignored, suggestions, behind: false, rebuilding: false })
    }

    /// The request to the index; `None` if nothing can be found.
    fn request(&self, query: Parsed, limit: usize) -> Result<Option<Request>, EngineError> {
        let question = self.question;
        let mut tags: Vec<_> = question.tags.iter().map(|tag| Facet::Tag(tag).tag()).collect();
        tags.extend(question.author.as_deref().map(|author| Facet::Author(author).tag()));
        tags.extend(question.team.as_deref().map(|team| Facet::Team(team).tag()));
        tags.extend(question.visibility.map(|tier| Facet::Visibility(tier.name()).tag()));
        let group = match &question.tenant {
            None => None,
            Some(name) => match self.tenant_named(name)? {
                Some(tenant) => Some(u64::from(tenant.0)),
                None => return Ok(None),
            },
        };
        let until_ms = match question.to_ms {
            Some(0) => return Ok(None),
            to => to.map(|to| to - 1),
        };
        let principal = self.seen.principal;
        // The local owner reads everything of its tenant.
        let visible_to = (!principal.is_local_owner()).then(|| principal.marks());
        Ok(Some(Request {
            partitions: self.partitions()?,
            query,
            filter: Filter {
                kinds: question.format.iter().cloned().collect(),
                tags,
                times: Times { since_ms: question.from_ms, until_ms },
                group,
                visible_to,
            },
            limit,
            recency: Recency::default(),
        }))
    }

    /// Everywhere that the caller can find something.
    fn partitions(&self) -> Result<Vec<Partition>, EngineError> {
        let principal = self.seen.principal;
        let mut partitions = vec![ARTIFACTS.partition(TenantId::NODE, SpaceId::NONE)];
        if principal.roles().suffice_for(Role::Reader) {
            partitions.push(ARTIFACTS.partition(principal.tenant(), SpaceId::NONE));
            let shared = grantee(self.seen.snapshot, &self.seen.node()?, principal.tenant_name())?;
            partitions.extend(shared.map(|space| ARTIFACTS.partition(TenantId::NODE, space)));
        }
        Ok(partitions)
    }

    /// The number of a tenant. That there is one is no secret to those who find something of it, and nobody else
    /// learns it: without artifacts that the caller may read the list is empty in either case.
    fn tenant_named(&self, name: &str) -> Result<Option<TenantId>, EngineError> {
        let Ok(name) = cairn_access::registry::TenantName::parse(name) else { return Ok(None) };
        let found = cairn_access::registry::find_tenant(self.seen.snapshot, &self.seen.node()?, &name)?;
        Ok(found.map(|tenant| tenant.id))
    }

    fn most_cited(&self, hits: Vec<Hit>) -> Result<Vec<Hit>, EngineError> {
        let ids: Vec<_> = hits.iter().filter_map(id_of).collect();
        let counts = self.seen.citations(&ids)?;
        Ok(by_count(hits, counts))
    }

    fn most_read(&self, hits: Vec<Hit>) -> Result<Vec<Hit>, EngineError> {
        let counts = self.usage(&hits)?.into_iter().map(|usage| usage.reads).collect();
        Ok(by_count(hits, counts))
    }

    fn usage(&self, hits: &[Hit]) -> Result<Vec<Usage>, EngineError> {
        let mut wanted = Vec::with_capacity(hits.len());
        for hit in hits {
            let id = id_of(hit).unwrap_or(ArtifactId::from_bytes([0; 16]));
            wanted.push((self.seen.scope_of(tenant_of(hit))?, id));
        }
        let counted = &self.seen.engine.memories.artifacts.counted;
        let stored = usage(self.seen.snapshot, &wanted)?.into_iter().zip(&wanted);
        Ok(stored.map(|(stored, (scope, id))| stored.plus(counted.pending(scope.tenant(), *id))).collect())
    }

    fn items(&self, hits: Vec<Hit>) -> Result<Vec<ArtifactItem>, EngineError> {
        let mut wanted = Vec::with_capacity(hits.len());
        for hit in &hits {
            let id = id_of(hit).unwrap_or(ArtifactId::from_bytes([0; 16]));
            wanted.push((self.seen.scope_of(tenant_of(hit))?, id));
        }
        let found = self.seen.look_in(&wanted)?;
        let usage = self.usage(&hits)?;
        let ids: Vec<_> = wanted.iter().map(|(_, id)| *id).collect();
        let citations = self.seen.citations(&ids)?;
        let mut items = Vec::with_capacity(hits.len());
        for ((((hit, found), usage), citations), (scope, _)) in
            hits.into_iter().zip(found).zip(usage).zip(citations).zip(&wanted)
        {
            // The index may hold a little less than the snapshot, never more than the caller may read.
            let Some(found) = found.ok().filter(|found| found.artifact.is_live()) else { continue };
            let (signed, payload) = load_payload(self.seen.snapshot, scope, &found.artifact)?;
            let preview = self.preview(scope.tenant(), &found.artifact, &payload)?;
            let relevance = if self.question.text.is_some() { hit.score } else { 1.0 };
            let (artifact, reasons) = (found.artifact, hit.reasons);
            items.push(ArtifactItem {
                artifact,
                signed,
                payload,
                relevance,
                reasons,
                preview,
                usage,
                citations,
            });
        }
        Ok(items)
    }

    /// The first characters of the content; of the summary if there is no text.
    fn preview(
        &self,
        tenant: TenantId,
        artifact: &Artifact,
        payload: &Payload,
    ) -> Result<String, EngineError> {
        let text = match (&self.question.text, &artifact.content) {
            (Some(_), Some(content)) => {
                let bytes = super::search::first_bytes(self.seen.engine, tenant, content, PREVIEW_BYTES)?;
                cairn_artifacts::extract(&payload.format, &bytes)
            }
            _ => String::new(),
        };
        Ok(cairn_artifacts::preview(if text.trim().is_empty() { &payload.summary } else { &text }))
    }
}

/// Bytes of content that are looked at for a preview.
const PREVIEW_BYTES: usize = 8 << 10;

fn nothing() -> ArtifactList {
    ArtifactList {
        items: Vec::new(),
        total: 0,
        ignored: Vec::new(),
        suggestions: Vec::new(),
        behind: false,
        rebuilding: false,
    }
}

fn id_of(hit: &Hit) -> Option<ArtifactId> {
    hit.id.as_slice().try_into().ok().map(ArtifactId::from_bytes)
}

fn tenant_of(hit: &Hit) -> TenantId {
    TenantId(u32::try_from(hit.group).unwrap_or(u32::MAX))
}

/// The largest count first; those of equal counts stay in their order.
fn by_count(hits: Vec<Hit>, counts: Vec<u64>) -> Vec<Hit> {
    let mut counted: Vec<_> = hits.into_iter().zip(counts).collect();
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counted.into_iter().map(|(hit, _)| hit).collect()
}
