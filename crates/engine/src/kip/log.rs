//! The query log: which commands came lately, and what became of them.
//!
//! It is kept in memory, a ring for each tenant, and ends with the process: a line for each query must not
//! cost a write to disk, and what was changed is in the history anyway. Values of parameters are left out.

use std::collections::{HashMap, VecDeque};
use std::str::FromStr;

use cairn_base::TenantId;
use parking_lot::Mutex;

/// Lines that are kept of one tenant.
const LINES_MAX: usize = 512;
/// Bytes of the texts of one tenant's lines.
const BYTES_MAX: usize = 256 << 10;
/// Tenants of which lines are kept: those that asked last.
const TENANTS_MAX: usize = 128;
/// Bytes of a command that are kept.
const TEXT_BYTES_MAX: usize = 1 << 10;

/// A command that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KipLogLine {
    /// Its number, counted from 1 on when the node was started.
    pub(super) sequence: u64,
    /// When it was done, in Unix milliseconds.
    pub(super) time_ms: u64,
    /// Who sent it.
    pub(super) user: Box<str>,
    /// In which space.
    pub(super) space: Box<str>,
    /// What it begins with, such as `FIND`; `SYNTAX` if it is no command.
    pub(super) kind: &'static str,
    /// Its text, cut if it is long.
    pub(super) command: Box<str>,
    /// Whether it was cut.
    pub(super) is_cut: bool,
    /// Whether it was only tried.
    pub(super) dry_run: bool,
    /// `ok`, or the code of what was wrong.
    pub(super) outcome: &'static str,
    /// How long it took, in milliseconds.
    pub(super) took_ms: u64,
}

impl KipLogLine {
    fn bytes(&self) -> usize {
        size_of::<KipLogLine>() + self.command.len() + self.user.len() + self.space.len()
    }
}

/// As much of a text as is kept of it, and whether that is all.
pub(super) fn shortened(text: &str) -> (Box<str>, bool) {
    let end = text.floor_char_boundary(TEXT_BYTES_MAX);
    (text[..end].into(), end < text.len())
}

/// After which line to read on. As text it passes through an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LogCursor {
    /// When the node was started: lines of before are gone.
    started: u64,
    sequence: u64,
}

impl std::fmt::Display for LogCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:x}.{:x}", self.started, self.sequence)
    }
}

impl FromStr for LogCursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (started, sequence) = text.split_once('.').ok_or(())?;
        let number = |digits| u64::from_str_radix(digits, 16).map_err(drop);
        let cursor = LogCursor { started: number(started)?, sequence: number(sequence)? };
        // One place has one name.
        if cursor.to_string() == text { Ok(cursor) } else { Err(()) }
    }
}

/// Part of a log, the newest line first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LogPage {
    pub(super) lines: Vec<KipLogLine>,
    pub(super) next: Option<LogCursor>,
}

/// The logs of all tenants.
pub(crate) struct KipLog {
    started: u64,
    rings: Mutex<Rings>,
}

#[derive(Default)]
struct Rings {
    of: HashMap<TenantId, Ring>,
    /// Counts additions, to know who asked last.
    clock: u64,
}

#[derive(Default)]
struct Ring {
    lines: VecDeque<KipLogLine>,
    bytes: usize,
    last: u64,
    used_at: u64,
}

impl KipLog {
    /// An empty log of a node that was started at a time.
    pub(crate) fn new(started_ms: u64) -> Self {
        KipLog { started: started_ms, rings: Mutex::default() }
    }

    /// Adds a line; it gets its number here.
    pub(super) fn add(&self, tenant: TenantId, line: KipLogLine) {
        let mut rings = self.rings.lock();
        rings.clock += 1;
        let now = rings.clock;
        let is_new = !rings.of.contains_key(&tenant);
        if is_new && rings.of.len() >= TENANTS_MAX {
            let oldest = rings.of.iter().min_by_key(|(_, ring)| ring.used_at).map(|(tenant, _)| *tenant);
            oldest.and_then(|oldest| rings.of.remove(&oldest));
        }
        let ring = rings.of.entry(tenant).or_default();
        ring.used_at = now;
        // Numbers of a ring that was pushed out are not given again.
        ring.last = if is_new { now } else { ring.last + 1 };
        ring.bytes += line.bytes();
        ring.lines.push_back(KipLogLine { sequence: ring.last, ..line });
        while ring.lines.len() > LINES_MAX || ring.bytes > BYTES_MAX {
            let Some(oldest) = ring.lines.pop_front() else { break };
            ring.bytes -= oldest.bytes();
        }
    }

    /// The newest lines that somebody may see, before a cursor. Nothing if the cursor is of another start.
    pub(super) fn page(
        &self,
        tenant: TenantId,
        before: Option<LogCursor>,
        limit: usize,
        may_see: impl Fn(&KipLogLine) -> bool,
    ) -> Option<LogPage> {
        if before.is_some_and(|cursor| cursor.started != self.started) {
            return None;
        }
        let rings = self.rings.lock();
        let lines = rings.of.get(&tenant).into_iter().flat_map(|ring| ring.lines.iter().rev());
        let mut found: Vec<_> = lines
            .filter(|line| before.is_none_or(|cursor| line.sequence < cursor.sequence))
            .filter(|line| may_see(line))
            .take(limit.saturating_add(1))
            .cloned()
            .collect();
        let has_more = found.len() > limit;
        found.truncate(limit);
        let last = found.last().filter(|_| has_more);
        let next = last.map(|line| LogCursor { started: self.started, sequence: line.sequence });
        Some(LogPage { lines: found, next })
    }

    /// Nothing is kept of what was to be forgotten.
    pub(crate) fn clear(&self) {
        self.rings.lock().of.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENANT: TenantId = TenantId(7);

    fn line(user: &str, command: &str) -> KipLogLine {
        let (command, is_cut) = shortened(command);
        KipLogLine {
            sequence: 0,
            time_ms: 1,
            user: user.into(),
            space: "memory".into(),
            kind: "FIND",
            command,
            is_cut,
            dry_run: false,
            outcome: "ok",
            took_ms: 2,
        }
    }

    fn commands(page: &LogPage) -> Vec<&str> {
        page.lines.iter().map(|line| &*line.command).collect()
    }

    #[test]
    fn pages_are_newest_first_and_go_on_where_they_ended() {
        let log = KipLog::new(5);
        (0..5).for_each(|number| log.add(TENANT, line("ada", &number.to_string())));
        let first = log.page(TENANT, None, 2, |_| true).expect("a page");
        assert_eq!(commands(&first), ["4", "3"]);
        // What comes meanwhile changes no later page.
        log.add(TENANT, line("ada", "5"));
        let cursor = first.next.expect("there is more").to_string();
        let second = log.page(TENANT, cursor.parse().ok(), 2, |_| true).expect("a page");
        assert_eq!(commands(&second), ["2", "1"]);
        let last = log.page(TENANT, second.next, 2, |_| true).expect("a page");
        assert_eq!((commands(&last), last.next), (vec!["0"], None));
        assert_eq!(log.page(TenantId(8), None, 2, |_| true).map(|page| page.lines.len()), Some(0));
        assert_eq!(KipLog::new(6).page(TENANT, second.next, 2, |_| true), None);
        log.clear();
        assert_eq!(log.page(TENANT, None, 2, |_| true).map(|page| page.lines.len()), Some(0));
    }

    #[test]
    fn some_see_only_what_is_theirs() {
        let log = KipLog::new(5);
        ["ada", "bob", "ada"].iter().for_each(|user| log.add(TENANT, line(user, user)));
        let page = log.page(TENANT, None, 1, |line| &*line.user == "ada").expect("a page");
        let rest = log.page(TENANT, page.next, 9, |line| &*line.user == "ada").expect("a page");
        assert_eq!((commands(&page), commands(&rest)), (vec!["ada"], vec!["ada"]));
    }

    #[test]
    fn lines_bytes_and_tenants_are_bounded() {
        let log = KipLog::new(5);
        let long = "ü".repeat(TEXT_BYTES_MAX);
        for _ in 0..2 * LINES_MAX {
            log.add(TENANT, line("ada", &long));
        }
        let kept = |log: &KipLog| {
            let rings = log.rings.lock();
            let ring = rings.of.get(&TENANT).expect("lines");
            (ring.lines.len(), ring.bytes, ring.lines[0].is_cut)
        };
        let (lines, bytes, is_cut) = kept(&log);
        assert!(lines > 100 && bytes <= BYTES_MAX && is_cut, "{lines} {bytes}");
        for _ in 0..2 * LINES_MAX {
            log.add(TENANT, line("ada", "x"));
        }
        assert_eq!(kept(&log).0, LINES_MAX);
        (100..100 + 2 * TENANTS_MAX as u32).for_each(|tenant| log.add(TenantId(tenant), line("eve", "x")));
        assert_eq!(log.rings.lock().of.len(), TENANTS_MAX);
        for bad in ["", ".", "1", "1.", "A.0", "01.0", "1.+1"] {
            assert!(bad.parse::<LogCursor>().is_err(), "{bad:?}");
        }
    }
}
