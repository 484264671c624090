//! Servers with certificates.

use std::net::SocketAddr;
use std::time::Duration;

use cairn_outbound::{
    AddressFilter, OutboundClient, OutboundConfig, OutboundError, OutboundRequest, OutboundUrl,
};
use cairn_tls::testing::Authority;
use cairn_tls::{Protocol, Tls};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::server::{EMPTY, Names, config, response};

const TYPE: &str = "application/sparql-results+json";

/// Serves one answer to everybody, with a certificate for `localhost` and 127.0.0.1.
async fn serve(authority: &Authority, folder: &tempfile::TempDir) -> SocketAddr {
    let tls = Tls::open(authority.issue().write(folder.path())).expect("a certificate");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let addr = listener.local_addr().expect("it is bound");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(mut stream) = tls.accept(stream, Protocol::Http).await {
                let mut heard = Vec::new();
                while !heard.ends_with(b"\r\n\r\n") && stream.read_buf(&mut heard).await.is_ok_and(|n| n > 0)
                {
                }
                let _ = stream.write_all(&response("", EMPTY.as_bytes())).await;
                let _ = stream.shutdown().await;
            }
        }
    });
    addr
}

async fn get(trusted: &Authority, url: &str) -> Result<Vec<u8>, OutboundError> {
    let roots_pem = Some(trusted.trusted().roots_pem);
    let config = OutboundConfig { roots_pem, ..config(AddressFilter::PrivateToo) };
    let names = std::sync::Arc::new(Names::of(&["127.0.0.1"]));
    let client = OutboundClient::with_resolver(&config, names).expect("a client");
    let url = OutboundUrl::parse(url).expect("a URL");
    let deadline = Duration::from_secs(300);
    let request = OutboundRequest { url: &url, body: None, accept: TYPE, deadline, bytes_max: 1024 };
    client.fetch(&request).await
}

#[tokio::test]
async fn certificates_are_checked_against_name_and_authority() {
    let (authority, other) = (Authority::new(), Authority::new());
    let folder = tempfile::tempdir().expect("a folder");
    let port = serve(&authority, &folder).await.port();
    for host in ["localhost", "127.0.0.1"] {
        let found = get(&authority, &format!("https://{host}:{port}/")).await;
        assert_eq!(found.expect("an answer"), EMPTY.as_bytes(), "{host}");
    }
    for (trusted, host) in [(&other, "localhost"), (&authority, "elsewhere.example")] {
        let found = get(trusted, &format!("https://{host}:{port}/")).await;
        assert!(matches!(found, Err(OutboundError::Handshake { .. })), "{host}: {found:?}");
    }
    // The same port without TLS.
    let found = get(&authority, &format!("http://localhost:{port}/")).await;
    assert!(matches!(found, Err(OutboundError::Broken { .. })), "{found:?}");
}
