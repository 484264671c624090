//! Parsing one file.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use cairn_base::Clock;

use tree_sitter::{ParseOptions, ParseState, Parser, Point, Tree};

use crate::grammar::Grammar;
use crate::limits::{
    SOURCE_ACTIONS_PER_BYTE_MAX, SOURCE_BYTES_MAX, SOURCE_PARSE_TIME_MAX, SOURCE_READS_MAX, SOURCE_STALL_MAX,
};
use crate::walk::Walk;
use crate::{Language, SymbolError, Symbols};

thread_local! {
    /// A parser has buffers that are worth keeping.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Parse actions between two calls of the progress callback, by the source of tree-sitter.
const ACTIONS_PER_CALL: usize = 100;
/// Parse actions that a file of any length may take.
const ACTIONS_FREE: usize = 100_000;
/// Bytes that the parser gets at once. Short pieces make reads countable.
const PIECE_BYTES: usize = 1024;
/// Bytes that the parser may read of a file of any length.
const READ_BYTES_FREE: usize = 1 << 20;

/// Bytes of a text that is parsed on the thread of the caller; its stack is large enough for them.
const HERE_BYTES_MAX: usize = 4 << 10;
/// Bytes of the stack for a text of any length.
const STACK_BYTES_FREE: usize = 1 << 20;
/// Bytes of the stack for each byte of a text: a frame is 128 without optimisation. Only what is used takes memory.
const STACK_BYTES_PER_BYTE: usize = 256;
/// Bytes that the parser has to get on by to be on its way.
const STEP_BYTES: usize = 16 << 10;

/// Parses the text of a source file.
///
/// Syntax errors are no failure: the symbols around them are found. Fails if the text is longer than
/// [`SOURCE_BYTES_MAX`], or if parsing it takes more work than its length justifies. The parser is kept for the next
/// file of the same thread.
///
/// The clock bounds the time of a parse: a few kilobytes of unbalanced operators can keep the error recovery of
/// tree-sitter busy for minutes. Other files give the same result however long they take.
pub fn parse(language: Language, source: &str, clock: &dyn Clock) -> Result<Symbols, SymbolError> {
    if source.len() > SOURCE_BYTES_MAX {
        return Err(SymbolError::TooLong { bytes: source.len() });
    }
    let grammar = Grammar::of(language);
    let parsed = |parser: &mut Parser| {
        grammar.prepare(parser, language)?;
        tree(parser, source.as_bytes(), grammar.end.as_bytes(), clock)
    };
    let tree = if source.len() <= HERE_BYTES_MAX {
        PARSER.with_borrow_mut(parsed)?
    } else {
        beside(source.len(), || parsed(&mut Parser::new()))?
    };
    Ok(Walk::new(language, grammar, source, &tree).run())
}

/// Parses on a thread with a stack for the text: tree-sitter recurses along its parse stack when it drops it.
fn beside(
    bytes: usize,
    parsed: impl FnOnce() -> Result<Tree, SymbolError> + Send,
) -> Result<Tree, SymbolError> {
    thread::scope(|scope| {
        let stack = STACK_BYTES_FREE + bytes * STACK_BYTES_PER_BYTE;
        let parser = thread::Builder::new().name("symbols".to_owned()).stack_size(stack);
        let parser = parser.spawn_scoped(scope, parsed).map_err(|_| SymbolError::NoThread)?;
        parser.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Parses a text with a statement behind it.
fn tree(parser: &mut Parser, source: &[u8], end: &[u8], clock: &dyn Clock) -> Result<Tree, SymbolError> {
    let readable = Cell::new(READ_BYTES_FREE + source.len() * SOURCE_READS_MAX);
    let mut read = |offset: usize, _: Point| {
        let piece = match offset.checked_sub(source.len()) {
            None => &source[offset..offset.saturating_add(PIECE_BYTES).min(source.len())],
            Some(behind) => end.get(behind..).unwrap_or_default(),
        };
        readable.set(readable.get().saturating_sub(piece.len()));
        // Behind the limit the file ends, and the next progress call ends the parse.
        if readable.get() == 0 { &[] } else { piece }
    };
    let mut budget = Budget::new(source.len(), clock);
    let mut progress = |state: &ParseState| {
        let goes_on = readable.get() > 0 && budget.allows(state.current_byte_offset());
        if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    // A parse that was stopped would go on with the next file.
    parser.reset();
    tree.filter(|_| readable.get() > 0).ok_or(SymbolError::TooComplex)
}

/// The work that a parse may take.
struct Budget<'a> {
    clock: &'a dyn Clock,
    /// Progress calls that are left.
    calls: usize,
    ends: Duration,
    /// The end of the last step, and the time when it was reached.
    step: (usize, Duration),
}

impl<'a> Budget<'a> {
    fn new(bytes: usize, clock: &'a dyn Clock) -> Self {
        let now = clock.monotonic();
        Budget {
            clock,
            calls: (ACTIONS_FREE + bytes * SOURCE_ACTIONS_PER_BYTE_MAX) / ACTIONS_PER_CALL,
            ends: now + SOURCE_PARSE_TIME_MAX,
            step: (0, now),
        }
    }

    /// Whether the parse may go on at an offset.
    fn allows(&mut self, offset: usize) -> bool {
        let now = self.clock.monotonic();
        self.calls = self.calls.saturating_sub(1);
        if offset >= self.step.0 + STEP_BYTES {
            self.step = (offset, now);
        }
        self.calls > 0 && now < self.ends && now < self.step.1 + SOURCE_STALL_MAX
    }
}

#[cfg(test)]
mod tests {
    use cairn_base::ManualClock;

    use super::*;

    #[test]
    fn a_parse_ends_where_it_does_not_get_on() {
        let clock = ManualClock::new(0);
        let mut budget = Budget::new(SOURCE_BYTES_MAX, &clock);
        clock.advance(SOURCE_STALL_MAX - Duration::from_millis(1));
        assert!(budget.allows(STEP_BYTES - 1));
        assert!(budget.allows(STEP_BYTES));
        clock.advance(SOURCE_STALL_MAX - Duration::from_millis(1));
        assert!(budget.allows(2 * STEP_BYTES - 1));
        clock.advance(Duration::from_millis(1));
        assert!(!budget.allows(2 * STEP_BYTES - 1));
    }

    #[test]
    fn a_parse_ends_after_a_time_and_after_many_actions() {
        let clock = ManualClock::new(0);
        let mut budget = Budget::new(SOURCE_BYTES_MAX, &clock);
        let mut steps = (1..).map(|step| step * STEP_BYTES);
        let mut spent = Duration::ZERO;
        while budget.allows(steps.next().expect("without end")) {
            clock.advance(SOURCE_STALL_MAX / 2);
            spent += SOURCE_STALL_MAX / 2;
        }
        assert_eq!(spent, SOURCE_PARSE_TIME_MAX);
        let mut budget = Budget::new(0, &clock);
        let calls = (0..).take_while(|_| budget.allows(0)).count();
        assert_eq!(calls, ACTIONS_FREE / ACTIONS_PER_CALL - 1);
    }

    /// Four kilobytes of these took minutes.
    #[test]
    fn unbalanced_operators_end_soon() {
        for (language, piece) in [
            (Language::JavaScript, "-}"),
            (Language::Java, "+}&&"),
            (Language::TypeScript, "~}{"),
            (Language::Tsx, "void }%"),
        ] {
            let source = piece.repeat(SOURCE_BYTES_MAX / piece.len());
            let parsed = parse(language, &source, &cairn_base::SystemClock);
            assert_eq!(parsed, Err(SymbolError::TooComplex), "{language} {piece}");
        }
    }
}
