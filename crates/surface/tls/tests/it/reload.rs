//! A new certificate without a restart.

use std::net::SocketAddr;
use std::time::Duration;

use cairn_tls::testing::{Authority, Issued};
use cairn_tls::{ClientStream, Protocol, Tls, TlsFiles};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio::io::AsyncWriteExt;
use tokio::time::Instant;

use crate::talk::{LONG, connect, serve, word};

/// Often enough that a test does not wait.
const OFTEN: Duration = Duration::from_millis(5);

struct Here {
    authority: Authority,
    tls: Tls,
    files: TlsFiles,
    addr: SocketAddr,
    folder: tempfile::TempDir,
}

impl Here {
    async fn serving(issued: impl FnOnce(&Authority) -> Issued) -> Here {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let authority = Authority::new();
        let files = issued(&authority).write(folder.path());
        let tls = Tls::open(files.clone()).expect("good files");
        let addr = serve(tls.clone(), Protocol::Binary).await;
        Here { authority, tls, files, addr, folder }
    }

    async fn connect(&self) -> ClientStream {
        connect(self.addr, &self.authority.trusted()).await.expect("the server is trusted")
    }

    async fn serves(&self, issued: &Issued) -> bool {
        let stream = self.connect().await;
        let chain = stream.get_ref().1.peer_certificates().expect("a server shows one");
        chain[0] == CertificateDer::from_pem_slice(issued.certificate.as_bytes()).expect("PEM")
    }

    /// Waits until new connections see a certificate.
    async fn wait_for(&self, issued: &Issued) {
        let until = Instant::now() + LONG;
        while !self.serves(issued).await {
            assert!(Instant::now() < until, "it is not served");
        }
    }
}

#[tokio::test]
async fn changed_files_are_served_to_the_next_client_and_old_connections_stay() {
    let mut first = None;
    let here = Here::serving(|authority| first.insert(authority.issue()).clone()).await;
    let first = first.expect("it was made");
    tokio::spawn(here.tls.clone().watch(OFTEN));
    let mut old = here.connect().await;
    assert!(here.serves(&first).await);

    let second = here.authority.issue();
    second.write(here.folder.path());
    here.wait_for(&second).await;

    // One after the other: in the end both count.
    let third = here.authority.issue();
    std::fs::write(&here.files.certificate, &third.certificate).expect("it is ours");
    here.tls.reload().expect_err("they do not belong together");
    assert!(here.serves(&second).await, "half of a change changes nothing");
    std::fs::write(&here.files.key, &third.key).expect("it is ours");
    here.wait_for(&third).await;

    old.write_all(b"x").await.expect("the connection is open");
    assert_eq!(word(&mut old).await, "hello");
}

#[tokio::test]
async fn files_that_are_of_no_use_change_nothing() {
    let mut issued = None;
    let here = Here::serving(|authority| issued.insert(authority.issue()).clone()).await;
    let issued = issued.expect("it was made");
    let other = here.authority.issue();
    for (certificate, key) in [
        ("garbage", issued.key.as_str()),
        (&issued.certificate, "garbage"),
        (&other.certificate, &issued.key),
        ("", ""),
    ] {
        std::fs::write(&here.files.certificate, certificate).expect("it is ours");
        std::fs::write(&here.files.key, key).expect("it is ours");
        here.tls.reload().expect_err("it is of no use");
        assert!(here.serves(&issued).await);
    }
    std::fs::remove_file(&here.files.key).expect("it is there");
    here.tls.reload().expect_err("there is no key");
    assert!(here.serves(&issued).await);
    other.write(here.folder.path());
    here.tls.reload().expect("it is good again");
    assert!(here.serves(&other).await);
}

#[tokio::test]
async fn who_is_asked_reads_at_once() {
    let here = Here::serving(Authority::issue).await;
    tokio::spawn(here.tls.clone().watch(Duration::from_secs(3600)));
    let second = here.authority.issue();
    second.write(here.folder.path());
    here.tls.reload_soon();
    here.wait_for(&second).await;
}
