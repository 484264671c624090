//! Backup files of an identity: the private key under a password, or in the clear.
//!
//! ```text
//! KCPKEY1 (7) | salt (16) | nonce (12) | AES-256-GCM of the JSON, and its tag (16)
//! ```
//!
//! The key of the cipher is PBKDF2-HMAC-SHA256 of the password and the salt, 480,000 rounds. With an empty
//! password the file is the JSON itself, indented. The words of a recovery phrase are in neither.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::pbkdf2;
use cairn_base::{Entropy, Value};
use zeroize::{Zeroize, Zeroizing};

use super::about::VERSION;
use super::secret::{hex, unhex};
use super::{About, Identity, IdentityError, SecretText};

const MAGIC: &[u8; 7] = b"KCPKEY1";
const SALT_BYTES: usize = 16;
const NONCE_BYTES: usize = 12;
const TAG_BYTES: usize = 16;
const ROUNDS: NonZeroU32 = NonZeroU32::new(480_000).expect("it is not 0");

impl Identity {
    /// Writes a backup: sealed with the password, in the clear if that is empty.
    pub fn to_backup(&self, password: &SecretText, entropy: &dyn Entropy) -> Zeroizing<Vec<u8>> {
        if password.is_empty() {
            return Zeroizing::new(self.to_json(&INDENTED).as_bytes().to_vec());
        }
        let mut plain = self.to_json(&ONE_LINE);
        let mut file = Zeroizing::new(vec![0; MAGIC.len() + SALT_BYTES + NONCE_BYTES]);
        file[..MAGIC.len()].copy_from_slice(MAGIC);
        entropy.fill(&mut file[MAGIC.len()..]);
        let (cipher, nonce) = cipher(&file[MAGIC.len()..], password);
        // Taken as bytes, sealed in place and wiped with the rest.
        let mut sealed = Zeroizing::new(std::mem::take(&mut *plain).into_bytes());
        let tag = cipher.seal_in_place_separate_tag(nonce, Aad::empty(), &mut sealed);
        let tag = tag.expect("nothing here comes near 64 GiB, the only thing that can be wrong");
        file.extend_from_slice(&sealed);
        file.extend_from_slice(tag.as_ref());
        file
    }

    fn to_json(&self, spelling: &Spelling) -> Zeroizing<String> {
        let Spelling { field, inner, end, inner_end } = spelling;
        let public_key = self.public_key();
        let about: Vec<_> = self.about().fields(&public_key);
        let about: Vec<_> = about.iter().map(|(name, value)| format!("{inner}\"{name}\": {value}")).collect();
        let about = about.join(",");
        let private_key = hex(self.private_key());
        // Sized at once: growing would leave copies of the key behind.
        let mut out = Zeroizing::new(String::with_capacity(512 + about.len()));
        for part in [
            "{",
            field.trim_start_matches(' '),
            "\"version\": \"",
            VERSION,
            "\",",
            field,
            "\"private_key\": \"",
            &private_key,
            "\",",
            field,
            "\"public_key\": \"",
            &public_key.to_string(),
            "\",",
            field,
            "\"metadata\": {",
            about.trim_start_matches(' '),
            inner_end,
            "}",
            end,
            "}",
        ] {
            out.push_str(part);
        }
        out
    }

    /// Reads the JSON of a backup that came out of `file`.
    pub(super) fn from_json(json: &[u8], file: &Path) -> Result<Self, IdentityError> {
        let not_one = || IdentityError::NotAnIdentity { file: file.to_owned() };
        let mismatch = || IdentityError::Mismatch { file: file.to_owned() };
        let mut value = Value::parse_json(json).map_err(|_| not_one())?;
        let Value::Object(fields) = &mut value else { return Err(not_one()) };
        let Some(Value::String(mut private_key)) = fields.remove("private_key") else {
            return Err(not_one());
        };
        let key = unhex::<32>(private_key.as_bytes());
        private_key.zeroize();
        let identity = Identity::from_private_key(&*key.ok_or_else(not_one)?, About::default());
        let public_key = identity.public_key();
        let said = value.get("public_key").and_then(Value::as_str).ok_or_else(not_one)?;
        if said.parse() != Ok(public_key) {
            return Err(mismatch());
        }
        match value.get("metadata") {
            Some(about) => Ok(identity.with(About::from_value(about, &public_key).ok_or_else(mismatch)?)),
            None => Ok(identity),
        }
    }
}

/// What stands in front of fields, and of closing brackets.
struct Spelling {
    field: &'static str,
    inner: &'static str,
    end: &'static str,
    inner_end: &'static str,
}

const ONE_LINE: Spelling = Spelling { field: " ", inner: " ", end: "", inner_end: "" };
const INDENTED: Spelling = Spelling { field: "\n  ", inner: "\n    ", end: "\n", inner_end: "\n  " };

/// A backup that was read, and that a password opens.
#[derive(Debug, Clone)]
pub struct SealedBackup {
    file: PathBuf,
    bytes: Vec<u8>,
}

impl SealedBackup {
    /// Takes the bytes of a file; `None` when they are no sealed backup.
    pub(super) fn parse(bytes: &[u8], file: &Path) -> Option<Self> {
        let is_long = bytes.len() >= MAGIC.len() + SALT_BYTES + NONCE_BYTES + TAG_BYTES;
        (is_long && bytes.starts_with(MAGIC))
            .then(|| SealedBackup { file: file.to_owned(), bytes: bytes.to_vec() })
    }

    /// Opens it.
    pub fn open(&self, password: &SecretText) -> Result<Identity, IdentityError> {
        let rest = &self.bytes[MAGIC.len()..];
        let (cipher, nonce) = cipher(rest, password);
        let mut bytes = Zeroizing::new(rest[SALT_BYTES + NONCE_BYTES..].to_vec());
        let plain = cipher.open_in_place(nonce, Aad::empty(), &mut bytes);
        let plain = plain.map_err(|_| IdentityError::WrongPassword)?;
        Identity::from_json(plain, &self.file)
    }
}

/// The cipher and nonce of a backup that goes on with a salt and a nonce.
fn cipher(salt_and_nonce: &[u8], password: &SecretText) -> (LessSafeKey, Nonce) {
    let (salt, rest) = salt_and_nonce.split_at(SALT_BYTES);
    let mut key = Zeroizing::new([0; 32]);
    pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, ROUNDS, salt, password.expose().as_bytes(), &mut *key);
    let key = UnboundKey::new(&AES_256_GCM, &*key).expect("32 bytes, the only thing that can be wrong");
    let nonce = Nonce::try_assume_unique_for_key(&rest[..NONCE_BYTES]);
    (LessSafeKey::new(key), nonce.expect("12 bytes, the only thing that can be wrong"))
}
