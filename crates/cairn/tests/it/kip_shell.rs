//! `cairn kip shell`: scripts, and a terminal.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::program::{Server, cairn, run, stderr, stdout, within};

const SHELL: [&str; 4] = ["--data-dir", "data", "kip", "shell"];

const DRUGS: &str = r#"// What is known of drugs.
UPSERT {
  CONCEPT ?drug_type { {type: "$ConceptType", name: "Drug"} SET ATTRIBUTES { description: "Treats." } }
  CONCEPT ?aspirin { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { risk_level: 2 } }
  CONCEPT ?codeine { {type: "Drug", name: "Codeine"} SET ATTRIBUTES { risk_level: 5 } }
}
"#;
const FIND: &str = "FIND(?d.name)\nWHERE {\n  ?d {type: \"Drug\"}\n}\nORDER BY ?d.name\n";

fn here() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(run(dir.path(), &["--data-dir", "data", "init"]).status.code(), Some(0));
    fs::write(dir.path().join("drugs.kip"), DRUGS).expect("a file");
    dir
}

/// Runs the shell on a script.
fn scripted(dir: &Path, arguments: &[&str], script: &str) -> Output {
    let mut command = cairn(dir, &[&SHELL, arguments].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let script = script.to_owned();
    // It may end without reading all of it.
    std::thread::spawn(move || stdin.write_all(script.as_bytes()));
    within("its end", move || child.wait_with_output().expect("it ends"))
}

/// What a script prints that has to succeed.
fn said(dir: &Path, script: &str) -> String {
    let output = scripted(dir, &[], script);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{script}");
    stdout(&output)
}

#[test]
fn a_script_is_done_command_by_command_with_and_without_a_server() {
    let dir = here();
    said(dir.path(), "\\i drugs.kip\n");
    let expected =
        "?d.name\nAspirin\nCodeine\n2 rows\n?d.name\nAspirin\n1 row; more: \\next\n?d.name\nCodeine\n1 row\n";
    let script = format!("{FIND}{FIND}LIMIT 1\n\\next\n");
    assert_eq!(said(dir.path(), &script), expected);
    let server = Server::start(dir.path(), &SHELL[..2]);
    assert_eq!(said(dir.path(), &script), expected);
    drop(server);
}

#[test]
fn the_first_mistake_ends_a_script_and_is_shown_at_its_place() {
    let dir = here();
    let script = format!(
        "{DRUGS}\nFIND(?d)\nWHERE {{ ?d {{type: \"Dug\"}} }}\n\nDELETE CONCEPT ?d DETACH WHERE {{ ?d {{type: \"Drug\"}} }}\n"
    );
    let output = scripted(dir.path(), &[], &script);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let told = stderr(&output);
    assert!(told.starts_with("error: KIP_2001 TypeMismatch: "), "{told}");
    assert!(
        told.contains(" --> standard input:9:19\n") && told.contains(" |                   ^^^^^"),
        "{told}"
    );
    assert!(told.contains("hint: ") && told.contains("Drug"), "{told}");
    assert!(said(dir.path(), FIND).ends_with("2 rows\n"), "what comes after it is not done");
    let output = scripted(dir.path(), &[], "FIND(?d WHERE {}\nDESCRIBE PRIMER\n");
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""), "{output:?}");
    assert!(stderr(&output).contains(" --> standard input:1:9\n"), "{output:?}");
    let output = scripted(dir.path(), &[], "\\i missing.kip\n");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).contains("could not read missing.kip"), "{output:?}");
}

#[test]
fn commands_of_the_shell_in_a_script() {
    let dir = here();
    said(dir.path(), "\\i drugs.kip");
    let json = said(dir.path(), &format!("\\json on\n{FIND}"));
    assert_eq!(json, "{\n  \"result\": [\n    \"Aspirin\",\n    \"Codeine\"\n  ]\n}\n");
    let timed = said(dir.path(), &format!("\\timing on\n{FIND}\\timing off\n{FIND}"));
    assert_eq!(timed.matches(" ms\n").count(), 1, "{timed}");
    let schema = said(dir.path(), "\\schema\n");
    assert!(schema.lines().any(|line| is_row(line, "Drug", "2")), "{schema}");
    assert!(schema.lines().any(|line| is_row(line, "predicate", "links")), "{schema}");
    assert!(
        schema.lines().any(|line| is_row(line, "SleepTask", "0")),
        "what has none is there too: {schema}"
    );
    let plan = said(dir.path(), &format!("\\explain {FIND}"));
    assert!(plan.contains("Drug") && !plan.trim_start().starts_with('{'), "a plan to read: {plan}");
    let plan = said(dir.path(), &format!("\\analyze {FIND}"));
    assert!(plan.contains("Drug") && plan.contains('2'), "{plan}");
    let spaces = scripted(dir.path(), &[], &format!("\\space other\n{DRUGS}\n{FIND}\\space third\n{FIND}"));
    assert_eq!(spaces.status.code(), Some(1));
    assert!(stdout(&spaces).ends_with("Codeine\n2 rows\n"), "{spaces:?}");
    assert!(stderr(&spaces).contains("no space \"third\""), "{spaces:?}");
    let help = said(dir.path(), "\\help\n\\quit\nDESCRIBE NONSENSE\n");
    assert!(help.contains("\\explain COMMAND"), "{help}");
    let none = scripted(dir.path(), &[], "\\next\n");
    assert!(none.status.code() == Some(1) && stderr(&none).contains("no next page"), "{none:?}");
    let looped = dir.path().join("loop.kip");
    fs::write(&looped, "\\i loop.kip\n").expect("a file");
    let output = scripted(dir.path(), &[], "\\i loop.kip\n");
    assert!(output.status.code() == Some(1) && stderr(&output).contains("read each other"), "{output:?}");
}

#[test]
fn files_end_by_themselves_and_a_page_belongs_to_its_space() {
    let dir = here();
    fs::write(dir.path().join("leave.kip"), "\\quit\nDESCRIBE NONSENSE\n").expect("a file");
    let many = "\\i leave.kip\n".repeat(12) + "\\i drugs.kip\n" + FIND;
    assert!(said(dir.path(), &many).ends_with("2 rows\n"), "a file that leaves leaves only the file");
    let output = scripted(dir.path(), &[], &format!("{FIND}LIMIT 1\n\\space other\n\\next\n"));
    assert!(output.status.code() == Some(1) && stderr(&output).contains("no next page"), "{output:?}");
    let output = scripted(dir.path(), &[], &format!("FIND(\n{}", " ".repeat(16 << 20)));
    assert!(output.status.code() == Some(1) && stderr(&output).contains("which is the most"), "{output:?}");
}

#[test]
fn the_schema_counts_also_what_is_not_among_the_largest() {
    let dir = here();
    let mut script = String::from("UPSERT {\n");
    for n in 10..40 {
        script += &format!(
            "CONCEPT {{ {{type: \"$ConceptType\", name: \"T{n}\"}} }} CONCEPT {{ {{type: \"$PropositionType\", name: \"p{n}\"}} }}\n"
        );
        let concepts = |at: usize| format!("CONCEPT ?c{n}_{at} {{ {{type: \"T{n}\", name: \"{at}\"}} }}\n");
        script.extend((0..n).map(concepts));
        script.extend((1..n).map(|at| format!("PROPOSITION {{ (?c{n}_0, \"p{n}\", ?c{n}_{at}) }}\n")));
    }
    said(dir.path(), &(script + "}\n"));
    let schema = said(dir.path(), "\\schema\n");
    for n in 10..40 {
        for (name, count) in [(format!("T{n}"), n), (format!("p{n}"), n - 1)] {
            let is_there = schema.lines().any(|line| is_row(line, &name, &count.to_string()));
            assert!(is_there, "{name} has {count}: {schema}");
        }
    }
}

fn is_row(line: &str, first: &str, second: &str) -> bool {
    line.split_whitespace().eq([first, second])
}

#[test]
fn read_only_shells_change_nothing_and_parameters_are_known() {
    let dir = here();
    let output = scripted(dir.path(), &["--readonly"], DRUGS);
    assert!(output.status.code() == Some(1) && stderr(&output).contains("KIP_1001"), "{output:?}");
    said(dir.path(), DRUGS);
    let find = "FIND(?d.attributes.risk_level) WHERE { ?d {type: \"Drug\", name: :name} }";
    let output = scripted(dir.path(), &["--param", "name=\"Codeine\""], find);
    assert!(stdout(&output).contains("\n5\n"), "{output:?}");
    let nowhere = cairn(dir.path(), &["--data-dir", "nowhere", "kip", "shell"]).stdin(Stdio::null()).output();
    let nowhere = nowhere.expect("it runs");
    assert_eq!(nowhere.status.code(), Some(2), "{nowhere:?}");
    assert!(!dir.path().join("nowhere").exists(), "a shell makes no memory");
}

/// The shell at a terminal, ended with the test.
struct Terminal {
    child: Child,
    keys: File,
    screen: Receiver<Vec<u8>>,
    shown: String,
}

impl Terminal {
    fn open(dir: &Path, arguments: &[&str]) -> Terminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("mine");
        unlockpt(&master).expect("mine");
        let size = Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("a size");
        let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("text");
        let end = || File::options().read(true).write(true).open(&name).expect("the other end");
        let mut command = cairn(dir, &[&SHELL, arguments].concat());
        command.env("TERM", "xterm-256color").stdin(end()).stdout(end()).stderr(end());
        let child = command.spawn().expect("the program starts");
        drop(command);
        let mut output = File::from(master.try_clone().expect("another handle"));
        let (tell, screen) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // It ends with an error when nobody is at the other end any more.
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                if tell.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Terminal { child, keys: File::from(master), screen, shown: String::new() }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("it reads");
    }

    /// Waits until something is on the screen that was not asked for yet, and gives what came up to it.
    fn until(&mut self, wanted: &str) -> String {
        let end = Instant::now() + Duration::from_secs(300);
        loop {
            if let Some(at) = self.shown.find(wanted) {
                let rest = self.shown.split_off(at + wanted.len());
                return std::mem::replace(&mut self.shown, rest);
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.shown += &String::from_utf8_lossy(&bytes),
                Err(_) => panic!("{wanted:?} did not come, but {:?}", self.shown),
            }
        }
    }

    fn ended(&mut self) -> Option<i32> {
        let end = Instant::now() + Duration::from_secs(300);
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().expect("mine") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("it goes on; it showed {:?}", self.shown)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Only what a failing test left behind; both fail when it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn at_a_terminal_commands_are_edited_completed_and_remembered() {
    let dir = here();
    said(dir.path(), "\\i drugs.kip");
    let mut terminal = Terminal::open(dir.path(), &[]);
    terminal.until("kip> ");
    // Half a word, half a type, over several lines.
    terminal.press("fin\t(?d.name) WHERE {\r");
    terminal.press("?d {type: \"Dr\t} }\r");
    let shown = terminal.until("2 rows");
    assert!(shown.contains("\x1b[1;34mFIND\x1b[0m"), "in colours: {shown:?}");
    assert!(shown.contains("Aspirin") && shown.contains("Codeine"), "{shown:?}");
    terminal.until(" ms");
    terminal.until("kip> ");
    // Given up, a mistake, and on it goes.
    terminal.press("FIND(\x03");
    terminal.until("\n");
    terminal.until("kip> ");
    terminal.press("FIND)\r");
    let shown = terminal.until("hint:");
    assert!(shown.contains("KIP_1001") && shown.contains('^'), "{shown:?}");
    terminal.until("kip> ");
    terminal.press("\\space pharmacy\r");
    terminal.until("kip pharmacy> ");
    terminal.press("\x04");
    assert_eq!(terminal.ended(), Some(0));
    let path = dir.path().join("home/.local/state/cairn/kip-history");
    assert_eq!(path.metadata().expect("it is kept").permissions().mode() & 0o777, 0o600);
    // What was typed before comes back, whole.
    let mut terminal = Terminal::open(dir.path(), &[]);
    terminal.until("kip> ");
    terminal.press("\x1b[A\x1b[A\x1b[A\r");
    terminal.until("2 rows");
    terminal.until(" ms");
    terminal.until("kip> ");
    terminal.press("\\quit\r");
    assert_eq!(terminal.ended(), Some(0));
}

#[test]
fn what_was_made_and_seen_is_completed_and_a_space_before_it_keeps_it_secret() {
    let dir = here();
    said(dir.path(), "\\i drugs.kip");
    let mut terminal = Terminal::open(dir.path(), &[]);
    let mut typed = |keys: &str, wanted: &str| {
        terminal.until("kip> ");
        terminal.press(keys);
        terminal.until(wanted);
        terminal.until(" ms");
    };
    typed("UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Xylophone\"} } }\r", "Xylophone");
    typed("FIND(?x) WHERE { ?x {type: \"Xyl\t} }\r", "0 rows");
    typed("FIND(?d) WHERE { ?d {type: \"Drug\"} }\r", "2 rows");
    typed("FIND(?d.attributes.risk_l\t) WHERE { ?d {type: \"Drug\"} }\r", "5");
    typed(" FIND(?secret) WHERE { ?secret {type: \"Drug\"} }\r", "2 rows");
    terminal.until("kip> ");
    terminal.press("\x04");
    assert_eq!(terminal.ended(), Some(0));
    let kept =
        fs::read_to_string(dir.path().join("home/.local/state/cairn/kip-history")).expect("it is kept");
    assert!(kept.contains("risk_level") && !kept.contains("secret"), "{kept}");
}

#[test]
fn nothing_is_kept_where_that_is_not_wanted() {
    let dir = here();
    let mut terminal = Terminal::open(dir.path(), &["--no-history"]);
    terminal.until("kip> ");
    terminal.press("DESCRIBE DOMAINS\r");
    terminal.until("rows");
    terminal.until(" ms");
    terminal.until("kip> ");
    // An empty line ends what would go on.
    terminal.press("FIND(\r\r");
    let shown = terminal.until("hint:");
    assert!(shown.contains("never closed"), "{shown:?}");
    terminal.until("kip> ");
    terminal.press("\x04");
    assert_eq!(terminal.ended(), Some(0));
    assert!(!dir.path().join("home").exists(), "nothing was written");
}
