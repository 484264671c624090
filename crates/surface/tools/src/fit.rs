//! JSON cut down to some bytes: it stays JSON, and says what is missing.

use serde_json::{Map, Value};

/// The least room that anything is cut down to.
pub(crate) const ROOM_MIN: usize = 32;
/// Bytes of a mark, with its comma.
const MARK_BYTES: usize = 24;
/// The key of a mark in an object.
const MARK_KEY: &str = "…";

/// A value in at most so many bytes of JSON, of which there have to be [`ROOM_MIN`].
///
/// Long texts lose their end. Lists keep as many whole items from the front as fit, but cells of rows and entries
/// of objects share the room, so that each is there: short ones whole, long ones in part.
pub(crate) fn fit(value: &Value, room: usize) -> Value {
    if bytes(value) <= room {
        return value.clone();
    }
    match value {
        Value::String(text) => Value::String(beginning(text, room)),
        Value::Array(items) if items.iter().all(Value::is_array) => Value::Array(rows(items, room)),
        Value::Array(items) => Value::Array(front(items, room)),
        Value::Object(entries) => Value::Object(shared(entries, room)),
        Value::Null | Value::Bool(_) | Value::Number(_) => Value::String(mark(1)),
    }
}

/// The bytes of a value as JSON.
pub(crate) fn bytes(value: &Value) -> usize {
    match value {
        Value::Array(items) => 2 + items.iter().map(|item| bytes(item) + 1).sum::<usize>().saturating_sub(1),
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| text_bytes(key) + 1 + bytes(value) + 1;
            2 + entries.iter().map(entry).sum::<usize>().saturating_sub(1)
        }
        Value::String(text) => text_bytes(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string().len(),
    }
}

/// What each of some things gets of a room that they share: those that need less than others leave it to them.
pub(crate) fn shares(needed: &[usize], mut room: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..needed.len()).collect();
    order.sort_by_key(|at| needed[*at]);
    let mut shares = vec![0; needed.len()];
    for (nth, at) in order.into_iter().enumerate() {
        shares[at] = needed[at].min(room / (needed.len() - nth));
        room -= shares[at];
    }
    shares
}

fn text_bytes(text: &str) -> usize {
    // Only these take more bytes than they have.
    let more = |character: char| match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 1,
        '\0'..='\u{1f}' => 5,
        _ => 0,
    };
    2 + text.len() + text.chars().map(more).sum::<usize>()
}

fn mark(missing: usize) -> String {
    format!("[{missing} more]")
}

fn beginning(text: &str, room: usize) -> String {
    let mark = format!("… [{} bytes]", text.len());
    let mut left = room.saturating_sub(mark.len() + 2);
    let fits = |character: &char| {
        let bytes = text_bytes(character.encode_utf8(&mut [0; 4])) - 2;
        let is_room = bytes <= left;
        left = left.saturating_sub(bytes);
        is_room
    };
    let mut shown: String = text.chars().take_while(fits).collect();
    shown += &mark;
    shown
}

/// As many whole items as fit, or a part of the first.
fn front(items: &[Value], room: usize) -> Vec<Value> {
    let mut left = room.saturating_sub(2 + MARK_BYTES);
    let fits = |item: &&Value| {
        let bytes = bytes(item) + 1;
        let is_room = bytes <= left;
        left = left.saturating_sub(bytes);
        is_room
    };
    let mut shown: Vec<Value> = items.iter().take_while(fits).cloned().collect();
    let room = room.saturating_sub(2 + MARK_BYTES + 1);
    if shown.is_empty() && room >= ROOM_MIN {
        shown.extend(items.first().map(|first| fit(first, room)));
    }
    let missing = items.len() - shown.len();
    if missing > 0 {
        shown.push(Value::String(mark(missing)));
    }
    shown
}

/// A part of every row or column.
fn rows(rows: &[Value], room: usize) -> Vec<Value> {
    let (rooms, missing) = rooms(rows.iter().map(|row| bytes(row) + 1), room);
    let row = |(row, room): (&Value, usize)| match row.as_array() {
        Some(cells) if bytes(row) > room => Value::Array(cells_of(cells, room)),
        _ => row.clone(),
    };
    let mut shown: Vec<Value> = rows.iter().zip(rooms).map(row).collect();
    shown.extend((missing > 0).then(|| Value::String(mark(missing))));
    shown
}

fn cells_of(cells: &[Value], room: usize) -> Vec<Value> {
    let (rooms, missing) = rooms(cells.iter().map(|cell| bytes(cell) + 1), room);
    let mut shown: Vec<Value> = cells.iter().zip(rooms).map(|(cell, room)| fit(cell, room)).collect();
    shown.extend((missing > 0).then(|| Value::String(mark(missing))));
    shown
}

/// A part of every entry.
fn shared(entries: &Map<String, Value>, room: usize) -> Map<String, Value> {
    let needed = entries.iter().map(|(key, value)| text_bytes(key) + 1 + bytes(value) + 1);
    let keys: Vec<usize> = entries.keys().map(|key| text_bytes(key) + 1).collect();
    let (rooms, missing) = rooms_beside(needed, room, &keys);
    let kept = entries.iter().zip(rooms).zip(&keys);
    let mut shown: Map<String, Value> = kept
        .map(|(((key, value), room), own)| (key.clone(), fit(value, room.saturating_sub(*own))))
        .collect();
    if missing > 0 {
        shown.insert(MARK_KEY.to_owned(), Value::String(mark(missing)));
    }
    shown
}

fn rooms(needed: impl Iterator<Item = usize>, room: usize) -> (Vec<usize>, usize) {
    rooms_beside(needed, room, &[])
}

/// The room of each item in brackets, without its comma, and how many items have none. What stands beside an item
/// is whole.
fn rooms_beside(needed: impl Iterator<Item = usize>, room: usize, beside: &[usize]) -> (Vec<usize>, usize) {
    let needed: Vec<usize> = needed.collect();
    let least = |at: usize| needed[at].min(beside.get(at).copied().unwrap_or(0) + ROOM_MIN + 1);
    let left = room.saturating_sub(2);
    let total: usize = (0..needed.len()).map(least).sum();
    let (kept, left) = if total <= left {
        (needed.len(), left)
    } else {
        let left = left.saturating_sub(MARK_BYTES + MARK_KEY.len() + 3);
        let mut taken = 0;
        let fits = |at: &usize| {
            taken += least(*at);
            taken <= left
        };
        ((0..needed.len()).take_while(fits).count(), left)
    };
    // Everybody has the least; what is left is shared.
    let least: Vec<usize> = (0..kept).map(least).collect();
    let more: Vec<usize> = needed.iter().zip(&least).map(|(needed, least)| needed - least).collect();
    let shares = shares(&more, left - least.iter().sum::<usize>());
    let rooms = least.iter().zip(shares).map(|(least, more)| (least + more).saturating_sub(1));
    (rooms.collect(), needed.len() - kept)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,80}".prop_map(Value::from),
            "[\\x00-\\x7f]{0,300}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 12, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
                prop::collection::btree_map(".{0,20}", inner, 0..12)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_cut_down_is_json_of_at_most_so_many_bytes(value in values(), room in ROOM_MIN..600) {
            prop_assert_eq!(bytes(&value), value.to_string().len());
            let cut = fit(&value, room);
            prop_assert!(cut.to_string().len() <= room, "{} of {}", cut, room);
            if bytes(&value) <= room {
                prop_assert_eq!(cut, value);
            }
        }

        #[test]
        fn rooms_are_shared_and_none_is_left_while_somebody_needs_it(
            needed in prop::collection::vec(0_usize..100, 0..9), room in 0_usize..400,
        ) {
            let shares = shares(&needed, room);
            let (total, given): (usize, usize) = (needed.iter().sum(), shares.iter().sum());
            prop_assert!(given <= room && given + needed.len() >= room.min(total), "{:?}", shares);
            prop_assert!(shares.iter().zip(&needed).all(|(share, needed)| share <= needed));
        }
    }

    #[test]
    fn lists_end_behind_an_item_and_rows_keep_every_cell() {
        let hit = json!({"name": "n".repeat(40)});
        assert_eq!(fit(&json!([hit, hit, hit]), 140), json!([hit, hit, "[1 more]"]));
        let long = "x".repeat(1_000);
        let row = fit(&json!([[long], ["C:7"]]), 100);
        assert_eq!(row[1], json!(["C:7"]));
        assert!(row[0][0].as_str().is_some_and(|text| text.ends_with("… [1000 bytes]")), "{row}");
        let primer = json!({"domain_map": vec![hit.clone(); 50], "identity": {"name": "me"}, "total": 50});
        let cut = fit(&primer, 400);
        assert_eq!((&cut["identity"], &cut["total"]), (&primer["identity"], &primer["total"]));
        assert_eq!(cut["domain_map"][0], hit);
        assert_eq!(
            cut["domain_map"].as_array().and_then(|map| map.last()),
            Some(&json!("[44 more]")),
            "{cut}"
        );
    }
}
