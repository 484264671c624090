//! Certificates for tests, made on the spot.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::{ClientTls, TlsFiles};

/// Somebody who vouches for servers.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key, in PEM.
#[derive(Clone)]
pub struct Issued {
    /// The certificate.
    pub certificate: String,
    /// The key, as PKCS#8.
    pub key: String,
}

impl Authority {
    /// An authority that nobody knows.
    #[expect(clippy::new_without_default, reason = "each one is another one")]
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Authority(CertifiedIssuer::self_signed(params, new_key()).expect("a certificate"))
    }

    /// A certificate for `localhost` and 127.0.0.1.
    pub fn issue(&self) -> Issued {
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
        let params = CertificateParams::new(names).expect("names");
        let key = new_key();
        let certificate = params.signed_by(&key, &self.0).expect("a certificate");
        Issued { certificate: certificate.pem(), key: key.serialize_pem() }
    }

    /// What a client needs to trust this authority alone, and to expect `localhost`.
    pub fn trusted(&self) -> ClientTls {
        ClientTls { roots_pem: self.0.pem().into_bytes(), server_name: "localhost".to_owned() }
    }
}

impl Issued {
    /// Writes both files into a folder, the key for its owner alone.
    pub fn write(&self, folder: &Path) -> TlsFiles {
        let files = TlsFiles { certificate: folder.join("cert.pem"), key: folder.join("key.pem") };
        std::fs::write(&files.key, &self.key).expect("the folder can be written to");
        std::fs::set_permissions(&files.key, Permissions::from_mode(0o600)).expect("the file is ours");
        std::fs::write(&files.certificate, &self.certificate).expect("the folder can be written to");
        files
    }
}

fn new_key() -> KeyPair {
    KeyPair::generate().expect("a key")
}
