//! Nothing shows a secret that is not asked for it.

use cairn_access::identity::{Identity, Imported, Language, Phrase, WordCount, import_file};
use cairn_base::fs::SimulatedFs;
use cairn_base::{ManualClock, SeededEntropy};

use super::{private_key, secret};

#[test]
fn debug_shows_public_things_alone() {
    let entropy = SeededEntropy::new(5);
    let phrase = Phrase::generate(WordCount::TwentyFour, Language::English, &entropy);
    let passphrase = secret("open sesame");
    let identity = Identity::from_phrase(&phrase, &passphrase, &ManualClock::new(0)).expect("a key");
    let sealed = identity.to_backup(&passphrase, &entropy);
    let fs = SimulatedFs::new(1);
    fs.write_raw("/a", &sealed);
    let imported = import_file(&fs, "/a".as_ref()).expect("a backup");
    assert!(matches!(imported, Imported::Sealed(_)));
    let shown = format!("{phrase:?} {passphrase:?} {:?} {identity:?} {imported:?}", phrase.words());
    let key = private_key(&identity);
    let raw: Vec<u8> = super::unhex(&key);
    let raw = format!("{raw:?}");
    let in_a_row = raw.trim_matches(['[', ']']);
    assert!(shown.contains("Phrase(secret)") && shown.contains("SecretText(secret)"), "{shown}");
    assert!(!shown.contains(&key) && !shown.contains(in_a_row) && !shown.contains("sesame"), "{shown}");
    for word in phrase.words().expose().split(' ').filter(|word| word.len() > 6) {
        assert!(!shown.contains(word), "{word} in {shown}");
    }
    assert!(shown.contains(&identity.public_key().to_string()), "{shown}");
}
