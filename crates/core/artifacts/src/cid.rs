//! Content identifiers of IPFS: the SHA-256 of content as others write it.
//!
//! A CIDv1 with the codec `raw` and the hash `sha2-256` names the very bytes of the content, so it is the same
//! name as our SHA-256. Every other CID (CIDv0, `dag-pb`, other hashes) names a block of another form: it is
//! kept as text, and nothing can be verified with it. Does not fetch anything.

use std::fmt;

use cairn_base::take_varint;
use cairn_seam::Sha256;

use crate::limits::{IPFS_URL_BYTES_MAX, MULTIBASE_CHARS_MAX};
use crate::multibase::{from_base58, from_multibase, to_base32};

const VERSION: u64 = 1;
const RAW: u64 = 0x55;
const SHA2_256: u64 = 0x12;
const SHA2_256_BYTES: u8 = 32;
/// The start of every CIDv1 of raw content with SHA-256.
const RAW_SHA2_256: [u8; 4] = [0x01, 0x55, 0x12, SHA2_256_BYTES];
const SCHEME: &str = "ipfs://";

/// A content identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cid {
    /// A CIDv1 of raw content with SHA-256: content can be verified against it.
    Raw(Sha256),
    /// A valid CID of another form, as it was written: content cannot be verified against it.
    Other(String),
}

/// The reason why a text is not a CID or an `ipfs://` URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CidError {
    /// The text is too long.
    #[error(
        "a CID of {chars} characters is longer than {MULTIBASE_CHARS_MAX}; send a CID with a shorter hash"
    )]
    TooLong {
        /// Characters of the text.
        chars: usize,
    },
    /// The text is neither a CIDv1 nor a CIDv0.
    #[error("invalid CID; send a CIDv1 in base32 (`bafkrei…`), or a CIDv0 (`Qm…`)")]
    Malformed,
    /// The URL does not begin with `ipfs://`, or is too long.
    #[error("invalid IPFS URL; send `ipfs://` and a CID, at most {IPFS_URL_BYTES_MAX} bytes")]
    NotAnIpfsUrl,
}

impl Cid {
    /// Reads a CIDv1 in base 16, 32, 36, 58 or 64 for URLs, or a CIDv0.
    pub fn parse(text: &str) -> Result<Self, CidError> {
        if text.len() > MULTIBASE_CHARS_MAX {
            return Err(CidError::TooLong { chars: text.chars().count() });
        }
        if text.len() == 46 && text.starts_with("Qm") {
            let bytes = from_base58(text).ok_or(CidError::Malformed)?;
            let is_multihash = bytes.len() == 34 && bytes.starts_with(&[0x12, SHA2_256_BYTES]);
            return if is_multihash { Ok(Cid::Other(text.to_owned())) } else { Err(CidError::Malformed) };
        }
        let bytes = from_multibase(text).ok_or(CidError::Malformed)?;
        Cid::of_bytes(&bytes, text).ok_or(CidError::Malformed)
    }

    fn of_bytes(mut bytes: &[u8], text: &str) -> Option<Self> {
        let version = take_varint(&mut bytes)?;
        let (codec, hash) = (take_varint(&mut bytes)?, take_varint(&mut bytes)?);
        let length = take_varint(&mut bytes)?;
        if version != VERSION || u64::try_from(bytes.len()) != Ok(length) {
            return None;
        }
        match (codec, hash, <[u8; 32]>::try_from(bytes)) {
            (RAW, SHA2_256, Ok(digest)) => Some(Cid::Raw(Sha256::from_bytes(digest))),
            // A hash that was cut off is no SHA-256.
            (_, SHA2_256, Err(_)) => None,
            _ => Some(Cid::Other(text.to_owned())),
        }
    }
}

impl fmt::Display for Cid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cid::Raw(sha256) => {
                let bytes: Vec<u8> = RAW_SHA2_256.iter().chain(sha256.as_bytes()).copied().collect();
                f.write_str(&to_base32(&bytes))
            }
            Cid::Other(text) => f.write_str(text),
        }
    }
}

/// An `ipfs://` URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IpfsUrl {
    /// The CID after the scheme.
    pub cid: Cid,
    /// The rest from the first `/`, `?` or `#` on; empty if there is none. Only without it does the CID name the
    /// content itself.
    pub path: String,
}

impl IpfsUrl {
    /// Reads `ipfs://CID`, optionally with a path, a query or a fragment. The scheme may be in upper case.
    pub fn parse(url: &str) -> Result<Self, CidError> {
        let scheme = url.get(..SCHEME.len()).filter(|scheme| scheme.eq_ignore_ascii_case(SCHEME));
        if scheme.is_none() || url.len() > IPFS_URL_BYTES_MAX {
            return Err(CidError::NotAnIpfsUrl);
        }
        let rest = &url[SCHEME.len()..];
        let (cid, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        Ok(IpfsUrl { cid: Cid::parse(cid)?, path: path.to_owned() })
    }

    /// Returns the SHA-256 that the content must have, if the URL names raw content without a path.
    pub fn content_sha256(&self) -> Option<Sha256> {
        match (&self.cid, self.path.as_str()) {
            (Cid::Raw(sha256), "" | "/") => Some(*sha256),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use cairn_base::Hex;
    use proptest::prelude::*;

    use super::*;
    use crate::multibase::to_base58;

    const EMPTY: &str = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";

    #[test]
    fn raw_content_has_the_cid_that_ipfs_gives_it() {
        for (content, base32, base58, base36) in [
            (
                "",
                EMPTY,
                "zb2rhmy65F3REf8SZp7De11gxtECBGgUKaLdiDj7MCGCHxbDW",
                "k2cwueebp9wws0fnm29jatrrbqocjaivp132efhd99cd5phw2odywbit",
            ),
            (
                "hello world",
                "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e",
                "zb2rhj7crUKTQYRGCRATFaQ6YFLTde2YzdqbbhAASkL9uRDXn",
                "k2cwued9o1pvrt3q271rrqbo49x30tbxwpoeaq75z14e5ui2rzygpbe1",
            ),
        ] {
            let cid = Cid::Raw(Sha256::of(content.as_bytes()));
            assert_eq!(cid.to_string(), base32);
            for text in [base32, base58, base36, &base32.to_uppercase()] {
                assert_eq!(Cid::parse(text), Ok(cid.clone()), "{text}");
            }
        }
        let empty = "f01551220e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Cid::parse(empty), Cid::parse(EMPTY));
    }

    #[test]
    fn other_cids_are_kept_as_text() {
        let dag_pb = to_base58(&[&[1, 0x70, 0x12, 32][..], &[7; 32]].concat());
        let blake3 = format!("f{}", Hex(&[&[1, 0x55, 0x1e, 32][..], &[7; 32]].concat()));
        let inline = to_base32(&[1, 0x55, 0, 2, b'h', b'i']);
        for text in ["QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n", &dag_pb, &blake3, &inline] {
            assert_eq!(Cid::parse(text), Ok(Cid::Other(text.to_owned())), "{text}");
            assert_eq!(Cid::Other(text.to_owned()).to_string(), text);
        }
    }

    #[test]
    fn malformed_cids_are_refused() {
        let short = to_base32(&[1, 0x55, 0x12, 2, 1, 2]);
        let more = to_base32(&[&[1, 0x55, 0x12, 32][..], &[7; 33]].concat());
        let version_2 = to_base32(&[&[2, 0x55, 0x12, 32][..], &[7; 32]].concat());
        let cut = &EMPTY[..EMPTY.len() - 2];
        let not_base58 = "QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR0n";
        for bad in ["", "b", "Qm", "bafy", "é", cut, not_base58, &short, &more, &version_2] {
            assert_eq!(Cid::parse(bad), Err(CidError::Malformed), "{bad}");
        }
        let long = "b".repeat(MULTIBASE_CHARS_MAX + 1);
        assert_eq!(Cid::parse(&long), Err(CidError::TooLong { chars: MULTIBASE_CHARS_MAX + 1 }));
    }

    #[test]
    fn urls_name_content_only_without_a_path() {
        let raw = Cid::parse(EMPTY).expect("a CID");
        for (url, path, is_content) in [
            (format!("ipfs://{EMPTY}"), "", true),
            (format!("IPFS://{EMPTY}/"), "/", true),
            (format!("ipfs://{EMPTY}/a/b"), "/a/b", false),
            (format!("ipfs://{EMPTY}?x#y"), "?x#y", false),
        ] {
            let parsed = IpfsUrl::parse(&url).expect(&url);
            assert_eq!((&parsed.cid, parsed.path.as_str()), (&raw, path));
            assert_eq!(parsed.content_sha256(), is_content.then(|| Sha256::of(b"")));
        }
        for bad in ["", "ipfs:/", "ipfs:x", "https://x", "é", &format!("ipfs://x{}", "/".repeat(3000))] {
            assert_eq!(IpfsUrl::parse(bad), Err(CidError::NotAnIpfsUrl), "{bad}");
        }
        assert_eq!(IpfsUrl::parse("ipfs://"), Err(CidError::Malformed));
    }

    proptest! {
        #[test]
        fn every_hash_comes_back(hash: [u8; 32], text in ".{0,60}") {
            let cid = Cid::Raw(Sha256::from_bytes(hash));
            prop_assert_eq!(Cid::parse(&cid.to_string()), Ok(cid));
            let _ = (Cid::parse(&text), IpfsUrl::parse(&format!("ipfs://{text}")));
        }
    }
}
