//! AES-256-GCM over a buffer in place.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};

/// Bytes that prove a sealed buffer is as it was sealed.
pub const TAG_BYTES: usize = 16;
/// Bytes that must differ between any two buffers sealed with one key.
pub const NONCE_BYTES: usize = 12;

/// The bytes were not sealed with this key, under this nonce and with this associated data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadSeal;

/// One key, ready for use. It is wiped from memory when dropped.
pub struct Cipher(LessSafeKey);

impl Cipher {
    pub(super) fn new(key: &[u8; 32]) -> Self {
        let key = UnboundKey::new(&AES_256_GCM, key).expect("32 bytes, the only thing that can be wrong");
        Cipher(LessSafeKey::new(key))
    }

    /// Seals a buffer in place and returns its tag. A nonce is used once per key, or everything sealed
    /// with it is open.
    pub fn seal(&self, nonce: [u8; NONCE_BYTES], associated: &[u8], bytes: &mut [u8]) -> [u8; TAG_BYTES] {
        let nonce = Nonce::assume_unique_for_key(nonce);
        let tag = self.0.seal_in_place_separate_tag(nonce, Aad::from(associated), bytes);
        let tag = tag.expect("nothing here comes near 64 GiB, the only thing that can be wrong");
        tag.as_ref().try_into().expect("its tags are 16 bytes long")
    }

    /// Opens a buffer in place; what is in it after a failure is nothing to be used.
    pub fn open(
        &self,
        nonce: [u8; NONCE_BYTES],
        associated: &[u8],
        bytes: &mut [u8],
        tag: [u8; TAG_BYTES],
    ) -> Result<(), BadSeal> {
        let nonce = Nonce::assume_unique_for_key(nonce);
        let opened = self.0.open_in_place_separate_tag(nonce, Aad::from(associated), &tag, bytes);
        opened.map(drop).map_err(|_| BadSeal)
    }

    /// Opens a buffer that ends with its tag; returns how many bytes in front of the tag are the content.
    pub fn open_tagged(
        &self,
        nonce: [u8; NONCE_BYTES],
        associated: &[u8],
        bytes: &mut [u8],
    ) -> Result<usize, BadSeal> {
        let (content, tag) = bytes.split_last_chunk_mut::<TAG_BYTES>().ok_or(BadSeal)?;
        self.open(nonce, associated, content, *tag)?;
        Ok(content.len())
    }
}

impl std::fmt::Debug for Cipher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cipher(secret)")
    }
}

/// The nonce of whatever is counted: frames by their position, pages and blocks by their number.
pub fn counted(number: u64) -> [u8; NONCE_BYTES] {
    let mut nonce = [0; NONCE_BYTES];
    nonce[..8].copy_from_slice(&number.to_le_bytes());
    nonce
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Test case 16 of the paper that defines GCM: a 256-bit key with associated data.
    #[test]
    fn it_is_the_published_cipher() {
        let unhex = |text: &str| -> Vec<u8> {
            (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
        };
        let key = unhex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308");
        let nonce = unhex("cafebabefacedbaddecaf888");
        let mut bytes = unhex(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525\
             b16aedf5aa0de657ba637b39",
        );
        let associated = unhex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
        let cipher = Cipher::new(&key.try_into().unwrap());
        let tag = cipher.seal(nonce.try_into().unwrap(), &associated, &mut bytes);
        let sealed = unhex(
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838\
             c5f61e6393ba7a0abcc9f662",
        );
        assert_eq!(bytes, sealed);
        assert_eq!(tag.to_vec(), unhex("76fc6ece0f4e1768cddf8853bb2d551b"));
    }

    proptest! {
        #[test]
        fn only_the_same_key_nonce_data_and_bytes_open(
            key: [u8; 32], number: u64, associated: [u8; 13],
            plain in proptest::collection::vec(any::<u8>(), 1..200), at: proptest::sample::Index
        ) {
            let cipher = Cipher::new(&key);
            let mut sealed = plain.clone();
            let tag = cipher.seal(counted(number), &associated, &mut sealed);
            sealed.extend_from_slice(&tag);
            let open = |cipher: &Cipher, number, associated: [u8; 13], mut bytes: Vec<u8>| {
                let len = cipher.open_tagged(counted(number), &associated, &mut bytes).ok()?;
                bytes.truncate(len);
                Some(bytes)
            };
            prop_assert_eq!(open(&cipher, number, associated, sealed.clone()), Some(plain));
            prop_assert_eq!(open(&cipher, number ^ 1, associated, sealed.clone()), None);
            let mut other = associated;
            other[0] ^= 1;
            prop_assert_eq!(open(&cipher, number, other, sealed.clone()), None);
            let mut wrong = key;
            wrong[31] ^= 1;
            prop_assert_eq!(open(&Cipher::new(&wrong), number, associated, sealed.clone()), None);
            let at = at.index(sealed.len());
            sealed[at] ^= 1;
            prop_assert_eq!(open(&cipher, number, associated, sealed), None);
        }
    }
}
