//! The same conversations over TLS.

use std::io::Read;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use cairn_access::Principal;
use cairn_base::TenantId;
use cairn_binary::client::{AppendTurn, Client, ClientConfig, ClientError, ClientTls};
use cairn_binary::{BinaryConfig, serve_connection};
use cairn_gate::{Gate, GateConfig};
use cairn_tls::testing::Authority;
use cairn_tls::{Connector, Tls};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufStream};

use crate::fake::{hasty, run};
use crate::wire::{HELLO, Server, frame};

struct Here {
    server: Server,
    authority: Authority,
    tls: Tls,
    folder: tempfile::TempDir,
}

impl Here {
    fn start(handshake: Duration, config: BinaryConfig) -> Here {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new();
        let tls = Tls::with_handshake(authority.issue().write(folder.path()), handshake).unwrap();
        let server = Server::with(BinaryConfig { tls: Some(tls.clone()), ..config });
        Here { server, authority, tls, folder }
    }

    async fn connect(&self, tls: ClientTls) -> Result<Client, ClientError> {
        Client::connect(self.server.addr, ClientConfig { tls: Some(tls), ..hasty() }).await
    }

    async fn client(&self) -> Client {
        self.connect(self.authority.trusted()).await.unwrap()
    }

    fn sessions(&self) -> usize {
        let presence = self.server.engine.presence(&Principal::local_owner(), TenantId::LOCAL).unwrap();
        presence.sessions().len()
    }
}

const LONG: Duration = Duration::from_secs(300);

#[test]
fn turns_and_blobs_of_every_size_over_one_connection() {
    let here = Here::start(LONG, BinaryConfig::default());
    run(async {
        let client = here.client().await;
        let context = client.create_context().await.unwrap().context;
        for bytes in [0, 1, 16 << 10, (16 << 10) + 1, 300_000, 8 << 20] {
            let payload: Vec<u8> = (0..bytes).map(|n: u32| n.to_le_bytes()[n as usize % 3]).collect();
            client.append(AppendTurn::new(context, "test.Said", 1, payload.clone())).await.unwrap();
            let turns = client.last(context, 1, true).await.unwrap();
            assert!(turns[0].payload.as_deref() == Some(&payload[..]), "{bytes}");
            let (hash, _) = client.put_blob(payload.clone()).await.unwrap();
            assert!(client.get_blob(hash).await.unwrap() == payload, "{bytes}");
        }
        assert_eq!(here.sessions(), 1, "what is quiet is used again");
    });
}

#[test]
fn many_clients_at_once() {
    let here = Here::start(LONG, BinaryConfig::default());
    run(async {
        let client = here.client().await;
        let context = client.create_context().await.unwrap().context;
        let calls: Vec<_> = (0..40)
            .map(|_| {
                let client = client.clone();
                let turn = AppendTurn::new(context, "test.Said", 1, vec![7; 1000]);
                tokio::spawn(async move { client.append(turn).await.unwrap() })
            })
            .collect();
        for call in calls {
            call.await.unwrap();
        }
        assert_eq!(client.last(context, 100, false).await.unwrap().len(), 40);
    });
}

#[test]
fn a_server_that_is_not_trusted_is_told_nothing_and_not_tried_again() {
    let here = Here::start(LONG, BinaryConfig::default());
    run(async {
        let other_name = ClientTls { server_name: "example.org".to_owned(), ..here.authority.trusted() };
        for tls in [Authority::new().trusted(), other_name] {
            let never = Duration::from_secs(3600);
            let config = ClientConfig {
                tls: Some(tls),
                pause_min: never,
                pause_max: never,
                ..ClientConfig::default()
            };
            let error = Client::connect(here.server.addr, config).await.unwrap_err();
            assert!(matches!(error, ClientError::Untrusted { .. }), "{error:?}");
        }
        let nobody = ClientTls { roots_pem: Vec::new(), server_name: "localhost".to_owned() };
        assert!(matches!(here.connect(nobody).await, Err(ClientError::Tls(_))));
        assert_eq!(here.sessions(), 0);
    });
}

#[test]
fn without_tls_nobody_gets_in() {
    let here = Here::start(LONG, BinaryConfig::default());
    run(async {
        let config = ClientConfig { retries: 0, ..hasty() };
        let error = Client::connect(here.server.addr, config).await.unwrap_err();
        assert!(
            matches!(
                error,
                ClientError::Lost(_) | ClientError::AnswerTooLarge { .. } | ClientError::WrongAnswer { .. }
            ),
            "{error:?}"
        );
        assert_eq!(here.sessions(), 0);
        here.client().await.create_context().await.unwrap();
    });
}

#[test]
fn who_does_not_shake_hands_holds_nobody_up_and_counts() {
    let config = BinaryConfig { connections_max: 2, ..BinaryConfig::default() };
    let here = Here::start(Duration::from_secs(3600), config);
    let connect = || {
        let stream = TcpStream::connect(here.server.addr).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    };
    let _silent = connect();
    run(async {
        let client = here.client().await;
        client.create_context().await.unwrap();
        assert_eq!(here.sessions(), 1, "who has said nothing is not connected");
        // Both count: a third one is one too many.
        assert_eq!(connect().read(&mut [0; 9]).unwrap(), 0);
        client.create_context().await.unwrap();
    });
}

#[test]
fn who_does_not_shake_hands_is_cut() {
    let here = Here::start(Duration::from_millis(50), BinaryConfig::default());
    let mut silent = TcpStream::connect(here.server.addr).unwrap();
    silent.set_read_timeout(Some(LONG)).unwrap();
    assert_eq!(silent.read(&mut [0; 9]).unwrap(), 0);
}

#[test]
fn a_new_certificate_is_for_new_connections() {
    let here = Here::start(LONG, BinaryConfig::default());
    run(async {
        let old = here.client().await;
        let other = Authority::new();
        other.issue().write(here.folder.path());
        // Nobody watches here: the files are read when they are asked for.
        assert!(matches!(here.connect(other.trusted()).await, Err(ClientError::Untrusted { .. })));
        here.tls.reload().unwrap();
        here.connect(other.trusted()).await.unwrap().create_context().await.unwrap();
        assert!(matches!(here.connect(here.authority.trusted()).await, Err(ClientError::Untrusted { .. })));
        old.create_context().await.unwrap();
    });
}

#[test]
fn a_server_that_stops_waits_for_no_handshake() {
    let mut here = Here::start(Duration::from_secs(3600), BinaryConfig::default());
    let mut silent = TcpStream::connect(here.server.addr).unwrap();
    silent.set_read_timeout(Some(LONG)).unwrap();
    run(async { here.client().await.create_context().await.unwrap() });
    here.server.stop();
    assert_eq!(silent.read(&mut [0; 9]).unwrap(), 0);
}

#[test]
fn the_end_of_a_connection_is_no_cut() {
    let mut here = Here::start(LONG, BinaryConfig::default());
    run(async {
        let connector = Connector::new(&here.authority.trusted()).unwrap();
        let connect = async || {
            let stream = tokio::net::TcpStream::connect(here.server.addr).await.unwrap();
            connector.connect(stream).await.unwrap()
        };
        let (mut told, mut stopped) = (connect().await, connect().await);
        let too_large = (64_u32 << 20) + 1;
        told.write_all(&[&too_large.to_le_bytes()[..], &[0; 12]].concat()).await.unwrap();
        let mut answer = Vec::new();
        told.read_to_end(&mut answer).await.unwrap();
        assert!(!answer.is_empty());
        stopped.write_all(&frame(HELLO, 0, 1, b"")).await.unwrap();
        stopped.read_u8().await.unwrap();
        here.server.stop();
        stopped.read_to_end(&mut answer).await.unwrap();
    });
}

#[test]
fn what_is_sent_does_not_stay_in_a_buffer() {
    let server = Server::start();
    run(async {
        let gate = Gate::new(Arc::clone(&server.engine), GateConfig::default());
        let (ours, mut theirs) = tokio::io::duplex(1 << 20);
        // Like TLS, this keeps what is written until it is flushed.
        tokio::spawn(serve_connection(BufStream::new(ours), gate, BinaryConfig::default()));
        theirs.write_all(&frame(HELLO, 0, 1, b"")).await.unwrap();
        let mut header = [0; 16];
        theirs.read_exact(&mut header).await.unwrap();
        assert_eq!(header[4..6], HELLO.to_le_bytes());
    });
}
