//! Tokens that this node issues.
//!
//! `cairn_` and then 48 characters of base64 for URLs: the tenant's number (4 bytes), the token's id (8)
//! and its secret (24). The tenant and the id say which record to look at; the record holds a hash of the
//! secret. The secret is random, so a fast hash is as good as a slow one: there is nothing to guess.

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
const BYTES: usize = TENANT_BYTES + ID_BYTES + SECRET_BYTES;
const TEXT_BYTES: usize = MARK.len() + BYTES / 3 * 4;

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
}

impl Token {
    /// A new one for a tenant.
    pub fn random(tenant: TenantId, entropy: &dyn Entropy) -> Self {
        let mut id = [0; ID_BYTES];
        let mut secret = Zeroizing::new([0; SECRET_BYTES]);
        entropy.fill(&mut id);
        entropy.fill(&mut *secret);
        Token { tenant, id: TokenId(id), secret }
    }

    /// Whether the text says that it is a token.
    pub(super) fn is_marked(text: &str) -> bool {
        text.starts_with(MARK)
    }

    /// Whether a token stands anywhere in a text: for texts that others see, where somebody may have put one
    /// by mistake.
    pub fn is_in(text: &str) -> bool {
        let found =
            |(at, _): (usize, &str)| text.get(at..at + TEXT_BYTES).is_some_and(|it| Token::parse(it).is_ok());
        text.match_indices(MARK).any(found)
    }

    /// Takes a token apart.
    pub fn parse(text: &str) -> Result<Self, CredentialError> {
        let encoded = text.strip_prefix(MARK).filter(|_| text.len() == TEXT_BYTES);
        let bytes = Zeroizing::new(encoded.and_then(from_base64_url).ok_or(CredentialError::Malformed)?);
        let (tenant, rest) = bytes.split_first_chunk().ok_or(CredentialError::Malformed)?;
        let (id, secret) = rest.split_first_chunk().ok_or(CredentialError::Malformed)?;
        let secret = secret.try_into().map_err(|_| CredentialError::Malformed)?;
        let tenant = TenantId(u32::from_be_bytes(*tenant));
        Ok(Token { tenant, id: TokenId(*id), secret: Zeroizing::new(secret) })
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
        let mut bytes = Zeroizing::new(Vec::with_capacity(BYTES));
        bytes.extend_from_slice(&self.tenant.0.to_be_bytes());
        bytes.extend_from_slice(&self.id.0);
        bytes.extend_from_slice(&*self.secret);
        Zeroizing::new(format!("{MARK}{}", Base64Url(&bytes)))
    }
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

    #[test]
    fn a_token_comes_back_and_its_debug_text_keeps_the_secret() {
        let token = Token::random(TenantId(7), &SeededEntropy::new(1));
        let text = token.reveal();
        assert_eq!((text.len(), text.starts_with("cairn_AAAAB")), (54, true), "tenant 7 comes first");
        let again = Token::parse(&text).expect("it is one");
        assert_eq!((again.tenant(), again.id()), (token.tenant(), token.id()));
        assert!(again.hash().is(&token.hash()));
        let shown = format!("{token:?} {:?} {:?}", Credential::parse(&text), token.hash());
        assert!(!shown.contains(&text[22..]) && !shown.contains(&Hex(&*token.secret).to_string()));
        assert!(!shown.contains(&format!("{:?}", token.hash().0)[1..20]), "{shown}");
    }

    #[test]
    fn a_token_is_found_wherever_it_stands() {
        let text = Token::random(TenantId(7), &SeededEntropy::new(1)).reveal();
        for with in [text.to_string(), format!("é{}é", *text), format!("cairn_cairn_{} b", *text)] {
            assert!(Token::is_in(&with), "{with}");
        }
        for without in ["", "cairn_", "cairn_agent", &text[1..], &text[..53], &text.replacen('_', "-", 1)] {
            assert!(!Token::is_in(without), "{without}");
        }
    }

    #[test]
    fn what_is_no_token_is_refused() {
        let text = Token::random(TenantId(7), &SeededEntropy::new(1)).reveal();
        for bad in
            ["cairn_", &text[..53], &format!("{}A", *text), &text.replace("cairn_", "cairn_="), "cairn_é"]
        {
            assert_eq!(Token::parse(bad).err(), Some(CredentialError::Malformed), "{bad}");
        }
    }

    use crate::Credential;

    proptest! {
        #[test]
        fn another_secret_has_another_hash(one: [u8; 24], two: [u8; 24]) {
            let token = |secret| Token { tenant: TenantId(1), id: TokenId([0; 8]), secret: Zeroizing::new(secret) };
            prop_assert_eq!(token(one).hash().is(&token(two).hash()), one == two);
        }
    }
}
