//! How many columns of a terminal characters take.

/// Returns the columns that a text takes on a terminal.
pub fn width(text: &str) -> usize {
    text.chars().map(|character| columns(u32::from(character))).sum()
}

fn columns(character: u32) -> usize {
    let is_in =
        |ranges: &[(u32, u32)]| ranges.iter().any(|(first, last)| (*first..=*last).contains(&character));
    if is_in(NONE) {
        0
    } else if is_in(WIDE) {
        2
    } else {
        1
    }
}

/// Marks that are put on the character before them.
const NONE: &[(u32, u32)] = &[
    (0x0300, 0x036f),
    (0x0483, 0x0489),
    (0x1ab0, 0x1aff),
    (0x1dc0, 0x1dff),
    (0x20d0, 0x20ff),
    (0xfe00, 0xfe0f),
    (0xfe20, 0xfe2f),
];

/// Scripts of East Asia, and pictures.
const WIDE: &[(u32, u32)] = &[
    (0x1100, 0x115f),
    (0x2e80, 0x303e),
    (0x3041, 0xa4cf),
    (0xa960, 0xa97f),
    (0xac00, 0xd7a3),
    (0xf900, 0xfaff),
    (0xfe30, 0xfe6f),
    (0xff00, 0xff60),
    (0xffe0, 0xffe6),
    (0x1f300, 0x1f64f),
    (0x1f680, 0x1f6ff),
    (0x1f900, 0x1f9ff),
    (0x1fa70, 0x1faff),
    (0x20000, 0x3fffd),
];
