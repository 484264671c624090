//! What can be wrong with identities and signatures. No error holds a secret, or a piece of one.

use std::io;
use std::path::PathBuf;

use cairn_base::{CanonicalError, ErrorCode};

use super::Language;
use crate::AccessCode;

/// An identity could not be made, read or kept.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// A phrase has a number of words that is not taken.
    #[error("the recovery phrase has {count} words; it must have 12, 15, 18, 21 or 24")]
    WordCount {
        /// How many it has.
        count: usize,
    },
    /// A word is not in the list.
    #[error("word {position} of the recovery phrase is not in the {language} list; check its spelling")]
    UnknownWord {
        /// Which one, counted from 1.
        position: usize,
        /// Whose list.
        language: Language,
    },
    /// Something else than one space is between two words.
    #[error("the words of a recovery phrase have one space between them; write them again so")]
    Spacing,
    /// The last word does not fit to the others.
    #[error("the words do not belong together (their checksum is wrong); check their spelling and order")]
    Checksum,
    /// A text is longer than any that is meant.
    #[error("the secret is longer than {} bytes", crate::limits::SECRET_TEXT_BYTES_MAX)]
    SecretTooLong,
    /// There are bytes, and they are no identity.
    #[error("{} holds no identity; name a backup, a file with a private key, or a folder with one", file.display())]
    NotAnIdentity {
        /// The file.
        file: PathBuf,
    },
    /// Other users may read a private key.
    #[error("others may read the private key {} (its mode is {mode:03o})", file.display())]
    OpenKey {
        /// The file.
        file: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A folder has no file that could hold a private key.
    #[error("{} holds no private key; there should be node.key, private.key or private.hex", dir.display())]
    NoKey {
        /// The folder.
        dir: PathBuf,
    },
    /// A folder has several keys that differ.
    #[error("{} holds several private keys; name the file of the one that is meant", dir.display())]
    SeveralKeys {
        /// The folder.
        dir: PathBuf,
    },
    /// A private and a public key, or what is said about them, are of two identities.
    #[error("{} is not of the private key it is with", file.display())]
    Mismatch {
        /// What is of another one.
        file: PathBuf,
    },
    /// A backup does not open.
    #[error("the password is wrong, or the backup was changed")]
    WrongPassword,
    /// There is one already.
    #[error("there is an identity already, with the node id {node_id}")]
    Exists {
        /// The digits of its public key.
        node_id: String,
    },
    /// Somebody else changes it at the moment.
    #[error("the identity is being changed by {owner}; wait until that is done")]
    Busy {
        /// Who.
        owner: String,
    },
    /// A file of ours is not as we wrote it.
    #[error("{} is damaged: {detail}", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// How.
        detail: &'static str,
    },
    /// The system refused.
    #[error("could not {doing} {}: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl IdentityError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            IdentityError::WordCount { .. }
            | IdentityError::UnknownWord { .. }
            | IdentityError::Spacing
            | IdentityError::Checksum
            | IdentityError::SecretTooLong
            | IdentityError::NotAnIdentity { .. }
            | IdentityError::OpenKey { .. }
            | IdentityError::SeveralKeys { .. }
            | IdentityError::Mismatch { .. }
            | IdentityError::WrongPassword => ErrorCode::InvalidRequest,
            IdentityError::NoKey { .. } => ErrorCode::NotFound,
            IdentityError::Exists { .. } => ErrorCode::Conflict,
            IdentityError::Busy { .. } => ErrorCode::Unavailable,
            IdentityError::Damaged { .. } => ErrorCode::Damaged,
            IdentityError::Io { .. } => ErrorCode::Internal,
        }
    }
}

/// A document is not signed by the key it should be signed by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// It cannot be signed at all.
    #[error(transparent)]
    Document(#[from] CanonicalError),
    /// It has no signature.
    #[error("there is no signature; send 128 hexadecimal digits under \"signature\"")]
    Missing,
    /// Its signature is not one.
    #[error("the signature is malformed; send 128 hexadecimal digits under \"signature\"")]
    Malformed,
    /// The signature is of another key, or of another document.
    #[error("the signature does not fit to the document and the key")]
    Wrong,
}

impl SignatureError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            SignatureError::Document(error) => error.code(),
            SignatureError::Missing | SignatureError::Malformed | SignatureError::Wrong => {
                AccessCode::Unauthenticated
            }
        }
    }
}
