//! How a caller says who it is: a token of this node, or a JWT signed with a registered key.

mod error;
mod jwt;
mod token;

pub use error::CredentialError;
pub use jwt::{Jwt, JwtClaims, SignedJwt};
pub use token::{Token, TokenHash, TokenId, TokenKey};

/// Something a caller showed, taken apart and not yet checked.
#[derive(Debug)]
pub enum Credential<'a> {
    /// A token that this node may have issued.
    Token(Token),
    /// A JWT that a registered key may have signed.
    Jwt(Jwt<'a>),
}

impl<'a> Credential<'a> {
    /// Takes a bearer token apart, with the key of the node that is asked.
    pub fn parse(text: &'a str, key: &TokenKey) -> Result<Self, CredentialError> {
        if Token::is_marked(text) {
            return Token::parse(text, key).map(Credential::Token);
        }
        Jwt::parse(text).map(Credential::Jwt)
    }
}
