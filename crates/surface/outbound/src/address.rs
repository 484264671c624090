//! Addresses that outgoing requests may reach: the filter against server-side request forgery (SSRF).
//!
//! Only global unicast addresses are public. The tables follow the IANA registries of special-purpose addresses; in
//! IPv6 everything outside `2000::/3` is refused, apart from forms that embed an IPv4 address, which count as
//! that address.
//!
//! A setting admits addresses of networks that somebody may run servers in: loopback, private (RFC 1918), shared
//! (RFC 6598) and unique local ones. Link-local addresses stay refused even then, because clouds hand out credentials
//! there (169.254.169.254), and the remaining classes because no server has such an address.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Kind of an address that is not public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddressClass {
    /// The machine itself.
    Loopback,
    /// Private networks of RFC 1918.
    Private,
    /// Networks between a provider and its customers, RFC 6598.
    Shared,
    /// Private networks of IPv6, RFC 4193.
    UniqueLocal,
    /// One link; metadata services of clouds.
    LinkLocal,
    /// Private networks of early IPv6.
    SiteLocal,
    /// No address.
    Unspecified,
    /// All machines of a network.
    Broadcast,
    /// Groups of machines.
    Multicast,
    /// Examples in documents.
    Documentation,
    /// Benchmarks of networks.
    Benchmark,
    /// Protocols, translation and future use.
    Reserved,
}

impl AddressClass {
    /// Tells whether the setting for private addresses admits it.
    pub fn is_private(self) -> bool {
        match self {
            AddressClass::Loopback
            | AddressClass::Private
            | AddressClass::Shared
            | AddressClass::UniqueLocal => true,
            AddressClass::LinkLocal
            | AddressClass::SiteLocal
            | AddressClass::Unspecified
            | AddressClass::Broadcast
            | AddressClass::Multicast
            | AddressClass::Documentation
            | AddressClass::Benchmark
            | AddressClass::Reserved => false,
        }
    }

    /// Returns the class of an address, or `None` if it is public.
    pub fn of(address: IpAddr) -> Option<AddressClass> {
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => of_v6(address),
        }
    }
}

impl fmt::Display for AddressClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AddressClass::Loopback => "loopback",
            AddressClass::Private => "private",
            AddressClass::Shared => "shared",
            AddressClass::UniqueLocal => "unique local",
            AddressClass::LinkLocal => "link-local",
            AddressClass::SiteLocal => "site-local",
            AddressClass::Unspecified => "unspecified",
            AddressClass::Broadcast => "broadcast",
            AddressClass::Multicast => "multicast",
            AddressClass::Documentation => "documentation",
            AddressClass::Benchmark => "benchmark",
            AddressClass::Reserved => "reserved",
        })
    }
}

/// Rule for the addresses that a connection may go to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AddressFilter {
    /// Public addresses only.
    #[default]
    PublicOnly,
    /// Public addresses, and loopback, private, shared and unique local ones.
    PrivateToo,
}

impl AddressFilter {
    /// Checks one address.
    ///
    /// # Errors
    ///
    /// The class of the address, if the filter does not admit it.
    pub fn check(self, address: IpAddr) -> Result<(), AddressClass> {
        match AddressClass::of(address) {
            None => Ok(()),
            Some(class) if self == AddressFilter::PrivateToo && class.is_private() => Ok(()),
            Some(class) => Err(class),
        }
    }
}

/// Networks of IPv4 that are not public. The first that matches counts.
const V4: &[([u8; 4], u32, AddressClass)] = &[
    ([0, 0, 0, 0], 8, AddressClass::Unspecified),
    ([10, 0, 0, 0], 8, AddressClass::Private),
    ([100, 64, 0, 0], 10, AddressClass::Shared),
    ([127, 0, 0, 0], 8, AddressClass::Loopback),
    ([169, 254, 0, 0], 16, AddressClass::LinkLocal),
    ([172, 16, 0, 0], 12, AddressClass::Private),
    ([192, 0, 0, 0], 24, AddressClass::Reserved),
    ([192, 0, 2, 0], 24, AddressClass::Documentation),
    ([192, 88, 99, 0], 24, AddressClass::Reserved),
    ([192, 168, 0, 0], 16, AddressClass::Private),
    ([198, 18, 0, 0], 15, AddressClass::Benchmark),
    ([198, 51, 100, 0], 24, AddressClass::Documentation),
    ([203, 0, 113, 0], 24, AddressClass::Documentation),
    ([224, 0, 0, 0], 4, AddressClass::Multicast),
    ([255, 255, 255, 255], 32, AddressClass::Broadcast),
    ([240, 0, 0, 0], 4, AddressClass::Reserved),
];

fn of_v4(address: Ipv4Addr) -> Option<AddressClass> {
    let bits = address.to_bits();
    let holds = |net: [u8; 4], length: u32| (bits ^ u32::from_be_bytes(net)) >> (32 - length) == 0;
    V4.iter().find(|(net, length, _)| holds(*net, *length)).map(|(_, _, class)| *class)
}

/// Networks of IPv6 that are not public, after those that embed IPv4. The first that matches counts.
const V6: &[([u16; 8], u32, AddressClass)] = &[
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, AddressClass::UniqueLocal),
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, AddressClass::LinkLocal),
    ([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, AddressClass::SiteLocal),
    ([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, AddressClass::Multicast),
    ([0x2001, 0x2, 0, 0, 0, 0, 0, 0], 48, AddressClass::Benchmark),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, AddressClass::Reserved),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, AddressClass::Documentation),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, AddressClass::Documentation),
];

fn of_v6(address: Ipv6Addr) -> Option<AddressClass> {
    if address.is_unspecified() {
        return Some(AddressClass::Unspecified);
    }
    if address.is_loopback() {
        return Some(AddressClass::Loopback);
    }
    let bits = address.to_bits();
    let holds = |net: [u16; 8], length: u32| (bits ^ Ipv6Addr::from(net).to_bits()) >> (128 - length) == 0;
    if let Some(embedding) = embedded(address) {
        return match embedding {
            Embedding::Whole(inner) => of_v4(inner),
            Embedding::Tunnel(inner) => inner.into_iter().find_map(of_v4),
        };
    }
    if let Some((_, _, class)) = V6.iter().find(|(net, length, _)| holds(*net, *length)) {
        return Some(*class);
    }
    let global = holds([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);
    if global { isatap(address).and_then(of_v4) } else { Some(AddressClass::Reserved) }
}

/// IPv4 addresses inside an IPv6 address.
enum Embedding {
    /// The address stands for this one.
    Whole(Ipv4Addr),
    /// Packets to the address go to these on their way.
    Tunnel([Ipv4Addr; 2]),
}

fn embedded(address: Ipv6Addr) -> Option<Embedding> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match [a, b, c, d, e, f] {
        // Compatible, mapped, translated (RFC 2765) and NAT64 (RFC 6052).
        [0, 0, 0, 0, 0, 0 | 0xffff] | [0, 0, 0, 0, 0xffff, 0] | [0x64, 0xff9b, 0, 0, 0, 0] => {
            Some(Embedding::Whole(v4(g, h)))
        }
        // 6to4.
        [0x2002, high, low, ..] => Some(Embedding::Whole(v4(high, low))),
        // Teredo: its server, and the client with every bit turned.
        [0x2001, 0, high, low, ..] => Some(Embedding::Tunnel([v4(high, low), v4(!g, !h)])),
        _ => None,
    }
}

/// The IPv4 address of a machine behind an ISATAP tunnel, whatever the network.
fn isatap(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [_, _, _, _, flags, mark, high, low] = address.segments();
    let is = matches!(flags, 0 | 0x200) && mark == 0x5efe;
    is.then(|| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::AddressClass::*;
    use super::*;

    fn class(address: &str) -> Option<AddressClass> {
        AddressClass::of(address.parse().expect(address))
    }

    /// The first and the last address of a network, and the neighbours on both sides.
    const RANGES: &[(&str, &str, AddressClass, &str, &str)] = &[
        ("0.0.0.0", "0.255.255.255", Unspecified, "", "1.0.0.0"),
        ("10.0.0.0", "10.255.255.255", Private, "9.255.255.255", "11.0.0.0"),
        ("100.64.0.0", "100.127.255.255", Shared, "100.63.255.255", "100.128.0.0"),
        ("127.0.0.0", "127.255.255.255", Loopback, "126.255.255.255", "128.0.0.0"),
        ("169.254.0.0", "169.254.255.255", LinkLocal, "169.253.255.255", "169.255.0.0"),
        ("172.16.0.0", "172.31.255.255", Private, "172.15.255.255", "172.32.0.0"),
        ("192.0.0.0", "192.0.0.255", Reserved, "191.255.255.255", "192.0.1.0"),
        ("192.0.2.0", "192.0.2.255", Documentation, "192.0.1.255", "192.0.3.0"),
        ("192.88.99.0", "192.88.99.255", Reserved, "192.88.98.255", "192.88.100.0"),
        ("192.168.0.0", "192.168.255.255", Private, "192.167.255.255", "192.169.0.0"),
        ("198.18.0.0", "198.19.255.255", Benchmark, "198.17.255.255", "198.20.0.0"),
        ("198.51.100.0", "198.51.100.255", Documentation, "198.51.99.255", "198.51.101.0"),
        ("203.0.113.0", "203.0.113.255", Documentation, "203.0.112.255", "203.0.114.0"),
        ("224.0.0.0", "239.255.255.255", Multicast, "223.255.255.255", ""),
        ("240.0.0.0", "255.255.255.254", Reserved, "", ""),
        ("255.255.255.255", "255.255.255.255", Broadcast, "", ""),
        ("::", "::", Unspecified, "", ""),
        ("::1", "::1", Loopback, "", ""),
        ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", UniqueLocal, "", ""),
        ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", LinkLocal, "", ""),
        ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", SiteLocal, "", ""),
        ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Multicast, "", ""),
        ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", Benchmark, "", ""),
        ("2001:1::", "2001:1:ffff:ffff:ffff:ffff:ffff:ffff", Reserved, "", ""),
        ("2001:2:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", Reserved, "", "2001:200::"),
        (
            "2001:db8::",
            "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            Documentation,
            "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
            "2001:db9::",
        ),
        (
            "3fff::",
            "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
            Documentation,
            "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "3fff:1000::",
        ),
        // Everything outside 2000::/3.
        ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", Reserved, "", ""),
        ("100::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Reserved, "", "2000::"),
        ("4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Reserved, "", ""),
        ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Reserved, "", ""),
        ("fe00::", "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Reserved, "", ""),
        ("::1:0:0:0", "::fffe:ffff:ffff:ffff", Reserved, "", ""),
    ];

    #[test]
    fn ranges_end_where_they_should() {
        for (first, last, expected, before, after) in RANGES {
            for inside in [first, last] {
                assert_eq!(class(inside), Some(*expected), "{inside}");
            }
            for outside in [before, after].into_iter().filter(|outside| !outside.is_empty()) {
                assert_eq!(class(outside), None, "{outside}");
            }
        }
    }

    #[test]
    fn embedded_addresses_count_as_what_they_embed() {
        for (address, expected) in [
            ("::ffff:127.0.0.1", Some(Loopback)),
            ("::ffff:169.254.169.254", Some(LinkLocal)),
            ("::ffff:8.8.8.8", None),
            ("::10.0.0.1", Some(Private)),
            ("::2", Some(Unspecified)),
            ("::8.8.8.8", None),
            ("::ffff:0:192.168.0.1", Some(Private)),
            ("::ffff:0:8.8.8.8", None),
            ("64:ff9b::127.0.0.1", Some(Loopback)),
            ("64:ff9b::100.64.0.1", Some(Shared)),
            ("64:ff9b::8.8.8.8", None),
            ("64:ff9b::1:7f00:1", Some(Reserved)),
            ("2002:7f00:1::", Some(Loopback)),
            ("2002:c0a8:101::5", Some(Private)),
            ("2002:808:808::5", None),
            // Teredo to 8.8.8.8, to 127.0.0.1, and by the server 10.0.0.1.
            ("2001:0:808:808:0:0:f7f7:f7f7", None),
            ("2001:0:808:808:0:0:80ff:fffe", Some(Loopback)),
            ("2001:0:a00:1:0:0:f7f7:f7f7", Some(Private)),
            ("2606:4700::5efe:10.0.0.1", Some(Private)),
            ("2606:4700::200:5efe:127.0.0.1", Some(Loopback)),
            ("2606:4700::5efe:8.8.8.8", None),
            ("fe80::5efe:8.8.8.8", Some(LinkLocal)),
            ("2606:4700:4700::1111", None),
        ] {
            assert_eq!(class(address), expected, "{address}");
        }
    }

    #[test]
    fn the_setting_admits_networks_that_have_servers() {
        for (address, public_only, private_too) in [
            ("8.8.8.8", true, true),
            ("2606:4700:4700::1111", true, true),
            ("127.0.0.1", false, true),
            ("::1", false, true),
            ("10.1.2.3", false, true),
            ("100.100.0.1", false, true),
            ("fd00::1", false, true),
            ("::ffff:127.0.0.1", false, true),
            ("169.254.169.254", false, false),
            ("fe80::1", false, false),
            ("::ffff:169.254.169.254", false, false),
            ("2002:a9fe:a9fe::", false, false),
            ("0.0.0.0", false, false),
            ("::", false, false),
            ("255.255.255.255", false, false),
            ("224.0.0.1", false, false),
            ("192.0.2.1", false, false),
            ("198.18.0.1", false, false),
            ("240.0.0.1", false, false),
        ] {
            let address = address.parse().expect(address);
            assert_eq!(AddressFilter::PublicOnly.check(address).is_ok(), public_only, "{address}");
            assert_eq!(AddressFilter::PrivateToo.check(address).is_ok(), private_too, "{address}");
        }
    }

    proptest! {
        #[test]
        fn the_standard_library_agrees(bits: u32) {
            let address = Ipv4Addr::from_bits(bits);
            let special = address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_multicast()
                || address.is_broadcast()
                || address.is_documentation()
                || address.is_unspecified();
            prop_assert!(!special || of_v4(address).is_some(), "{}", address);
            let mapped = IpAddr::V6(address.to_ipv6_mapped());
            prop_assert_eq!(AddressClass::of(mapped), of_v4(address));
        }
    }
}
