//! Our own vectors.

use cairn_access::identity::{
    Identity, IdentityError, Imported, Language, Phrase, WordCount, import_file, sign, verify,
};
use cairn_base::fs::SimulatedFs;
use cairn_base::{CanonicalObject, Entropy, ManualClock, SeededEntropy};

use super::{identity_of, private_key, public_key, secret, text, unhex, vectors};

/// Chance that is not.
#[derive(Debug)]
struct Given(Vec<u8>);

impl Entropy for Given {
    fn fill(&self, out: &mut [u8]) {
        out.copy_from_slice(&self.0);
    }
}

#[test]
fn phrases_give_their_keys_and_chance_gives_its_phrase() {
    let rows = vectors("identities");
    assert!(rows.len() >= 8);
    for row in &rows {
        let name = text(row, "name");
        let language = Language::parse(text(row, "language")).expect("a language");
        let phrase = Phrase::parse(&secret(text(row, "phrase")), Some(language)).expect(name);
        let identity = Identity::from_phrase(&phrase, &secret(text(row, "passphrase")), &ManualClock::new(7))
            .expect(name);
        assert_eq!(private_key(&identity), text(row, "private_key"), "{name}");
        assert_eq!(identity.public_key().to_string(), text(row, "public_key"), "{name}");
        assert_eq!(identity.public_key().fingerprint(), text(row, "public_key")[..8], "{name}");
        let about = identity.about();
        assert_eq!((about.language, about.created_at_ms), (Some(language), Some(7)), "{name}");
        assert_eq!(about.passphrase_protected, !text(row, "passphrase").is_empty(), "{name}");

        // Phrases of 15, 18 and 21 words are read and not made.
        if row.get("entropy").is_none() {
            assert_eq!(phrase.count(), text(row, "phrase").split(' ').count(), "{name}");
            continue;
        }
        let entropy = unhex(text(row, "entropy"));
        let count = if entropy.len() == 16 { WordCount::Twelve } else { WordCount::TwentyFour };
        assert_eq!(about.word_count, Some(count.words()), "{name}");
        let made = Phrase::generate(count, language, &Given(entropy));
        assert_eq!(made.words().expose(), phrase.words().expose(), "{name}");
        // The lists differ so much that nobody has to say which one it is.
        let guessed = Phrase::parse(&made.words(), None).expect(name);
        assert_eq!(guessed.language(), language, "{name}");
    }
}

#[test]
fn phrases_that_are_none_are_refused_and_nothing_of_them_is_told() {
    for row in vectors("refused") {
        let (name, phrase) = (text(&row, "name"), text(&row, "phrase"));
        let language = Language::parse(text(&row, "language"));
        let refused = Phrase::parse(&secret(phrase), language).expect_err(name);
        let kind = format!("{refused:?}");
        assert!(kind.starts_with(text(&row, "why")), "{name}: {kind}");
        let told = format!("{refused} {refused:?}");
        // "word" and "words" are in no list, though other words of ours may be.
        for word in phrase.split_whitespace().filter(|word| word.len() > 5) {
            assert!(!told.contains(word), "{name}: {told}");
        }
    }
    let long = secret(&"zoo ".repeat(1025));
    assert!(matches!(Phrase::parse(&long, None), Err(IdentityError::SecretTooLong)));
    let words = vectors("identities")[3].clone();
    // In no language given, the error is about the language that the words are of.
    let mut swapped: Vec<_> = text(&words, "phrase").split(' ').collect();
    swapped.swap(0, 1);
    let refused = Phrase::parse(&secret(&swapped.join(" ")), None);
    assert!(matches!(refused, Err(IdentityError::Checksum)), "{refused:?}");
    swapped[4] = "cairn";
    let refused = Phrase::parse(&secret(&swapped.join(" ")), None);
    let Err(IdentityError::UnknownWord { language: Language::English, .. }) = refused else {
        panic!("{refused:?}")
    };
}

#[test]
fn documents_have_their_canonical_text_and_signature() {
    let identity = identity_of(text(&vectors("identities")[0], "private_key"));
    for row in vectors("documents") {
        let name = text(&row, "name");
        let document = CanonicalObject::parse(text(&row, "document").as_bytes()).expect(name);
        let signed = sign(&document, &identity);
        assert_eq!(signed.signed, text(&row, "canonical"), "{name}");
        assert_eq!(signed.signature.to_string(), text(&row, "signature"), "{name}");

        // Put together as text, as it would travel: a `Value` holds no integer of that size.
        let field = format!("\"signature\":\"{}\"", signed.signature);
        let carried = match text(&row, "document") {
            "{}" => format!("{{{field}}}"),
            document if document.contains("\"signature\":\"later\"") => {
                document.replace("\"signature\":\"later\"", &field)
            }
            document => document.replacen('{', &format!("{{{field},"), 1),
        };
        let carried = CanonicalObject::parse(carried.as_bytes()).expect(name);
        assert_eq!(verify(&carried, &identity.public_key()), Ok(signed), "{name}");
    }
}

#[test]
fn backups_are_read_and_written_to_the_byte() {
    for row in vectors("backups") {
        let (password, file) = (secret(text(&row, "password")), unhex(text(&row, "file")));
        let fs = SimulatedFs::new(1);
        fs.write_raw("/backup", &file);
        let identity = match import_file(&fs, "/backup".as_ref()).expect("a backup") {
            Imported::Identity(identity) => {
                assert!(password.is_empty());
                *identity
            }
            Imported::Sealed(sealed) => {
                for wrong in ["", "Gravel", "gravel "] {
                    let refused = sealed.open(&secret(wrong));
                    assert!(matches!(refused, Err(IdentityError::WrongPassword)), "{refused:?}");
                }
                sealed.open(&password).expect("its password")
            }
        };
        assert_eq!(private_key(&identity), text(&row, "private_key"));
        assert_eq!(identity.about().created_at_ms, Some(1_794_816_000_250));
        // With the same salt and nonce, every byte is the same.
        let chance = if password.is_empty() { Vec::new() } else { file[7..35].to_vec() };
        assert_eq!(*identity.to_backup(&password, &Given(chance)), file);
    }
}

#[test]
fn a_backup_that_was_cut_or_changed_does_not_open() {
    let row = &vectors("backups")[0];
    let (password, file) = (secret(text(row, "password")), unhex(text(row, "file")));
    let open = |bytes: &[u8]| {
        let fs = SimulatedFs::new(1);
        fs.write_raw("/backup", bytes);
        match import_file(&fs, "/backup".as_ref())? {
            Imported::Identity(identity) => Ok(*identity),
            Imported::Sealed(sealed) => sealed.open(&password),
        }
    };
    assert!(open(&file).is_ok());
    // Magic, salt, nonce, sealed bytes, tag.
    for at in [0, 7, 23, 35, file.len() - 1] {
        let mut changed = file.clone();
        changed[at] ^= 1;
        assert!(open(&changed).is_err(), "byte {at}");
    }
    for length in [0, 7, 35, 50, 51, file.len() - 1] {
        assert!(open(&file[..length]).is_err(), "cut at {length}");
    }
    assert!(open(&[&file[..], &[0]].concat()).is_err());
}

#[test]
fn two_backups_of_one_identity_differ_and_random_keys_do_too() {
    let entropy = SeededEntropy::new(3);
    let clock = ManualClock::new(1);
    let [one, other] = [(); 2].map(|()| Identity::random(&entropy, &clock));
    assert_ne!(one.public_key(), other.public_key());
    assert_eq!((one.about().language, one.about().word_count), (None, None));
    let [a, b] = [(); 2].map(|()| one.to_backup(&secret("x"), &entropy));
    assert_ne!(a[7..23], b[7..23]);
    assert_ne!(a[23..35], b[23..35]);
    assert_eq!(public_key(&one.public_key().to_string()), one.public_key());
}
