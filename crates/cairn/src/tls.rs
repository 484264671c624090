//! The server's certificate: which files, and keeping up with them.

use cairn_tls::{Tls, TlsFiles};

use crate::config::Config;
use crate::failure::Failure;
use crate::{limits, signals};

/// The files that the configuration names: both or none.
pub(crate) fn files(config: &Config) -> Result<Option<TlsFiles>, Failure> {
    let missing = |set: &str, missing: &str, flag: &str| {
        Failure::usage(format!("{set} is set, and {missing} is not"))
            .hint(format!("name the other file with {flag}, or none of them for a server without TLS"))
    };
    match (&config.tls_cert_file, &config.tls_key_file) {
        (Some(certificate), Some(key)) => {
            Ok(Some(TlsFiles { certificate: certificate.clone(), key: key.clone() }))
        }
        (None, None) => Ok(None),
        (Some(_), None) => Err(missing("tls.cert_file", "tls.key_file", "--tls-key")),
        (None, Some(_)) => Err(missing("tls.key_file", "tls.cert_file", "--tls-cert")),
    }
}

/// Reads them.
pub(crate) fn open(files: TlsFiles) -> Result<Tls, Failure> {
    Tls::open(files).map_err(|error| Failure::usage(error.to_string()).hint(error.hint()))
}

/// Reads them again whenever they change, and when SIGHUP asks for it. Must be called inside a runtime, and
/// ends with it.
pub(crate) fn keep_fresh(tls: &Tls) -> Result<(), Failure> {
    let mut hangups = signals::hangups()?;
    tokio::spawn(tls.clone().watch(limits::TLS_FILES_EVERY));
    let tls = tls.clone();
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            tls.reload_soon();
        }
    });
    Ok(())
}
