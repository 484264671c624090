//! Networks, as an operator names them: an address and how many of its bits count.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// The shortest prefix of IPv4: that of the largest private network.
const V4_BITS_MIN: u8 = 8;
/// The shortest prefix of IPv6: that of unique local addresses.
const V6_BITS_MIN: u8 = 7;

/// A network, such as `10.0.0.0/8` or `fd00::/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    /// Its first address, never an IPv4 address in the form of IPv6.
    first: IpAddr,
    bits: u8,
}

/// Why a text is no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadNetwork {
    /// It is not written like one.
    #[error("{0:?} is no network such as 10.1.0.0/16 or fd00::/8, and no single address")]
    Form(String),
    /// Bits are set that do not count.
    #[error("{written} has bits set behind its prefix; write {network}")]
    HostBits {
        /// What was written.
        written: String,
        /// The network that it lies in.
        network: Network,
    },
    /// It holds more than any private network does.
    #[error(
        "{network} is too wide; a prefix has at least {V4_BITS_MIN} bits of IPv4 and {V6_BITS_MIN} of IPv6"
    )]
    TooWide {
        /// What was written.
        network: String,
    },
    /// An IPv4 address in the form of IPv6.
    #[error("{0} is IPv4 in the form of IPv6; write it as IPv4, which covers both forms")]
    Mapped(String),
}

impl Network {
    /// Whether an address lies in it. An IPv4 address counts as such in both of its forms.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address.to_canonical()) {
            (IpAddr::V4(_), IpAddr::V4(_)) | (IpAddr::V6(_), IpAddr::V6(_)) => {
                masked(address.to_canonical(), self.bits) == self.first
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

/// An address without the bits behind a prefix.
fn masked(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
            IpAddr::V4((v4.to_bits() & mask).into())
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
            IpAddr::V6((v6.to_bits() & mask).into())
        }
    }
}

impl FromStr for Network {
    type Err = BadNetwork;

    fn from_str(text: &str) -> Result<Self, BadNetwork> {
        let form = || BadNetwork::Form(text.chars().take(64).collect());
        let (address, bits) =
            text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address.parse().map_err(|_| form())?;
        if address.to_canonical() != address {
            return Err(BadNetwork::Mapped(text.to_owned()));
        }
        let (bits_min, bits_max) = if address.is_ipv4() { (V4_BITS_MIN, 32) } else { (V6_BITS_MIN, 128) };
        let all_digits = |bits: &&str| !bits.is_empty() && bits.bytes().all(|byte| byte.is_ascii_digit());
        let bits = match bits {
            None => bits_max,
            Some(bits) => {
                Some(bits).filter(all_digits).and_then(|bits| bits.parse().ok()).ok_or_else(form)?
            }
        };
        if bits > bits_max {
            return Err(form());
        }
        if bits < bits_min {
            return Err(BadNetwork::TooWide { network: text.to_owned() });
        }
        let network = Network { first: masked(address, bits), bits };
        if network.first != address {
            return Err(BadNetwork::HostBits { written: text.to_owned(), network });
        }
        Ok(network)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(network: &str, address: &str) -> bool {
        network.parse::<Network>().expect("a network").contains(address.parse().expect("an address"))
    }

    #[test]
    fn addresses_are_inside_or_outside() {
        for (network, inside, outside) in [
            (
                "10.0.0.0/8",
                &["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"][..],
                &["9.255.255.255", "11.0.0.0", "::10.1.2.3", "fd00::a"][..],
            ),
            ("192.168.4.0/22", &["192.168.7.255"], &["192.168.8.0", "192.168.3.255"]),
            ("10.1.2.3", &["10.1.2.3", "::ffff:10.1.2.3"], &["10.1.2.2", "10.1.2.4"]),
            ("10.1.2.3/32", &["10.1.2.3"], &["10.1.2.2"]),
            ("fc00::/7", &["fc00::", "fdff:ffff::1"], &["fe00::", "::1", "10.0.0.1", "::ffff:252.0.0.1"]),
            ("fd00:1::5", &["fd00:1::5"], &["fd00:1::4"]),
            ("::1", &["::1"], &["127.0.0.1", "::2"]),
            ("127.0.0.1", &["127.0.0.1", "::ffff:127.0.0.1"], &["::1", "127.0.0.2"]),
        ] {
            for address in inside {
                assert!(contains(network, address), "{address} in {network}");
            }
            for address in outside {
                assert!(!contains(network, address), "{address} not in {network}");
            }
        }
    }

    #[test]
    fn what_is_no_network_is_refused_with_what_is_wrong() {
        let refused = |text: &str| text.parse::<Network>().expect_err("refused").to_string();
        for bad in [
            "",
            "/8",
            "10.0.0.0/",
            "10.0.0.0/33",
            "fd00::/129",
            "10.0.0/8",
            "host/8",
            "10.0.0.0/+8",
            "10.0.0.0/8/8",
            "fe80::1%eth0/64",
            "10.0.0.0/ 8",
            "10.0.0.0/256",
        ] {
            assert!(refused(bad).contains("is no network"), "{bad}: {}", refused(bad));
        }
        assert!(refused("10.1.2.3/8").contains("write 10.0.0.0/8"));
        assert!(refused("fd00::1/8").contains("write fd00::/8"));
        for wide in ["0.0.0.0/0", "::/0", "0.0.0.0/7", "128.0.0.0/1", "fc00::/6"] {
            assert!(refused(wide).contains("too wide"), "{wide}");
        }
        assert!(refused("::ffff:10.0.0.0/104").contains("write it as IPv4"));
        for good in ["10.0.0.0/8", "fc00::/7", "1.2.3.4/32", "::1/128"] {
            assert_eq!(good.parse::<Network>().map(|network| network.to_string()), Ok(good.to_owned()));
        }
    }
}
