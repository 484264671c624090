//! Clients that are let in without credentials: those of networks that an operator trusts.
//!
//! There are clients that cannot send a token. A rule names networks and one user; whoever connects from there
//! and shows no token is that user. A token counts more than the rule, and a wrong one does not fall back to
//! it.

use std::net::IpAddr;

use cairn_access::TrustedUser;
use cairn_gate::Network;

use crate::serve::BinaryConfig;

/// Networks, and the user as whom their clients are let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    /// From where clients need no token.
    pub networks: Vec<Network>,
    /// Who they are then.
    pub user: TrustedUser,
    /// Whether the listener can be reached from other machines and is not encrypted. Then connections from
    /// elsewhere than these networks and this machine are closed at once, and tokens from other machines are
    /// refused.
    pub in_the_open: bool,
}

impl Trusted {
    /// The network by which an address is trusted.
    pub(crate) fn network_of(&self, peer: IpAddr) -> Option<&Network> {
        self.networks.iter().find(|network| network.contains(peer))
    }
}

impl BinaryConfig {
    /// Whether a connection from this address is closed at once.
    pub(crate) fn keeps_out(&self, peer: IpAddr) -> bool {
        let Some(trusted) = &self.trusted else { return false };
        trusted.in_the_open && !is_this_machine(peer) && trusted.network_of(peer).is_none()
    }

    /// Whether a token from this address would have been read on the way.
    pub(crate) fn refuses_tokens(&self, peer: IpAddr) -> bool {
        self.trusted.as_ref().is_some_and(|trusted| trusted.in_the_open) && !is_this_machine(peer)
    }
}

fn is_this_machine(peer: IpAddr) -> bool {
    peer.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::Arc;

    use cairn_access::registry::{TenantName, UserId};
    use cairn_access::{Principal, Role, Roles};
    use cairn_base::{SeededEntropy, SystemClock};
    use cairn_engine::{Engine, EngineConfig, NewToken};
    use cairn_gate::{Authentication, Gate, GateConfig};
    use cairn_seam::MemoryStore;

    use super::*;
    use crate::frame::{Header, MessageType};
    use crate::memory::Shared;
    use crate::request::Hello;
    use crate::session::Session;

    /// A gate that asks everyone who they are, a tenant `acme` with a writer `sdk`, and a token of another
    /// user.
    fn gate() -> (Gate, String) {
        let store = Arc::new(MemoryStore::new(Arc::new(SystemClock)));
        let engine = Engine::open(
            store,
            Arc::new(SystemClock),
            Arc::new(SeededEntropy::new(1)),
            EngineConfig::default(),
        );
        let (engine, owner) = (engine.expect("it opens"), Principal::local_owner());
        let tenant = engine.create_tenant(&owner, &TenantName::parse("acme").expect("a name"));
        let tenant = tenant.expect("it is made").id;
        let writer = Roles::NONE.with(Role::Writer);
        for name in ["sdk", "ada"] {
            let name = UserId::parse(name).expect("a name");
            engine.put_user(&owner, tenant, &name, writer).expect("it is made");
        }
        let user = UserId::parse("ada").expect("a name");
        let wanted = NewToken { user, label: String::new(), scope: writer, expires_at_ms: None };
        let token = engine.issue_token(&owner, tenant, wanted).expect("it is issued").0.reveal().to_string();
        let required = GateConfig { authentication: Authentication::Required, ..GateConfig::default() };
        (Gate::new(engine, required), token)
    }

    /// What the number of a message's answer is: its own, or that of the error.
    async fn ask(session: &mut Session, kind: MessageType, body: &[u8]) -> u32 {
        let header = Header { len: 0, kind: kind.number(), flags: 0, request_id: 1 };
        let (frame, _) = session.answer(&header, body).await;
        let (head, body) = frame.split_first_chunk().expect("a header");
        let kind = Header::decode(head).kind;
        if kind != MessageType::Error.number() {
            return u32::from(kind);
        }
        u32::from_le_bytes(*body.first_chunk().expect("a code"))
    }

    fn hello(token: Option<&str>) -> Vec<u8> {
        let mut body = Vec::new();
        Hello::with_token("test".to_owned(), token).encode(&mut body);
        body
    }

    #[tokio::test]
    async fn who_gets_in_by_address_and_who_does_not() {
        let (gate, token) = gate();
        let user = TrustedUser::parse("acme/sdk", Role::Writer).expect("a user");
        let networks = vec!["10.0.0.0/8".parse().expect("a network"), "fd00::/8".parse().expect("a network")];
        const IN: (u32, u32) = (1, 2);
        const OUT: (u32, u32) = (401, 401);
        for in_the_open in [false, true] {
            let trusted = Trusted { networks: networks.clone(), user: user.clone(), in_the_open };
            let config = BinaryConfig { trusted: Some(trusted), ..BinaryConfig::default() };
            for (peer, expected) in [
                ("10.1.2.3:7", IN),
                ("[::ffff:10.1.2.3]:7", IN),
                ("[fd00::7]:7", IN),
                ("11.0.0.1:7", OUT),
                ("[::ffff:11.0.0.1]:7", OUT),
                ("[fe80::1]:7", OUT),
                ("127.0.0.1:7", OUT),
                ("[::1]:7", OUT),
                ("[::10.1.2.3]:7", OUT),
            ] {
                let peer: SocketAddr = peer.parse().expect("an address");
                let session = || {
                    let memory = Shared::new(config.memory_bytes);
                    Session::new(gate.clone(), memory, Some(peer), &config)
                };
                let (create, empty) = (MessageType::CreateContext, [0; 8]);
                let mut one = session();
                let said_hello = ask(&mut one, MessageType::Hello, &hello(None)).await;
                assert_eq!((said_hello, ask(&mut one, create, &empty).await), expected, "{peer}");
                // HELLO is optional where nothing has to be shown.
                assert_eq!(ask(&mut session(), create, &empty).await, expected.1, "{peer}");
                // A token counts more than the rule; in the open it is refused, and not looked at.
                let refused = in_the_open && !is_this_machine(peer.ip());
                let mut one = session();
                let said_hello = ask(&mut one, MessageType::Hello, &hello(Some(&token))).await;
                assert_eq!(said_hello, if refused { 403 } else { 1 }, "{peer}");
                let after = ask(&mut one, create, &empty).await;
                assert_eq!(after, if refused { 401 } else { 2 }, "{peer}: it falls back to nobody");
                // A wrong one does not fall back to the rule.
                let mut one = session();
                let wrong = format!("cairn_{}", "A".repeat(48));
                let said_hello = ask(&mut one, MessageType::Hello, &hello(Some(&wrong))).await;
                assert_eq!(said_hello, if refused { 403 } else { 401 }, "{peer}");
                assert_eq!(ask(&mut one, create, &empty).await, 401, "{peer}");
            }
        }
    }

    #[tokio::test]
    async fn a_trusted_client_may_begin_with_a_large_frame_and_others_may_not() {
        let (gate, _) = gate();
        let user = TrustedUser::parse("acme/sdk", Role::Writer).expect("a user");
        let networks = vec!["10.0.0.0/8".parse().expect("a network")];
        let trusted = Some(Trusted { networks, user, in_the_open: false });
        let config = BinaryConfig { trusted, ..BinaryConfig::default() };
        let max = |peer: &str| {
            let peer = Some(peer.parse().expect("an address"));
            Session::new(gate.clone(), Shared::new(1 << 20), peer, &config).frame_bytes_max()
        };
        assert_eq!(max("10.0.0.1:1"), crate::limits::BINARY_FRAME_BYTES_MAX);
        assert_eq!(max("11.0.0.1:1"), crate::limits::HELLO_BYTES_MAX);
    }

    #[test]
    fn who_is_kept_out_and_whose_token_is_refused() {
        let user = TrustedUser::parse("acme/sdk", Role::Writer).expect("a user");
        let networks = vec!["10.0.0.0/8".parse().expect("a network"), "fd00::/8".parse().expect("a network")];
        let config = |in_the_open| BinaryConfig {
            trusted: Some(Trusted { networks: networks.clone(), user: user.clone(), in_the_open }),
            ..BinaryConfig::default()
        };
        // Whether it is in a network, is kept out, and has its token refused where nothing is encrypted.
        for (peer, inside, kept_out, token_refused) in [
            ("10.1.2.3", true, false, true),
            ("::ffff:10.1.2.3", true, false, true),
            ("fd00::7", true, false, true),
            ("11.0.0.1", false, true, true),
            ("::ffff:11.0.0.1", false, true, true),
            ("fe80::1", false, true, true),
            ("127.0.0.1", false, false, false),
            ("::ffff:127.0.0.1", false, false, false),
            ("::1", false, false, false),
        ] {
            let peer: IpAddr = peer.parse().expect("an address");
            let open = config(true);
            let trusted = open.trusted.as_ref().expect("a rule");
            assert_eq!(trusted.network_of(peer).is_some(), inside, "{peer}");
            assert_eq!(
                (open.keeps_out(peer), open.refuses_tokens(peer)),
                (kept_out, token_refused),
                "{peer}"
            );
            for closed in [config(false), BinaryConfig::default()] {
                assert!(!closed.keeps_out(peer) && !closed.refuses_tokens(peer), "{peer}");
            }
        }
    }
}
