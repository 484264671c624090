//! Text in URLs.

use std::fmt::Write;

/// A text as it stands in a path or a query.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("a string takes everything");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_pass_through_a_url() {
        assert_eq!(escaped("com.example.Message_1~-"), "com.example.Message_1~-");
        assert_eq!(escaped("did:key:z/a@b?"), "did%3Akey%3Az%2Fa%40b%3F");
        assert_eq!(escaped("a b&c=d#ä%\n"), "a%20b%26c%3Dd%23%C3%A4%25%0A");
    }
}
