//! What a FIND asks for, with variables in their places.

use cairn_kip::tree::{self, Aggregate, Find, Function};
use cairn_kip::{KipCode, KipError, Span};

use crate::Result;
use crate::fields::{Field, FieldOf, check_count};
use crate::plan::Plan;

/// Columns and order.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) columns: Vec<Column>,
    pub(super) aggregates: Vec<AggregateOf>,
    pub(super) order: Vec<SortKey>,
}

/// One expression.
#[derive(Debug, Clone)]
pub(super) enum Column {
    Field(FieldOf),
    /// The nth of the aggregates.
    Aggregate(usize),
}

/// Something computed over a group.
#[derive(Debug)]
pub(super) struct AggregateOf {
    pub(super) function: Function,
    pub(super) distinct: bool,
    pub(super) of: FieldOf,
}

/// One key of the order.
#[derive(Debug)]
pub(super) struct SortKey {
    pub(super) by: Column,
    pub(super) descending: bool,
}

impl Request {
    /// Fails on variables that are not bound, on fields that nothing has, and on orders that groups have not.
    pub(super) fn of(plan: &Plan, find: &Find) -> Result<Self> {
        check_count("expressions in FIND", find.columns.len(), find.columns.last().map(|last| last.span))?;
        let last = find.order_by.last().map(|last| last.by.span);
        check_count("keys in ORDER BY", find.order_by.len(), last)?;
        let mut request = Request { columns: Vec::new(), aggregates: Vec::new(), order: Vec::new() };
        for column in &find.columns {
            let own = match &column.node {
                tree::Column::Path(path) => Column::Field(plan.field(path)?),
                tree::Column::Aggregate(aggregate) => {
                    request.aggregates.push(aggregate_of(plan, aggregate)?);
                    Column::Aggregate(request.aggregates.len() - 1)
                }
            };
            request.columns.push(own);
        }
        for key in &find.order_by {
            let by = match &key.by.node {
                tree::Column::Path(path) => {
                    let of = plan.field(path)?;
                    request.check_groups_have(&of, key.by.span)?;
                    Column::Field(of)
                }
                tree::Column::Aggregate(aggregate) => {
                    plan.field(&aggregate.path)?;
                    Column::Aggregate(nth(find, aggregate, key.by.span)?)
                }
            };
            request.order.push(SortKey { by, descending: key.descending });
        }
        Ok(request)
    }

    pub(super) fn is_aggregated(&self) -> bool {
        !self.aggregates.is_empty()
    }

    /// Whether there are aggregates only: then all rows are one group.
    pub(super) fn is_one_group(&self) -> bool {
        self.is_aggregated() && self.shown().next().is_none()
    }

    /// What is shown of elements.
    pub(super) fn shown(&self) -> impl Iterator<Item = &FieldOf> + Clone {
        self.columns.iter().filter_map(Column::field)
    }

    /// What is read of elements to group and to sort. Whole elements are grouped and sorted by what they are
    /// bound to.
    pub(super) fn fields(&self) -> impl Iterator<Item = &FieldOf> {
        let grouped = self.shown().filter(|_| self.is_aggregated());
        let aggregated = self.aggregates.iter().map(|aggregate| &aggregate.of);
        let sorted = self.sorted();
        grouped.chain(aggregated).chain(sorted).filter(|of| of.field != Field::Whole)
    }

    /// Whether rows that agree on what is shown have the same place.
    pub(super) fn order_is_of_shown(&self) -> bool {
        self.sorted().all(|of| self.shown().any(|shown| shown.slot == of.slot))
    }

    /// What is sorted by, of elements.
    pub(super) fn sorted(&self) -> impl Iterator<Item = &FieldOf> {
        self.order.iter().filter_map(|key| key.by.field())
    }

    /// A group has one value of what it is grouped by and of everything inside that.
    fn check_groups_have(&self, of: &FieldOf, span: Span) -> Result<()> {
        if !self.is_aggregated() || self.shown().any(|shown| shown.covers(of)) {
            return Ok(());
        }
        let message = "groups have no such value: ORDER BY names something that FIND does not group by";
        Err(KipError::new(KipCode::InvalidSyntax, message)
            .hint("order by an expression of FIND, or add this one to FIND")
            .at(span)
            .into())
    }
}

impl Column {
    pub(super) fn field(&self) -> Option<&FieldOf> {
        match self {
            Column::Field(of) => Some(of),
            Column::Aggregate(_) => None,
        }
    }
}

impl FieldOf {
    /// Whether a value of this has the other one in it.
    fn covers(&self, other: &FieldOf) -> bool {
        let is_inside = match (&self.field, &other.field) {
            (Field::Whole, _) => true,
            (Field::Inside(part, keys), Field::Inside(other_part, other_keys)) => {
                part == other_part && other_keys.starts_with(keys)
            }
            (own, other) => own == other,
        };
        self.slot == other.slot && is_inside
    }
}

fn aggregate_of(plan: &Plan, aggregate: &Aggregate) -> Result<AggregateOf> {
    let of = plan.field(&aggregate.path)?;
    Ok(AggregateOf { function: aggregate.function, distinct: aggregate.distinct, of })
}

/// Which of the aggregates of a FIND an order means.
fn nth(find: &Find, wanted: &Aggregate, span: Span) -> Result<usize> {
    let mut aggregates = find.columns.iter().filter_map(|column| match &column.node {
        tree::Column::Aggregate(aggregate) => Some(aggregate),
        tree::Column::Path(_) => None,
    });
    aggregates.position(|aggregate| aggregate == wanted).ok_or_else(|| {
        let message = "ORDER BY names an aggregate that FIND does not ask for";
        KipError::new(KipCode::InvalidSyntax, message)
            .hint("add it to FIND, written the same way")
            .at(span)
            .into()
    })
}
