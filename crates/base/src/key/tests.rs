//! Order and round trips, for single parts, tuples and prefixes.

use std::borrow::Cow;
use std::cmp::Ordering;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// One part of a key: the schema when it stands for its kind, the value when for itself.
#[derive(Debug, Clone)]
enum Part {
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    I64(i64),
    F64(f64),
    Bool(bool),
    Str(String),
    Bytes(Vec<u8>),
    Fixed([u8; 3]),
    Tenant(TenantId),
    Space(SpaceId),
}

impl Part {
    fn write(&self, key: KeyBuf) -> KeyBuf {
        match self {
            Part::U8(value) => key.u8(*value),
            Part::U16(value) => key.u16(*value),
            Part::U32(value) => key.u32(*value),
            Part::U64(value) => key.u64(*value),
            Part::I64(value) => key.i64(*value),
            Part::F64(value) => key.f64(*value),
            Part::Bool(value) => key.bool(*value),
            Part::Str(value) => key.str(value),
            Part::Bytes(value) => key.bytes(value),
            Part::Fixed(value) => key.fixed(value),
            Part::Tenant(value) => key.tenant(*value),
            Part::Space(value) => key.space(*value),
        }
    }

    /// Reads a part of the same kind.
    fn read(&self, key: &mut KeyReader<'_>) -> Result<Part, KeyDecodeError> {
        Ok(match self {
            Part::U8(_) => Part::U8(key.u8()?),
            Part::U16(_) => Part::U16(key.u16()?),
            Part::U32(_) => Part::U32(key.u32()?),
            Part::U64(_) => Part::U64(key.u64()?),
            Part::I64(_) => Part::I64(key.i64()?),
            Part::F64(_) => Part::F64(key.f64()?),
            Part::Bool(_) => Part::Bool(key.bool()?),
            Part::Str(_) => Part::Str(key.str()?.into_owned()),
            Part::Bytes(_) => Part::Bytes(key.bytes()?.into_owned()),
            Part::Fixed(_) => Part::Fixed(key.fixed()?),
            Part::Tenant(_) => Part::Tenant(key.tenant()?),
            Part::Space(_) => Part::Space(key.space()?),
        })
    }

    /// The order of values, told without bytes.
    fn order(&self, other: &Part) -> Ordering {
        match (self, other) {
            (Part::U8(a), Part::U8(b)) => a.cmp(b),
            (Part::U16(a), Part::U16(b)) => a.cmp(b),
            (Part::U32(a), Part::U32(b)) => a.cmp(b),
            (Part::U64(a), Part::U64(b)) => a.cmp(b),
            (Part::I64(a), Part::I64(b)) => a.cmp(b),
            (Part::F64(a), Part::F64(b)) => a.partial_cmp(b).unwrap_or(a.is_nan().cmp(&b.is_nan())),
            (Part::Bool(a), Part::Bool(b)) => a.cmp(b),
            (Part::Str(a), Part::Str(b)) => a.cmp(b),
            (Part::Bytes(a), Part::Bytes(b)) => a.cmp(b),
            (Part::Fixed(a), Part::Fixed(b)) => a.cmp(b),
            (Part::Tenant(a), Part::Tenant(b)) => a.cmp(b),
            (Part::Space(a), Part::Space(b)) => a.cmp(b),
            _ => panic!("parts of different kinds have no order"),
        }
    }
}

fn key(parts: &[Part]) -> KeyBuf {
    parts.iter().fold(KeyBuf::new(), |key, part| part.write(key))
}

fn read(schema: &[Part], bytes: &[u8]) -> Result<Vec<Part>, KeyDecodeError> {
    let mut reader = KeyReader::new(bytes);
    let parts = schema.iter().map(|part| part.read(&mut reader)).collect::<Result<_, _>>()?;
    reader.finish().map(|()| parts)
}

/// The order of tuples: part by part, a tuple before those that go on after it.
fn order(a: &[Part], b: &[Part]) -> Ordering {
    let parts = a.iter().zip(b).map(|(a, b)| a.order(b));
    parts.fold(Ordering::Equal, Ordering::then).then(a.len().cmp(&b.len()))
}

/// Several parts of one kind. Values come from few, so that equal ones and near ones meet.
fn column(rows: usize) -> BoxedStrategy<Vec<Part>> {
    fn rows_of<T: std::fmt::Debug + Clone + 'static>(
        rows: usize,
        value: impl Strategy<Value = T> + 'static,
        part: fn(T) -> Part,
    ) -> BoxedStrategy<Vec<Part>> {
        vec(value.prop_map(part), rows).boxed()
    }
    let near_u64 = || prop_oneof![any::<u64>(), 0..3_u64, Just(u64::MAX), Just(1 << 63)];
    let near_i64 = prop_oneof![any::<i64>(), -2..3_i64, Just(i64::MIN), Just(i64::MAX)];
    let near_f64 = prop_oneof![
        any::<f64>(),
        any::<u64>().prop_map(f64::from_bits),
        select(vec![0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, f64::MAX, f64::MIN, f64::NAN, -f64::NAN]),
        select(vec![f64::INFINITY, f64::NEG_INFINITY]),
    ];
    let near_bytes = vec(select(vec![0, 1, 0xfe, 0xff]), 0..4);
    let near_chars = vec(select(vec!['\0', '\u{1}', 'a', '\u{ff}', '\u{10ffff}']), 0..4);
    prop_oneof![
        rows_of(rows, any::<u8>(), Part::U8),
        rows_of(rows, any::<u16>(), Part::U16),
        rows_of(rows, any::<u32>(), Part::U32),
        rows_of(rows, near_u64(), Part::U64),
        rows_of(rows, near_i64, Part::I64),
        rows_of(rows, near_f64, Part::F64),
        rows_of(rows, any::<bool>(), Part::Bool),
        rows_of(rows, near_chars.prop_map(String::from_iter), Part::Str),
        rows_of(rows, near_bytes, Part::Bytes),
        rows_of(rows, [0..2_u8, 254..255, 0..255], Part::Fixed),
        rows_of(rows, (0..3_u32).prop_map(TenantId), Part::Tenant),
        rows_of(rows, (0..3_u32).prop_map(SpaceId), Part::Space),
    ]
    .boxed()
}

/// Tuples of the same random schema.
fn tuples<const ROWS: usize>(parts: std::ops::Range<usize>) -> impl Strategy<Value = [Vec<Part>; ROWS]> {
    vec(column(ROWS), parts).prop_map(|columns| {
        std::array::from_fn(|row| columns.iter().map(|column| column[row].clone()).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn byte_order_is_value_order_for_every_type([a, b] in tuples(1..2)) {
        prop_assert_eq!(key(&a).cmp(&key(&b)), order(&a, &b));
    }

    #[test]
    fn byte_order_is_value_order_for_tuples([a, b] in tuples(0..5)) {
        prop_assert_eq!(key(&a).cmp(&key(&b)), order(&a, &b));
    }

    #[test]
    fn byte_order_is_value_order_for_tuples_of_different_lengths([a, b] in tuples(0..5), cut in 0..5_usize) {
        let a = &a[..cut.min(a.len())];
        prop_assert_eq!(key(a).cmp(&key(&b)), order(a, &b));
    }

    #[test]
    fn a_longer_tuple_goes_on_from_the_shorter_ones_key([a] in tuples(1..5), cut in 0..4_usize) {
        let shorter = key(&a[..cut.min(a.len() - 1)]);
        prop_assert!(key(&a).starts_with(&shorter));
        prop_assert!(shorter < key(&a));
    }

    #[test]
    fn the_range_of_a_prefix_holds_its_tuples_and_no_others([a, b] in tuples(0..5), cut in 0..5_usize) {
        let prefix = &b[..cut.min(b.len())];
        let (start, end) = (key(prefix), prefix_end(&key(prefix)));
        let inside = start <= key(&a) && end.is_none_or(|end| key(&a).as_slice() < end.as_slice());
        prop_assert_eq!(inside, order(&a[..prefix.len()], prefix).is_eq());
    }

    #[test]
    fn reading_gives_back_what_was_written([a] in tuples(0..6)) {
        let back = read(&a, &key(&a)).expect("a written key can be read");
        prop_assert_eq!(order(&back, &a), Ordering::Equal, "{:?}", back);
    }

    #[test]
    fn what_can_be_read_is_what_would_be_written(
        [schema] in tuples(0..4),
        bytes in vec(prop_oneof![select(vec![0, 1, 0x7f, 0x80, 0xff]), any::<u8>()], 0..24),
    ) {
        if let Ok(parts) = read(&schema, &bytes) {
            prop_assert_eq!(key(&parts).into_vec(), bytes);
        }
    }

    #[test]
    fn the_end_of_a_prefix_is_the_smallest_after_it(
        prefix in vec(select(vec![0, 1, 0xfe, 0xff]), 0..4),
        other in vec(select(vec![0, 1, 2, 0xfe, 0xff]), 0..6),
    ) {
        let after = other > prefix && !other.starts_with(&prefix);
        prop_assert_eq!(after, prefix_end(&prefix).is_some_and(|end| other >= end));
    }
}

#[test]
fn what_is_not_a_key_is_refused_with_its_place() {
    use KeyDecodeError::{NotCanonical, NotUtf8, TooShort};
    let check = |bytes: &[u8], kind: Part, expected: KeyDecodeError| {
        let bytes = [&[9], bytes].concat();
        let error = read(&[Part::U8(0), kind], &bytes).expect_err("not a key");
        assert_eq!(error, expected, "{bytes:02x?}");
    };
    let (float, bytes, text) = (Part::F64(0.0), Part::Bytes(Vec::new()), Part::Str(String::new()));
    check(&[0; 3], Part::Tenant(TenantId::NODE), TooShort { at: 1 });
    check(&[0; 7], Part::I64(0), TooShort { at: 1 });
    check(&[2], Part::Bool(false), NotCanonical { at: 1 });
    check(&(!(-0.0_f64).to_bits()).to_be_bytes(), float.clone(), NotCanonical { at: 1 });
    check(&[0xff; 8], float.clone(), NotCanonical { at: 1 });
    check(&[0; 8], float, NotCanonical { at: 1 });
    for unfinished in [&b""[..], b"a", b"a\0", b"a\0\xff", b"\0\xff\0"] {
        check(unfinished, bytes.clone(), TooShort { at: 1 });
    }
    check(b"a\0\x01\0\0", bytes, NotCanonical { at: 1 });
    check(b"\xff\0\0", text.clone(), NotUtf8 { at: 1 });
    check(b"\0\xff\xff\0\0", text, NotUtf8 { at: 1 });
}

#[test]
fn bytes_after_the_last_part_are_refused() {
    let key = KeyBuf::new().u8(1).u16(2);
    let mut reader = KeyReader::new(&key);
    assert_eq!(reader.u8(), Ok(1));
    assert_eq!(reader.rest(), [0, 2]);
    assert_eq!(reader.finish(), Err(KeyDecodeError::LeftOver { bytes: 2 }));
}

#[test]
fn a_string_is_copied_only_when_it_holds_a_zero() {
    let key = KeyBuf::new().str("plain").str("").str("a\0b");
    let mut reader = KeyReader::new(&key);
    assert!(matches!(reader.str(), Ok(Cow::Borrowed("plain"))));
    assert!(matches!(reader.str(), Ok(Cow::Borrowed(""))));
    assert!(matches!(reader.str(), Ok(Cow::Owned(text)) if text == "a\0b"));
}

#[test]
fn the_bytes_are_these() {
    let parts = [
        (KeyBuf::new().tenant(TenantId::LOCAL).space(SpaceId(2)), &b"\0\0\0\x01\0\0\0\x02"[..]),
        (KeyBuf::new().i64(-1), b"\x7f\xff\xff\xff\xff\xff\xff\xff"),
        (KeyBuf::new().f64(1.0), b"\xbf\xf0\0\0\0\0\0\0"),
        (KeyBuf::new().f64(-1.0), b"\x40\x0f\xff\xff\xff\xff\xff\xff"),
        (KeyBuf::new().f64(-0.0), b"\x80\0\0\0\0\0\0\0"),
        (KeyBuf::new().f64(-f64::NAN), b"\xff\xf8\0\0\0\0\0\0"),
        (KeyBuf::new().str("a\0b").bool(true), b"a\0\xffb\0\0\x01"),
        (KeyBuf::with_capacity(2).bytes(b""), b"\0\0"),
    ];
    for (key, expected) in parts {
        assert_eq!(key.as_slice(), expected);
    }
}
