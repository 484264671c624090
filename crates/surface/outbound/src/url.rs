//! URLs that requests are sent to.
//!
//! Stricter than browsers: each URL has one reading, and spellings that programs read differently are refused. An
//! IPv4 address is four decimal numbers; `127.1`, `0x7f000001`, `2130706433` and `0177.0.0.1` are neither addresses
//! nor names.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::limits;

/// Situations that make a URL unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// It is too long.
    #[error("the URL is longer than {} bytes; use a shorter one", limits::OUTBOUND_URL_BYTES_MAX)]
    TooLong,
    /// It has another scheme, or none.
    #[error("the URL does not start with http:// or https://; use one of them")]
    Scheme,
    /// It has a character that URLs do not have.
    #[error("the URL has a character that must be percent-encoded; encode it, and write host names as xn--")]
    Character,
    /// It has a user, and perhaps a password.
    #[error("the URL has a user or a password; remove everything up to the @, credentials are never sent")]
    User,
    /// It has a fragment.
    #[error("the URL has a fragment; remove the # and everything after it")]
    Fragment,
    /// It has no host.
    #[error("the URL has no host; write it after the two slashes")]
    NoHost,
    /// Its host is neither a name nor an address.
    #[error(
        "the host of the URL is invalid; use a host name, an IPv4 address as 192.0.2.1, or an IPv6 address in brackets"
    )]
    Host,
    /// Its port is malformed or not admitted.
    #[error("the port of the URL is not admitted; use 80, 443 or one from 1024 to 65535")]
    Port,
}

/// Protocol of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// HTTP without encryption.
    Http,
    /// HTTP over TLS.
    Https,
}

impl Scheme {
    /// Returns the port that applies if the URL names none.
    pub fn default_port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }
}

/// Host of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name, in lower case.
    Name(String),
    /// An address.
    Address(IpAddr),
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(name) => f.write_str(name),
            Host::Address(address) => write!(f, "{address}"),
        }
    }
}

/// A URL of http or https with a host, and without user, password and fragment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OutboundUrl {
    scheme: Scheme,
    host: Host,
    port: u16,
    target: String,
}

impl OutboundUrl {
    /// Reads a URL.
    ///
    /// # Errors
    ///
    /// If it has another scheme, no host, an odd spelling of a host, credentials, a fragment or a port below 1024
    /// other than 80 and 443.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        if text.len() > limits::OUTBOUND_URL_BYTES_MAX {
            return Err(UrlError::TooLong);
        }
        let (scheme, rest) = split_scheme(text)?;
        if rest.contains('#') {
            return Err(UrlError::Fragment);
        }
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
        if !rest.bytes().all(is_plain) || !percent_is_encoding(rest) {
            return Err(UrlError::Character);
        }
        let (authority, target) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(UrlError::User);
        }
        let (host, port) = split_port(authority)?;
        let port = match port {
            Some(port) => parse_port(port).ok_or(UrlError::Port)?,
            None => scheme.default_port(),
        };
        let slash = if target.starts_with('/') { "" } else { "/" };
        Ok(OutboundUrl { scheme, host: parse_host(host)?, port, target: format!("{slash}{target}") })
    }

    /// Returns the protocol.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns the host.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Returns the port, the default one if the URL names none.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns path and query, starting with a slash.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Returns host and port as the header `Host` has them.
    pub fn authority(&self) -> String {
        let host = match &self.host {
            Host::Address(IpAddr::V6(address)) => format!("[{address}]"),
            Host::Address(IpAddr::V4(address)) => address.to_string(),
            Host::Name(name) => name.clone(),
        };
        if self.port == self.scheme.default_port() { host } else { format!("{host}:{}", self.port) }
    }
}

fn split_scheme(text: &str) -> Result<(Scheme, &str), UrlError> {
    for (start, scheme) in [("http://", Scheme::Http), ("https://", Scheme::Https)] {
        if text.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start)) {
            return Ok((scheme, &text[start.len()..]));
        }
    }
    Err(UrlError::Scheme)
}

/// Whether two hexadecimal digits follow every percent sign.
fn percent_is_encoding(text: &str) -> bool {
    text.match_indices('%').all(|(at, _)| {
        let digits = text.as_bytes().get(at + 1..at + 3);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

fn split_port(authority: &str) -> Result<(&str, Option<&str>), UrlError> {
    let end = if authority.starts_with('[') {
        authority.find(']').ok_or(UrlError::Host)? + 1
    } else {
        authority.find(':').unwrap_or(authority.len())
    };
    match &authority[end..] {
        "" => Ok((&authority[..end], None)),
        rest => Ok((&authority[..end], Some(rest.strip_prefix(':').ok_or(UrlError::Host)?))),
    }
}

/// Ports of other protocols lie below 1024: a request there could speak to a mail server.
fn parse_port(text: &str) -> Option<u16> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) || text.starts_with('0') {
        return None;
    }
    text.parse().ok().filter(|port| matches!(port, 80 | 443 | 1024..))
}

fn parse_host(text: &str) -> Result<Host, UrlError> {
    if text.is_empty() {
        return Err(UrlError::NoHost);
    }
    if let Some(inside) = text.strip_prefix('[') {
        let address = inside.strip_suffix(']').and_then(|inside| inside.parse::<Ipv6Addr>().ok());
        return address.map(|address| Host::Address(IpAddr::V6(address))).ok_or(UrlError::Host);
    }
    if let Ok(address) = text.parse::<Ipv4Addr>() {
        return Ok(Host::Address(IpAddr::V4(address)));
    }
    if is_name(text) { Ok(Host::Name(text.to_ascii_lowercase())) } else { Err(UrlError::Host) }
}

/// Whether it is a host name that nothing takes for an address: its last label does not start with a digit.
fn is_name(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let last = text.rsplit('.').next().unwrap_or_default();
    text.len() <= 253 && text.split('.').all(is_label) && !last.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        for (text, authority, port, target) in [
            ("http://example.org", "example.org", 80, "/"),
            ("https://Example.ORG/a/b?c=@d", "example.org", 443, "/a/b?c=@d"),
            ("HTTP://example.org:443/", "example.org:443", 443, "/"),
            ("https://example.org:443?x", "example.org", 443, "/?x"),
            ("http://example.org:8080/a%20b", "example.org:8080", 8080, "/a%20b"),
            ("http://192.0.2.1:1024/", "192.0.2.1:1024", 1024, "/"),
            ("http://[2001:DB8::1]:65535/", "[2001:db8::1]:65535", 65535, "/"),
            ("http://[::1]/", "[::1]", 80, "/"),
            ("http://xn--bcher-kva.example/", "xn--bcher-kva.example", 80, "/"),
            ("http://1.example/", "1.example", 80, "/"),
            ("http://localhost/", "localhost", 80, "/"),
        ] {
            let url = OutboundUrl::parse(text).expect(text);
            assert_eq!(
                (url.authority().as_str(), url.port(), url.target()),
                (authority, port, target),
                "{text}"
            );
        }
    }

    #[test]
    fn odd_urls_are_refused() {
        let long_label = format!("http://{}.org/", "a".repeat(64));
        let long_name = format!("http://{}org/", "a.".repeat(126));
        let long = format!("http://a/{}", "x".repeat(limits::OUTBOUND_URL_BYTES_MAX - 8));
        for (text, expected) in [
            ("", UrlError::Scheme),
            ("example.org", UrlError::Scheme),
            ("ftp://example.org/", UrlError::Scheme),
            ("file:///etc/passwd", UrlError::Scheme),
            ("http:/example.org", UrlError::Scheme),
            ("http:\\\\example.org", UrlError::Scheme),
            (" http://example.org", UrlError::Scheme),
            ("http://", UrlError::NoHost),
            ("http:///path", UrlError::NoHost),
            ("http://:80/", UrlError::NoHost),
            ("http://user@example.org/", UrlError::User),
            ("http://user:password@example.org/", UrlError::User),
            ("http://example.org@127.0.0.1/", UrlError::User),
            ("http://example.org/#x", UrlError::Fragment),
            ("http://127.0.0.1#@example.org/", UrlError::Fragment),
            ("http://example.org\\@127.0.0.1/", UrlError::Character),
            ("http://exa mple.org/", UrlError::Character),
            ("http://example.org/\r\nX: y", UrlError::Character),
            ("http://b\u{fc}cher.example/", UrlError::Character),
            ("http://\u{ff11}27.0.0.1/", UrlError::Character),
            ("http://example.org/%zz", UrlError::Character),
            ("http://example.org/%2", UrlError::Character),
            ("http://127.1/", UrlError::Host),
            ("http://2130706433/", UrlError::Host),
            ("http://0x7f000001/", UrlError::Host),
            ("http://0x7f.0.0.1/", UrlError::Host),
            ("http://0177.0.0.1/", UrlError::Host),
            ("http://127.0.0.1./", UrlError::Host),
            ("http://127.0.0.0x1/", UrlError::Host),
            ("http://127.0.0.01/", UrlError::Host),
            ("http://127.0.0.256/", UrlError::Host),
            ("http://example.1/", UrlError::Host),
            ("http://%31%32%37.0.0.1/", UrlError::Host),
            ("http://example.org./", UrlError::Host),
            ("http://example..org/", UrlError::Host),
            ("http://-example.org/", UrlError::Host),
            ("http://[::1/", UrlError::Host),
            ("http://[::1]x/", UrlError::Host),
            ("http://[fe80::1%25eth0]/", UrlError::Host),
            ("http://[127.0.0.1]/", UrlError::Host),
            ("http://::1/", UrlError::Port),
            ("http://example.org:/", UrlError::Port),
            ("http://example.org:0/", UrlError::Port),
            ("http://example.org:080/", UrlError::Port),
            ("http://example.org:+80/", UrlError::Port),
            ("http://example.org:25/", UrlError::Port),
            ("http://example.org:1023/", UrlError::Port),
            ("http://example.org:65536/", UrlError::Port),
            (&long_label, UrlError::Host),
            (&long_name, UrlError::Host),
            (&long, UrlError::TooLong),
        ] {
            assert_eq!(OutboundUrl::parse(text), Err(expected), "{text}");
        }
        assert!(OutboundUrl::parse(&long[..limits::OUTBOUND_URL_BYTES_MAX]).is_ok());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(https?://)?[ -~\u{e9}]{0,40}") {
            let _ = OutboundUrl::parse(&text);
        }

        #[test]
        fn an_address_in_a_url_is_that_address(bits: u32) {
            let address = Ipv4Addr::from_bits(bits);
            let url = OutboundUrl::parse(&format!("http://{address}/")).expect("a URL");
            prop_assert_eq!(url.host(), &Host::Address(IpAddr::V4(address)));
        }
    }
}
