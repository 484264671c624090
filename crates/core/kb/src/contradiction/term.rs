//! Claims in the form that the search compares: domain, bound, gates.

use std::borrow::Cow;

use super::bounds::{Bound, Form, Grid};
use super::decimal::{Decimal, integer};
use super::unit::Measure;
use crate::{Claim, ClaimValue, Operator, Polarity, ValueType};

/// The property whose text is a set.
const SET_PROPERTY: &str = "allowed_values";

/// A value of any domain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Point<'a> {
    /// A truth value.
    Flag(bool),
    /// Text, or a set in its normal form.
    Text(Cow<'a, str>),
    /// A number, in the first unit of its measure.
    Number(Decimal),
}

impl Grid for &Point<'_> {
    fn after(self) -> Option<Self> {
        None
    }

    fn before(self) -> Option<Self> {
        None
    }
}

/// A domain; claims of different domains do not interact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Domain<'a> {
    /// Numbers of one measure.
    Number(Measure<'a>),
    /// Text with one unit.
    Text(&'a str),
    /// Truth values with one unit.
    Flag(&'a str),
    /// The truth of one comparison that has no order to refer to, with its unit.
    Comparison(Operator, Point<'a>, &'a str),
}

/// The restriction of an `int` claim over the integers of its unit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whole {
    /// The ratio of the unit; claims with different ratios share no integers.
    pub(crate) ratio: u64,
    /// The restriction; never open.
    pub(crate) bound: Bound<i128>,
}

/// One claim in its domain.
#[derive(Debug)]
pub(crate) struct Term<'a> {
    /// The place of its claim among all claims of the group.
    pub(crate) holder: usize,
    /// Whether the search looks for conflicts of this claim.
    pub(crate) wanted: bool,
    /// Whether the claim is a `forbid`.
    pub(crate) forbid: bool,
    /// The scope; empty if it holds everywhere.
    pub(crate) scope: &'a str,
    /// The first moment; empty if open.
    pub(crate) from: &'a str,
    /// The last moment; empty if open.
    pub(crate) to: &'a str,
    form: Form,
    at: Point<'a>,
    open: bool,
    /// The restriction over the integers, of an `int` claim.
    pub(crate) whole: Option<Whole>,
}

impl<'a> Term<'a> {
    /// Returns the term of a claim and its domain; `None` if the claim never holds because its window is empty.
    pub(crate) fn new(holder: usize, wanted: bool, claim: &'a Claim<'_>) -> Option<(Domain<'a>, Self)> {
        if !claim.valid_to.is_empty() && claim.valid_to < claim.valid_from {
            return None;
        }
        let forbid = claim.polarity == Polarity::Forbid;
        let (form, open) = restriction(claim.operator, forbid);
        let mut term = Term {
            holder,
            wanted,
            forbid,
            scope: claim.scope,
            from: claim.valid_from,
            to: claim.valid_to,
            form,
            at: Point::Flag(true),
            open,
            whole: None,
        };
        let domain = match &claim.value {
            ClaimValue::Number(number) => {
                let (measure, ratio) = Measure::of(claim.unit);
                term.at = Point::Number(Decimal::new(*number, ratio));
                if claim.value_type == ValueType::Int {
                    term.whole = integer(*number).map(|at| Whole { ratio, bound: whole(form, at, open) });
                }
                Domain::Number(measure)
            }
            ClaimValue::Text(text) => term.set_identity(claim, text_point(claim.property_key, text)),
            ClaimValue::Bool(flag) => term.set_identity(claim, Point::Flag(*flag)),
        };
        Some((domain, term))
    }

    /// Its restriction over all values of its domain.
    pub(crate) fn bound(&self) -> Bound<&Point<'a>> {
        Bound { form: self.form, at: &self.at, open: self.open }
    }

    /// Whether both restrict the integers of the same unit.
    pub(crate) fn shares_integers(&self, other: &Self) -> bool {
        self.whole.zip(other.whole).is_some_and(|(one, other)| one.ratio == other.ratio)
    }

    /// Places a claim about text or a truth value, whose values have no order.
    fn set_identity(&mut self, claim: &'a Claim<'_>, value: Point<'a>) -> Domain<'a> {
        match claim.operator {
            Operator::Lt | Operator::Lte | Operator::Gt | Operator::Gte => {
                (self.form, self.open) = (Form::Point, false);
                self.at = Point::Flag(!self.forbid);
                return Domain::Comparison(claim.operator, value, claim.unit);
            }
            Operator::Eq | Operator::Neq => {}
        }
        let (at, domain) = match value {
            // Anything but true is false.
            Point::Flag(flag) if self.form == Form::Hole => {
                self.form = Form::Point;
                (Point::Flag(!flag), Domain::Flag(claim.unit))
            }
            Point::Flag(_) => (value, Domain::Flag(claim.unit)),
            Point::Text(_) | Point::Number(_) => (value, Domain::Text(claim.unit)),
        };
        self.at = at;
        domain
    }
}

/// The form of a comparison or of its negation, and whether it excludes the value itself.
fn restriction(operator: Operator, negated: bool) -> (Form, bool) {
    match (operator, negated) {
        (Operator::Eq, false) | (Operator::Neq, true) => (Form::Point, false),
        (Operator::Neq, false) | (Operator::Eq, true) => (Form::Hole, false),
        (Operator::Gte, false) | (Operator::Lt, true) => (Form::Lower, false),
        (Operator::Gt, false) | (Operator::Lte, true) => (Form::Lower, true),
        (Operator::Lte, false) | (Operator::Gt, true) => (Form::Upper, false),
        (Operator::Lt, false) | (Operator::Gte, true) => (Form::Upper, true),
    }
}

/// A restriction over the integers. The integer next to a bound of 64 bits fits.
fn whole(form: Form, at: i128, open: bool) -> Bound<i128> {
    let step = match form {
        Form::Lower => i128::from(open),
        Form::Upper => -i128::from(open),
        Form::Point | Form::Hole => 0,
    };
    Bound { form, at: at + step, open: false }
}

fn text_point<'a>(property: &str, text: &'a str) -> Point<'a> {
    if property != SET_PROPERTY || !text.contains('|') {
        return Point::Text(Cow::Borrowed(text));
    }
    let mut members: Vec<&str> = text.split('|').collect();
    members.sort_unstable();
    members.dedup();
    Point::Text(Cow::Owned(members.join("|")))
}

/// Whether the property of a claim is a set.
pub(crate) fn is_set(claim: &Claim<'_>) -> bool {
    claim.property_key == SET_PROPERTY && matches!(claim.value, ClaimValue::Text(_))
}
