//! Error codes of credentials and of the configuration of access.

cairn_base::error_codes! {
    /// Error codes of credentials and of the configuration of access.
    pub AccessCode;

    /// The caller did not show who they are.
    Unauthenticated: "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "send a valid token";
    /// What the caller showed is no credential.
    TokenMalformed: "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "send `Authorization: Bearer` with a token of cairn or a JWT";
    /// This node issued no such token.
    TokenUnknown: "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "check that the whole token was sent, and to the node that issued it";
    /// The credential held until now.
    TokenExpired: "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "get a new token";
    /// The credential was taken back.
    TokenRevoked: "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "get a new token from an administrator";
    /// The user or the tenant may not come in.
    PrincipalDisabled: "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "ask an administrator";
    /// The JWT is not signed with EdDSA.
    TokenAlgorithm: "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "sign with EdDSA and a registered Ed25519 key";
    /// The key is not registered.
    KeyUnknown: "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "register the key, and name it in kid as 64 hexadecimal digits";
    /// The key was replaced or taken back.
    KeyRevoked: "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "sign with the current key";
    /// The signature is not of the key.
    InvalidSignature: "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "sign the exact bytes with the private key of the named public key";
    /// The JWT is for another node.
    TokenAudience: "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "set aud to the id of this node";
    /// The JWT lacks a claim that it needs, or one does not fit its key.
    TokenClaims: "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "send the claims aud, exp and jti; sub and tenant only as its key is registered";
    /// The JWT would hold for too long.
    TokenTooLong: "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "let it expire within five minutes, and check the clocks";
    /// The JWT holds later.
    TokenNotYet: "KIP_3004", wire 401, http 401, rpc -32001, Later,
        "check the clocks of both machines";
    /// The JWT was used on another connection.
    TokenReplayed: "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "sign a new JWT with another jti";
    /// The configuration does not hold together.
    ConfigInvalid: "KIP_4003", wire 500, http 500, rpc -32603, Never,
        "correct the named setting and start again";
}
