//! Names and addresses that lead to this machine, and a filter that does not.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cairn_kb::{SparqlEndpoint as _, SparqlError, SparqlRequest};
use cairn_outbound::{AddressFilter, Resolve, Resolving, SparqlClient, SparqlConfig};

use crate::server::{EMPTY, Names, Server, client, config, request, response};

fn server() -> Server {
    Server::fixed(response("", EMPTY.as_bytes()))
}

#[test]
fn addresses_that_are_not_public_are_refused() {
    let server = server();
    let port = server.addr.port();
    let client = client(AddressFilter::PublicOnly, &Names(Vec::new()));
    for (host, class) in [
        ("127.0.0.1", "loopback"),
        ("127.255.0.7", "loopback"),
        ("[::1]", "loopback"),
        ("[::ffff:127.0.0.1]", "loopback"),
        ("[64:ff9b::7f00:1]", "loopback"),
        ("[2002:7f00:1::]", "loopback"),
        ("0.0.0.0", "unspecified"),
        ("10.0.0.1", "private"),
        ("169.254.169.254", "link-local"),
    ] {
        let found = client.select(&request(&format!("http://{host}:{port}/"), None));
        let Err(SparqlError::Refused { reason }) = &found else { panic!("{host}: {found:?}") };
        assert!(reason.contains(&format!("which is {class}")), "{reason}");
    }
    for host in ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "017700000001", "u:p@127.0.0.1"] {
        let found = client.select(&request(&format!("http://{host}:{port}/"), None));
        assert!(matches!(found, Err(SparqlError::Endpoint { .. })), "{host}: {found:?}");
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn names_are_judged_by_their_addresses() {
    let server = server();
    let url = format!("http://public.example:{}/", server.addr.port());
    for addresses in [&["127.0.0.1"][..], &["8.8.8.8", "127.0.0.1"], &["127.0.0.1", "8.8.8.8"], &["::1"]] {
        let found = client(AddressFilter::PublicOnly, &Names::of(addresses)).select(&request(&url, None));
        assert!(matches!(found, Err(SparqlError::Refused { .. })), "{addresses:?}: {found:?}");
    }
    assert_eq!(server.connections(), 0);
    // Always refused addresses count under the setting, too.
    for (addresses, good) in [(&["127.0.0.1"][..], true), (&["127.0.0.1", "169.254.169.254"], false)] {
        let found = client(AddressFilter::PrivateToo, &Names::of(addresses)).select(&request(&url, None));
        assert_eq!(found.is_ok(), good, "{addresses:?}: {found:?}");
    }
    assert_eq!(server.connections(), 1);
    let found = client(AddressFilter::PrivateToo, &Names(Vec::new())).select(&request(&url, None));
    assert!(
        matches!(&found, Err(SparqlError::Failed { reason }) if reason.contains("no address")),
        "{found:?}"
    );
    let many = Names(vec![IpAddr::from([127, 0, 0, 1]); 65]);
    let found = client(AddressFilter::PrivateToo, &many).select(&request(&url, None));
    assert!(
        matches!(&found, Err(SparqlError::Failed { reason }) if reason.contains("65 addresses")),
        "{found:?}"
    );
}

/// A name whose address changes with each lookup, starting with what passes the filter.
struct Rebinding {
    lookups: AtomicUsize,
    answers: [&'static str; 2],
}

impl Resolve for Rebinding {
    fn resolve<'a>(&'a self, _name: &'a str) -> Resolving<'a> {
        let lookup = self.lookups.fetch_add(1, Ordering::SeqCst);
        let answer = self.answers.get(lookup).ok_or_else(|| io::Error::other("no third lookup"));
        Box::pin(async move { Ok(vec![answer?.parse().expect("an address")]) })
    }
}

fn ask(resolver: &Arc<Rebinding>, filter: AddressFilter, request: &SparqlRequest) -> Result<(), SparqlError> {
    let config = SparqlConfig { outbound: config(filter), ..SparqlConfig::default() };
    let resolver: Arc<dyn Resolve> = Arc::<Rebinding>::clone(resolver);
    let client = SparqlClient::with_resolver(&config, resolver).expect("a client");
    client.select(request).map(|_| ())
}

#[test]
fn a_name_is_looked_up_once_for_each_request() {
    let server = server();
    let request = request(&format!("http://rebound.example:{}/", server.addr.port()), None);
    // The first lookup leads here, the second to an address that nothing may reach.
    let resolver =
        Arc::new(Rebinding { lookups: AtomicUsize::new(0), answers: ["127.0.0.1", "169.254.169.254"] });
    assert_eq!(ask(&resolver, AddressFilter::PrivateToo, &request), Ok(()));
    assert_eq!((resolver.lookups.load(Ordering::SeqCst), server.connections()), (1, 1));
    // The answer of the next request is checked again.
    let found = ask(&resolver, AddressFilter::PrivateToo, &request);
    assert!(matches!(found, Err(SparqlError::Refused { .. })), "{found:?}");
    assert_eq!((resolver.lookups.load(Ordering::SeqCst), server.connections()), (2, 1));
}

#[test]
fn the_next_address_is_tried() {
    let server = server();
    // Nothing listens on that port of the second loopback address.
    let names = Names::of(&["127.9.9.9", "127.0.0.1"]);
    let url = format!("http://two.example:{}/", server.addr.port());
    client(AddressFilter::PrivateToo, &names).select(&request(&url, None)).expect("the second address");
    let names = Names::of(&["127.9.9.9"]);
    let found = client(AddressFilter::PrivateToo, &names).select(&request(&url, None));
    assert!(
        matches!(&found, Err(SparqlError::Failed { reason }) if reason.contains("could not connect")),
        "{found:?}"
    );
}
