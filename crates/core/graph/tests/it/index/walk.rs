//! Walking an index: the order of values, between bounds, both ways.

use std::ops::Bound;

use cairn_base::{Value, text_prefix_key, value_key, value_kind_key};
use cairn_graph::{ConceptId, ConceptWrite, Index, Map, Target, TypeId, limits};
use cairn_seam::Visit;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::{begin, build, make};
use crate::kit::Kit;

const MAX: usize = limits::GRAPH_INDEX_VALUE_BYTES_MAX;

/// What a concept has in the field; `None`: nothing.
type Held = Option<Value>;

fn held() -> impl Strategy<Value = Held> + Clone {
    let long = |end: &str| format!("\"{}{end}\"", "l".repeat(400));
    let values = [
        "null", "true", "1", "1.0", "2", "-3.5", "1e9", "\"\"", "\"a\"", "\"ab\"", "\"b\"", "[1]", "[2]",
        "{}",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([long("a"), long("b")]);
    let values: Vec<Held> =
        values.map(|json| Some(Value::parse_json(json.as_bytes()).unwrap())).chain([None]).collect();
    select(values)
}

fn filled(kit: &Kit, values: &[Held]) -> (TypeId, Index) {
    let kind = kit.define_type("Drug");
    let values = values.to_vec();
    kit.write(move |writer| {
        for (place, value) in values.iter().enumerate() {
            let attributes: Map = value.iter().map(|value| ("dose".to_owned(), value.clone())).collect();
            let target = Target::Named(kind, format!("drug {place}"));
            let metadata = Map::new();
            writer.upsert_concept(ConceptWrite { target, expect_version: None, attributes, metadata })?;
        }
        Ok(())
    })
    .unwrap();
    let index = begin(kit, kind, "attributes.dose").unwrap().index;
    while !build(kit, index.id, 5_000).unwrap() {}
    (kind, index)
}

/// Every concept of a type with the bytes of its field, in the order of a walk.
fn expected(kit: &Kit, kind: TypeId, descending: bool) -> Vec<(ConceptId, Vec<u8>)> {
    let mut rows = Vec::new();
    kit.read(|view| {
        view.concepts_of_type(kind, None, &mut |id, record| {
            let value = record.value(cairn_graph::Part::Attributes, &["dose"]).unwrap();
            let mut bytes = value_key(value.as_ref().unwrap_or(&Value::Null)).into_vec();
            bytes.truncate(MAX);
            rows.push((id, bytes));
            Visit::Continue
        })
    })
    .unwrap();
    rows.sort_by(|one, other| {
        let is_null = |row: &(ConceptId, Vec<u8>)| row.1 == [0xff];
        let by_value = if descending { other.1.cmp(&one.1) } else { one.1.cmp(&other.1) };
        is_null(one).cmp(&is_null(other)).then(by_value).then(one.0.cmp(&other.0))
    });
    rows
}

fn walked(
    kit: &Kit,
    index: &Index,
    low: Bound<&[u8]>,
    high: Bound<&[u8]>,
    descending: bool,
    most: usize,
) -> Vec<(ConceptId, Vec<u8>)> {
    let mut rows = Vec::new();
    kit.read(|view| {
        view.indexed(index, low, high, descending, &mut |id, key| {
            assert_eq!(key.is_cut, key.bytes.len() == MAX);
            rows.push((id, key.bytes.to_vec()));
            if rows.len() < most { Visit::Continue } else { Visit::Stop }
        })
    })
    .unwrap();
    rows
}

/// The rest of a walk, behind an entry.
fn gone_on(
    kit: &Kit,
    index: &Index,
    bounds: (Bound<&[u8]>, Bound<&[u8]>),
    descending: bool,
    after: (&[u8], ConceptId),
) -> Vec<(ConceptId, Vec<u8>)> {
    let mut rows = Vec::new();
    kit.read(|view| {
        view.indexed_after(index, bounds, descending, after, &mut |id, key| {
            rows.push((id, key.bytes.to_vec()));
            Visit::Continue
        })
    })
    .unwrap();
    rows
}

/// Whether bytes are inside of bounds, as the documentation says it.
fn is_inside(bytes: &[u8], low: Bound<&[u8]>, high: Bound<&[u8]>) -> bool {
    let like = |bound: &[u8]| bytes.starts_with(&bound[..bound.len().min(MAX)]);
    let above = match low {
        Bound::Unbounded => true,
        Bound::Included(bound) => bytes >= bound || like(bound),
        Bound::Excluded(bound) if bound.len() < MAX => bytes > bound && !like(bound),
        Bound::Excluded(bound) => bytes > bound || like(bound),
    };
    let below = match high {
        Bound::Unbounded => true,
        Bound::Included(bound) => bytes < bound || like(bound),
        Bound::Excluded(bound) if bound.len() < MAX => bytes < bound,
        Bound::Excluded(bound) => bytes < bound || like(bound),
    };
    above && below
}

fn bound() -> impl Strategy<Value = Bound<Vec<u8>>> {
    let value = held().prop_map(|held| held.unwrap_or(Value::Null));
    let bytes = prop_oneof![
        3 => value.clone().prop_map(|value| value_key(&value).into_vec()),
        1 => value.prop_map(|value| value_kind_key(&value).to_vec()),
        1 => Just(text_prefix_key("a").into_vec()),
    ];
    prop_oneof![
        1 => Just(Bound::Unbounded),
        2 => bytes.clone().prop_map(Bound::Included),
        2 => bytes.prop_map(Bound::Excluded),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn a_walk_has_the_order_of_values_between_its_bounds_both_ways(
        values in vec(held(), 0..40),
        bounds in vec((bound(), bound(), 1..30_usize), 1..8),
    ) {
        let kit = Kit::new();
        let (kind, index) = filled(&kit, &values);
        for descending in [false, true] {
            let expected = expected(&kit, kind, descending);
            prop_assert_eq!(expected.len(), values.len());
            let all = walked(&kit, &index, Bound::Unbounded, Bound::Unbounded, descending, usize::MAX);
            prop_assert_eq!(&all, &expected);
            for (low, high, most) in &bounds {
                let slice = |bound: &'_ Bound<Vec<u8>>| bound.clone();
                let (low, high) = (slice(low), slice(high));
                let (low, high) = (low.as_ref().map(Vec::as_slice), high.as_ref().map(Vec::as_slice));
                let inside: Vec<_> =
                    expected.iter().filter(|(_, bytes)| is_inside(bytes, low, high)).cloned().collect();
                let found = walked(&kit, &index, low, high, descending, usize::MAX);
                prop_assert_eq!(&found, &inside, "{:?} {:?} {}", low, high, descending);
                let found = walked(&kit, &index, low, high, descending, *most);
                prop_assert_eq!(&found[..], &inside[..inside.len().min(*most)]);
                // It goes on behind any entry, also behind one that is not there any more.
                for (at, (concept, bytes)) in inside.iter().enumerate().step_by(3) {
                    let rest = gone_on(&kit, &index, (low, high), descending, (bytes, *concept));
                    prop_assert_eq!(&rest[..], &inside[at + 1..], "{:?} {:?} {}", low, high, descending);
                    let whole = gone_on(&kit, &index, (low, high), descending, (bytes, ConceptId(0)));
                    let first = inside.iter().position(|(_, own)| own == bytes).unwrap();
                    prop_assert_eq!(&whole[..], &inside[first..]);
                }
            }
        }
    }
}

#[test]
fn many_concepts_of_one_value_come_by_their_numbers_also_on_the_way_down() {
    let kit = Kit::new();
    let value = |number: u64| Some(Value::from(number));
    // More than are held at once, at the top, in the middle and at the bottom.
    let values: Vec<Held> = (0..6_000).map(|place| value([1, 2, 2, 3, 4][place % 5])).collect();
    let (kind, index) = filled(&kit, &values);
    for descending in [false, true] {
        let expected = expected(&kit, kind, descending);
        let all = walked(&kit, &index, Bound::Unbounded, Bound::Unbounded, descending, usize::MAX);
        assert!(all == expected, "descending: {descending}");
        for most in [1, 1_200, 1_201, 3_000] {
            let some = walked(&kit, &index, Bound::Unbounded, Bound::Unbounded, descending, most);
            assert!(some == expected[..most], "descending: {descending}, {most}");
        }
    }
}

#[test]
fn an_index_of_one_space_or_field_knows_nothing_of_others() {
    let kit = Kit::new();
    let (kind, dose) = filled(&kit, &[Some(Value::from(1_u64)), None]);
    let other = make(&kit, kind, "metadata._version");
    let count =
        |index: &Index| walked(&kit, index, Bound::Unbounded, Bound::Unbounded, true, usize::MAX).len();
    assert_eq!((count(&dose), count(&other)), (2, 2));
    let find = |part, path: &[&str]| kit.read(|view| view.index_of(kind, part, path)).unwrap();
    assert_eq!(find(cairn_graph::Part::Attributes, &["dose"]), Some(dose));
    assert_eq!(find(cairn_graph::Part::Metadata, &["_version"]), Some(other));
    assert_eq!(find(cairn_graph::Part::Metadata, &["dose"]), None);
    assert_eq!(find(cairn_graph::Part::Attributes, &["dose", "x"]), None);
    assert_eq!(find(cairn_graph::Part::Attributes, &[]), None);
}
