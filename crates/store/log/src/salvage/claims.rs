//! What damaged frames seem to have been.
//!
//! Nothing here is proven: it only helps to say what was lost.

use std::io;

use cairn_base::TenantId;
use cairn_base::fs::File;

use super::around::Lost;
use crate::frame::{self, FrameKind, u32_at};

/// More lost bytes than this at one place are not looked into.
const LOOK_BYTES_MAX: u64 = 64 << 20;

/// A frame that does not verify.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) position: u64,
    pub(crate) tenant: TenantId,
    /// The body, if it seems to be that of a transaction that is not sealed.
    pub(crate) transaction: Vec<u8>,
}

/// Looks for headers of frames in a lost stretch.
pub(crate) fn read(file: &dyn File, lost: &Lost, is_plain: bool) -> io::Result<Vec<Claim>> {
    let len = (lost.offset.end - lost.offset.start).min(LOOK_BYTES_MAX);
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
    file.read_at(&mut bytes, lost.offset.start)?;
    let mut claims = Vec::new();
    let mut at = 0;
    while let Some(header) = bytes.get(at..at + frame::HEADER_BYTES) {
        let position = lost.position.start + at as u64;
        let stored = frame::claimed_stored_bytes(header, position);
        let kind = FrameKind::from_byte(header[16]);
        let claim = |kind: FrameKind, body: std::ops::Range<usize>| {
            let is_read = is_plain && kind == FrameKind::Transaction;
            let transaction = bytes.get(body).filter(|_| is_read).unwrap_or_default().to_vec();
            Claim { position, tenant: TenantId(u32_at(header, 20)), transaction }
        };
        match (stored.filter(|stored| at + stored <= bytes.len()), kind) {
            (Some(stored), Some(kind)) => {
                let body = at + frame::HEADER_BYTES;
                claims.push(claim(kind, body..body + u32_at(header, 0) as usize));
                at += stored;
            }
            // The header itself is damaged. If it is that of a transaction, what follows says so.
            _ if at == 0 => {
                claims.push(claim(FrameKind::Transaction, frame::HEADER_BYTES..bytes.len()));
                at += 8;
            }
            _ => at += 8,
        }
    }
    Ok(claims)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cairn_base::fs::{FileSystem, SimulatedFs};
    use cairn_seam::EventKind;

    use super::*;
    use crate::batch::{Op, Ops};

    #[test]
    fn a_damaged_frame_still_tells_whose_it_was_and_most_of_what_it_said() {
        let (base, salt) = (4096, 5);
        let mut body = Vec::new();
        for kind in 1..4 {
            Op::Event { kind: EventKind(kind), body: b"twelve bytes" }.encode(&mut body);
        }
        let mut whole = Vec::new();
        frame::encode(&mut whole, salt, base, FrameKind::Transaction, TenantId(9), &[&body], None);
        let heard = |damage: usize, is_plain: bool| {
            let mut bytes = whole.clone();
            bytes[damage] ^= 0x40;
            let fs = SimulatedFs::new(1);
            let file = fs.create(Path::new("segment")).unwrap();
            file.write_at(&bytes, 0).unwrap();
            let end = bytes.len() as u64;
            let lost = Lost { offset: 0..end, position: base..base + end };
            let claims = read(&*file, &lost, is_plain).unwrap();
            let ops = Ops::new(&claims[0].transaction).map_while(Result::ok).count();
            (claims[0].tenant, ops)
        };
        // In the last event's body, in the position, in the kind.
        for damage in [frame::HEADER_BYTES + body.len() - 1, 9, 16] {
            assert_eq!(heard(damage, true), (TenantId(9), 3), "byte {damage}");
        }
        assert_eq!(heard(9, false), (TenantId(9), 0), "a sealed body tells nothing");
        assert_eq!(heard(frame::HEADER_BYTES + 19, true).1, 1, "up to where it makes sense");
    }
}
