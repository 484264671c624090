//! Why credentials do not say who somebody is.

use cairn_base::ErrorCode;

use crate::{AccessCode, limits};

/// What is wrong with credentials. None of these texts repeats a byte of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum CredentialError {
    /// It has the form of neither.
    #[error("the credentials are neither a token of cairn nor a JWT; send `Authorization: Bearer <token>`")]
    Malformed,
    /// Nobody was given this token, or not by this node.
    #[error("this node knows no such token; make one with `cairn access token create`")]
    UnknownToken,
    /// Its time is over.
    #[error("the token has expired; get a new one")]
    Expired,
    /// It was taken back.
    #[error("the token was revoked; get a new one")]
    Revoked,
    /// Its user may not come in any more.
    #[error("the user is disabled; ask an administrator of the tenant")]
    UserDisabled,
    /// Its tenant may not come in any more.
    #[error("the tenant is disabled; ask an operator of the node")]
    TenantDisabled,
    /// It is signed in a way that is not taken.
    #[error("the JWT is not signed with EdDSA; sign it with a registered Ed25519 key")]
    Algorithm,
    /// It is signed with a key that nobody registered.
    #[error("the JWT names a key that is not registered; register it with `cairn access key add`")]
    UnknownKey,
    /// It is signed with a key that was replaced or taken back.
    #[error("the key of the JWT was revoked; sign with the current key")]
    KeyRevoked,
    /// The key is registered in more than one tenant.
    #[error("the key of the JWT belongs to users of several tenants; say which with the claim `tenant`")]
    SeveralTenants,
    /// The signature is not of that key.
    #[error("the signature of the JWT is wrong")]
    Signature,
    /// It is for another node.
    #[error(
        "the JWT is for another node; its audience has to be the node id that `cairn identity show` prints"
    )]
    Audience,
    /// It lacks a claim, or says who somebody is that its key does not belong to.
    #[error("the JWT lacks a usable claim: it needs aud, exp and jti, and sub only as the user of its key")]
    Claims,
    /// It would hold for too long.
    #[error("the JWT holds for longer than {} s; let it expire sooner", limits::JWT_LIFETIME.as_secs())]
    TooLong,
    /// It begins to hold later.
    #[error("the JWT does not hold yet; set the clocks of both machines")]
    NotYet,
    /// It was shown before, on another connection.
    #[error("the JWT was used already; sign a new one with another jti for each connection")]
    Replayed,
}

impl CredentialError {
    /// Every situation.
    pub const ALL: [CredentialError; 16] = [
        CredentialError::Malformed,
        CredentialError::UnknownToken,
        CredentialError::Expired,
        CredentialError::Revoked,
        CredentialError::UserDisabled,
        CredentialError::TenantDisabled,
        CredentialError::Algorithm,
        CredentialError::UnknownKey,
        CredentialError::KeyRevoked,
        CredentialError::SeveralTenants,
        CredentialError::Signature,
        CredentialError::Audience,
        CredentialError::Claims,
        CredentialError::TooLong,
        CredentialError::NotYet,
        CredentialError::Replayed,
    ];

    /// The number that is stored, from 32 on: chosen once and never reused.
    pub(crate) const fn number(self) -> u8 {
        match self {
            CredentialError::Malformed => 32,
            CredentialError::UnknownToken => 33,
            CredentialError::Expired => 34,
            CredentialError::Revoked => 35,
            CredentialError::UserDisabled => 36,
            CredentialError::TenantDisabled => 37,
            CredentialError::Algorithm => 38,
            CredentialError::UnknownKey => 39,
            CredentialError::KeyRevoked => 40,
            CredentialError::SeveralTenants => 41,
            CredentialError::Signature => 42,
            CredentialError::Audience => 43,
            CredentialError::Claims => 44,
            CredentialError::TooLong => 45,
            CredentialError::NotYet => 46,
            CredentialError::Replayed => 47,
        }
    }

    /// The row of the error-code table.
    pub fn code(self) -> ErrorCode {
        match self {
            CredentialError::Malformed => AccessCode::TokenMalformed,
            CredentialError::UnknownToken => AccessCode::TokenUnknown,
            CredentialError::Expired => AccessCode::TokenExpired,
            CredentialError::Revoked => AccessCode::TokenRevoked,
            CredentialError::UserDisabled | CredentialError::TenantDisabled => AccessCode::PrincipalDisabled,
            CredentialError::Algorithm => AccessCode::TokenAlgorithm,
            CredentialError::UnknownKey => AccessCode::KeyUnknown,
            CredentialError::KeyRevoked => AccessCode::KeyRevoked,
            CredentialError::Signature => AccessCode::InvalidSignature,
            CredentialError::Audience => AccessCode::TokenAudience,
            CredentialError::Claims | CredentialError::SeveralTenants => AccessCode::TokenClaims,
            CredentialError::TooLong => AccessCode::TokenTooLong,
            CredentialError::NotYet => AccessCode::TokenNotYet,
            CredentialError::Replayed => AccessCode::TokenReplayed,
        }
    }
}
