//! Several ways into one server: the same store, engine and process behind each, so that two of them differ
//! in nothing but what is to be measured.

use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use cairn_access::registry::UserId;
use cairn_access::{Principal, Role, Roles};
use cairn_base::TenantId;
use cairn_binary::BinaryConfig;
use cairn_engine::{Engine, NewToken};
use cairn_gate::{Allowance, Authentication, Gate, GateConfig};
use cairn_tls::{Tls, TlsFiles};
use tokio::net::TcpListener;

use crate::turns::load::{Framing, Load, Span, Talk};
use crate::turns::stream::Trust;
use crate::turns::wire;
use crate::turns::writers::Writers;

/// What nobody reaches here, in a minute.
const OUT_OF_REACH: Option<NonZeroU64> = NonZeroU64::new(1 << 40);

/// Where the doors are that a server has besides its own, which asks nobody who they are.
#[derive(Debug)]
pub(crate) struct Doors {
    /// Asks for a token, and has no limits.
    pub(super) unlimited: SocketAddr,
    /// Asks for a token, and counts against limits that nobody reaches.
    pub(super) limited: SocketAddr,
    /// Asks for nothing, over TLS.
    pub(super) encrypted: SocketAddr,
    /// What to show.
    pub(super) token: String,
}

impl Doors {
    /// Reads what [`open`] has said.
    pub(crate) fn parse(said: &str) -> Result<Self> {
        let mut words = said.split_whitespace();
        let mut next = || words.next().context("the server did not say where its doors are");
        Ok(Doors {
            unlimited: next()?.parse()?,
            limited: next()?.parse()?,
            encrypted: next()?.parse()?,
            token: next()?.to_owned(),
        })
    }

    /// Connections through one of them that have said hello. Everywhere with the token, so that the same is
    /// sent through all doors.
    pub(super) fn enter(
        &self,
        addr: SocketAddr,
        connections: usize,
        trust: Option<&Trust>,
    ) -> Result<Writers> {
        let mut load = Load::connect_with(addr, connections, Framing::Binary, trust)?;
        load.run(Span::WHOLE, &mut Hello { token: &self.token, said: vec![false; connections] })?;
        Writers::new(load)
    }
}

/// A door from the inside.
pub(crate) struct Door {
    pub(crate) listener: TcpListener,
    pub(crate) gate: Gate,
    pub(crate) config: BinaryConfig,
}

/// Opens all of them; also answers what callers have to be told.
pub(crate) async fn open(engine: &Arc<Engine>, certificates: &Path) -> Result<(Vec<Door>, String)> {
    let files = TlsFiles { certificate: certificates.join("cert.pem"), key: certificates.join("key.pem") };
    let encrypted = BinaryConfig { tls: Some(Tls::open(files)?), ..BinaryConfig::default() };
    let required = |allowance| GateConfig {
        authentication: Authentication::Required,
        allowance,
        ..GateConfig::default()
    };
    let limits = Allowance {
        reads_per_minute: OUT_OF_REACH,
        writes_per_minute: OUT_OF_REACH,
        searches_per_minute: OUT_OF_REACH,
        upload_bytes_per_minute: OUT_OF_REACH,
        ..Allowance::default()
    };
    let mut doors = Vec::new();
    let mut said = Vec::new();
    for (config, gate) in [
        (BinaryConfig::default(), required(Allowance::NONE)),
        (BinaryConfig::default(), required(limits)),
        (encrypted, GateConfig::default()),
    ] {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        said.push(listener.local_addr()?.to_string());
        doors.push(Door { listener, gate: Gate::new(Arc::clone(engine), gate), config });
    }
    said.push(token(engine)?);
    Ok((doors, said.join(" ")))
}

/// A token of a writer in the tenant that callers without one work in, too.
fn token(engine: &Engine) -> Result<String> {
    let (owner, tenant) = (Principal::local_owner(), TenantId::LOCAL);
    let (user, scope) = (UserId::parse("writer@example.com")?, Roles::NONE.with(Role::Writer));
    engine.put_user(&owner, tenant, &user, scope)?;
    let wanted = NewToken { user, label: "bench".into(), scope, expires_at_ms: None };
    let (token, _) = engine.issue_token(&owner, tenant, wanted)?;
    Ok(token.reveal().to_string())
}

/// Says hello once on every connection.
struct Hello<'a> {
    token: &'a str,
    said: Vec<bool>,
}

impl Talk for Hello<'_> {
    fn ask(&mut self, connection: usize, out: &mut Vec<u8>) -> bool {
        wire::hello(out, self.token);
        !std::mem::replace(&mut self.said[connection], true)
    }

    fn hear(&mut self, _: usize, answer: &[u8]) -> Result<()> {
        wire::body(answer, 1).map(drop)
    }
}
