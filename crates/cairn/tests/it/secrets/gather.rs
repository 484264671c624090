//! Secrets in every form they could be written in, and everything that was said.

use std::collections::HashMap;
use std::path::Path;
use std::process::Output;

use cairn_base::{Base64, Base64Url, Hex};

/// How many bytes of a form are looked up at once.
const START: usize = 4;

/// What must not be found.
#[derive(Default)]
pub(super) struct Secrets {
    /// By how they start.
    forms: HashMap<[u8; START], Vec<(String, Vec<u8>)>>,
}

impl Secrets {
    fn form(&mut self, name: &str, form: impl Into<Vec<u8>>) {
        let form = form.into();
        assert!(form.len() >= 8, "{name} is too short to be told from chance");
        let start = *form.first_chunk().expect("it is longer");
        self.forms.entry(start).or_default().push((name.to_owned(), form));
    }

    /// A text, as it is.
    pub(super) fn text(&mut self, name: &str, text: &str) {
        self.form(name, text);
    }

    /// Bytes: as they are, as digits, in both alphabets of base64, and as a list of numbers.
    pub(super) fn bytes(&mut self, name: &str, bytes: &[u8]) {
        self.form(name, bytes);
        let digits = Hex(bytes).to_string();
        self.form(name, digits.to_uppercase());
        self.form(name, digits);
        // Without its last characters: they differ with what follows.
        let whole = &bytes[..bytes.len() / 3 * 3];
        self.form(name, Base64(whole).to_string());
        self.form(name, Base64Url(whole).to_string());
        self.form(name, format!("{bytes:?}").trim_matches(['[', ']']));
    }

    /// A token of cairn: as it is, and its secret.
    pub(super) fn token(&mut self, name: &str, token: &str) {
        self.text(name, token);
        let secret = cairn_base::from_base64_url(&token[6..]).expect("base64");
        self.bytes(name, &secret[secret.len() - 24..]);
    }

    /// A JWT: as it is, and its signature.
    pub(super) fn jwt(&mut self, name: &str, jwt: &str) {
        self.text(name, jwt);
        let signature = jwt.rsplit('.').next().and_then(cairn_base::from_base64_url).expect("base64");
        self.bytes(name, &signature);
    }

    /// Words: any three in a row are no accident.
    pub(super) fn words(&mut self, name: &str, words: &str) {
        let words: Vec<_> = words.split(' ').collect();
        words.windows(3).for_each(|row| self.text(name, &row.join(" ")));
    }

    /// The names of the secrets that stand in something.
    pub(super) fn found_in(&self, said: &[u8]) -> Vec<&str> {
        let mut found = Vec::new();
        for (at, start) in said.windows(START).enumerate() {
            let known = start.first_chunk().and_then(|start: &[u8; START]| self.forms.get(start));
            for (name, form) in known.into_iter().flatten() {
                if said[at..].starts_with(form) && !found.contains(&name.as_str()) {
                    found.push(name);
                }
            }
        }
        found
    }
}

/// What was said, and by whom.
#[derive(Default)]
pub(super) struct Said(Vec<(String, Vec<u8>)>);

impl Said {
    pub(super) fn add(&mut self, by: &str, said: impl Into<Vec<u8>>) {
        self.0.push((by.to_owned(), said.into()));
    }

    pub(super) fn output(&mut self, by: &str, output: &Output) {
        self.add(by, output.stdout.clone());
        self.add(by, output.stderr.clone());
    }

    /// Every file below a folder but the one that holds a private key.
    pub(super) fn files(&mut self, folder: &Path) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                self.files(&path);
            } else if path.is_file() && !path.ends_with("identity/node.key") {
                let mut content = std::fs::read(&path).expect("a file");
                // Room that nothing was written to yet; it would take most of the time.
                let end = content.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                content.truncate(end);
                self.add(&path.display().to_string(), content);
            }
        }
    }

    /// Fails if any of it holds a secret, and says who said which.
    pub(super) fn holds_none_of(&self, secrets: &Secrets) {
        let found = self.0.iter().map(|(by, said)| (by, secrets.found_in(said)));
        let found: Vec<_> = found.filter(|(_, secrets)| !secrets.is_empty()).collect();
        assert!(found.is_empty(), "{found:#?}");
    }

    /// Whether something was said that proves that the right things were gathered.
    pub(super) fn has(&self, by: &str, text: &str) -> bool {
        let has = |said: &[u8]| said.windows(text.len()).any(|part| part == text.as_bytes());
        self.0.iter().any(|(who, said)| who.contains(by) && has(said))
    }

    /// What somebody said, for people.
    pub(super) fn of(&self, by: &str) -> String {
        let said = self.0.iter().filter(|(who, _)| who.contains(by));
        said.map(|(_, said)| String::from_utf8_lossy(said)).collect()
    }
}
