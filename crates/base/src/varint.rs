//! Numbers that are mostly small: seven bits a byte, the lowest first.

/// Bytes of the longest number.
const BYTES_MAX: usize = 10;

/// Appends a number.
pub fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Takes a number off the front; `None` when the bytes end inside it, when it has more than 64 bits, or
/// when it could have been written shorter: equal numbers have equal bytes.
pub fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for (at, byte) in bytes.iter().take(BYTES_MAX).enumerate() {
        let bits = u64::from(byte & 0x7f);
        if at == BYTES_MAX - 1 && *byte > 1 {
            return None;
        }
        value |= bits << (7 * at);
        if byte & 0x80 == 0 {
            let is_shortest = at == 0 || *byte != 0;
            *bytes = &bytes[at + 1..];
            return is_shortest.then_some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lengths_change_where_they_should() {
        for (value, bytes) in [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (u64::MAX, 10)] {
            let mut out = Vec::new();
            put_varint(&mut out, value);
            assert_eq!(out.len(), bytes, "{value}");
        }
        for bad in [
            &[][..],
            &[0x80],
            &[0x80, 0],
            &[0xff; 10],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2],
        ] {
            assert_eq!(take_varint(&mut &bad[..]), None, "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn numbers_come_back_and_leave_the_rest(value: u64, shift in 0..64_u32, rest: Vec<u8>) {
            let value = value >> shift;
            let mut out = Vec::new();
            put_varint(&mut out, value);
            out.extend_from_slice(&rest);
            let mut bytes = &out[..];
            prop_assert_eq!(take_varint(&mut bytes), Some(value));
            prop_assert_eq!(bytes, &rest[..]);
        }
    }
}
