//! How long a token is to hold.

use cairn_base::time_span;

use crate::ApiError;
use crate::params::invalid;

/// For how long a token holds if nobody says: 90 days.
const DEFAULT_MS: u64 = 90 * 24 * 60 * 60 * 1000;
/// The word for a token that never ends.
const NEVER: &str = "never";

/// When a token ends that is made now; `None` if somebody said that it never does.
pub(super) fn expiry(
    expires_in: Option<&str>,
    expires_at_ms: Option<u64>,
    now_ms: u64,
) -> Result<Option<u64>, ApiError> {
    let in_ms = match (expires_in, expires_at_ms) {
        (Some(_), Some(_)) => {
            return Err(invalid("say one of expires_in and expires_at_ms").detail("field", "expires_in"));
        }
        (None, Some(at_ms)) => return Ok(Some(at_ms)),
        (Some(NEVER), None) => return Ok(None),
        (None, None) => Some(DEFAULT_MS),
        (Some(text), None) => time_span(text).and_then(|span| u64::try_from(span.as_millis()).ok()),
    };
    let at_ms = in_ms.and_then(|in_ms| now_ms.checked_add(in_ms));
    at_ms.map(Some).ok_or_else(|| {
        let message = "expires_in is a time with its unit such as 30d, 12h or 90s, or never";
        invalid(message).detail("field", "expires_in")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_ends_unless_somebody_says_never() {
        const DAY_MS: u64 = 86_400_000;
        for (expires_in, at_ms, expected) in [
            (None, None, Some(1000 + 90 * DAY_MS)),
            (Some("30d"), None, Some(1000 + 30 * DAY_MS)),
            (Some("never"), None, None),
            (None, Some(7), Some(7)),
        ] {
            assert_eq!(expiry(expires_in, at_ms, 1000).ok(), Some(expected), "{expires_in:?} {at_ms:?}");
        }
        for bad in ["", "Never", "30", "forever", "18446744073709551615d", "-1d", "213503982334601d"] {
            assert!(expiry(Some(bad), None, 1000).is_err(), "{bad}");
        }
        assert!(expiry(Some("30d"), Some(7), 1000).is_err());
    }
}
