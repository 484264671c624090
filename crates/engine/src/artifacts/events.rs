//! New and deleted artifacts, for those who follow.

use cairn_access::{Action, Principal, Resource};
use cairn_artifacts::{Artifact, ArtifactEvent, ArtifactId, Payload, load_payload};
use cairn_base::TenantId;
use cairn_search::Matcher;
use cairn_search::query::{self, Parsed};
use cairn_search::text::Language;

use super::seen::SeenBy;
use crate::follow::Followed;
use crate::{Act, Engine, EngineError, Place};

/// What a follower wants to hear of. Everything that is given has to hold.
#[derive(Debug, Clone, Default)]
pub struct ArtifactFilter {
    /// Artifacts with all of these tags.
    pub tags: Vec<String>,
    /// Artifacts of this author.
    pub author: Option<String>,
    /// Artifacts of this team.
    pub team: Option<String>,
    /// Artifacts that match this query.
    pub query: Option<ArtifactQuery>,
}

/// A search query that payloads are matched with, one by one.
#[derive(Debug, Clone)]
pub struct ArtifactQuery(Parsed);

impl ArtifactQuery {
    /// Reads a query. Fails if its syntax is invalid.
    pub fn parse(text: &str) -> Result<Self, EngineError> {
        let parsed = query::parse(text, &[]).map_err(cairn_search::SearchError::from)?;
        Ok(ArtifactQuery(parsed))
    }

    fn admits(&self, payload: &Payload) -> bool {
        let tags = payload.tags.join(" ");
        let texts = [&payload.title, &payload.summary, &payload.source, &tags].map(String::as_str);
        Matcher::admits(&self.0, &[Language::English], &texts)
    }
}

/// An event about an artifact that the follower may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactNews {
    /// The place behind it.
    pub place: Place,
    /// What happened.
    pub what: ArtifactHappened,
    /// The artifact.
    pub artifact: Box<Artifact>,
    /// What it says.
    pub payload: Box<Payload>,
}

/// What happened to an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtifactHappened {
    /// It was published.
    Published,
    /// It was deleted.
    Deleted,
}

/// Part of what happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactEventPage {
    /// In the order of commits.
    pub events: Vec<ArtifactNews>,
    /// The place to read on from.
    pub next: Place,
    /// Whether that was all there is.
    pub at_end: bool,
}

impl Engine {
    /// New and deleted artifacts of a tenant after a place that the caller may read and that the filter admits, out of at
    /// most `limit` events.
    pub fn artifact_events(
        &self,
        principal: &Principal,
        tenant: TenantId,
        after: Place,
        limit: usize,
        filter: &ArtifactFilter,
    ) -> Result<ArtifactEventPage, EngineError> {
        let act = Act::new(Action::FeedRead, Resource::tenant(tenant));
        let each = self.pipeline.each(principal, Action::ArtifactRead);
        let page = self.follow(principal, &act, after, limit, |snapshot, event| {
            let Some(decoded) = ArtifactEvent::decode(event)? else { return Ok(None) };
            let what = match decoded {
                ArtifactEvent::Published(_) => ArtifactHappened::Published,
                ArtifactEvent::Deleted(_) => ArtifactHappened::Deleted,
                ArtifactEvent::Erased(_) => return Ok(None),
            };
            let seen = SeenBy { engine: self, snapshot, each: &each, principal };
            let id: ArtifactId = decoded.id();
            let scope = seen.scope_of(tenant)?;
            let Some(Ok(found)) = seen.look_in(&[(scope, id)])?.pop() else { return Ok(None) };
            let (_, payload) = load_payload(snapshot, &scope, &found.artifact)?;
            if !filter.admits(&payload) {
                return Ok(None);
            }
            Ok(Some((what, Box::new(found.artifact), Box::new(payload))))
        })?;
        let Followed { found, next, at_end } = page;
        let news = |(place, (what, artifact, payload))| ArtifactNews { place, what, artifact, payload };
        Ok(ArtifactEventPage { events: found.into_iter().map(news).collect(), next, at_end })
    }
}

impl ArtifactFilter {
    pub(super) fn admits(&self, payload: &Payload) -> bool {
        let team = |team: &str| team.strip_prefix("team:").unwrap_or(team).to_owned();
        self.tags.iter().all(|tag| payload.tags.contains(tag))
            && self.author.as_ref().is_none_or(|author| *author == payload.user_id)
            && self.team.as_ref().is_none_or(|wanted| team(wanted) == team(&payload.team))
            && self.query.as_ref().is_none_or(|query| query.admits(payload))
    }
}
