//! What `{:?}` shows of things that hold secrets.

use std::sync::Arc;

use cairn_access::identity::{Identity, Language, Phrase, SecretText, WordCount};
use cairn_access::registry::UserId;
use cairn_access::{Credential, LOCAL_OWNER, Principal, Role, Roles, TokenKey};
use cairn_base::{SystemClock, SystemEntropy, TenantId};
use cairn_binary::client::{ClientConfig, ClientToken};
use cairn_embedded::EncryptionKey;
use cairn_engine::{Engine, EngineConfig, NewToken};
use cairn_gate::{Caller, Credentials};
use cairn_seam::MemoryStore;
use cairn_tls::testing::Authority;
use cairn_tls::{Connector, Tls};
use ed25519_dalek::SigningKey;

use super::gather::Secrets;
use super::{jwt, random, tls_key};

#[test]
fn debug_shows_no_secret() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut secrets = Secrets::default();

    let clock = Arc::new(SystemClock);
    let store = Arc::new(MemoryStore::new(clock.clone()));
    let engine =
        Engine::open(store, clock, Arc::new(SystemEntropy), EngineConfig::default()).expect("an engine");
    let wanted = NewToken {
        user: UserId::parse(LOCAL_OWNER).expect("a name"),
        label: "laptop".to_owned(),
        scope: Roles::NONE.with(Role::Reader),
        expires_at_ms: None,
    };
    let issued = engine.issue_token(&Principal::local_owner(), TenantId::LOCAL, wanted.clone());
    let (token, record) = issued.expect("the owner may");
    let text = token.reveal();
    secrets.token("token", &text);
    let connection = engine.new_connection();
    let credentials = Credentials { is_local_owner: false, bearer: Some(&text), connection };
    let logged_in = engine.log_in(&text, connection).expect("it is good");
    let caller = Caller::from(Arc::clone(&logged_in));
    let refused = engine.log_in(&format!("{}x", *text), connection).expect_err("it is too long");

    let signing = SigningKey::from_bytes(&random());
    let signed = jwt(&signing, "node", 60, "one");
    secrets.jwt("JWT", &signed);

    let phrase = Phrase::generate(WordCount::TwentyFour, Language::English, &SystemEntropy);
    let words = phrase.words();
    secrets.words("words", words.expose());
    let passphrase = SecretText::new("a passphrase of a test".to_owned());
    secrets.text("passphrase", passphrase.expose());
    let identity = Identity::from_phrase(&phrase, &passphrase, &SystemClock).expect("a key");

    let store_key = EncryptionKey::generate(&SystemEntropy);
    let digits = cairn_base::from_hex::<32>(store_key.to_file().trim_end()).expect("digits");
    secrets.bytes("store key", &digits);

    let authority = Authority::new();
    let issued = authority.issue();
    tls_key(&mut secrets, &issued.key);
    let files = issued.write(dir.path());
    let tls = Tls::open(files.clone()).expect("they belong together");
    let trusted = authority.trusted();
    let connector = Connector::new(&trusted).expect("roots");

    let client = ClientConfig {
        tls: Some(trusted.clone()),
        token: Some(ClientToken::new(text.as_str())),
        entropy: Arc::new(SystemEntropy),
        ..ClientConfig::default()
    };

    let hiding = random();
    secrets.bytes("token key", &hiding);
    let token_key = TokenKey::new(hiding);
    for (name, shown) in [
        ("Token", format!("{token:?} {token:#?}")),
        ("Credential", format!("{:?}", Credential::parse(&text, &token_key))),
        ("Credential", format!("{:?}", Credential::parse(&signed, &token_key))),
        ("TokenKey", format!("{token_key:?}")),
        ("NewToken", format!("{wanted:?}")),
        ("Credentials", format!("{credentials:?} {credentials:#?}")),
        ("LoggedIn", format!("{logged_in:?} {caller:?} {engine:?}")),
        ("EngineError", format!("{refused} {refused:?}")),
        ("TokenRecord", format!("{record:?} {:?}", record.hash)),
        ("Phrase", format!("{phrase:?} {words:?}")),
        ("SecretText", format!("{passphrase:?}")),
        ("Identity", format!("{identity:?} {:?}", identity.about())),
        ("EncryptionKey", format!("{store_key:?}")),
        ("Tls", format!("{tls:?} {files:?}")),
        ("ClientTls", format!("{trusted:?} {connector:?}")),
        ("ClientConfig", format!("{client:?}")),
    ] {
        assert_eq!(secrets.found_in(shown.as_bytes()), [""; 0], "{name}: {shown}");
    }
    // What is kept of a secret is not shown either.
    let hash = format!("{:?}", record.hash);
    assert_eq!(hash, "TokenHash(…)");
}
