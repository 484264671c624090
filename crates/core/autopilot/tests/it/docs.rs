//! Tables of `docs/kb.md` equal what is in code.

use std::collections::BTreeSet;
use std::path::Path;

use cairn_autopilot::{AutopilotInput, BootstrapContext, Provider, Suppression};
use utoipa::PartialSchema;

fn section(heading: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/kb.md");
    let page = std::fs::read_to_string(path).unwrap();
    let start = page.find(&format!("# {heading}\n")).unwrap();
    let rest = page[start..].split_once('\n').unwrap().1;
    rest[..rest.find("\n#").unwrap_or(rest.len())].to_owned()
}

/// First cells of the rows of the first table of a section.
fn first_cells(heading: &str) -> Vec<String> {
    let section = section(heading);
    let table =
        section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    table.skip(2).map(|row| row.split('`').nth(1).unwrap().to_owned()).collect()
}

fn fields<T: PartialSchema>() -> BTreeSet<String> {
    let schema = serde_json::to_value(T::schema()).unwrap();
    let properties = schema["properties"].as_object().cloned().unwrap();
    properties.into_iter().map(|(name, _)| name).filter(|name| name != "_requestId").collect()
}

#[test]
fn parameters_and_context() {
    let named = |heading| first_cells(heading).into_iter().collect::<BTreeSet<_>>();
    assert_eq!(named("kb_autopilot_generate"), fields::<AutopilotInput>());
    assert_eq!(named("Declared context"), fields::<BootstrapContext>());
}

#[test]
fn providers_and_reasons() {
    let providers: Vec<_> = Provider::ALL.iter().map(|provider| provider.text().to_owned()).collect();
    assert_eq!(first_cells("Providers of evidence"), providers);
    let page = section("Providers of evidence");
    for reason in Suppression::ALL {
        assert!(page.contains(&format!("(`{}`)", reason.text())), "{}", reason.text());
    }
}
