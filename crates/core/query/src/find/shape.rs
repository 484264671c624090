//! The shape of an answer.

use cairn_base::Value;
use cairn_kip::Format;

/// The shape of an answer, and how much of it is one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// Columns or rows.
    pub format: Format,
    /// Bytes of JSON after which a page ends, behind a whole row; at least one row is on it.
    pub bytes_max: Option<usize>,
}

impl From<Format> for Shape {
    fn from(format: Format) -> Self {
        Shape { format, bytes_max: None }
    }
}

/// How many items of a page fit, given the bytes of each as JSON; the first one always does.
pub(crate) fn fitting(bytes_max: Option<usize>, sizes: impl Iterator<Item = usize>) -> usize {
    let bytes_max = bytes_max.unwrap_or(usize::MAX);
    let mut bytes: usize = 0;
    let fits = |(at, size): &(usize, usize)| {
        bytes = bytes.saturating_add(*size);
        *at == 0 || bytes <= bytes_max
    };
    sizes.enumerate().take_while(fits).count()
}

/// The bytes of a row as JSON, whichever shape it is in.
pub(super) fn row_bytes(row: &[Value]) -> usize {
    const BRACKETS: usize = 2;
    BRACKETS + row.iter().map(item_bytes).sum::<usize>()
}

/// The bytes of an item of a list, with its comma.
pub(crate) fn item_bytes(value: &Value) -> usize {
    value.to_json().len() + 1
}

/// Rows as they are asked for.
///
/// As columns, there is one array for each expression, and one expression alone is its array; aggregates that
/// nothing groups are values instead of arrays.
pub(super) fn shape(rows: Vec<Vec<Value>>, format: Format, columns: usize, is_one_group: bool) -> Value {
    if format == Format::Rows {
        return rows.into_iter().map(Value::from).collect::<Vec<_>>().into();
    }
    let mut all: Vec<Vec<Value>> = (0..columns).map(|_| Vec::with_capacity(rows.len())).collect();
    for row in rows {
        for (column, value) in all.iter_mut().zip(row) {
            column.push(value);
        }
    }
    let mut shaped = all.into_iter().map(|column| {
        if is_one_group { column.into_iter().next().unwrap_or_default() } else { column.into() }
    });
    if columns == 1 { shaped.next().unwrap_or_default() } else { shaped.collect::<Vec<_>>().into() }
}
