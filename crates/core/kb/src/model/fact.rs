//! Words of facts.

use super::words;

words! {
    /// A kind of fact.
    FactKind {
        /// The subject of claims (strict lane).
        Subject = "subject",
        /// A property of a subject and its value (strict lane).
        PropertyValue = "property_value",
        /// A note; never contradicts anything (context lane).
        Observation = "observation",
        /// A note about the KB itself (context lane).
        Meta = "meta",
        /// The definition of a predicate (ontology lane).
        PredicateSchema = "predicate_schema",
        /// A ground predicate (ontology lane).
        Predicate = "predicate",
    }
}

words! {
    /// A comparison of a property with a value.
    Operator {
        /// Equal.
        Eq = "eq",
        /// Not equal.
        Neq = "neq",
        /// Less than.
        Lt = "lt",
        /// Less than or equal.
        Lte = "lte",
        /// Greater than.
        Gt = "gt",
        /// Greater than or equal.
        Gte = "gte",
    }
}

words! {
    /// The type of a property value.
    ValueType {
        /// Text, in `value_string`.
        String = "string",
        /// An integer, in `value_int`.
        Int = "int",
        /// A number, in `value_number`.
        Number = "number",
        /// A truth value, in `value_bool`.
        Bool = "bool",
    }
}

words! {
    /// The direction of a claim.
    Polarity {
        /// The property value must hold (default of property values).
        Require = "require",
        /// The property value must not hold.
        Forbid = "forbid",
        /// The predicate holds (default of predicates).
        Assert = "assert",
        /// The predicate does not hold.
        Deny = "deny",
    }
}
