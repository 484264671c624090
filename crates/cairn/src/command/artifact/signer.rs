//! The caller as an author, and the key pair it signs with.

use std::path::Path;

use cairn_access::identity::{Identity, IdentityFolder};
use cairn_base::fs::SystemFs;
use cairn_http::{Client, ClientError, ListPart};

use crate::failure::Failure;

/// Who signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signs {
    /// The caller, and nobody else.
    Caller,
    /// The node.
    Node,
    /// The caller if its key is registered, else the node.
    CallerOrNode,
}

/// The caller as an author.
#[derive(Debug, Clone)]
pub(super) struct Author {
    /// Its user id.
    pub(super) user_id: String,
    /// The name of its tenant.
    pub(super) tenant_id: String,
    /// The key pair to sign with; without one the node signs.
    pub(super) identity: Option<Identity>,
}

/// Finds out who the caller is, and whether the key pair of the data directory is registered for it.
pub(super) async fn author(
    client: &mut Client,
    dir: &Path,
    signs: Signs,
) -> Result<Result<Author, Failure>, ClientError> {
    let me = client.whoami().await?;
    let author = Author { user_id: me.user_id, tenant_id: me.tenant, identity: None };
    if signs == Signs::Node {
        return Ok(Ok(author));
    }
    let identity = match IdentityFolder::new(&SystemFs, dir).load() {
        Ok(identity) => identity,
        Err(error) => return Ok(Err(error.into())),
    };
    let Some(identity) = identity else {
        let missing = || {
            Failure::usage("this data directory has no identity to sign with")
                .hint("create one with `cairn identity create`, or have the node sign with --unsigned")
        };
        return Ok(if signs == Signs::Caller { Err(missing()) } else { Ok(author) });
    };
    let key = identity.public_key().to_string();
    if is_registered(client, &author, &key).await? {
        return Ok(Ok(Author { identity: Some(identity), ..author }));
    }
    if signs == Signs::CallerOrNode {
        return Ok(Ok(author));
    }
    let (user, tenant) = (&author.user_id, &author.tenant_id);
    Ok(Err(Failure::usage(format!("the key {key} is not registered for {user} in tenant {tenant}"))
        .hint(format!("register it with `cairn access key add {key} --user {user} --tenant {tenant}`"))))
}

async fn is_registered(client: &mut Client, author: &Author, key: &str) -> Result<bool, ClientError> {
    let mut part = ListPart { user: Some(author.user_id.clone()), ..ListPart::default() };
    loop {
        let page = client.keys(&author.tenant_id, &part).await?;
        if page.keys.iter().any(|known| known.public_key == key && !known.revoked) {
            return Ok(true);
        }
        if page.next.is_none() {
            return Ok(false);
        }
        part.after = page.next;
    }
}
