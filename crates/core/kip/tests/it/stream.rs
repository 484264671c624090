//! Texts that come in pieces.

use cairn_kip::arbitrary::upsert;
use cairn_kip::tree::Command;
use cairn_kip::{Cutter, Span, format, one_line, parse, read_line, write_line};
use proptest::collection::vec;
use proptest::prelude::*;

fn parts(text: &str, piece: usize) -> Vec<&str> {
    let mut cutter = Cutter::new(0);
    let mut places = Vec::new();
    for piece in text.as_bytes().chunks(piece) {
        cutter.take(piece, |at| places.push(usize::try_from(at).expect("it is short")));
    }
    let ends = places.iter().copied().skip(1).chain([text.len()]);
    places.iter().zip(ends).map(|(from, to)| &text[*from..to]).collect()
}

proptest! {
    #[test]
    fn a_capsule_is_cut_into_its_commands(capsule in vec(upsert(), 1..5), piece in 1_usize..64) {
        let command = Command::Upsert(capsule.clone());
        for text in [format(&command), one_line(&command)] {
            let found = parts(&text, piece);
            prop_assert_eq!(found.len(), capsule.len(), "{}", text);
            for (part, upsert) in found.iter().zip(&capsule) {
                prop_assert_eq!(parse(part), Ok(Command::Upsert(vec![upsert.clone()])), "{}", part);
            }
        }
    }

    #[test]
    fn what_a_line_can_say_comes_back(capsule in upsert()) {
        for block in &capsule.blocks {
            let Some(line) = write_line(&block.node) else { continue };
            let again = read_line(line.as_bytes(), Span::default()).expect("it was written here");
            prop_assert_eq!(write_line(&again), Some(line));
        }
    }

    #[test]
    fn no_bytes_panic(line: Vec<u8>, text in "[{}\":a-z,\\[\\]0-9 ]{0,80}") {
        let _ = read_line(&line, Span::default());
        let _ = read_line(text.as_bytes(), Span::default());
    }
}
