//! What a DELETE is about.

use cairn_graph::Element;
use cairn_kip::tree::Command;
use cairn_kip::{KipCode, KipError};
use cairn_query::{Allowance, Budget, QueryError, matches};

use crate::kit::World;
use crate::patterns::medicine;

fn targets(world: &World, delete: &str) -> Result<Vec<Element>, KipError> {
    let Command::Delete(delete) = cairn_kip::parse(delete).unwrap() else { panic!("no DELETE") };
    let mut budget = Budget::new(&*world.clock, Allowance::default());
    world.view(|view| {
        matches(view, &delete.pattern, &delete.target, None, &mut budget).map_err(QueryError::into_kip)
    })
}

#[test]
fn targets_are_elements_each_once_in_order_without_nulls() {
    let world = medicine();
    let elements = |names: &[&str]| names.iter().map(|name| world.element(name)).collect::<Vec<_>>();
    let found = targets(&world, r#"DELETE CONCEPT ?d DETACH WHERE { (?d, "treats", ?s) }"#).unwrap();
    assert_eq!(found, elements(&["Aspirin", "Ibuprofen"]));
    let found = targets(&world, r#"DELETE PROPOSITIONS ?l WHERE { ?l (?d, "treats", ?s) }"#).unwrap();
    assert_eq!(found, elements(&["@ah", "@af", "@ih"]));
    let optional =
        r#"DELETE CONCEPT ?s DETACH WHERE { ?d {type: "Drug"} OPTIONAL { (?d, "prevents", ?s) } }"#;
    assert_eq!(targets(&world, optional).unwrap(), elements(&["Fever"]));
}

#[test]
fn targets_that_are_not_bound_or_no_elements() {
    let world = medicine();
    for (delete, code) in [
        (r#"DELETE CONCEPT ?x DETACH WHERE { (?d, "treats", ?s) }"#, KipCode::ReferenceError),
        (r#"DELETE CONCEPT ?p DETACH WHERE { (?d, ?p, ?s) }"#, KipCode::ConstraintViolation),
        (r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug", name: "x"} }"#, KipCode::NotFound),
    ] {
        assert_eq!(targets(&world, delete).unwrap_err().code, code, "{delete}");
    }
}
