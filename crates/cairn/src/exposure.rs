//! Where a server may listen.
//!
//! On a loopback address the machine itself keeps others out. Everywhere else callers have to say who they
//! are, and what they say must not be read on the way: by TLS of our own, or by that of a proxy. The one
//! exception is in `trusted.rs`.

use std::net::SocketAddr;

use crate::failure::Failure;

/// What stands between a server and everyone else.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exposure {
    /// Callers have to say who they are.
    pub(crate) has_auth: bool,
    /// What is said is encrypted here.
    pub(crate) has_tls: bool,
    /// Somebody vouches that it is encrypted in front of us.
    pub(crate) is_behind_proxy: bool,
    /// Nobody gets in from other machines but clients of networks that are trusted by name, which send no
    /// token.
    pub(crate) trusts_networks: bool,
}

impl Exposure {
    /// Refuses an address that others can reach, unless it is safe there.
    pub(crate) fn check(self, setting: &str, addr: SocketAddr) -> Result<(), Failure> {
        if addr.ip().is_loopback() {
            return Ok(());
        }
        let refused = |why: &str| {
            Failure::usage(format!("{setting}: {addr} can be reached from other machines, {why}"))
        };
        if !self.has_auth {
            return Err(refused("and nobody would have to say who they are").hint(
                "turn authentication on with --auth on, or serve on 127.0.0.1 or [::1] and come through an SSH \
                 tunnel",
            ));
        }
        if !self.has_tls && !self.is_behind_proxy && !self.trusts_networks {
            return Err(refused("and tokens and data would go there in the open").hint(
                "name a certificate with --tls-cert and --tls-key; --insecure-behind-proxy if a proxy has TLS \
                 and nobody else can reach this address",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_be_reached() {
        // Authentication, TLS, a proxy; whether loopback is fine, whether others may come.
        let rows = [
            (false, false, false, None),
            (false, false, true, None),
            (false, true, false, None),
            (false, true, true, None),
            (true, false, false, Some(false)),
            (true, false, true, Some(true)),
            (true, true, false, Some(true)),
            (true, true, true, Some(true)),
        ];
        for (has_auth, has_tls, is_behind_proxy, expected) in rows {
            let exposure = Exposure { has_auth, has_tls, is_behind_proxy, trusts_networks: false };
            for loopback in ["127.0.0.1:0", "127.8.9.1:9010", "[::1]:9010"] {
                let addr = loopback.parse().expect("an address");
                assert!(exposure.check("http.addr", addr).is_ok(), "{exposure:?} {addr}");
            }
            for open in ["0.0.0.0:0", "[::]:0", "192.0.2.1:9010", "10.0.0.1:1", "[::ffff:10.0.0.1]:1"] {
                let addr = open.parse().expect("an address");
                let found = exposure.check("http.addr", addr).map_err(|failure| format!("{failure:?}"));
                match (expected, found) {
                    (Some(true), Ok(())) => {}
                    (None, Err(why)) => {
                        assert!(why.contains("who they are") && why.contains("--auth on"), "{why}")
                    }
                    (Some(false), Err(why)) => {
                        assert!(
                            why.contains("in the open") && why.contains("--insecure-behind-proxy"),
                            "{why}"
                        );
                    }
                    (_, found) => panic!("{exposure:?} {addr}: {found:?}"),
                }
            }
        }
    }

    #[test]
    fn trusted_networks_stand_in_for_tls_and_not_for_authentication() {
        let exposure =
            Exposure { has_auth: true, has_tls: false, is_behind_proxy: false, trusts_networks: true };
        let addr = "0.0.0.0:9009".parse().expect("an address");
        assert!(exposure.check("binary.addr", addr).is_ok());
        let without = Exposure { has_auth: false, ..exposure };
        assert!(format!("{:?}", without.check("binary.addr", addr)).contains("who they are"));
    }
}
