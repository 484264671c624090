//! A figure: `cargo test -p cairn-worktree --release -- --ignored --nocapture speed`.

use std::time::Instant;

use crate::repo::Repo;

#[test]
#[ignore = "prints a figure"]
fn speed_of_reading_the_branch() {
    let repo = Repo::new();
    let workspace = repo.workspace();
    workspace.remember(&workspace.branch().unwrap().branch).unwrap();
    let measure = |what: &str| {
        let start = Instant::now();
        for _ in 0..20_000 {
            workspace.branch().unwrap();
        }
        println!("{what}: {:.1} µs a call", start.elapsed().as_secs_f64() * 1e6 / 20_000.0);
    };
    measure("branch");
    repo.git(&["checkout", "-q", "--detach"]);
    measure("detached HEAD");
}
