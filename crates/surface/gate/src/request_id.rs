//! What ties a request's answer to its lines in the log.

use std::fmt;

use cairn_access::Token;
use cairn_base::Entropy;

use crate::limits;

/// A request's id: the client's own, or 16 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequestId(String);

impl RequestId {
    /// A new one.
    pub fn random(entropy: &dyn Entropy) -> Self {
        RequestId(format!("{:016x}", entropy.next_u64()))
    }

    /// Takes over a client's, if it has 1 to 64 visible ASCII characters and no token: it will stand in logs.
    pub fn parse(from_client: &str) -> Option<Self> {
        let length_ok = (1..=limits::REQUEST_ID_BYTES_MAX).contains(&from_client.len());
        let visible = from_client.bytes().all(|byte| byte.is_ascii_graphic());
        (length_ok && visible && !Token::is_in(from_client)).then(|| RequestId(from_client.to_owned()))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use cairn_base::SeededEntropy;

    use super::*;

    #[test]
    fn a_clients_id_is_taken_over_only_if_it_is_short_visible_and_no_token() {
        let longest = "x".repeat(limits::REQUEST_ID_BYTES_MAX);
        for good in ["a", "!~", "7f0e-42", &longest] {
            assert_eq!(RequestId::parse(good).as_ref().map(RequestId::as_str), Some(good));
        }
        let token = format!("t-cairn_{}", "A".repeat(48));
        for bad in [&token, "", " ", "a b", "ä", "a\n", "\u{7f}", &format!("{longest}x")] {
            assert_eq!(RequestId::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_new_id_has_sixteen_digits_also_when_small() {
        #[derive(Debug)]
        struct One;
        impl Entropy for One {
            fn fill(&self, out: &mut [u8]) {
                out.fill(0);
                out[0] = 1;
            }
        }
        assert_eq!(RequestId::random(&One).as_str(), "0000000000000001");
        let entropy = SeededEntropy::new(1);
        assert_ne!(RequestId::random(&entropy), RequestId::random(&entropy));
    }
}
