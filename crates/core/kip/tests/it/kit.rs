//! What tests of this crate share.

/// Every example of the syntax reference, and what it says in words.
pub(crate) const EXAMPLES: &[&str] = &[
    "FIND(?a, ?b.name, ?b.attributes.risk_level) WHERE { (?a, \"treats\", ?b) }",
    "FIND(COUNT(?v), COUNT(DISTINCT ?v), SUM(?v), AVG(?v), MIN(?v), MAX(?v)) WHERE { ?v {id: \"C:1\"} }",
    "FIND(?v) WHERE { ?v {type: \"Drug\", name: \"Aspirin\"} }",
    "FIND(?v) WHERE { ?v {name: \"Aspirin\"} }",
    "FIND(?p) WHERE { (?p, \"treats\", {type: \"Symptom\", name: \"Headache\"}) }",
    "FIND(?link) WHERE { ?link (id: \"P:1:treats\") }",
    "FIND(?link) WHERE { ?link (?subject, \"treats\", ?object) }",
    "FIND(?u) WHERE { (?u, \"stated\", (?s, \"treats\", ?o)) }",
    "FIND(?u) WHERE { (?u, \"stated\", (?s, ?p, ?o)) }",
    "FIND(?x) WHERE { (?x {type: \"Drug\"}, \"treats\", ?fact (?s, \"causes\", ?o)) }",
    "FIND(?s) WHERE { (?s, \"part_of\"{1,3}, ?o) (?s, \"part_of\"{0,}, ?o) (?s, \"part_of\"{2}, ?o) }",
    "FIND(?s) WHERE { (?s, \"treats\" | \"prevents\" | \"eases\", ?o) }",
    "FIND(?drug) WHERE { ?drug {type: \"Drug\"}
        FILTER(?drug.attributes.risk_level < 3 && CONTAINS(?drug.name, \"acid\")) }",
    "FIND(?event) WHERE { ?event {type: \"Event\"}
        FILTER(IN(?event.attributes.event_class, [\"Conversation\", \"SelfReflection\"])) }",
    "FIND(?node) WHERE { ?node {type: \"Event\"} FILTER(IS_NOT_NULL(?node.metadata.expires_at)) }",
    "FIND(?event) WHERE { ?event {type: \"Event\"}
        FILTER(?event.attributes.start_time > \"2025-01-01T00:00:00Z\")  // a time
    }",
    "FIND(?x) WHERE { ?x {type: \"Drug\"}
        FILTER(IS_NULL(?x.metadata.expires_at) || ?x.metadata.expires_at > :now) }",
    "FIND(?drug, ?side_effect) WHERE {
        ?drug {type: \"Drug\"}
        OPTIONAL { (?drug, \"has_side_effect\", ?side_effect) }
        // it may have none
    }",
    "FIND(?drug) WHERE { ?drug {type: \"Drug\"} NOT { (?drug, \"is_class_of\", {name: \"NSAID\"}) } }",
    "FIND(?drug) WHERE {
        ?drug {type: \"Drug\"}
        (?drug, \"treats\", {name: \"Headache\"})
        UNION {
          ?drug {type: \"Drug\"}
          (?drug, \"treats\", {name: \"Fever\"})
        }
    }",
    "// with or without side effects
    FIND(?drug.name, ?side_effect.name)
    WHERE {
      ?drug {type: \"Drug\"}
      OPTIONAL { (?drug, \"has_side_effect\", ?side_effect) }
      FILTER(?drug.attributes.risk_level < 3)
    }",
    "// but no NSAID
    FIND(?drug.name, ?drug.attributes.risk_level)
    WHERE {
      ?drug {type: \"Drug\"}
      (?drug, \"treats\", {name: \"Headache\"})
      NOT { (?drug, \"is_class_of\", {name: \"NSAID\"}) }
      FILTER(?drug.attributes.risk_level < 4)
    }
    ORDER BY ?drug.attributes.risk_level ASC
    LIMIT 20",
    "// how sure is he?
    FIND(?statement.metadata.confidence)
    WHERE {
      ?fact ({type: \"Drug\", name: \"Aspirin\"}, \"treats\", {type: \"Symptom\", name: \"Headache\"})
      ?statement ({type: \"User\", name: \"John Doe\"}, \"stated\", ?fact)
    }",
    "FIND(?n) WHERE { ?n {name: :name} } ORDER BY ?n.name DESC LIMIT :limit CURSOR :cursor",
    "FIND(?n) WHERE { ?n {name: :name} } LIMIT 5 CURSOR \"token_xyz\"",
    "UPSERT {
      CONCEPT ?handle {
        {type: \"Drug\", name: \"Aspirin\"} // found or made
        SET ATTRIBUTES { risk_level: 1, \"other key\": [1, {deep: null}] }
        SET PROPOSITIONS {
          (\"treats\", ?other_handle)
          (\"treats\", ?other_handle) WITH METADATA { confidence: 0.5 }
          (\"treats\", {type: \"Symptom\", name: \"Headache\"}) // has to exist
          (\"treats\", {id: \"C:1\"})
          (\"treats\", (id: \"P:1:treats\"))
          (\"treats\", (?s, \"causes\", ?o)) // a link to a link
        }
      }
      WITH METADATA { source: \"here\" } // of the concept

      CONCEPT { {id: \"C:7\"} }

      PROPOSITION ?prop_handle {
        (?subject, \"treats\", ?object) // ends of all kinds
        SET ATTRIBUTES { evidence: \"strong\" }
      }
      WITH METADATA { source: \"here\" } // of the link

      PROPOSITION { (id: \"P:1:treats\") }
    }
    WITH METADATA { author: \"$self\" } // of everything",
    "UPSERT {
      CONCEPT ?prefers_def {
        {type: \"$PropositionType\", name: \"prefers\"}
        SET ATTRIBUTES {
          description: \"What somebody likes for good.\",
          subject_types: [\"Person\"],
          object_types: [\"*\"]
        }
        SET PROPOSITIONS { (\"belongs_to_domain\", {type: \"Domain\", name: \"CoreSchema\"}) }
      }
    }
    WITH METADATA { source: \"SchemaEvolution\", author: \"$self\", confidence: 0.9 }",
    "DELETE ATTRIBUTES {\"risk_category\", \"old_id\"} FROM ?drug
    WHERE { ?drug {type: \"Drug\", name: \"Aspirin\"} }",
    "DELETE METADATA {\"old_source\"} FROM ?drug
    WHERE { ?drug {type: \"Drug\", name: \"Aspirin\"} }",
    "DELETE PROPOSITIONS ?link
    WHERE {
      ?link (?s, \"treats\", ?o)
      FILTER(?link.metadata.source == \"untrusted_source_v1\")
    }",
    "DELETE CONCEPT ?drug DETACH
    WHERE { ?drug {type: \"Drug\", name: \"OutdatedDrug\"} }",
    "DESCRIBE PRIMER // who am I?",
    "DESCRIBE DOMAINS",
    "DESCRIBE CONCEPT TYPES",
    "DESCRIBE CONCEPT TYPES LIMIT 5 CURSOR \"t\"",
    "DESCRIBE CONCEPT TYPE \"Drug\"",
    "DESCRIBE PROPOSITION TYPES LIMIT :limit",
    "DESCRIBE PROPOSITION TYPE \"treats\"",
    "SEARCH CONCEPT \"aspirin\"",
    "SEARCH CONCEPT \"aspirin\" WITH TYPE \"Drug\" LIMIT 5",
    "SEARCH PROPOSITION :term WITH TYPE :predicate LIMIT :limit",
];
