//! Two runs give the same bytes, whatever the order of the listing.

use cairn_autopilot::{Excluded, Existing, Project, Skipped, Sources, generate};
use serde_json::json;

use crate::kit::input;
use crate::samples;

#[test]
fn the_order_of_the_listing_does_not_matter() {
    for (name, files) in samples::all() {
        let run = |turn: usize| {
            let mut listing = files.listing();
            let excluded =
                ["b", "a", "c"].map(|path| Excluded { path: path.to_owned(), reason: Skipped::NotAFile });
            listing.excluded.extend(excluded);
            let (files_len, excluded_len) = (listing.files.len().max(1), listing.excluded.len());
            listing.files.rotate_left(turn % files_len);
            listing.excluded.rotate_left(turn % excluded_len);
            if turn % 2 == 1 {
                listing.files.reverse();
            }
            let (project, existing) = (Project::default(), Existing::default());
            let sources = Sources { tree: &files, listing, project: &project, existing: &existing };
            let output =
                generate(sources, &input(json!({"minConfidence": 0.6, "maxCandidates": 7}))).unwrap();
            serde_json::to_string(&output).unwrap() + &output.text()
        };
        let first = run(0);
        for turn in 1..8 {
            assert_eq!(run(turn), first, "{name} {turn}");
        }
    }
}
