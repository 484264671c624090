//! `cairn identity`.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::program::{Server, cairn, run, stderr, stdout, within};

/// A phrase and the node id of its key, made with another program.
const WORDS: &str = "flame fall humor riot gossip flight top just convince light jealous camp";
const NODE_ID: &str = "77e554286d227586329669a2c77b8926e6aac7808c687d9b2cc3ae2a803d7d50";
const PRIVATE_KEY: &str = "3f46ba2b1aa24886432e48d6bb3dea2669cfa7afd089cb22c57e5e3f95417b81";

fn here() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Runs it with something to read.
fn run_with(dir: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = cairn(dir, arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // One that refuses before it reads closes the pipe.
    let _ = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
    within("its end", move || child.wait_with_output()).expect("its output is read")
}

fn json(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    serde_json::from_str(&stdout(output)).expect("JSON")
}

/// The words that were shown.
fn words(output: &Output) -> String {
    let shown = stderr(output);
    shown.lines().find_map(|line| line.strip_prefix("  ")).expect("words").to_owned()
}

fn write(dir: &Path, name: &str, content: &[u8]) {
    let path = dir.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    std::fs::write(&path, content).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("a mode");
}

fn unhex(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hex")).collect()
}

#[test]
fn words_are_shown_once_and_bring_the_identity_back() {
    let dir = here();
    let created = run(dir.path(), &["--json", "--data-dir", "a", "identity", "create"]);
    let told = json(&created);
    let words = words(&created);
    assert_eq!(words.split(' ').count(), 12);
    assert!(!stdout(&created).contains(&words), "{created:?}");
    assert_eq!((&told["word_count"], &told["language"]), (&12.into(), &"english".into()));
    let node_id = told["node_id"].as_str().expect("text");
    assert_eq!((node_id.len(), &told["fingerprint"]), (64, &Value::from(&node_id[..8])));
    assert!(told["created_at"].is_string() && told["replaced"].is_null(), "{told}");
    let shown = json(&run(dir.path(), &["--json", "--data-dir", "a", "identity", "show"]));
    for field in
        ["node_id", "fingerprint", "language", "word_count", "passphrase_protected", "created_at", "folder"]
    {
        assert_eq!(shown[field], told[field], "{field}");
    }
    for (path, mode) in [("", 0o700), ("node.key", 0o600), ("node.pub", 0o600), ("identity.json", 0o600)] {
        let path = dir.path().join("a/identity").join(path);
        assert_eq!(path.metadata().expect("it is there").permissions().mode() & 0o777, mode, "{path:?}");
    }
    let key = std::fs::read(dir.path().join("a/identity/node.key")).expect("a file");
    assert_eq!(key.len(), 32);

    let typed = format!("  {}\n", words.to_uppercase());
    let recovered = run_with(dir.path(), &["--json", "--data-dir", "b", "identity", "recover"], &typed);
    assert_eq!(json(&recovered)["node_id"], told["node_id"]);
    assert_eq!(std::fs::read(dir.path().join("b/identity/node.key")).expect("a file"), key);
    let text = stdout(&run(dir.path(), &["--data-dir", "b", "identity", "show"]));
    assert!(text.contains(node_id) && text.contains("12, english\n"), "{text}");
}

#[test]
fn words_may_be_more_in_portuguese_and_with_a_passphrase() {
    let dir = here();
    write(dir.path(), "passphrase", "pedra ✓\n".as_bytes());
    let arguments =
        ["--json", "--data-dir", "a", "identity", "create", "--words", "24", "--language", "portuguese"];
    let created = run(dir.path(), &[&arguments[..], &["--passphrase-file", "passphrase"]].concat());
    let told = json(&created);
    assert_eq!((&told["word_count"], &told["language"]), (&24.into(), &"portuguese".into()));
    assert_eq!(told["passphrase_protected"], true);
    let words = words(&created);
    assert_eq!(words.split(' ').count(), 24);
    let recover = |data: &str, more: &[&str]| {
        let arguments = ["--json", "--data-dir", data, "identity", "recover"];
        run_with(dir.path(), &[&arguments[..], more].concat(), &words)
    };
    assert_eq!(json(&recover("b", &["--passphrase-file", "passphrase"]))["node_id"], told["node_id"]);
    assert_ne!(json(&recover("c", &[]))["node_id"], told["node_id"]);
    let wrong = recover("d", &["--language", "english"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("word 1 of the recovery phrase is not in the english list"), "{wrong:?}");
    let both = recover("d", &["--passphrase-file", "-"]);
    assert_eq!(both.status.code(), Some(2), "{both:?}");
    assert!(!dir.path().join("d").exists());
}

#[test]
fn an_identity_is_replaced_only_when_asked() {
    let dir = here();
    let recover = ["--json", "--data-dir", "a", "identity", "recover"];
    assert_eq!(json(&run_with(dir.path(), &recover, WORDS))["node_id"], NODE_ID);
    for command in [&["create"][..], &["create", "--random"], &["recover"], &["import", "nothing"]] {
        let refused = run_with(dir.path(), &[&["--data-dir", "a", "identity"], command].concat(), WORDS);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(stderr(&refused).contains("there is an identity already"), "{refused:?}");
        assert!(stderr(&refused).contains("--replace"), "{refused:?}");
        // No words of an identity that is not kept.
        assert!(!stderr(&refused).contains("write these words down"), "{refused:?}");
    }
    let created =
        run(dir.path(), &["--json", "--data-dir", "a", "identity", "create", "--random", "--replace"]);
    let told = json(&created);
    assert_ne!(told["node_id"], NODE_ID);
    assert!(told["word_count"].is_null() && stderr(&created).is_empty(), "{created:?}");
    let kept = told["replaced"].as_str().expect("a folder");
    let back =
        json(&run(dir.path(), &["--json", "--data-dir", "a", "identity", "import", kept, "--replace"]));
    assert_eq!((&back["node_id"], &back["language"]), (&NODE_ID.into(), &"english".into()));
}

#[test]
fn backups_go_out_and_in() {
    let dir = here();
    write(dir.path(), "password", b"gravel\n");
    write(dir.path(), "empty", b"");
    run_with(dir.path(), &["--data-dir", "a", "identity", "recover"], WORDS);
    let export = |more: &[&str]| {
        run(dir.path(), &[&["--json", "--data-dir", "a", "identity", "export"], more].concat())
    };
    let sealed = json(&export(&["sealed", "--password-file", "password"]));
    assert_eq!((&sealed["sealed"], &sealed["node_id"]), (&true.into(), &NODE_ID.into()));
    let file = std::fs::read(dir.path().join("sealed")).expect("a file");
    assert!(file.starts_with(b"KCPKEY1"));
    let mode = dir.path().join("sealed").metadata().expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let again = export(&["sealed", "--password-file", "password"]);
    assert_eq!(again.status.code(), Some(2));
    assert_eq!(std::fs::read(dir.path().join("sealed")).expect("a file"), file);
    let plain = export(&["--file", "plain", "--password-file", "empty"]);
    assert_eq!(json(&plain)["sealed"], false);
    assert!(stderr(&plain).contains("without a password"), "{plain:?}");
    let plain: Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("plain")).expect("a file")).expect("JSON");
    assert_eq!(
        (&plain["private_key"], &plain["metadata"]["node_id"]),
        (&PRIVATE_KEY.into(), &NODE_ID.into())
    );
    let nobody = export(&["other"]);
    assert_eq!(nobody.status.code(), Some(2));
    assert!(stderr(&nobody).contains("--password-file") && !dir.path().join("other").exists(), "{nobody:?}");

    let import = |data: &str, more: &[&str], input: &str| {
        run_with(dir.path(), &[&["--json", "--data-dir", data, "identity", "import"], more].concat(), input)
    };
    for (data, more) in [
        ("b", &["sealed", "--password-file", "-"][..]),
        ("c", &["--file", "plain"]),
        ("d", &["a/identity"]),
        ("e", &["a/identity/node.key"]),
    ] {
        let imported = json(&import(data, more, "gravel"));
        assert_eq!((&imported["node_id"], &imported["word_count"]), (&NODE_ID.into(), &12.into()), "{data}");
    }
    for (more, input, code, words) in [
        (&["sealed", "--password-file", "-"][..], "sand", 2, "the password is wrong"),
        (&["sealed"], "", 2, "there is no password"),
        (&["password"], "", 2, "holds no identity"),
        (&["nowhere"], "", 1, "could not read"),
        (&["home"], "", 2, "holds no private key"),
        (&[], "", 2, "required"),
    ] {
        std::fs::create_dir_all(dir.path().join("home")).expect("a folder");
        let refused = import("f", more, input);
        assert_eq!(refused.status.code(), Some(code), "{refused:?}");
        assert!(stderr(&refused).contains(words), "{words}: {refused:?}");
        assert!(!dir.path().join("f").exists());
    }
}

#[test]
fn keys_of_others_are_imported_from_each_layout() {
    let dir = here();
    let (key, public) = (unhex(PRIVATE_KEY), unhex(NODE_ID));
    write(dir.path(), "raw/private.key", &key);
    write(dir.path(), "raw/public.key", &public);
    write(dir.path(), "hex/private.hex", PRIVATE_KEY.as_bytes());
    write(dir.path(), "hex/public.hex", NODE_ID.as_bytes());
    write(dir.path(), "node/node.key", &key);
    write(dir.path(), "node/node.pub", &public);
    for folder in ["raw", "hex", "node"] {
        let data = format!("of-{folder}");
        let imported = json(&run(dir.path(), &["--json", "--data-dir", &data, "identity", "import", folder]));
        assert_eq!(imported["node_id"], NODE_ID, "{folder}");
    }
    write(dir.path(), "raw/node.key", &[7; 32]);
    let refused = run(dir.path(), &["--data-dir", "x", "identity", "import", "raw"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("several private keys"), "{refused:?}");
    let one = run(dir.path(), &["--json", "--data-dir", "x", "identity", "import", "raw/private.key"]);
    assert_eq!(json(&one)["node_id"], NODE_ID);
}

#[test]
fn mistakes_are_told_and_change_nothing() {
    let dir = here();
    let none = run(dir.path(), &["--data-dir", "a", "identity", "show"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(stderr(&none).contains("cairn identity create"), "{none:?}");
    for (words, said) in [
        (WORDS.replace("camp", "gossip"), "checksum"),
        (WORDS.replace(' ', "  "), "one space"),
        (WORDS.replace("convince", "convinse"), "word 9 "),
        (WORDS.replace(" camp", ""), "has 11 words"),
        (String::new(), "has 0 words"),
    ] {
        let refused = run_with(dir.path(), &["--data-dir", "a", "identity", "recover"], &words);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(stderr(&refused).contains(said), "{said}: {refused:?}");
        assert!(
            !["convince", "convinse", "gossip"].iter().any(|word| stderr(&refused).contains(word)),
            "{refused:?}"
        );
    }
    for bad in [
        &["create", "--words", "15"][..],
        &["create", "--language", "latin"],
        &["create", "--random", "--words", "24"],
    ] {
        assert_eq!(
            run(dir.path(), &[&["--data-dir", "a", "identity"], bad].concat()).status.code(),
            Some(2),
            "{bad:?}"
        );
    }
    assert!(!dir.path().join("a").exists());
    write(dir.path(), "foreign/letter.txt", b"");
    let foreign = run(dir.path(), &["--data-dir", "foreign", "identity", "create"]);
    assert_eq!(foreign.status.code(), Some(2));
    assert!(stderr(&foreign).contains("holds other files"), "{foreign:?}");
    assert!(!dir.path().join("foreign/identity").exists());

    assert_eq!(
        run_with(dir.path(), &["--data-dir", "a", "identity", "recover"], WORDS).status.code(),
        Some(0)
    );
    write(dir.path(), "a/identity/node.key", b"short");
    let damaged = run(dir.path(), &["--data-dir", "a", "identity", "show"]);
    assert_eq!(damaged.status.code(), Some(4), "{damaged:?}");
}

#[test]
fn a_data_directory_with_an_identity_is_ours_and_a_server_leaves_it_alone() {
    let dir = here();
    run_with(dir.path(), &["--data-dir", "a", "identity", "recover"], WORDS);
    let server = Server::start(dir.path(), &["--data-dir", "a"]);
    let shown = json(&run(dir.path(), &["--json", "--data-dir", "a", "identity", "show"]));
    assert_eq!(shown["node_id"], NODE_ID);
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
    let doctor = run(dir.path(), &["--data-dir", "a", "doctor"]);
    assert_eq!(doctor.status.code(), Some(0), "{doctor:?}");
    assert_eq!(
        json(&run(dir.path(), &["--json", "--data-dir", "a", "identity", "show"]))["node_id"],
        NODE_ID
    );
}

/// Everything that any of the commands says, with secrets of every kind in play.
#[test]
fn no_secret_is_said_but_the_words_when_they_are_made() {
    let dir = here();
    write(dir.path(), "passphrase", b"passphrase-secret");
    write(dir.path(), "password", b"password-secret");
    let mut said = String::new();
    let mut keys = Vec::new();
    let mut phrases = vec![WORDS.to_owned()];
    for as_json in [false, true] {
        let data = format!("data-{as_json}");
        let mut call = |arguments: &[&str], input: &str| {
            let mut all = vec!["--data-dir", data.as_str(), "identity"];
            all.extend(arguments);
            all.extend(as_json.then_some("--json"));
            let output = run_with(dir.path(), &all, input);
            if let Ok(key) = std::fs::read(dir.path().join(&data).join("identity/node.key")) {
                keys.push(key);
            }
            let mut text = stdout(&output) + &stderr(&output);
            if arguments[0] == "create" && output.status.success() {
                // The one place; a line of its own on standard error.
                let shown = words(&output);
                assert!(!stdout(&output).contains(&shown));
                text = stdout(&output) + &stderr(&output).replace(&shown, "");
                phrases.push(shown);
            }
            said += &text;
        };
        let backup = format!("backup-{as_json}");
        let plain = format!("plain-{as_json}");
        call(&["create", "--passphrase-file", "passphrase"], "");
        call(&["create"], "");
        call(&["show"], "");
        call(&["export", &backup, "--password-file", "password"], "");
        call(&["export", &backup, "--password-file", "password"], "");
        call(&["export", &plain, "--password-file", "-"], "");
        call(&["recover", "--replace", "--passphrase-file", "passphrase"], WORDS);
        call(&["recover", "--replace"], &WORDS.replace("camp", "gossip"));
        call(&["show"], "");
        call(&["import", &backup, "--replace", "--password-file", "passphrase"], "");
        call(&["import", &backup, "--replace", "--password-file", "password"], "");
        call(&["import", &plain, "--replace"], "");
    }
    assert!(keys.len() > 20 && phrases.len() == 3, "{} {}", keys.len(), phrases.len());
    for key in keys {
        let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(!said.contains(&digits) && !said.to_lowercase().contains(&digits[..16]), "{said}");
    }
    // Three words in a row are no accident, one may be.
    for phrase in phrases {
        let words: Vec<_> = phrase.split(' ').collect();
        for row in words.windows(3) {
            assert!(!said.contains(&row.join(" ")), "{said}");
        }
    }
    assert!(!said.contains("passphrase-secret") && !said.contains("password-secret"), "{said}");
}
