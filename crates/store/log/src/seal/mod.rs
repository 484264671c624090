//! Sealing: nothing that users stored is readable in a file of a store that has a key.
//!
//! ```text
//! key of the file named by the user ── wraps ──> root keys, in the manifest
//! root key ── BLAKE3 derive_key ──> one key per (use, file, salt, tenant) ── AES-256-GCM ──> frames, pages
//! ```
//!
//! The user's key seals nothing but root keys, so changing it rewrites one file. Keys of files are made
//! when they are needed and are stored nowhere. What a file is sealed with follows from its number, which
//! only grows: each root says from which number on it is used.

mod cipher;
mod derived;
mod key;
mod root;
mod rotate;
mod sealer;

pub use cipher::{BadSeal, Cipher, NONCE_BYTES, TAG_BYTES, counted};
pub use derived::DerivedSealer;
pub use key::EncryptionKey;
pub(crate) use root::{RootRow, SealedRows, Wrapped};
pub(crate) use rotate::{begin, check, unseal};
pub use rotate::{check_key, rotate};
pub use sealer::{FileKind, Sealer};
