//! Files that are right, and every way to be wrong.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use cairn_base::Base64;
use cairn_tls::testing::{Authority, Issued};
use cairn_tls::{Protocol, Tls, TlsError, TlsFiles, limits};
use rcgen::{CertificateParams, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ED25519, PKCS_RSA_SHA256};

use crate::talk::{connect, serve, word};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn error(files: &TlsFiles) -> TlsError {
    Tls::open(files.clone()).expect_err("it is wrong")
}

fn rewrite(path: &Path, content: impl AsRef<[u8]>) {
    std::fs::write(path, content).expect("it can be written");
}

#[test]
fn certificates_that_are_none() {
    let folder = folder();
    let issued = Authority::new().issue();
    let files = issued.write(folder.path());
    let half = &issued.certificate[..issued.certificate.len() / 2];
    for content in ["", "hello", half, &issued.key] {
        rewrite(&files.certificate, content);
        assert!(matches!(error(&files), TlsError::NoCertificate { .. }), "{content}");
    }
    rewrite(&files.certificate, pem("CERTIFICATE", b"hello"));
    assert!(matches!(error(&files), TlsError::BadCertificate { .. }));
    rewrite(&files.certificate, vec![b'x'; limits::TLS_FILE_BYTES_MAX + 1]);
    assert!(matches!(error(&files), TlsError::TooLong { .. }));
    rewrite(&files.certificate, vec![b'x'; limits::TLS_FILE_BYTES_MAX]);
    assert!(matches!(error(&files), TlsError::NoCertificate { .. }));
    std::fs::remove_file(&files.certificate).expect("it is there");
    let text = error(&files).to_string();
    assert!(text.contains("could not read the certificate") && text.contains("cert.pem"), "{text}");
}

#[test]
fn keys_that_are_none_and_nothing_of_them_is_said() {
    let folder = folder();
    let issued = Authority::new().issue();
    let files = issued.write(folder.path());
    let half = &issued.key[..issued.key.len() / 2];
    for content in
        ["", "s3cret", "-----BEGIN s3cret", half, &issued.certificate, &pem("PRIVATE KEY", b"s3cret")]
    {
        rewrite(&files.key, content);
        let error = error(&files);
        assert!(matches!(error, TlsError::NoKey { .. }), "{error:?}");
        let said = format!("{error} {error:?} {}", error.hint());
        assert!(!said.contains("s3cret") && !said.contains(&Base64(b"s3cret").to_string()), "{said}");
    }
    std::fs::remove_file(&files.key).expect("it is there");
    let text = error(&files).to_string();
    assert!(text.contains("could not read the key file") && text.contains("key.pem"), "{text}");
}

#[test]
fn a_key_that_others_may_read_is_refused() {
    let folder = folder();
    let files = Authority::new().issue().write(folder.path());
    let with = |mode| std::fs::set_permissions(&files.key, Permissions::from_mode(mode)).expect("it is ours");
    for mode in [0o640, 0o604, 0o620, 0o610, 0o666] {
        with(mode);
        let error = error(&files);
        assert!(matches!(&error, TlsError::OpenKey { mode: found, .. } if *found == mode), "{error:?}");
        assert_eq!(error.hint(), format!("chmod 600 {}", files.key.display()));
    }
    for mode in [0o600, 0o400] {
        with(mode);
        Tls::open(files.clone()).expect("only the owner reads it");
    }
}

#[test]
fn the_key_of_another_certificate_is_refused() {
    let folder = folder();
    let authority = Authority::new();
    let files = authority.issue().write(folder.path());
    rewrite(&files.key, authority.issue().key);
    assert!(matches!(error(&files), TlsError::OtherKey { .. }));
}

/// PEM by hand: what the library writes is always PKCS#8.
fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", Base64(der))
}

/// The key inside a PKCS#8 key: the content of the octet string at its end.
fn inner_key(pkcs8: &[u8], starts_with: &[u8]) -> Vec<u8> {
    let at = pkcs8.windows(starts_with.len()).skip(1).position(|bytes| bytes == starts_with);
    pkcs8[at.expect("a key in a key") + 1..].to_vec()
}

#[tokio::test]
async fn every_usual_kind_of_key_is_served() {
    let rsa = KeyPair::generate_for(&PKCS_RSA_SHA256).expect("an RSA key");
    let p256 = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).expect("a P-256 key");
    let ed25519 = KeyPair::generate_for(&PKCS_ED25519).expect("an Ed25519 key");
    // RSA: version 0 and a modulus of 257 bytes. SEC1: version 1 and 32 bytes.
    let pkcs1 = inner_key(rsa.serialized_der(), &[0x02, 0x01, 0x00, 0x02, 0x82]);
    let pkcs1 =
        [&[0x30, 0x82][..], &u16::try_from(pkcs1.len()).expect("short").to_be_bytes(), &pkcs1].concat();
    let sec1 = inner_key(p256.serialized_der(), &[0x02, 0x01, 0x01, 0x04, 0x20]);
    let sec1 = [&[0x30, u8::try_from(sec1.len()).expect("short")][..], &sec1].concat();
    for (key, written) in [
        (&rsa, rsa.serialize_pem()),
        (&rsa, pem("RSA PRIVATE KEY", &pkcs1)),
        (&p256, p256.serialize_pem()),
        (&p256, pem("EC PRIVATE KEY", &sec1)),
        (&ed25519, ed25519.serialize_pem()),
    ] {
        let params = CertificateParams::new(["localhost".to_owned()]).expect("a name");
        let certificate = params.self_signed(key).expect("a certificate").pem();
        let folder = folder();
        let files = Issued { certificate: certificate.clone(), key: written }.write(folder.path());
        let tls = Tls::open(files).expect("a certificate and its key");
        let addr = serve(tls, Protocol::Binary).await;
        // A certificate that vouches for itself is trusted by whoever has it.
        let roots_pem = certificate.into_bytes();
        let trusted = cairn_tls::ClientTls { roots_pem, server_name: "localhost".to_owned() };
        let mut stream = connect(addr, &trusted).await.expect("they agree");
        assert_eq!(word(&mut stream).await, "hello");
    }
}
