//! Where a segment stands in the log, when its header is damaged.
//!
//! Every frame says its own position, which tells the base. Checksums of frames are seeded with 32 bits
//! of the segment's salt. If the manifest does not know the salt either, the seed follows from the
//! checksum of one whole frame: a CRC is linear in its seed. Two commit frames that agree prove it.

use std::io;

use cairn_base::fs::File;

use crate::frame::{self, CommitBody, FrameKind, u32_at, u64_at};
use crate::segment;

const COMMIT_BYTES: usize = frame::HEADER_BYTES + CommitBody::BYTES;
const READ_BYTES: u64 = 1 << 20;
/// How far into a segment is looked. Damage that leaves no commit frame in the first megabytes is rare.
const LOOK_BYTES: u64 = 64 << 20;

/// Position of the first byte of a segment and a salt that verifies its frames; `None` when too little
/// of it is left. Finds nothing in segments that frames were taken out of.
pub(crate) fn base_and_salt(file: &dyn File, salt: Option<u64>) -> io::Result<Option<(u64, u64)>> {
    let len = file.len()?.min(LOOK_BYTES);
    let mut at = segment::HEADER_BYTES as u64;
    let mut bytes = Vec::new();
    let mut first: Option<(u64, u64)> = None;
    while at + COMMIT_BYTES as u64 <= len {
        bytes.resize(usize::try_from((len - at).min(READ_BYTES)).unwrap_or(0), 0);
        file.read_at(&mut bytes, at)?;
        let mut offset = 0;
        while let Some(commit) = bytes.get(offset..offset + COMMIT_BYTES) {
            let here = at + offset as u64;
            if let Some(base) = claimed_base(commit, here) {
                let position = base + here;
                let found = salt.or_else(|| seed_of(commit));
                let is_valid = |salt: &u64| frame::decode(commit, *salt, position).is_some();
                match (found.filter(is_valid), salt, first) {
                    (Some(salt), Some(_), _) => return Ok(Some((base, salt))),
                    (Some(seed), None, Some(first)) if first == (base, seed) => return Ok(Some(first)),
                    (Some(seed), None, _) => first = Some((base, seed)),
                    (None, ..) => {}
                }
            }
            offset += 8;
        }
        at += offset as u64;
    }
    Ok(None)
}

/// The base of the segment, if bytes look like a commit frame that stands at an offset.
fn claimed_base(bytes: &[u8], offset: u64) -> Option<u64> {
    let position = u64_at(bytes, 8);
    let (synced_to, run_start) = (u64_at(bytes, 24), u64_at(bytes, 32));
    let is_commit = u32_at(bytes, 0) as usize == CommitBody::BYTES
        && bytes[16] == FrameKind::Commit.to_byte()
        && bytes[17..24] == [0; 7]
        && synced_to <= run_start
        && run_start < position;
    position.checked_sub(offset).filter(|_| is_commit)
}

/// The seed with which the checksum of a commit frame is right; `None` when there is none.
fn seed_of(bytes: &[u8]) -> Option<u64> {
    let crc = |seed: u32| crc32c::crc32c_append(crc32c::crc32c_append(seed, &bytes[..4]), &bytes[8..]);
    let zero = crc(0);
    let mut wanted = u32_at(bytes, 4) ^ zero;
    // Gauss: each row is what some set of seed bits does to the checksum.
    let mut rows: Vec<(u32, u32)> = (0..32).map(|bit| (crc(1 << bit) ^ zero, 1 << bit)).collect();
    let mut seed = 0;
    for bit in (0..32).rev() {
        let Some(at) = rows.iter().position(|(effect, _)| effect >> bit == 1) else { continue };
        let (effect, bits) = rows.swap_remove(at);
        for row in rows.iter_mut().filter(|(other, _)| other >> bit == 1) {
            *row = (row.0 ^ effect, row.1 ^ bits);
        }
        if wanted >> bit == 1 {
            (wanted, seed) = (wanted ^ effect, seed ^ bits);
        }
    }
    (wanted == 0).then_some(u64::from(seed))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cairn_base::TenantId;
    use cairn_base::fs::{FileSystem, SimulatedFs};

    use super::*;

    #[test]
    fn a_segment_without_a_header_is_found_by_its_frames() {
        let (base, salt) = (67_108_864, 0xfeed_beef_1234_5678);
        let mut bytes = vec![0xaa; segment::HEADER_BYTES];
        for run in 0..5_u8 {
            let at = |bytes: &Vec<u8>| base + bytes.len() as u64;
            let run_start = at(&bytes);
            let body = vec![run; 77];
            frame::encode(&mut bytes, salt, run_start, FrameKind::Transaction, TenantId(1), &[&body], None);
            let (position, commit) = (at(&bytes), CommitBody { synced_to: run_start, run_start }.encode());
            frame::encode(&mut bytes, salt, position, FrameKind::Commit, TenantId::NODE, &[&commit], None);
        }
        let find = |bytes: &[u8], known: Option<u64>| {
            let fs = SimulatedFs::new(1);
            let file = fs.create(Path::new("segment")).unwrap();
            file.write_at(bytes, 0).unwrap();
            base_and_salt(&*file, known).unwrap()
        };
        assert_eq!(find(&bytes, Some(salt)), Some((base, salt)));
        assert_eq!(find(&bytes, Some(salt + 1)), None);
        let (found_base, seed) = find(&bytes, None).unwrap();
        assert_eq!(found_base, base);
        assert!(frame::decode(&bytes[64..], seed, base + 64).is_some(), "the seed is as good as the salt");
        // One commit frame proves nothing, whatever its checksum is.
        let one = &bytes[..segment::HEADER_BYTES + 104 + 40];
        assert_eq!(find(one, None), None);
        assert_eq!(find(one, Some(salt)), Some((base, salt)));
        assert_eq!(find(&[0; 4096], None), None);
    }
}
