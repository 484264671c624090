//! The shape of an answer.

use cairn_base::Value;
use cairn_kip::Format;

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
