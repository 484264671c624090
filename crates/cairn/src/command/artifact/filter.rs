//! Filters of lists, searches and exports, as the routes have them.

use cairn_access::Visibility;
use clap::Args;

use super::publish::visibility;

/// Parameters of a request.
pub(super) type Parameters = Vec<(&'static str, String)>;

/// Which artifacts.
#[derive(Debug, Args)]
pub(super) struct FilterArgs {
    /// Only artifacts with all of these tags, separated by commas
    #[arg(long, value_name = "TAGS")]
    tags: Option<String>,

    /// Only artifacts of this author
    #[arg(long, value_name = "USER")]
    author: Option<String>,

    /// Only artifacts of this team
    #[arg(long, value_name = "TEAM")]
    team: Option<String>,

    /// Only artifacts of this format
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,

    /// Not before this time: 2026-01-31 or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME")]
    from: Option<String>,

    /// Before this time
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
}

impl FilterArgs {
    pub(super) fn parameters(&self) -> Parameters {
        let FilterArgs { tags, author, team, format, from, to } = self;
        let given = [
            ("tags", tags),
            ("author", author),
            ("team", team),
            ("format", format),
            ("from", from),
            ("to", to),
        ];
        given.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))).collect()
    }
}

/// Which page of a list, in which order, of which tenant and tier.
#[derive(Debug, Args)]
pub(super) struct PageArgs {
    /// Only artifacts of this tenant
    #[arg(long, value_name = "TENANT")]
    tenant: Option<String>,

    /// Only artifacts of this tier: public, org, team or private
    #[arg(long, value_name = "TIER", value_parser = visibility)]
    visibility: Option<Visibility>,

    /// Maximum number of artifacts, 1 to 500
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(super) limit: u64,

    /// Artifacts to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) offset: u64,

    /// Order
    #[arg(long, value_name = "ORDER", value_parser = ["newest", "most_cited", "most_read"])]
    sort: Option<String>,
}

impl PageArgs {
    pub(super) fn parameters(&self) -> Parameters {
        let mut parameters = vec![("limit", self.limit.to_string()), ("offset", self.offset.to_string())];
        parameters.extend(self.sort.iter().map(|sort| ("sort", sort.clone())));
        parameters.extend(self.tenant.iter().map(|tenant| ("tenant_id", tenant.clone())));
        parameters.extend(self.visibility.map(|tier| ("visibility", tier.name().to_owned())));
        parameters
    }
}

/// Parameters as a call takes them.
pub(super) fn borrowed(parameters: &Parameters) -> Vec<(&str, &str)> {
    parameters.iter().map(|(name, value)| (*name, value.as_str())).collect()
}
