//! The parent: reads what the process says, kills it at a random moment, and knows what must be there.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use cairn_base::{Entropy, SeededEntropy};

use super::Orders;
use super::record::WRITERS;

/// Kills come a moment after one of these was said, each with how long that moment is at most, in
/// microseconds. The first is about a process that is still opening the store.
const MOMENTS: [(&str, u64); 6] = [
    ("", 100_000),
    ("ack 0 ", 900_000),
    ("begin upload ", 60_000),
    ("begin compaction ", 120_000),
    ("begin backup ", 120_000),
    ("begin key ", 1_500),
];
/// A process that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// The last record that was acknowledged to each writer.
pub(crate) type Acknowledged = [Option<u64>; WRITERS.len()];

/// What a process said until it was killed.
#[derive(Debug, Clone)]
pub(crate) struct Life {
    pub(crate) number: u32,
    pub(crate) acknowledged: Acknowledged,
    /// Keys that the store may have now.
    pub(crate) keys: Vec<u64>,
    /// Backups that were begun: what was acknowledged then, and the key of that time.
    pub(crate) backups: BTreeMap<u64, (Acknowledged, u64)>,
    /// The last backup that was acknowledged.
    pub(crate) last_backup: Option<u64>,
    /// What had begun and not ended.
    pub(crate) under_way: BTreeSet<String>,
    /// Blobs that compactions removed, and segments that they wrote anew.
    pub(crate) removed: u64,
    pub(crate) packed: u64,
}

/// Starts a process with these orders, and kills it.
///
/// Panics when it ends by itself: everything it does has to work.
pub(crate) fn watch_and_kill(mut command: Command, orders: &Orders) -> Life {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the process starts");
    let lines = listen(&mut child);
    let random = SeededEntropy::new(orders.seed ^ 0x6b69_6c6c);
    // A store in the open has no key to change.
    let moments = MOMENTS.len() as u64 - u64::from(orders.key == 0);
    let at = usize::try_from(random.next_u64() % moments).expect("there are few");
    let (word, pause) = MOMENTS[at];
    let mut skip = random.next_u64() % 4;
    let mut life = Life::new(orders);
    while !word.is_empty() {
        let line = lines.recv_timeout(PATIENCE).expect("the process goes on");
        life.note(&line);
        if line.starts_with(word) {
            if skip == 0 {
                break;
            }
            skip -= 1;
        }
    }
    thread::sleep(Duration::from_micros(random.next_u64() % pause));
    let ended = child.try_wait().expect("it can be asked");
    child.kill().expect("it can be killed");
    child.wait().expect("it is gone");
    lines.iter().for_each(|line| life.note(&line));
    assert!(ended.is_none(), "the process ended by itself: {ended:?}");
    life
}

fn listen(child: &mut Child) -> Receiver<String> {
    let output = child.stdout.take().expect("it was asked for");
    let (say, lines) = channel();
    thread::spawn(move || {
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        // Nobody may be listening any more.
        lines.all(|line| say.send(line).is_ok())
    });
    lines
}

impl Life {
    fn new(orders: &Orders) -> Self {
        Life {
            number: orders.life,
            acknowledged: [None; WRITERS.len()],
            keys: vec![orders.key],
            backups: BTreeMap::new(),
            last_backup: None,
            under_way: BTreeSet::new(),
            removed: 0,
            packed: 0,
        }
    }

    fn note(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
        match (words[0], words.get(1).copied(), number(2)) {
            ("ack", _, Some(count)) => {
                let writer = number(1).and_then(|writer| usize::try_from(writer).ok()).expect("a writer");
                self.acknowledged[writer] = Some(count);
            }
            ("begin", Some(what), Some(number)) => {
                self.under_way.insert(what.to_owned());
                match what {
                    "key" => self.keys.push(number),
                    "backup" => {
                        self.backups.insert(number, (self.acknowledged, self.keys[0]));
                    }
                    _ => {}
                }
            }
            ("end", Some(what), Some(done)) => {
                self.under_way.remove(what);
                match what {
                    "key" => self.keys = vec![done],
                    "backup" => self.last_backup = Some(done),
                    "compaction" => {
                        self.removed += number(3).unwrap_or(0);
                        self.packed += number(4).unwrap_or(0);
                    }
                    _ => {}
                }
            }
            // What the harness of tests prints.
            _ => {}
        }
    }
}
