//! Compression where it pays.

use std::cell::RefCell;

/// Shorter content is stored as it is: what little it shrinks is less than what a record costs.
const BYTES_MIN: usize = 256;
/// This much from the middle says whether the rest is worth trying.
const SAMPLE_BYTES: usize = 4 << 10;
/// The quickest of zstd's proper levels.
const LEVEL: i32 = 1;

/// Compresses, and gives up early on what does not shrink.
#[derive(Default)]
pub struct Packer {
    /// Made for the first content that is long enough.
    compressor: Option<zstd::bulk::Compressor<'static>>,
    sample: Vec<u8>,
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Packer")
    }
}

impl Packer {
    /// The compressed bytes, if they save at least an eighth.
    pub fn pack(&mut self, plain: &[u8]) -> Option<Vec<u8>> {
        if plain.len() < BYTES_MIN {
            return None;
        }
        if self.compressor.is_none() {
            // Without one, which takes a lack of memory, everything is stored as it is.
            self.compressor = zstd::bulk::Compressor::new(LEVEL).ok();
        }
        if !self.sample_shrinks(plain) {
            return None;
        }
        // No more room than makes it worth while: more output than that is an error, and as it is.
        let mut packed = vec![0; plain.len() - plain.len() / 8];
        let bytes = self.compressor.as_mut()?.compress_to_buffer(plain, &mut packed[..]).ok()?;
        packed.truncate(bytes);
        Some(packed)
    }

    fn sample_shrinks(&mut self, plain: &[u8]) -> bool {
        if plain.len() < 4 * SAMPLE_BYTES {
            return true;
        }
        let middle = plain.len() / 2;
        let sample = &plain[middle - SAMPLE_BYTES / 2..middle + SAMPLE_BYTES / 2];
        self.sample.resize(SAMPLE_BYTES - SAMPLE_BYTES / 16, 0);
        let compressor = self.compressor.as_mut();
        compressor.is_some_and(|it| it.compress_to_buffer(sample, &mut self.sample[..]).is_ok())
    }
}

/// Runs with a packer of the calling thread: making one takes longer than most blobs.
pub(super) fn with_thread_packer<T>(run: impl FnOnce(&mut Packer) -> T) -> T {
    thread_local!(static PACKER: RefCell<Packer> = RefCell::default());
    PACKER.with_borrow_mut(run)
}

/// Undoes [`Packer::pack`]; `None` when the result is not exactly `plain_bytes` long.
pub fn unpack(packed: &[u8], plain_bytes: usize) -> Option<Vec<u8>> {
    thread_local!(static UNPACKER: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) });
    UNPACKER.with_borrow_mut(|unpacker| {
        if unpacker.is_none() {
            *unpacker = Some(zstd::bulk::Decompressor::new().ok()?);
        }
        let mut plain = vec![0; plain_bytes];
        let bytes = unpacker.as_mut()?.decompress_to_buffer(packed, &mut plain[..]).ok()?;
        (bytes == plain_bytes).then_some(plain)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_base::{Entropy, SeededEntropy};

    #[test]
    fn what_shrinks_is_packed_and_comes_back() {
        for bytes in [BYTES_MIN, 1000, 4 << 10, 15_000, 64 << 10, 1 << 20] {
            let plain: Vec<u8> =
                (0..bytes).map(|at| b"{\"role\":\"user\",\"text\":\"hello\"}"[at % 30]).collect();
            let packed = Packer::default().pack(&plain).expect("text shrinks");
            assert!(packed.len() < bytes / 2);
            assert_eq!(unpack(&packed, bytes).as_deref(), Some(&*plain));
            assert_eq!(unpack(&packed, bytes - 1), None, "a wrong length");
            assert_eq!(unpack(&packed[..packed.len() - 1], bytes), None, "cut");
        }
    }

    #[test]
    fn noise_and_small_things_stay_as_they_are() {
        let mut noise = vec![0; 64 << 10];
        SeededEntropy::new(1).fill(&mut noise);
        assert_eq!(Packer::default().pack(&noise), None);
        assert_eq!(Packer::default().pack(&[7; BYTES_MIN - 1]), None);
        noise[30_000..].fill(7);
        assert!(Packer::default().pack(&noise).is_some());
    }
}
