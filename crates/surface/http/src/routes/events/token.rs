//! The id of an event: where a client goes on that has seen it.
//!
//! A position in hexadecimal, and after a point how many events of a transaction with several. Opaque to
//! clients; one place has one id.

use cairn_base::Position;
use cairn_engine::Place;

/// The id of a place.
pub(super) fn encode(place: Place) -> String {
    let position = place.position().0;
    match place.seen() {
        None => format!("{position:x}"),
        Some(seen) => format!("{position:x}.{seen:x}"),
    }
}

/// The place of an id; `None` if it is none of ours.
pub(super) fn decode(id: &str) -> Option<Place> {
    let place = match id.split_once('.') {
        None => Place::after(Position(u64::from_str_radix(id, 16).ok()?)),
        Some((position, seen)) => {
            let position = Position(u64::from_str_radix(position, 16).ok()?);
            Place::inside(position, u32::from_str_radix(seen, 16).ok()?)
        }
    };
    (encode(place) == id).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_leads_back_to_its_place() {
        let positions = [0, 1, 0xab, u64::MAX].map(Position);
        for place in positions.into_iter().flat_map(|at| [Place::after(at), Place::inside(at, 17)]) {
            assert_eq!(decode(&encode(place)), Some(place));
        }
        assert_eq!(encode(Place::after(Position(0xab))), "ab");
        assert_eq!(encode(Place::inside(Position(0xab), 17)), "ab.11");
    }

    #[test]
    fn what_is_no_id_is_not_taken_for_one() {
        for bad in
            ["", "x", "AB", "00ab", "+ab", " ab", "ab ", "ab.", ".1", "ab.1.1", "ab.01", "ab.ffffffff", "-1"]
        {
            assert_eq!(decode(bad), None, "{bad:?}");
        }
        assert_eq!(decode(&"f".repeat(17)), None);
    }
}
