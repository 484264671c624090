//! Recovery phrases: words that a person can keep on paper, and that always give the same key (BIP-39).

use std::borrow::Cow;
use std::fmt;

use crate::limits::SECRET_TEXT_BYTES_MAX;
use bip39::Mnemonic;
use cairn_base::Entropy;
use zeroize::Zeroizing;

use super::{IdentityError, Language, SecretText};

/// Phrases of so many words are read: all that BIP-39 knows, though only some of them are made here.
const READ: [usize; 5] = [12, 15, 18, 21, 24];

/// How many words a new phrase has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WordCount {
    /// 128 bits of chance.
    Twelve,
    /// 256 bits of chance.
    TwentyFour,
}

impl WordCount {
    /// Every number that is made.
    pub const ALL: [WordCount; 2] = [WordCount::Twelve, WordCount::TwentyFour];

    /// The number.
    pub fn words(self) -> usize {
        match self {
            WordCount::Twelve => 12,
            WordCount::TwentyFour => 24,
        }
    }

    /// The number as one of ours.
    pub fn of(words: usize) -> Option<Self> {
        WordCount::ALL.into_iter().find(|count| count.words() == words)
    }

    /// Three words hold 32 bits, and a checksum.
    fn entropy_bytes(self) -> usize {
        self.words() / 3 * 4
    }
}

/// A recovery phrase whose checksum is right. Wiped from memory when dropped, and never shown.
#[derive(Clone)]
pub struct Phrase {
    mnemonic: Mnemonic,
    language: Language,
    words: usize,
}

impl Phrase {
    /// A new one.
    pub fn generate(count: WordCount, language: Language, entropy: &dyn Entropy) -> Self {
        let mut chance = Zeroizing::new([0; 32]);
        let chance = &mut chance[..count.entropy_bytes()];
        entropy.fill(chance);
        let mnemonic = Mnemonic::from_entropy_in(language.list(), chance);
        let mnemonic = mnemonic.expect("16 and 32 bytes are lengths it takes");
        Phrase { mnemonic, language, words: count.words() }
    }

    /// Reads a phrase in whatever case, with one space between two words.
    ///
    /// Without a language each list is tried. The key depends on the words alone.
    pub fn parse(text: &SecretText, language: Option<Language>) -> Result<Self, IdentityError> {
        let text = normal(text.expose().trim(), true)?;
        if text.contains("  ") || text.contains(is_other_space) {
            return Err(IdentityError::Spacing);
        }
        let words = text.split_terminator(' ').count();
        if !READ.contains(&words) {
            return Err(IdentityError::WordCount { count: words });
        }
        let read = |language: Language| {
            let mnemonic = Mnemonic::parse_in_normalized(language.list(), &text);
            let mnemonic = mnemonic.map_err(|error| explain(error, language))?;
            Ok(Phrase { mnemonic, language, words })
        };
        if let Some(language) = language {
            return read(language);
        }
        let portuguese = read(Language::Portuguese);
        // What is wrong with it in English is what most people have to hear, unless the words are Portuguese.
        read(Language::English).or_else(|in_english| match portuguese {
            Err(IdentityError::UnknownWord { .. }) => Err(in_english),
            other => other,
        })
    }

    /// Its words, one space between them.
    pub fn words(&self) -> SecretText {
        // Sized at once, so that no copies stay behind: no word of the lists has more than 8 letters.
        let mut text = String::with_capacity(self.words * 9);
        for word in self.mnemonic.words() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word);
        }
        SecretText::new(text)
    }

    /// In which language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// How many words.
    pub fn count(&self) -> usize {
        self.words
    }

    /// The private key that it stands for, together with a passphrase; another passphrase is another key.
    pub(super) fn private_key(&self, passphrase: &SecretText) -> Result<Zeroizing<[u8; 32]>, IdentityError> {
        let passphrase = normal(passphrase.expose(), false)?;
        let seed = Zeroizing::new(self.mnemonic.to_seed_normalized(&passphrase));
        let mut key = Zeroizing::new([0; 32]);
        key.copy_from_slice(&seed[..32]);
        Ok(key)
    }
}

impl fmt::Debug for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Phrase(secret)")
    }
}

/// The form in which text is hashed (NFKD), so that it does not matter how a keyboard composes letters.
fn normal(text: &str, lower: bool) -> Result<Zeroizing<String>, IdentityError> {
    if text.len() > SECRET_TEXT_BYTES_MAX {
        return Err(IdentityError::SecretTooLong);
    }
    let text = Zeroizing::new(if lower { text.to_lowercase() } else { text.to_owned() });
    let mut normal = Cow::Borrowed(text.as_str());
    Mnemonic::normalize_utf8_cow(&mut normal);
    Ok(Zeroizing::new(normal.into_owned()))
}

fn is_other_space(character: char) -> bool {
    character.is_whitespace() && character != ' '
}

fn explain(error: bip39::Error, language: Language) -> IdentityError {
    match error {
        bip39::Error::UnknownWord(index) => IdentityError::UnknownWord { position: index + 1, language },
        bip39::Error::BadWordCount(count) => IdentityError::WordCount { count },
        bip39::Error::InvalidChecksum
        | bip39::Error::BadEntropyBitCount(_)
        | bip39::Error::AmbiguousLanguages(_) => IdentityError::Checksum,
    }
}
