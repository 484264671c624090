//! Who a node or a user is to others: an Ed25519 key pair.
//!
//! The public key in hexadecimal digits is the name (the node id), and what the private key signed cannot be
//! denied. A key comes from a recovery phrase (BIP-39), from chance, or from files of elsewhere; it lives in
//! the folder `identity/` of the data directory ([`IdentityFolder`]), and travels as a backup file.
//!
//! Secrets are wiped from memory when they are dropped, show nothing of themselves in `Debug`, and are in no
//! error. Does not know who may do what: a key is only a name until somebody is registered with it.

mod about;
mod backup;
mod content_key;
mod error;
mod files;
mod folder;
mod import;
mod key;
mod language;
mod phrase;
mod public_key;
mod secret;
mod signature;

pub use about::About;
pub use backup::SealedBackup;
pub use content_key::{is_sealed_content, open_sealed_content};
pub use error::{IdentityError, SignatureError};
pub use folder::{Existing, FOLDER, IdentityFolder};
pub use import::{Imported, import_file, import_folder};
pub use key::Identity;
pub use language::Language;
pub use phrase::{Phrase, WordCount};
pub(crate) use public_key::is_signed_by;
pub use public_key::{NotAPublicKey, PublicKey};
pub use secret::SecretText;
pub use signature::{DerivedFrom, Signature, Verified, sign, verify};
