//! What is wrong with certificates and keys.

use std::io;
use std::path::PathBuf;

use crate::limits;

/// Why there is no TLS. No message holds anything of a key.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("could not read the {what} {}: {source}", path.display())]
    Unreadable {
        /// What the file is for.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file is longer than any certificate chain or key.
    #[error("the {what} {} has more than {max} bytes", path.display(), max = limits::TLS_FILE_BYTES_MAX)]
    TooLong {
        /// What the file is for.
        what: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// Somebody else may read the key.
    #[error("others may read the key file {} (its mode is {mode:03o})", path.display())]
    OpenKey {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// There is no certificate in the file, or half of one.
    #[error("{} holds no certificates in PEM", path.display())]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// The first certificate of the file is none.
    #[error("the first certificate in {} cannot be read: {reason}", path.display())]
    BadCertificate {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: rustls::Error,
    },
    /// There is no key in the file that can be used.
    #[error("{} holds no private key in PEM that can be used", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// The key is another one's.
    #[error("the key in {} does not belong to the certificate in {}", key.display(), certificate.display())]
    OtherKey {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The file of the key.
        key: PathBuf,
    },
    /// A client was given nobody to trust.
    #[error("the roots hold no certificates in PEM that can be used")]
    NoRoots,
    /// The system has no authorities.
    #[error("the system has no certificates of authorities that can be used")]
    NoSystemRoots,
    /// A client was told to expect something that is no name.
    #[error("{name:?} is neither a host name nor an address")]
    BadName {
        /// What it was told.
        name: String,
    },
    /// The library cannot do what is asked of it.
    #[error("TLS cannot be set up: {0}")]
    Setup(#[from] rustls::Error),
}

impl TlsError {
    /// What to do next.
    pub fn hint(&self) -> String {
        let hint = match self {
            TlsError::Unreadable { .. } => "name files that exist and that the user who runs cairn may read",
            TlsError::TooLong { .. } => "name the certificate chain and its key, and not another file",
            TlsError::OpenKey { path, .. } => return format!("chmod 600 {}", path.display()),
            TlsError::NoCertificate { .. } | TlsError::BadCertificate { .. } => {
                "the file needs the server's certificate first, then those that lead to the root, \
                 each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----"
            }
            TlsError::NoKey { .. } => {
                "the file needs one PRIVATE KEY, EC PRIVATE KEY or RSA PRIVATE KEY, without a passphrase"
            }
            TlsError::OtherKey { .. } => {
                "name the key that the certificate was made for; the server's own certificate comes first \
                 in its file"
            }
            TlsError::NoRoots => "give the certificate of the authority, or the server's own, in PEM",
            TlsError::NoSystemRoots => {
                "install the system's package of CA certificates, or name a file with the authorities to trust"
            }
            TlsError::BadName { .. } => "give the name in the server's certificate",
            TlsError::Setup(_) => "use other files, or report this",
        };
        hint.to_owned()
    }
}
