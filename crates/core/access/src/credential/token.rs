//! Tokens that this node issues.
//!
//! `cairn_` and then base64 for URLs. A token is a locator (the tenant's number, 4 bytes, and the token's id,
//! 8 bytes) and a secret (24 bytes). The locator selects the record; the record holds a hash of the secret.
//! The secret is random, so a fast hash is as good as a slow one: there is nothing to guess.
//!
//! There are two forms of the text, told apart by their length:
//!
//! ```text
//! hidden  50 characters: version u8 (1) | locator xor pad 12 | secret 24
//! open    48 characters: locator 12 | secret 24
//! pad     the first 12 bytes of BLAKE3, keyed with the node's token key, over the secret
//! ```
//!
//! New tokens are hidden, so that their text does not show the tenant's number. Open ones were issued by
//! earlier versions and keep working. The pad proves nothing: a changed locator selects another record, whose
//! hash is of another secret.

use std::fmt;
use std::str::FromStr;

use cairn_base::{Base64Url, Entropy, Hex, TenantId, from_base64_url, from_hex};
use zeroize::Zeroizing;

use super::CredentialError;

/// What every token begins with, so that people and scanners of secrets know one when they see it.
const MARK: &str = "cairn_";
const TENANT_BYTES: usize = 4;
const ID_BYTES: usize = 8;
const SECRET_BYTES: usize = 24;
const LOCATOR_BYTES: usize = TENANT_BYTES + ID_BYTES;
/// Length of the text of an open token: 36 bytes.
const OPEN_TEXT_BYTES: usize = MARK.len() + 48;
/// Length of the text of a hidden token: 37 bytes.
const HIDDEN_TEXT_BYTES: usize = MARK.len() + 50;
/// The first byte of a hidden token.
const HIDDEN: u8 = 1;

type Locator = [u8; LOCATOR_BYTES];

/// The node's key that hides the tenant in the text of tokens. Its `Debug` text shows nothing of it.
#[derive(Clone)]
pub struct TokenKey(Zeroizing<[u8; 32]>);

impl TokenKey {
    /// Wraps the bytes of a key. A node must always use the same key to read its tokens.
    pub fn new(bytes: [u8; 32]) -> Self {
        TokenKey(Zeroizing::new(bytes))
    }

    /// Hides the locator of the token with this secret, or restores it.
    fn turn(&self, secret: &[u8; SECRET_BYTES], locator: Locator) -> Locator {
        let pad = blake3::keyed_hash(&self.0, secret);
        let mut turned = locator;
        turned.iter_mut().zip(pad.as_bytes()).for_each(|(byte, pad)| *byte ^= pad);
        turned
    }
}

impl fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenKey(…)")
    }
}

/// What a token is called in lists and in the trail. No secret.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenId(pub [u8; ID_BYTES]);

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(f)
    }
}

impl fmt::Debug for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not the id of a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the id of a token is 16 hexadecimal digits, as `cairn access token list` shows them")]
pub struct BadTokenId;

impl FromStr for TokenId {
    type Err = BadTokenId;

    fn from_str(text: &str) -> Result<Self, BadTokenId> {
        from_hex(text).map(TokenId).ok_or(BadTokenId)
    }
}

/// What is kept of a token's secret. Not shown by accident: whoever has it can tell a good guess.
#[derive(Clone, Copy)]
pub struct TokenHash(pub(crate) [u8; 32]);

impl TokenHash {
    /// Whether it is the hash of the same secret. Takes the same time wherever they differ.
    pub fn is(&self, other: &TokenHash) -> bool {
        blake3::Hash::from_bytes(self.0) == blake3::Hash::from_bytes(other.0)
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(…)")
    }
}

/// A token, with its secret. Wiped when dropped, and never shown by accident.
pub struct Token {
    tenant: TenantId,
    id: TokenId,
    secret: Zeroizing<[u8; SECRET_BYTES]>,
    /// The locator as the text has it, if it is hidden there.
    hidden: Option<Locator>,
}

impl Token {
    /// A new one for a tenant of the node that has this key.
    pub fn random(tenant: TenantId, key: &TokenKey, entropy: &dyn Entropy) -> Self {
        let mut id = [0; ID_BYTES];
        let mut secret = Zeroizing::new([0; SECRET_BYTES]);
        entropy.fill(&mut id);
        entropy.fill(&mut *secret);
        let hidden = key.turn(&secret, locator(tenant, TokenId(id)));
        Token { tenant, id: TokenId(id), secret, hidden: Some(hidden) }
    }

    /// Whether the text says that it is a token.
    pub(super) fn is_marked(text: &str) -> bool {
        text.starts_with(MARK)
    }

    /// Whether a token of either form stands anywhere in a text: for texts that others see, where somebody
    /// may have put one by mistake.
    pub fn is_in(text: &str) -> bool {
        let is_token = |at: usize, length: usize| {
            text.get(at..at + length).is_some_and(|part| TokenText::parse(part).is_ok())
        };
        let mut marks = text.match_indices(MARK);
        marks.any(|(at, _)| is_token(at, OPEN_TEXT_BYTES) || is_token(at, HIDDEN_TEXT_BYTES))
    }

    /// Takes a token apart, with the key of the node that is asked.
    pub fn parse(text: &str, key: &TokenKey) -> Result<Self, CredentialError> {
        let TokenText { first, secret, is_hidden } = TokenText::parse(text)?;
        let (tenant, id) = parts(if is_hidden { key.turn(&secret, first) } else { first });
        Ok(Token { tenant, id, secret, hidden: is_hidden.then_some(first) })
    }

    /// Whose records to look at.
    pub fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// Which record to look at.
    pub fn id(&self) -> TokenId {
        self.id
    }

    /// What is kept of its secret.
    pub fn hash(&self) -> TokenHash {
        TokenHash(blake3::derive_key("cairn 2026 secret of a token", &*self.secret))
    }

    /// The whole token, for whom it is made. To be shown once.
    pub fn reveal(&self) -> Zeroizing<String> {
        // Sized at once: growing would leave copies of the secret behind.
        let mut bytes = Zeroizing::new(Vec::with_capacity(1 + LOCATOR_BYTES + SECRET_BYTES));
        match &self.hidden {
            Some(hidden) => {
                bytes.push(HIDDEN);
                bytes.extend_from_slice(hidden);
            }
            None => bytes.extend_from_slice(&locator(self.tenant, self.id)),
        }
        bytes.extend_from_slice(&*self.secret);
        Zeroizing::new(format!("{MARK}{}", Base64Url(&bytes)))
    }
}

/// The text of a token, taken apart without any key.
struct TokenText {
    first: Locator,
    secret: Zeroizing<[u8; SECRET_BYTES]>,
    is_hidden: bool,
}

impl TokenText {
    fn parse(text: &str) -> Result<Self, CredentialError> {
        let malformed = CredentialError::Malformed;
        let encoded = text.strip_prefix(MARK).ok_or(malformed)?;
        let is_hidden = match text.len() {
            OPEN_TEXT_BYTES => false,
            HIDDEN_TEXT_BYTES => true,
            _ => return Err(malformed),
        };
        let bytes = Zeroizing::new(from_base64_url(encoded).ok_or(malformed)?);
        let bytes = if is_hidden { bytes.strip_prefix(&[HIDDEN]).ok_or(malformed)? } else { &bytes[..] };
        let (first, secret) = bytes.split_first_chunk().ok_or(malformed)?;
        let secret = secret.try_into().map_err(|_| malformed)?;
        Ok(TokenText { first: *first, secret: Zeroizing::new(secret), is_hidden })
    }
}

fn locator(tenant: TenantId, id: TokenId) -> Locator {
    let mut locator = [0; LOCATOR_BYTES];
    locator[..TENANT_BYTES].copy_from_slice(&tenant.0.to_be_bytes());
    locator[TENANT_BYTES..].copy_from_slice(&id.0);
    locator
}

fn parts(locator: Locator) -> (TenantId, TokenId) {
    let (tenant, id) = locator.split_first_chunk().expect("12 bytes begin with 4");
    (TenantId(u32::from_be_bytes(*tenant)), TokenId(id.try_into().expect("8 of 12 bytes are left")))
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").field("id", &self.id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use cairn_base::SeededEntropy;
    use proptest::prelude::*;

    use super::*;
    use crate::Credential;

    fn key() -> TokenKey {
        TokenKey::new([7; 32])
    }

    fn hidden() -> Token {
        Token::random(TenantId(7), &key(), &SeededEntropy::new(1))
    }

    fn open() -> Token {
        Token { hidden: None, ..hidden() }
    }

    #[test]
    fn a_token_of_either_form_comes_back_and_its_debug_text_keeps_the_secret() {
        for (token, length, start) in [(hidden(), 56, "cairn_A"), (open(), 54, "cairn_AAAAB")] {
            let text = token.reveal();
            assert_eq!((text.len(), text.starts_with(start)), (length, true), "{}", *text);
            let again = Token::parse(&text, &key()).expect("it is one");
            assert_eq!((again.tenant(), again.id()), (token.tenant(), token.id()));
            assert_eq!(*again.reveal(), *text);
            assert!(again.hash().is(&token.hash()));
            let shown = format!("{token:?} {:?} {:?}", Credential::parse(&text, &key()), token.hash());
            assert!(!shown.contains(&text[24..]) && !shown.contains(&Hex(&*token.secret).to_string()));
            assert!(!shown.contains(&format!("{:?}", token.hash().0)[1..20]), "{shown}");
            assert!(!format!("{:?}", key()).contains('7'));
        }
    }

    #[test]
    fn tokens_of_one_tenant_have_nothing_in_common() {
        let entropy = SeededEntropy::new(1);
        let texts: Vec<_> = (0..64).map(|_| Token::random(TenantId(7), &key(), &entropy).reveal()).collect();
        let bytes: Vec<_> = texts.iter().map(|text| from_base64_url(&text[6..]).expect("base64")).collect();
        for at in 1..=TENANT_BYTES {
            let values: std::collections::HashSet<u8> = bytes.iter().map(|bytes| bytes[at]).collect();
            assert!(values.len() > 32, "byte {at} of the tenant's number has {} values", values.len());
        }
    }

    #[test]
    fn the_locator_is_read_with_the_key_of_its_node_alone() {
        let token = hidden();
        let elsewhere = Token::parse(&token.reveal(), &TokenKey::new([8; 32])).expect("it is one");
        assert_ne!((elsewhere.tenant(), elsewhere.id()), (token.tenant(), token.id()));
        assert!(elsewhere.hash().is(&token.hash()), "the secret is the same");
    }

    #[test]
    fn a_token_is_found_wherever_it_stands() {
        for text in [hidden().reveal(), open().reveal()] {
            for with in [text.to_string(), format!("é{}é", *text), format!("cairn_cairn_{} b", *text)] {
                assert!(Token::is_in(&with), "{with}");
            }
            for without in ["", "cairn_", "cairn_agent", &text[1..], &text[..53], &text.replacen('_', "-", 1)]
            {
                assert!(!Token::is_in(without), "{without}");
            }
        }
    }

    #[test]
    fn what_is_no_token_is_refused() {
        let (hidden, open) = (hidden().reveal(), open().reveal());
        let mut next_version = from_base64_url(&hidden[6..]).expect("base64");
        next_version[0] = HIDDEN + 1;
        let next_version = format!("{MARK}{}", Base64Url(&next_version));
        for bad in [
            "cairn_",
            "cairn_é",
            &open[..53],
            &hidden[..55],
            &format!("{}A", *open),
            &format!("{}A", *hidden),
            &format!("{}B", &hidden[..55]),
            &open.replace("cairn_", "cairn_="),
            &next_version,
        ] {
            assert_eq!(Token::parse(bad, &key()).err(), Some(CredentialError::Malformed), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn another_secret_has_another_hash(one: [u8; 24], two: [u8; 24]) {
            let token = |secret| Token {
                tenant: TenantId(1), id: TokenId([0; 8]), secret: Zeroizing::new(secret), hidden: None
            };
            prop_assert_eq!(token(one).hash().is(&token(two).hash()), one == two);
        }

        #[test]
        fn no_text_that_is_parsed_has_another_text(bytes in proptest::collection::vec(any::<u8>(), 36..=37)) {
            let text = format!("{MARK}{}", Base64Url(&bytes));
            if let Ok(token) = Token::parse(&text, &key()) {
                prop_assert_eq!(&*token.reveal(), &text);
            }
        }
    }
}
