//! Identities from elsewhere: backups, and the three ways in which others lay out their key files.

use std::path::Path;

use cairn_base::Value;
use cairn_base::fs::FileSystem;
use zeroize::Zeroizing;

use super::files::{find, read, read_private};
use super::folder::{ABOUT, PRIVATE, PUBLIC};
use super::secret::unhex;
use super::{About, Identity, IdentityError, PublicKey, SealedBackup};

/// Names of files in a folder of keys.
struct Layout {
    private: &'static str,
    public: &'static str,
    about: Option<&'static str>,
}

/// Keys are raw bytes or hexadecimal digits, whatever the names say.
const LAYOUTS: [Layout; 3] = [
    Layout { private: PRIVATE, public: PUBLIC, about: Some(ABOUT) },
    Layout { private: "private.key", public: "public.key", about: None },
    Layout { private: "private.hex", public: "public.hex", about: None },
];

/// What a file holds.
#[derive(Debug)]
pub enum Imported {
    /// An identity.
    Identity(Box<Identity>),
    /// One under a password.
    Sealed(SealedBackup),
}

impl From<Identity> for Imported {
    fn from(identity: Identity) -> Self {
        Imported::Identity(Box::new(identity))
    }
}

/// Reads a backup, or a file with a private key together with its public one beside it. A private key that is
/// not under a password is refused when others may read the file.
pub fn import_file(fs: &dyn FileSystem, path: &Path) -> Result<Imported, IdentityError> {
    let found = find(fs, path)?.ok_or_else(|| IdentityError::Io {
        doing: "read",
        path: path.to_owned(),
        source: std::io::ErrorKind::NotFound.into(),
    })?;
    let content = found.content();
    if let Some(key) = raw_or_hex(content) {
        found.must_be_private()?;
        let layout =
            LAYOUTS.iter().find(|layout| path.file_name().is_some_and(|name| name == layout.private));
        let identity = Identity::from_private_key(&key, About::default());
        let folder = path.parent().unwrap_or(Path::new(""));
        return match layout {
            Some(layout) => complete(fs, folder, layout, identity).map(Imported::from),
            None => Ok(identity.into()),
        };
    }
    if let Some(sealed) = SealedBackup::parse(content, path) {
        return Ok(Imported::Sealed(sealed));
    }
    let identity = Identity::from_json(content, path)?;
    found.must_be_private()?;
    Ok(identity.into())
}

/// Reads the one identity that the files of a folder hold. A private key that others may read is refused.
pub fn import_folder(fs: &dyn FileSystem, dir: &Path) -> Result<Identity, IdentityError> {
    let mut found: Option<Identity> = None;
    for layout in &LAYOUTS {
        let file = dir.join(layout.private);
        let Some(content) = read_private(fs, &file)? else { continue };
        let key = raw_or_hex(&content).ok_or(IdentityError::NotAnIdentity { file })?;
        let identity = complete(fs, dir, layout, Identity::from_private_key(&key, About::default()))?;
        match &found {
            Some(other) if other.public_key() != identity.public_key() => {
                return Err(IdentityError::SeveralKeys { dir: dir.to_owned() });
            }
            Some(_) => {}
            None => found = Some(identity),
        }
    }
    found.ok_or_else(|| IdentityError::NoKey { dir: dir.to_owned() })
}

/// Checks a key against the files beside it, and reads what they say about it.
fn complete(
    fs: &dyn FileSystem,
    dir: &Path,
    layout: &Layout,
    identity: Identity,
) -> Result<Identity, IdentityError> {
    let public_key = identity.public_key();
    let file = dir.join(layout.public);
    if let Some(content) = read(fs, &file)? {
        let said = raw_or_hex(&content).and_then(|bytes| PublicKey::from_bytes(&bytes).ok());
        if said != Some(public_key) {
            return Err(IdentityError::Mismatch { file });
        }
    }
    let Some(about) = layout.about else { return Ok(identity) };
    let file = dir.join(about);
    let Some(json) = read(fs, &file)? else { return Ok(identity) };
    let about = Value::parse_json(&json).map_err(|_| IdentityError::NotAnIdentity { file: file.clone() })?;
    let about = About::from_value(&about, &public_key).ok_or(IdentityError::Mismatch { file })?;
    Ok(identity.with(about))
}

/// 32 bytes, or 64 hexadecimal digits and perhaps a newline.
fn raw_or_hex(content: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
    if let Ok(bytes) = <&[u8; 32]>::try_from(content) {
        return Some(Zeroizing::new(*bytes));
    }
    let digits = content.strip_suffix(b"\n").unwrap_or(content);
    unhex(digits.strip_suffix(b"\r").unwrap_or(digits))
}
