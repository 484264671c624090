//! JWTs signed with a registered key: the one kind that is taken, and nothing else of the standard.
//!
//! Header `{"alg": "EdDSA", "kid": <node id in hexadecimal digits>}`; claims `aud` (this node's id), `exp`
//! (at most five minutes ahead) and `jti`, and where they are there `nbf`, `iat`, `sub` and `tenant`.

use std::borrow::Cow;
use std::fmt;

use cairn_base::{from_base64_url, from_hex};
use serde::Deserialize;

use super::CredentialError;
use crate::identity::{Signature, is_signed_by};
use crate::{KeyId, limits};

/// A JWT, taken apart.
pub struct Jwt<'a> {
    key: KeyId,
    signed: &'a str,
    signature: Signature,
    claims: JwtClaims,
}

/// What a JWT says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JwtClaims {
    audience: Vec<String>,
    expires_at_s: u64,
    not_before_s: u64,
    /// Its own name, so that nobody uses it twice.
    pub id: String,
    /// The user it is for, if it says so.
    pub user: Option<String>,
    /// The tenant it is for, if it says so.
    pub tenant: Option<String>,
}

#[derive(Deserialize)]
struct Header<'a> {
    #[serde(borrow)]
    alg: Cow<'a, str>,
    #[serde(borrow)]
    kid: Option<Cow<'a, str>>,
    /// Whatever must be understood is not.
    crit: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Claims {
    aud: Option<Audience>,
    exp: Option<Seconds>,
    nbf: Option<Seconds>,
    iat: Option<Seconds>,
    jti: Option<String>,
    sub: Option<String>,
    tenant: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

/// A time of a JWT: whole seconds, or with a fraction, which is cut.
#[derive(Deserialize, Clone, Copy)]
#[serde(untagged)]
enum Seconds {
    Whole(u64),
    Fraction(f64),
}

impl Seconds {
    fn whole(self) -> u64 {
        match self {
            Seconds::Whole(seconds) => seconds,
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
            Seconds::Fraction(seconds) => seconds as u64,
        }
    }
}

impl<'a> Jwt<'a> {
    /// Takes a JWT apart; nothing is checked against the registry yet.
    pub(super) fn parse(text: &'a str) -> Result<Self, CredentialError> {
        let malformed = CredentialError::Malformed;
        if text.len() > limits::CREDENTIAL_BYTES_MAX {
            return Err(malformed);
        }
        let (signed, signature) = text.rsplit_once('.').ok_or(malformed)?;
        let (header, claims) = signed.split_once('.').ok_or(malformed)?;
        let header = from_base64_url(header).ok_or(malformed)?;
        let header: Header<'_> = serde_json::from_slice(&header).map_err(|_| malformed)?;
        if header.alg != "EdDSA" || header.crit.is_some() {
            return Err(CredentialError::Algorithm);
        }
        let key = header.kid.as_deref().and_then(from_hex).map(KeyId).ok_or(CredentialError::UnknownKey)?;
        let claims = from_base64_url(claims).ok_or(malformed)?;
        let claims: Claims = serde_json::from_slice(&claims).map_err(|_| CredentialError::Claims)?;
        let signature = from_base64_url(signature).ok_or(malformed)?;
        let signature = signature.try_into().map_err(|_| CredentialError::Signature)?;
        let signature = Signature::from_bytes(signature);
        Ok(Jwt { key, signed, signature, claims: JwtClaims::new(claims)? })
    }

    /// Checks that the key that it names has signed it. Strict: one message has one signature.
    ///
    /// First of all: only who has the key learns whether, and where, it is registered.
    pub fn verify(self) -> Result<SignedJwt<'a>, CredentialError> {
        let is_right = is_signed_by(&self.key.0, self.signed.as_bytes(), &self.signature);
        if is_right { Ok(SignedJwt(self)) } else { Err(CredentialError::Signature) }
    }
}

/// A JWT that the key it names has signed.
#[derive(Debug)]
pub struct SignedJwt<'a>(Jwt<'a>);

impl SignedJwt<'_> {
    /// The key that has signed it.
    pub fn key(&self) -> KeyId {
        self.0.key
    }

    /// What its key says.
    pub fn claims(&self) -> &JwtClaims {
        &self.0.claims
    }
}

impl fmt::Debug for Jwt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Whoever sees the rest can use it.
        f.debug_struct("Jwt").field("key", &self.key).finish_non_exhaustive()
    }
}

impl JwtClaims {
    fn new(claims: Claims) -> Result<Self, CredentialError> {
        let (Some(audience), Some(expires), Some(id)) = (claims.aud, claims.exp, claims.jti) else {
            return Err(CredentialError::Claims);
        };
        if id.is_empty() || id.len() > limits::JWT_ID_BYTES_MAX {
            return Err(CredentialError::Claims);
        }
        let begins = [claims.nbf, claims.iat].into_iter().flatten().map(Seconds::whole).max();
        Ok(JwtClaims {
            audience: match audience {
                Audience::One(one) => vec![one],
                Audience::Many(many) => many,
            },
            expires_at_s: expires.whole(),
            not_before_s: begins.unwrap_or(0),
            id,
            user: claims.sub,
            tenant: claims.tenant,
        })
    }

    /// Whether it holds here and now. Answers the millisecond from which on it does not any more.
    ///
    /// Clocks of two machines may differ by [`limits::CLOCK_SKEW`] where that costs nothing: it may begin
    /// to hold that much later by its own clock, and may be that much longer.
    pub fn check(&self, node: &str, now_ms: u64) -> Result<u64, CredentialError> {
        if !self.audience.iter().any(|audience| audience == node) {
            return Err(CredentialError::Audience);
        }
        let (now_s, skew) = (now_ms / 1000, limits::CLOCK_SKEW.as_secs());
        if self.expires_at_s <= now_s {
            return Err(CredentialError::Expired);
        }
        if self.expires_at_s > now_s + limits::JWT_LIFETIME.as_secs() + skew {
            return Err(CredentialError::TooLong);
        }
        if self.not_before_s > now_s + skew {
            return Err(CredentialError::NotYet);
        }
        Ok(self.expires_at_s.saturating_mul(1000))
    }
}
