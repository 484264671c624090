//! What is wrong with a query, and what to do about it.

use crate::kit::World;
use crate::patterns::medicine;

#[test]
fn variables_that_nothing_binds() {
    let world = medicine();
    for query in [
        r#"FIND(?x) WHERE { ?d {type: "Drug"} }"#,
        r#"FIND(COUNT(?x)) WHERE { ?d {type: "Drug"} }"#,
        r#"FIND(?d) WHERE { ?d {type: "Drug"} FILTER(?x.name == "a") }"#,
        r#"FIND(?d) WHERE { ?d {type: "Drug"} } ORDER BY ?x.name"#,
        // Not yet, and not here.
        r#"FIND(?d) WHERE { FILTER(?d.name == "a") ?d {type: "Drug"} }"#,
        r#"FIND(?d) WHERE { ?d {type: "Drug"} UNION { ?e {type: "Drug"} FILTER(?d.name == "a") } }"#,
    ] {
        world.check_mistake(query, "KIP_3001", "bound");
    }
    world.check_mistake(r#"FIND(?x) WHERE { ?d {type: "Drug"} }"#, "KIP_3001", "nothing binds ?x");
    world.check_mistake(r#"FIND(?x) WHERE { ?d {type: "Drug"} }"#, "KIP_3001", "bound here: ?d");
}

/// Each kind of block around a clause.
fn blocks(clause: &str) -> [String; 4] {
    [
        format!("?d {{type: \"Drug\"}} {clause}"),
        format!("?d {{type: \"Drug\"}} OPTIONAL {{ {clause} }}"),
        format!("?d {{type: \"Drug\"}} NOT {{ {clause} }}"),
        format!("?d {{type: \"Drug\"}} UNION {{ {clause} }}"),
    ]
}

#[test]
fn types_and_predicates_that_are_not_registered() {
    let world = medicine();
    for (clause, said) in [
        (r#"?x {type: "drug"}"#, "did you mean 'Drug'?"),
        (r#"?x {type: "Simptom", name: "a"}"#, "did you mean 'Symptom'?"),
        (r#"(?d, "treat", ?y)"#, "did you mean 'treats'?"),
        (r#"(?d, "treats" | "prevent", ?y)"#, "did you mean 'prevents'?"),
        (r#"(?d, "treets"{1,2}, ?y)"#, "did you mean 'treats'?"),
        (r#"(?d, "treats", {type: "Symptoms"})"#, "did you mean 'Symptom'?"),
        (r#"(?d, "stated", (?a, "treatz", ?b))"#, "did you mean 'treats'?"),
        (r#"?x {type: "Unheard"}"#, "not a registered concept type"),
    ] {
        for block in blocks(clause) {
            world.check_mistake(&format!("FIND(?d) WHERE {{ {block} }}"), "KIP_2001", said);
        }
    }
}

#[test]
fn what_is_named_exactly_has_to_be_there_where_it_is_mandatory() {
    let world = medicine();
    for clause in [
        r#"?x {type: "Drug", name: "Nothing"}"#,
        r#"?x {id: "C:999999"}"#,
        r#"?l (id: "P:999999:treats")"#,
        r#"(?d, "treats", {type: "Symptom", name: "Nothing"})"#,
        r#"(?d, "treats", ?y {id: "C:999999"})"#,
        r#"(?d, "stated", (id: "P:999999:treats"))"#,
        r#"(?d, "stated", (?a, "treats", {type: "Symptom", name: "Nothing"}))"#,
        r#"(?d, "treats"{1,3}, {type: "Symptom", name: "Nothing"})"#,
    ] {
        let [mandatory, optional, not, union] = blocks(clause);
        world.check_mistake(&format!("FIND(?d) WHERE {{ {mandatory} }}"), "KIP_3002", "there is no");
        for block in [optional, not, union] {
            world.check_rows(&format!("FIND(?d.name) WHERE {{ {block} }}"), "Aspirin, Ibuprofen, Water");
        }
    }
    // An id names its predicate too.
    let id = world.id("@ah").replace("treats", "prevents");
    world.check_mistake(&format!(r#"FIND(?l) WHERE {{ ?l (id: "{id}") }}"#), "KIP_3002", "there is no");
    // A type or a name alone may match nothing.
    world.check_rows(r#"FIND(?x.name) WHERE { ?x {name: "Nothing"} }"#, "");
}

#[test]
fn ids_of_the_wrong_kind_make_no_sense_anywhere() {
    let world = medicine();
    let (concept, link) = (world.id("Ada"), world.id("@ah"));
    for clause in [
        format!(r#"?x {{id: "{link}"}}"#),
        r#"?x {id: "Ada"}"#.to_owned(),
        format!(r#"?l (id: "{concept}")"#),
        r#"?l (id: "P:1")"#.to_owned(),
    ] {
        for block in blocks(&clause) {
            world.check_mistake(&format!("FIND(?d) WHERE {{ {block} }}"), "KIP_1001", "like P:9:treats");
        }
    }
}

#[test]
fn fields_that_nothing_has() {
    let world = World::new("Node A");
    for field in ["risk", "name.first", "id.x", "Attributes.x", "attribute.x"] {
        for query in [
            format!(r#"FIND(?n.{field}) WHERE {{ ?n {{type: "Node"}} }}"#),
            format!(r#"FIND(?n) WHERE {{ ?n {{type: "Node"}} FILTER(?n.{field} == 1) }}"#),
            format!(r#"FIND(?n) WHERE {{ ?n {{type: "Node"}} }} ORDER BY ?n.{field}"#),
        ] {
            world.check_mistake(&query, "KIP_1001", "?n.attributes");
        }
    }
}

#[test]
fn no_command_names_more_fields_than_are_looked_for_in_every_row() {
    let world = World::new("Drug a");
    let fields = |count: usize| (0..count).map(|at| format!("?d.attributes.f{at}")).collect::<Vec<_>>();
    let shown = |count| format!(r#"FIND({}) WHERE {{ ?d {{type: "Drug"}} }}"#, fields(count).join(", "));
    let sorted = |count| {
        format!(r#"FIND(?d.name) WHERE {{ ?d {{type: "Drug"}} }} ORDER BY {}"#, fields(count).join(", "))
    };
    let filtered = |count| {
        let conditions: Vec<String> = fields(count).iter().map(|field| format!("{field} == 1")).collect();
        format!(r#"FIND(?d.name) WHERE {{ ?d {{type: "Drug"}} FILTER({}) }}"#, conditions.join(" || "))
    };
    for query in [&shown as &dyn Fn(usize) -> String, &sorted, &filtered] {
        assert!(world.try_find(&query(256)).is_ok(), "{:.60}", query(256));
        world.check_mistake(&query(257), "KIP_4002", "in several commands");
    }
    // One field may be compared as often as there is room.
    let often: Vec<String> = (0..2000).map(|at| format!("?d.name == \"{at}\"")).collect();
    let query = format!(r#"FIND(?d.name) WHERE {{ ?d {{type: "Drug"}} FILTER({}) }}"#, often.join(" || "));
    assert!(world.try_find(&query).is_ok());
}

#[test]
fn a_concept_that_is_not_there_may_be_another_one() {
    let world = medicine();
    for (query, said) in [
        (r#"FIND(?d) WHERE { ?d {type: "Drug", name: "Asprin"} }"#, r#"did you mean "Aspirin"?"#),
        (r#"FIND(?d) WHERE { ?d {type: "Drug", name: "aspirin"} }"#, r#"did you mean "Aspirin"?"#),
        (
            r#"FIND(?s) WHERE { ({type: "Drug", name: "Aspirin"}, "treats", {type: "Symptom", name: "Headach"}) }"#,
            r#""Headache""#,
        ),
        (
            r#"FIND(?d) WHERE { ?d {type: "Symptom", name: "Aspirin"} }"#,
            r#"there is {type: "Drug", name: "Aspirin"}"#,
        ),
        (r#"FIND(?d) WHERE { ?d {type: "Drug", name: "Xylophone"} }"#, r#"SEARCH CONCEPT "Xylophone""#),
    ] {
        world.check_mistake(query, "KIP_3002", said);
        world.check_mistake(query, "KIP_3002", "SEARCH CONCEPT");
    }
    // Only the first of very many are looked at, and a text is no name.
    let many: String = (0..1_100).map(|at| format!("Thing t{at:05}\n")).collect();
    let world = World::new(&many);
    world.check_mistake(r#"FIND(?x) WHERE { ?x {type: "Thing", name: "T00500x"} }"#, "KIP_3002", "t00500");
    let text = "t".repeat(1 << 16);
    world.check_mistake(
        &format!(r#"FIND(?x) WHERE {{ ?x {{type: "Thing", name: "{text}"}} }}"#),
        "KIP_3002",
        "SEARCH",
    );
}
