//! Who is let in, who goes away, and who is cut.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use cairn_tls::testing::Authority;
use cairn_tls::{ClientTls, Connector, Protocol, Tls, TlsError, is_distrust};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ProtocolVersion, RootCertStore, SupportedProtocolVersion};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::talk::{LONG, connect, serve, word};

struct Here {
    authority: Authority,
    tls: Tls,
    _folder: tempfile::TempDir,
}

fn here(handshake: Duration) -> Here {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let authority = Authority::new();
    let tls = Tls::with_handshake(authority.issue().write(folder.path()), handshake).expect("good files");
    Here { authority, tls, _folder: folder }
}

#[tokio::test]
async fn whoever_trusts_the_authority_talks_to_the_server() {
    let here = here(LONG);
    for protocol in [Protocol::Http, Protocol::Binary] {
        let addr = serve(here.tls.clone(), protocol).await;
        let by_name = here.authority.trusted();
        let by_address = ClientTls { server_name: "127.0.0.1".to_owned(), ..by_name.clone() };
        for trusted in [by_name, by_address] {
            let mut stream = connect(addr, &trusted).await.expect("they agree");
            assert_eq!(word(&mut stream).await, "hello");
        }
    }
}

#[tokio::test]
async fn another_authority_and_another_name_are_not_trusted() {
    let here = here(LONG);
    let addr = serve(here.tls.clone(), Protocol::Binary).await;
    let other_name = ClientTls { server_name: "example.org".to_owned(), ..here.authority.trusted() };
    for trusted in [Authority::new().trusted(), other_name] {
        let error = connect(addr, &trusted).await.expect_err("it is somebody else");
        assert!(is_distrust(&error), "{error:?}");
    }
    assert!(!is_distrust(&io::ErrorKind::ConnectionReset.into()));
}

#[test]
fn a_client_needs_roots_and_a_name() {
    let good = Authority::new().trusted();
    let with = |roots: &[u8], name: &str| {
        Connector::new(&ClientTls { roots_pem: roots.to_vec(), server_name: name.to_owned() })
    };
    assert!(with(&good.roots_pem, "localhost").is_ok());
    for roots in [&b""[..], b"no PEM", &good.roots_pem[..60]] {
        assert!(matches!(with(roots, "localhost"), Err(TlsError::NoRoots)));
    }
    assert!(matches!(with(&good.roots_pem, "a b"), Err(TlsError::BadName { .. })));
}

/// What a client with these versions and names agrees on.
async fn agreed(
    here: &Here,
    protocol: Protocol,
    versions: &[&'static SupportedProtocolVersion],
    names: &[&str],
) -> io::Result<(Option<ProtocolVersion>, Option<Vec<u8>>)> {
    let addr = serve(here.tls.clone(), protocol).await;
    let mut roots = RootCertStore::empty();
    let trusted = here.authority.trusted();
    roots.add(CertificateDer::from_pem_slice(&trusted.roots_pem).expect("PEM")).expect("a certificate");
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_protocol_versions(versions);
    let mut config = builder.expect("versions").with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = names.iter().map(|name| name.as_bytes().to_vec()).collect();
    let stream = TcpStream::connect(addr).await.expect("it listens");
    let name = ServerName::try_from("localhost").expect("a name");
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
    // A server that does not agree says so only after a client of TLS 1.3 is done.
    stream.read_exact(&mut [0; 5]).await?;
    let session = stream.get_ref().1;
    Ok((session.protocol_version(), session.alpn_protocol().map(<[u8]>::to_vec)))
}

#[tokio::test]
async fn versions_and_what_is_spoken() {
    let here = here(LONG);
    let (tls12, tls13) = (&rustls::version::TLS12, &rustls::version::TLS13);
    let http = Some(b"http/1.1".to_vec());
    let (old, new) = (Some(ProtocolVersion::TLSv1_2), Some(ProtocolVersion::TLSv1_3));
    let both = ["h2", "http/1.1"];
    for (protocol, versions, names, expected) in [
        (Protocol::Http, &[tls12, tls13][..], &both[..], (new, http.clone())),
        (Protocol::Http, &[tls12], &both, (old, http)),
        (Protocol::Http, &[tls13], &[], (new, None)),
        (Protocol::Binary, &[tls13], &both, (new, None)),
        (Protocol::Binary, &[tls12], &[], (old, None)),
    ] {
        let found = agreed(&here, protocol, versions, names).await.expect("they agree");
        assert_eq!(found, expected, "{protocol:?} {names:?}");
    }
    agreed(&here, Protocol::Http, &[tls13], &["h2"]).await.expect_err("only HTTP/1.1 is spoken");
}

#[tokio::test]
async fn a_request_without_tls_gets_an_alert_and_an_end() {
    let here = here(LONG);
    let addr = serve(here.tls.clone(), Protocol::Http).await;
    for sent in [&b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"[..], &[0; 16], &[0xff; 5000]] {
        let mut stream = TcpStream::connect(addr).await.expect("it listens");
        stream.write_all(sent).await.expect("it reads");
        let mut said = Vec::new();
        let ended = timeout(LONG, stream.read_to_end(&mut said)).await.expect("it ends");
        // Bytes that nobody reads any more make the end a hard one.
        assert!(ended.is_ok() || sent.len() > 100, "{ended:?}");
        assert!(said.first() == Some(&21) || ended.is_err(), "an alert has type 21, not {said:?}");
    }
    let mut stream = connect(addr, &here.authority.trusted()).await.expect("others are served");
    assert_eq!(word(&mut stream).await, "hello");
}

#[tokio::test]
async fn a_client_that_does_not_go_on_is_cut() {
    let here = here(Duration::from_millis(50));
    let addr = serve(here.tls.clone(), Protocol::Http).await;
    // Nothing, and the beginning of a client's first message.
    for sent in [&[][..], &[22, 3, 1, 2, 0, 1]] {
        let mut stream = TcpStream::connect(addr).await.expect("it listens");
        stream.write_all(sent).await.expect("it reads");
        let mut said = Vec::new();
        let ended = timeout(LONG, stream.read_to_end(&mut said)).await;
        ended.expect("the bound holds").expect("it closes");
        assert_eq!(said, b"");
    }
}
