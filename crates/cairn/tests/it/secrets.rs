//! Nothing that cairn says or keeps holds a secret: log lines, answers, errors, figures, files.
//!
//! A story with secrets of every kind is told to a real server that logs as much as it can. All that comes
//! of it is gathered, and searched for each of them. The answers that make a token or the words are the only
//! ones that hold it, and it is taken out of those.

mod debug;
mod gather;

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use cairn_base::{Base64, Base64Url, Clock, Entropy, Hex, SystemClock, SystemEntropy, from_base64, from_hex};
use cairn_binary::client::{AppendTurn, Client, ClientConfig, ClientError, ClientToken};
use cairn_tls::testing::Authority;
use cairn_tls::{ClientTls, Connector};
use ed25519_dalek::{Signer, SigningKey};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;

use crate::program::{Server, cairn, output, stderr, stdout};
use gather::{Said, Secrets};

const LONG: Duration = Duration::from_secs(300);
const KEY_FILE: &str = "CAIRN_ENCRYPTION_KEY_FILE";

#[test]
fn no_secret_is_said_or_kept_in_the_open() {
    let mut story = Story::new(false);
    story.tell("text");
    // Where nothing is sealed, what is stored can be read: it has to be there for the search to mean much.
    assert!(story.said.has("/segment-", "laptop"), "the label of a token is in the log of changes");
}

#[test]
fn no_secret_is_said_in_json_or_kept_in_a_sealed_store() {
    let mut story = Story::new(true);
    story.tell("json");
    let rotate = story.run(&["key", "rotate", "--new-key-file", "new.key"]);
    assert!(rotate.status.success(), "{rotate:?}");
    story.check();
}

/// A folder with secrets, and what was said there.
struct Story {
    dir: tempfile::TempDir,
    authority: Authority,
    runtime: Runtime,
    is_sealed: bool,
    secrets: Secrets,
    said: Said,
}

/// What callers show.
struct Shown {
    ada: String,
    root: String,
    revoked: String,
    key: SigningKey,
    node_id: String,
}

impl Story {
    fn new(is_sealed: bool) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let authority = Authority::new();
        let issued = authority.issue();
        issued.write(dir.path());
        let mut secrets = Secrets::default();
        tls_key(&mut secrets, &issued.key);
        for name in ["passphrase", "password"] {
            let secret = format!("{name} {}", Hex(&random()));
            std::fs::write(dir.path().join(name), &secret).expect("a file");
            secrets.text(name, &secret);
        }
        let runtime = Runtime::new().expect("a runtime");
        Story { dir, authority, runtime, is_sealed, secrets, said: Said::default() }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    /// All of it: with a server, and after it.
    fn tell(&mut self, log_format: &str) {
        for name in ["store.key", "new.key"] {
            let made = output(&mut cairn(self.path(), &["key", "generate", name]));
            self.said.output("key generate", &made);
            let digits = std::fs::read_to_string(self.path().join(name)).expect("it was made");
            self.secrets.bytes(name, &from_hex::<32>(digits.trim_end()).expect("digits"));
        }
        self.identity();
        let server = self.serve(log_format);
        let shown = self.registry();
        self.over_http(&server, &shown);
        self.over_binary(&server, &shown);
        self.commands("with a server");
        self.said.files(&self.path().join("data"));
        server.signal("-TERM");
        let (code, out, err) = server.wait();
        assert_eq!(code, Some(0), "{err}");
        self.said.add("the server", out + &err);
        self.commands("alone");
        self.check();
    }

    /// Looks for secrets in everything so far, and that the log says what it should.
    fn check(&mut self) {
        let log = std::fs::read(self.path().join("log")).expect("it logs");
        self.said.add("the log", log);
        self.said.files(&self.path().join("data"));
        for written in ["DEBUG", "TokenReplayed", "InvalidSignature", "TokenRevoked", "Unauthenticated"] {
            assert!(self.said.has("the log", written), "{written} is not in {}", self.said.of("the log"));
        }
        assert!(self.said.has("audit", "used already") && self.said.has("sessions", "a quiet tag"));
        self.said.holds_none_of(&self.secrets);
    }

    /// A command over the data directory, gathered.
    fn run(&mut self, arguments: &[&str]) -> Output {
        let output = self.run_unheard(arguments);
        self.said.output(&arguments.join(" "), &output);
        output
    }

    fn run_unheard(&self, arguments: &[&str]) -> Output {
        let mut command = cairn(self.path(), &[&["--data-dir", "data"], arguments].concat());
        self.is_sealed.then(|| command.env(KEY_FILE, "store.key"));
        output(&mut command)
    }

    /// The node gets an identity; its words are shown this once.
    fn identity(&mut self) {
        let made = self.run_unheard(&["identity", "create", "--passphrase-file", "passphrase"]);
        assert!(made.status.success(), "{made:?}");
        let words = stderr(&made).lines().find_map(|line| line.strip_prefix("  ").map(str::to_owned));
        let words = words.expect("words");
        self.secrets.words("words", &words);
        assert!(
            !self.secrets.found_in(stderr(&made).as_bytes()).is_empty(),
            "secrets are found where they are"
        );
        self.said.add("identity create", stdout(&made) + &stderr(&made).replace(&words, ""));
        let key = std::fs::read(self.path().join("data/identity/node.key")).expect("it is kept");
        self.secrets.bytes("private key", &key);
    }

    /// With everything that a log can hold, in a file: nobody reads a pipe meanwhile.
    fn serve(&self, log_format: &str) -> Server {
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$0\" \"$@\" 2> log"]).arg(cairn(self.path(), &[]).get_program());
        command.current_dir(self.path()).env_clear().env("HOME", self.path());
        self.is_sealed.then(|| command.env(KEY_FILE, "store.key"));
        command.args(["serve", "--json", "--data-dir", "data", "--auth", "on", "--log-level", "trace"]);
        command.args(["--log-format", log_format, "--tls-cert", "cert.pem", "--tls-key", "key.pem"]);
        command.args(["--http", "127.0.0.1:0", "--binary", "127.0.0.1:0"]);
        Server::spawn(command)
    }

    /// Makes somebody known, and a token that is taken out of the one answer that shows it.
    fn registry(&mut self) -> Shown {
        for line in [
            "access tenant create acme",
            "access user add ada --role writer --tenant acme",
            "access user add root --role admin --tenant acme",
            "access team create core --tenant acme",
            "access team add core ada --tenant acme",
        ] {
            let done = self.run(&line.split(' ').collect::<Vec<_>>());
            assert!(done.status.success(), "{done:?}");
        }
        let key = SigningKey::from_bytes(&random());
        self.secrets.bytes("key of ada", key.as_bytes());
        let public = Hex(key.verifying_key().as_bytes()).to_string();
        let added = self.run(&["access", "key", "add", &public, "--user", "ada", "--tenant", "acme"]);
        assert!(added.status.success(), "{added:?}");
        let shown = self.run(&["identity", "show", "--json"]);
        let shown: Value = serde_json::from_str(&stdout(&shown)).expect("JSON");
        let node_id = shown["node_id"].as_str().expect("an id").to_owned();
        let (ada, root) = (self.token("ada", &[]), self.token("root", &["--json"]));
        let revoked = self.token("ada", &["--role", "reader"]);
        let listed = self.run(&["--json", "access", "token", "list", "--user", "ada", "--tenant", "acme"]);
        let listed: Value = serde_json::from_str(&stdout(&listed)).expect("JSON");
        let tokens = listed["tokens"].as_array().expect("a list");
        let token = tokens.iter().find(|token| token["roles"] == json!(["reader"])).expect("it is listed");
        let id = token["id"].as_str().expect("an id").to_owned();
        let done = self.run(&["access", "token", "revoke", &id, "--tenant", "acme"]);
        assert!(done.status.success(), "{done:?}");
        Shown { ada, root, revoked, key, node_id }
    }

    fn token(&mut self, user: &str, more: &[&str]) -> String {
        let create = ["access", "token", "create", "--user", user, "--tenant", "acme", "--label", "laptop"];
        let made = self.run_unheard(&[&create, more].concat());
        self.keep_token("token create", &(stdout(&made) + &stderr(&made)))
    }

    fn keep_token(&mut self, by: &str, answer: &str) -> String {
        let at = answer.find("cairn_").expect("a token");
        let token = answer[at..at + 56].to_owned();
        self.secrets.token(&format!("token of {by}"), &token);
        self.said.add(by, answer.replace(&token, ""));
        token
    }

    fn over_http(&mut self, server: &Server, shown: &Shown) {
        let Shown { ada, root, revoked, key, node_id } = shown;
        let bearer = |token: &str| format!("authorization: Bearer {token}\r\n");
        // One letter of the secret is another one.
        let mut wrong = ada.clone();
        let other = if &wrong[50..51] == "A" { "B" } else { "A" };
        wrong.replace_range(50..51, other);
        self.secrets.token("wrong token", &wrong);
        let basic = Base64(format!("ada:{ada}").as_bytes()).to_string();
        self.secrets.text("basic", &basic);
        let good = jwt(key, node_id, 60, "good");
        let expired = jwt(key, node_id, -60, "expired");
        let elsewhere = jwt(key, "elsewhere", 60, "elsewhere");
        let stranger = jwt(&SigningKey::from_bytes(&random()), node_id, 60, "stranger");
        let forged = {
            let (_, signature) = expired.rsplit_once('.').expect("three parts");
            let (signed, _) = elsewhere.rsplit_once('.').expect("three parts");
            format!("{signed}.{signature}")
        };
        for each in [&good, &expired, &elsewhere, &stranger, &forged] {
            self.secrets.jwt("JWT", each);
        }

        let heads = [
            String::new(),
            bearer(ada),
            bearer(root),
            bearer(&wrong),
            bearer(revoked),
            bearer(&format!("{ada}x")),
            format!("authorization: {ada}\r\n"),
            format!("authorization: Basic {basic}\r\n"),
            format!("authorization: Bearer {ada}\r\nauthorization: Bearer {wrong}\r\n"),
            format!("authorization: Bearer \u{e9}{ada}\r\n"),
            bearer(&good),
            bearer(&good),
            bearer(&expired),
            bearer(&elsewhere),
            bearer(&stranger),
            bearer(&forged),
        ];
        for head in &heads {
            self.ask(server, "GET", "/v1/access/whoami", head, "");
        }
        for head in [&heads[0], &heads[1], &heads[2], &heads[3]] {
            for path in [
                "/metrics",
                "/v1/metrics",
                "/openapi.json",
                "/v1/audit?tenant=acme",
                "/v1/sessions",
                "/v1/contexts",
                "/v1/contexts/1",
                "/v1/search?q=hello",
                "/v1/export",
                "/v1/admin/stats",
                "/v1/access/tenants/acme/tokens",
                "/v1/access/tenants/acme/keys",
                "/v1/access/tenants/acme/users/ada",
                "/nothing",
            ] {
                self.ask(server, "GET", path, head, "");
            }
            self.ask(server, "POST", "/v1/contexts", head, "{}");
            self.ask(server, "POST", "/v1/access/tenants/acme/tokens", head, "{\"user\": 1}");
        }
        let made =
            self.asked(server, "POST", "/v1/access/tenants/acme/tokens", &bearer(root), "{\"user\":\"ada\"}");
        self.keep_token("POST tokens", &made);
        self.events(server, &bearer(ada));

        // A token where it does not belong: whoever sent it may hear of it, and nobody else.
        for (path, head) in [
            (format!("/{ada}"), String::new()),
            (format!("/v1/contexts/{ada}"), bearer(ada)),
            (format!("/v1/contexts?token={ada}&limit=x"), bearer(ada)),
            (format!("/v1/contexts?limit={ada}"), bearer(ada)),
            (format!("/v1/contexts?token={ada}&b=%ff"), bearer(ada)),
            (format!("/v1/events?access_token={ada}"), String::new()),
            (format!("/v1/contexts/search?q={ada}"), bearer(ada)),
            (format!("/v1/search?q={ada}&in=x"), bearer(ada)),
            (format!("/v1/search?q=x&cursor={ada}"), bearer(ada)),
            (format!("/v1/access/tenants/acme/users/{ada}"), bearer(root)),
            (format!("/v1/access/tenants/acme/tokens?after={ada}"), bearer(root)),
            ("/v1/contexts".to_owned(), format!("x-request-id: {ada}\r\n")),
            ("/v1/contexts".to_owned(), format!("cookie: token={ada}\r\norigin: http://{ada}\r\n")),
        ] {
            self.asked(server, "GET", &path, &head, "");
        }
        for user in [ada, root] {
            self.asked(server, "DELETE", &format!("/v1/access/tenants/acme/tokens/{ada}"), &bearer(user), "");
        }
    }

    /// An answer, gathered.
    fn ask(&mut self, server: &Server, method: &str, path: &str, head: &str, body: &str) {
        let answer = self.asked(server, method, path, head, body);
        self.said.add(&format!("{method} {path}"), answer);
    }

    fn asked(&self, server: &Server, method: &str, path: &str, head: &str, body: &str) -> String {
        let host = server.addr();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n\
             content-type: application/json\r\n{head}\r\n{body}"
        );
        self.runtime.block_on(async {
            let mut stream = connect(host, &self.authority.trusted()).await;
            stream.write_all(request.as_bytes()).await.expect("it reads");
            let mut answer = Vec::new();
            let read = tokio::time::timeout(LONG, stream.read_to_end(&mut answer)).await;
            read.unwrap_or_else(|_| panic!("{method} {path} has no end")).expect("it answers");
            assert!(answer.starts_with(b"HTTP/1.1 "), "{method} {path}");
            String::from_utf8_lossy(&answer).into_owned()
        })
    }

    /// A stream of events, until something happens.
    fn events(&mut self, server: &Server, head: &str) {
        let request = format!("GET /v1/events HTTP/1.1\r\nhost: {}\r\n{head}\r\n", server.addr());
        let mut stream = self.runtime.block_on(connect(server.addr(), &self.authority.trusted()));
        let mut heard = Vec::new();
        self.runtime.block_on(async {
            stream.write_all(request.as_bytes()).await.expect("it reads");
            let read = tokio::time::timeout(LONG, stream.read_buf(&mut heard)).await;
            read.expect("it answers at once").expect("it answers");
        });
        self.ask(server, "POST", "/v1/contexts", head, "{}");
        self.runtime.block_on(async {
            while !String::from_utf8_lossy(&heard).contains("context_created") {
                let read = tokio::time::timeout(LONG, stream.read_buf(&mut heard)).await;
                assert_ne!(read.expect("it goes on").expect("it goes on"), 0);
            }
        });
        self.said.add("GET /v1/events", heard);
    }

    fn over_binary(&mut self, server: &Server, shown: &Shown) {
        let addr = server.endpoints["binary"].as_str().expect("an address").to_owned();
        let Shown { ada, root, revoked, key, node_id } = shown;
        let signed = jwt(key, node_id, 60, "binary");
        self.secrets.jwt("JWT", &signed);
        let tls = self.authority.trusted();
        let config = |tag: &str, token: Option<&str>| ClientConfig {
            tls: Some(tls.clone()),
            tag: tag.to_owned(),
            token: token.map(ClientToken::new),
            retries: 0,
            ..ClientConfig::default()
        };
        let mut clients = Vec::new();
        let kept = self.runtime.block_on(async {
            let mut said = Vec::new();
            for (tag, token, is_let_in) in [
                ("a quiet tag", Some(ada.as_str()), true),
                ("signed", Some(&signed), true),
                ("signed again", Some(&signed), false),
                ("nobody", None, false),
                ("revoked", Some(revoked), false),
                ("half", Some(&ada[..40]), false),
                ("basic", Some("Basic"), false),
                (root, Some(ada), false),
                (&format!("agent {ada}"), None, false),
            ] {
                let config = config(tag, token);
                said.push(format!("{config:?}").replace(tag, ""));
                match Client::connect(&addr, config).await {
                    Ok(client) => {
                        assert!(is_let_in, "{tag}");
                        let context = client.create_context().await.expect("it may").context;
                        let append = AppendTurn::new(context, "t", 1, *b"\x81\x01\xa5hello");
                        said.push(format!("{:?}", client.append(append).await));
                        said.push(format!("{client:?}").replace(tag, ""));
                        clients.push(client);
                    }
                    Err(error) => {
                        assert!(!is_let_in, "{tag}: {error}");
                        assert!(matches!(error, ClientError::Server { .. }), "{error:?}");
                        said.push(format!("{error} {error:?}"));
                    }
                }
            }
            said
        });
        self.said.add("the client of the binary protocol", kept.join("\n"));
        self.ask(server, "GET", "/v1/sessions", &format!("authorization: Bearer {ada}\r\n"), "");
        drop(clients);
    }

    /// Every command that says something about what is there, for people and for programs.
    fn commands(&mut self, when: &str) {
        for json in [&[][..], &["--json"]] {
            let name = format!("{when}{}", json.concat());
            let backup = format!("{name}.cairnbak");
            let exported = format!("{name}.identity");
            for (line, code) in [
                ("access whoami", 0),
                ("access tenant list", 0),
                ("access user list --tenant acme", 0),
                ("access user show ada --tenant acme", 0),
                ("access user show nobody --tenant acme", 1),
                ("access team list --tenant acme", 0),
                ("access team members core --tenant acme", 0),
                ("access token list --tenant acme", 0),
                ("access token list", 0),
                ("access key list --tenant acme", 0),
                ("audit --tenant acme -n 1000", 0),
                ("audit --node -n 1000", 0),
                ("identity show", 0),
                ("identity create --passphrase-file passphrase", 2),
                ("identity import password --password-file password", 2),
                ("turns append new --type t --text hello", 0),
                ("turns list", 0),
                ("turns show 1", 0),
                ("turns export", 0),
                ("search hello", 0),
                ("kip logs", 0),
                ("kip -c FIND(", 1),
                ("mcp", 0),
                ("search rebuild", 0),
                ("stats", 0),
                ("config", 0),
                ("doctor", 0),
                ("compact", 0),
                ("key generate store.key", 2),
            ] {
                let arguments = [json, &line.split(' ').collect::<Vec<_>>()].concat();
                let done = self.run(&arguments);
                assert_eq!(done.status.code(), Some(code), "{line}: {done:?}");
            }
            for arguments in
                [&["backup", &backup][..], &["identity", "export", &exported, "--password-file", "password"]]
            {
                let done = self.run(&[json, arguments].concat());
                assert!(done.status.success(), "{done:?}");
            }
            for file in [backup, exported] {
                let content = std::fs::read(self.path().join(&file)).expect("it is written");
                self.said.add(&file, content);
            }
        }
    }
}

async fn connect(addr: &str, trusted: &ClientTls) -> cairn_tls::ClientStream {
    let stream = tokio::net::TcpStream::connect(addr).await.expect("it listens");
    Connector::new(trusted).expect("roots and a name").connect(stream).await.expect("it is trusted")
}

/// A JWT for a node that ends so many seconds from now.
fn jwt(key: &SigningKey, node: &str, seconds: i64, id: &str) -> String {
    let expires = SystemClock.now_ms() / 1000;
    let expires = expires.saturating_add_signed(seconds);
    let header = format!(r#"{{"alg":"EdDSA","kid":"{}"}}"#, Hex(key.verifying_key().as_bytes()));
    let claims = format!(r#"{{"aud":"{node}","exp":{expires},"jti":"{id}"}}"#);
    let signed = format!("{}.{}", Base64Url(header.as_bytes()), Base64Url(claims.as_bytes()));
    format!("{signed}.{}", Base64Url(&key.sign(signed.as_bytes()).to_bytes()))
}

fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    SystemEntropy.fill(&mut bytes);
    bytes
}

/// A key in PEM: its lines, and the number in it that is secret.
fn tls_key(secrets: &mut Secrets, pem: &str) {
    let lines: Vec<_> = pem.lines().filter(|line| !line.starts_with('-')).collect();
    lines.iter().filter(|line| line.len() > 32).for_each(|line| secrets.text("line of the TLS key", line));
    let der = from_base64(&lines.concat()).expect("base64");
    let octets = der.windows(2).position(|pair| pair == [4, 32]).expect("a string of 32 bytes") + 2;
    secrets.bytes("TLS key", &der[octets..octets + 32]);
}
