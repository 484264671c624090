//! Who may read and write a KB.

use cairn_access::{Principal, Role, Roles};
use cairn_base::TenantId;
use cairn_engine::KbTarget;
use cairn_kb::tools::{
    CheckInput, DeleteInput, ModelRequirementInput, QueryInput, SemanticAdvisorInput, SuggestPredicatesInput,
};

use super::kit::{Kb, code, plain, target};

#[test]
fn a_reader_reads_and_does_not_write() {
    let kb = Kb::filled();
    let (engine, main) = (kb.engine(), target("main"));
    let reader = Principal::new("rita", TenantId::LOCAL, Roles::NONE.with(Role::Reader));
    assert_eq!(engine.kb_query(&reader, &main, &QueryInput::default()).unwrap().count, 10);
    engine.kb_check(&reader, &main, &CheckInput::default(), &mut |_, _| {}).unwrap();
    engine.kb_validate_upsert(&reader, &main, &plain("req", "R-9", &[]), None).unwrap();
    let rows = kb.rows();
    let text = || "Guests must not delete invoices.".to_owned();
    let model = ModelRequirementInput { text: Some(text()), ..ModelRequirementInput::default() };
    engine.kb_model_requirement(&reader, &main, &model).unwrap();
    let suggest = SuggestPredicatesInput { text: text(), ..SuggestPredicatesInput::default() };
    engine.kb_suggest_predicates(&reader, &main, &suggest).unwrap();
    let advise = SemanticAdvisorInput { text: text(), ..SemanticAdvisorInput::default() };
    engine.kb_semantic_advisor(&reader, &main, &advise).unwrap();
    for absent in [
        engine.kb_model_requirement(&reader, &target("other"), &model).map(drop),
        engine.kb_suggest_predicates(&reader, &target("other"), &suggest).map(drop),
        engine.kb_semantic_advisor(&reader, &target("other"), &advise).map(drop),
    ] {
        assert_eq!(code(absent), "KbNoBranch");
    }
    assert!(kb.rows() == rows, "modelling stored something");
    let refused = [
        engine.kb_upsert(&reader, &main, &plain("req", "R-9", &[]), None).map(drop),
        engine
            .kb_delete(&reader, &main, &DeleteInput { ids: vec!["FL-1".into()], request_id: None })
            .map(drop),
        engine.kb_delete_branch(&reader, &main).map(drop),
        engine.kb_ensure_branch(&reader, &target("other"), None, &mut |_| true).map(drop),
    ];
    for refused in refused {
        assert!(refused.unwrap_err().to_string().contains("not"), "refused");
    }
    assert!(kb.rows() == rows);
    let writer = Principal::new("walt", TenantId::LOCAL, Roles::NONE.with(Role::Writer));
    engine.kb_upsert(&writer, &main, &plain("req", "R-9", &[]), None).unwrap();
    assert!(engine.kb_delete_branch(&writer, &main).unwrap());
}

#[test]
fn another_tenant_sees_nothing() {
    let kb = Kb::filled();
    let eve = Principal::new("eve", TenantId(7), Roles::NONE.with(Role::Writer));
    let own = KbTarget { tenant: TenantId(7), ..target("main") };
    let query = QueryInput::default();
    assert_eq!(code(kb.engine().kb_query(&eve, &own, &query)), "KbNoBranch");
    assert!(kb.engine().kb_branches(&eve, TenantId(7), None).unwrap().branches.is_empty());
    let refused = kb.engine().kb_query(&eve, &target("main"), &query);
    assert!(matches!(refused, Err(cairn_engine::EngineError::Refused(_))), "{refused:?}");
    // A KB of the same name is another one.
    kb.engine().kb_ensure_branch(&eve, &own, Some("main"), &mut |_| true).unwrap();
    assert_eq!(kb.engine().kb_query(&eve, &own, &query).unwrap().count, 0);
    kb.engine().kb_upsert(&eve, &own, &plain("req", "R-1", &[]), None).unwrap();
    assert_eq!(kb.engine().kb_query(&kb.world.owner, &target("main"), &query).unwrap().count, 10);
}
