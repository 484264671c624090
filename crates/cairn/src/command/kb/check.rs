//! `cairn kb check`.

use cairn_kb::Rule;
use cairn_kb::tools::{CheckInput, CheckOutput, SuggestedFix, UpsertInput, Violation};
use clap::Args;

use super::options::{PageArgs, rule};
use super::text::{VIOLATIONS, commands, counted, sum};
use super::{Call, checks, staged};
use crate::command::answer::{json, text};
use crate::command::print;
use crate::failure::Failure;
use crate::progress;
use crate::reach::Needs;
use crate::terminal::Look;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb check                             the rules that are on
  cairn kb check --rule no-cycles,required-fields
  cairn kb check --rule strict-fact-shape    rules that are off by default are named
  cairn kb check --json > violations.json
  cairn kb check --fix-json > fixes.json     suggested fixes, as `cairn kb upsert --file` reads them
  cairn kb check --staged                    what the next commit of git changes

Rules and --require-adr default to the settings in cairn-kb.toml, or .kb/config.json where there is
none; flags win. Placeholders in suggested fixes are in angle brackets: fill them in first.

With --staged, each exported function, class, method, enum, constant and variable that staged
changes touch must implement a requirement: as a symbol of the KB, or by a comment above or inside
of it such as `implements REQ-001, REQ-002`. Tests are exempt. Staged documents are checked for
mistakes and for links that lead nowhere. Requirements and links that are staged with the code
count, removed ones do not.

Exit code 0: no violations. Exit code 1: violations. Exit code 2: the check could not run.";

/// Which rules.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Rules to check, separated by commas [default: those that are on]
    #[arg(long = "rule", value_name = "RULES", value_delimiter = ',', value_parser = rule())]
    rules: Vec<Rule>,

    /// Whether symbol-traceability needs a decision beside a requirement
    #[arg(long)]
    require_adr: bool,

    /// Check the staged changes instead: changed symbols must be linked to requirements, and changed documents be valid
    #[arg(long, conflicts_with_all = ["rules", "require_adr", "fix_json", "limit", "offset"])]
    staged: bool,

    /// Requirements that a changed symbol must be linked to
    #[arg(long, value_name = "N", default_value_t = 1, requires = "staged")]
    min_links: u32,

    /// Print the suggested fixes of this page alone, as JSON
    #[arg(long)]
    fix_json: bool,

    #[command(flatten)]
    page: PageArgs,
}

/// Checks the rules.
pub(super) fn check(call: &Call<'_>, arguments: &CheckArgs) -> Result<(), Failure> {
    if arguments.staged {
        return staged::check(call, arguments.min_links);
    }
    // A script that acts on violations must not take a check that failed for one that found some.
    let output = run(call, arguments).map_err(Failure::beside_a_verdict)?;
    print(&if arguments.fix_json {
        json(&fixes(&output))
    } else if call.as_json {
        json(&output)
    } else {
        to_text(&output, arguments.page, Look::of_stdout())
    })
    .map_err(Failure::beside_a_verdict)?;
    match output.count {
        0 => Ok(()),
        count => Err(Failure::new(counted(count, VIOLATIONS))),
    }
}

fn run(call: &Call<'_>, arguments: &CheckArgs) -> Result<CheckOutput, Failure> {
    let tree = call.tree()?;
    let config = tree.config()?;
    let named = (!arguments.rules.is_empty()).then(|| arguments.rules.clone());
    let PageArgs { limit, offset } = arguments.page;
    let input = CheckInput {
        rules: named.or_else(|| checks::configured(&config.checks)),
        require_adr: Some(arguments.require_adr || config.checks.require_adr),
        limit,
        offset,
        request_id: None,
    };
    let _waiting = progress::waiting("checking the rules");
    tree.ask(Needs::Store, async |client| client.kb_check(&tree.id, tree.branch(), &input).await)
}

/// The suggested fixes of all violations, each once, in their order.
fn fixes(output: &CheckOutput) -> Vec<&UpsertInput> {
    let mut fixes: Vec<&UpsertInput> = Vec::new();
    for SuggestedFix(fix) in output.violations.iter().flat_map(|violation| &violation.fix) {
        if !fixes.contains(&fix) {
            fixes.push(fix);
        }
    }
    fixes
}

fn to_text(output: &CheckOutput, page: PageArgs, look: Look) -> String {
    let mut out: String = output.violations.iter().map(|violation| block(violation, look)).collect();
    if output.count == 0 {
        out += "no violations\n";
    } else {
        let counts = output.counts.iter().filter(|counted| counted.count > 0);
        let counts: Vec<_> = counts.map(|counted| format!("{} {}", counted.rule, counted.count)).collect();
        out += &format!("{}\n", counts.join(", "));
        out += &sum(output.violations.len(), output.count, VIOLATIONS, page, look);
    }
    for remark in &output.diagnostics {
        out += &format!("{}: {}\n", text(&remark.severity), text(&remark.message));
        out += &remark
            .suggestion
            .as_deref()
            .map(|said| format!("    {}\n", text(&commands(said))))
            .unwrap_or_default();
    }
    out
}

fn block(violation: &Violation, look: Look) -> String {
    let Violation { rule, entity_id, description, suggestion, source, .. } = violation;
    let source = if source.is_empty() { String::new() } else { format!("  {}", look.dim(&text(source))) };
    format!(
        "{}  {}{source}\n    {}\n    {}\n",
        look.bold(rule.text()),
        text(entity_id),
        text(description),
        look.dim(&text(&commands(suggestion)))
    )
}

#[cfg(test)]
mod tests {
    use cairn_kb::EntityType;
    use cairn_kb::tools::{Diagnostic, RuleCount};

    use super::*;

    fn output() -> CheckOutput {
        let fix = |id: &str| {
            SuggestedFix(UpsertInput {
                kind: EntityType::Req,
                id: id.to_owned(),
                properties: Default::default(),
                relationships: Vec::new(),
                request_id: None,
            })
        };
        let violation = |id: &str, source: &str, fixes: &[&str]| Violation {
            rule: Rule::RequiredFields,
            entity_id: id.to_owned(),
            description: "title is missing\u{1b}".to_owned(),
            suggestion: "add a title".to_owned(),
            source: source.to_owned(),
            fix: fixes.iter().map(|id| fix(id)).collect(),
        };
        let diagnostic = Diagnostic {
            category: "limits".to_owned(),
            severity: "warning".to_owned(),
            message: "more were not searched".to_owned(),
            suggestion: Some("raise it".to_owned()),
        };
        CheckOutput {
            violations: vec![violation("REQ-2", "a.md", &["B", "A"]), violation("REQ-1", "", &["A"])],
            count: 7,
            counts: vec![
                RuleCount { rule: Rule::NoCycles, count: 0 },
                RuleCount { rule: Rule::RequiredFields, count: 7 },
            ],
            diagnostics: vec![diagnostic],
            ..CheckOutput::default()
        }
    }

    #[test]
    fn violations_are_blocks_and_counts() {
        let page = PageArgs { limit: Some(2), offset: None };
        assert_eq!(
            to_text(&output(), page, Look { colour: false, width: None }),
            "required-fields  REQ-2  a.md\n    title is missing\\u{1b}\n    add a title\n\
             required-fields  REQ-1\n    title is missing\\u{1b}\n    add a title\n\
             required-fields 7\n2 of 7 violations; more: the same with --offset 2\n\
             warning: more were not searched\n    raise it\n"
        );
        let none = to_text(&CheckOutput::default(), page, Look { colour: false, width: None });
        assert_eq!(none, "no violations\n");
    }

    #[test]
    fn a_fix_is_suggested_once() {
        let output = output();
        let ids: Vec<_> = fixes(&output).iter().map(|fix| fix.id.as_str()).collect();
        assert_eq!(ids, ["B", "A"]);
    }
}
