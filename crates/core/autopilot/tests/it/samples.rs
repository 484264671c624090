//! Small projects, one per language, and one of documents.

use crate::kit::Files;

const REQUIREMENT: &str = "---\nid: REQ-SESSION\ntitle: Sessions expire\nstatus: open\npriority: must\nlinks:\n  \
                           - type: specified_by\n    target: SCEN-IDLE\n  - type: verified_by\n    target: TEST-IDLE\n---\n\n\
                           Sessions end.\n";
const SCENARIO: &str = "---\nid: SCEN-IDLE\ntitle: An idle session ends\nstatus: active\nlinks:\n  - type: verified_by\n    \
                        target: TEST-IDLE\n---\n";
const TEST: &str = "---\nid: TEST-IDLE\ntitle: Idle sessions end\nstatus: passing\nverification_scope: unit\nlinks:\n  \
                    - type: validates\n    target: SCEN-IDLE\n---\n";

/// Every sample, with its name.
pub(crate) fn all() -> Vec<(&'static str, Files)> {
    vec![
        ("typescript", typescript()),
        ("python", python()),
        ("rust", rust()),
        ("go", go()),
        ("java", java()),
        ("documents", documents()),
        ("empty", Files::default()),
    ]
}

/// Adds a requirement with its scenario and its test.
fn typed(files: &mut Files) {
    files.put("documentation/requirements/session.md", REQUIREMENT);
    files.put("documentation/scenarios/idle.md", SCENARIO);
    files.put("documentation/tests/idle.md", TEST);
}

pub(crate) fn typescript() -> Files {
    let mut files = Files::of(&[
        (
            "package.json",
            r#"{"name": "shop", "version": "1.0.0", "scripts": {"test": "vitest"}, "devDependencies": {"vitest": "1"}}"#,
        ),
        ("tsconfig.json", "{ // with a comment\n}"),
        ("package-lock.json", "{}"),
        ("README.md", "# Shop\n\nThe cart must be retained for 30 days. You must install node.\n"),
        (
            "src/session.ts",
            "export interface Session { id: string }\n\n// implements REQ-SESSION\nexport function endSession(id: string) {}\n\
             export function listSessions() {}\n",
        ),
        (
            "src/session.test.ts",
            "import { test } from 'vitest';\n// TEST-IDLE\ntest('ends', () => endSession('1'));\n",
        ),
        (
            "documentation/symbols.yaml",
            "symbols:\n  - id: SYM-GONE\n    title: gone\n    status: active\n    sourceFile: node_modules/x/gone.ts\n    \
             relationships:\n      - type: implements\n        target: REQ-SESSION\n",
        ),
    ]);
    typed(&mut files);
    files
}

pub(crate) fn python() -> Files {
    let mut files = Files::of(&[
        ("pyproject.toml", "[project]\nname = \"billing\"\ndependencies = [\"httpx\", \"pytest\"]\n"),
        ("requirements-dev.txt", "pytest==8\n"),
        (
            "src/billing/session.py",
            "# implements REQ-SESSION, REQ-UNKNOWN\ndef end_session(id):\n    pass\n\n\nclass Store:\n    def read(self):\n        pass\n",
        ),
        (
            "tests/test_session.py",
            "import pytest\n\ndef test_idle():\n    \"\"\"TEST-IDLE\"\"\"\n    end_session(1)\n",
        ),
        (
            "docs/policy.md",
            "# Retention policy\n\n- Audit logs must be retained for 7 years.\n- Audit logs must be retained for 5 years.\n\
             - Debug mode shall be disabled.\n- If the disk is full, writes must fail.\n",
        ),
    ]);
    typed(&mut files);
    files
}

pub(crate) fn rust() -> Files {
    Files::of(&[
        ("Cargo.toml", "[package]\nname = \"store\"\nedition = \"2024\"\n[dependencies]\nserde = \"1\"\n"),
        ("Cargo.lock", "version = 4\n"),
        (
            "src/lib.rs",
            "//! A store.\n\n/// Reads. implements REQ-READ\npub fn read() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn reads() {\n        super::read();\n    }\n}\n",
        ),
        ("tests/it.rs", "#[test]\nfn it() {}\n"),
        (
            "docs/notes.md",
            "# Store\n\n## Notes\n\nThe index is rebuilt at night.\n\n## Test plan\n\n## Requirements\n",
        ),
    ])
}

pub(crate) fn go() -> Files {
    let mut files = Files::of(&[
        ("go.mod", "module shop.example/cart\n\ngo 1.22\n\nrequire a.example/b v1.0.0\n"),
        ("go.sum", ""),
        (
            "src/cart.go",
            "package cart\n\n// implements REQ-SESSION\nfunc EndSession() {}\n\nfunc Other() {}\n",
        ),
        (
            "src/cart_test.go",
            "package cart\n\nimport \"testing\"\n\nfunc TestIdle(t *testing.T) { EndSession() }\n",
        ),
    ]);
    typed(&mut files);
    // The test names its file itself.
    let test = TEST.replace("status: passing\n", "status: passing\nsource: src/cart_test.go::TestIdle\n");
    files.put("documentation/tests/idle.md", test);
    files
}

pub(crate) fn java() -> Files {
    Files::of(&[
        ("README.md", "# Ledger\n\n## Rules\n\nEvery booking should be immutable.\n"),
        ("src/main/java/Ledger.java", "public class Ledger {\n    public void book() {}\n}\n"),
        (
            "src/test/java/LedgerTest.java",
            "import org.junit.jupiter.api.Test;\n\nclass LedgerTest {\n    @Test void books() {}\n}\n",
        ),
    ])
}

pub(crate) fn documents() -> Files {
    let mut files = Files::of(&[
        ("README.md", "# Handbook\n"),
        ("docs/adr/0001-use-redb.md", "# 1. Use redb\n\nWe keep the index in redb.\n"),
        ("docs/adr/index.md", "# Architecture decision records\n"),
        (
            "docs/decisions.md",
            "# Background\n\n## ADR-2: One writer\n\nOne process writes.\n\n## Architecture decision: log first\n\nThe log is the truth.\n",
        ),
        (
            "docs/facts.md",
            "# Billing\n\n## Facts\n\nInvoices are numbered.\n\n## Observations about load\n\nMost load is at noon.\n\n## Notes\n",
        ),
        ("CHANGELOG.md", "# Changelog\n\nClients must upgrade to the new protocol.\n"),
        // A requirement that nothing specifies and nothing verifies.
        (
            "documentation/requirements/alone.md",
            "---\nid: REQ-ALONE\ntitle: Alone\nstatus: open\npriority: must\n---\n",
        ),
        // Two that depend on each other, and one on nothing that is there.
        (
            "documentation/requirements/a.md",
            "---\nid: REQ-A\ntitle: A\nstatus: open\nlinks:\n  - REQ-B\n---\n",
        ),
        (
            "documentation/requirements/b.md",
            "---\nid: REQ-B\ntitle: B\nstatus: open\nlinks:\n  - REQ-A\n  - type: depends_on\n    target: REQ-NOWHERE\n---\n",
        ),
        ("documentation/requirements/broken.md", "---\ntitle: [\n---\n"),
        ("documentation/requirements/prose.md", "# Prose\n\nThe prose shall be kept for 3 months.\n"),
        // An old decision without a successor.
        ("documentation/adr/old.md", "---\nid: ADR-OLD\ntitle: Old\nstatus: superseded\n---\n"),
    ]);
    typed(&mut files);
    files
}
