//! The server: a process of its own, wired as in the product.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, thread};

use anyhow::{Context, Result, ensure};
use cairn_base::{SystemClock, SystemEntropy};
use cairn_binary::BinaryConfig;
use cairn_embedded::{EmbeddedOptions, EmbeddedStore, limits};
use cairn_engine::{Engine, EngineConfig, SearchMode};
use cairn_gate::{Gate, GateConfig};
use cairn_http::{App, HttpConfig, Listeners};
use cairn_seam::{ScrubPolicy, Store};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::access::doors::{self, Doors};
use crate::gateway::bare::Answers;
use crate::search::home_in;

/// Pass after pass at the default rate.
const SCRUB: ScrubPolicy = ScrubPolicy {
    rate: NonZeroU64::new(limits::SCRUB_RATE_DEFAULT).expect("it is not 0"),
    every: Duration::ZERO,
};

/// The setting of the product that keeps a search index or none.
const SEARCH: &str = "CAIRN_SEARCH_ENABLED";

/// Serves until its standard input ends. With a folder of certificates there are more [`Doors`] than one.
pub(crate) fn serve(dir: &Path, certificates: Option<&Path>, is_searching: bool) -> Result<()> {
    let store = Arc::new(EmbeddedStore::open(dir, EmbeddedOptions::default())?);
    let search = if is_searching { SearchMode::Kept(home_in(dir)) } else { SearchMode::Off };
    let config =
        EngineConfig { search, upkeep_every: Some(Duration::from_secs(1)), ..EngineConfig::default() };
    let opened = Arc::clone(&store) as Arc<dyn Store>;
    let engine = Engine::open(opened, Arc::new(SystemClock), Arc::new(SystemEntropy), config)?;
    Runtime::new()?.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let http = TcpListener::bind(("127.0.0.1", 0)).await?;
        let (doors, said) = match certificates {
            Some(certificates) => doors::open(&engine, certificates).await?,
            None => Default::default(),
        };
        println!("{} {} {said}", listener.local_addr()?, http.local_addr()?);
        let gate = Gate::new(Arc::clone(&engine), GateConfig::default());
        let app = App::new(gate.clone(), HttpConfig::default(), http.local_addr()?);
        let (stop, stopped) = watch::channel(());
        let searched = Arc::clone(&engine);
        thread::spawn(move || {
            for line in std::io::stdin().lock().lines().map_while(Result::ok) {
                if line == "stats" {
                    let stats = store.stats();
                    println!("{} {}", stats.commits, stats.groups);
                }
                if let Some(switch) = line.strip_prefix("scrub ") {
                    searched.set_scrub((switch == "on").then_some(SCRUB));
                    println!("{switch}");
                }
                if line == "search" {
                    let status = searched.search_status();
                    println!("{} {} {}", status.state, status.behind_ms, status.documents);
                }
            }
            drop(searched);
            // Everybody who serves sees the sender go.
            drop(stop);
        });
        let until_stopped = || {
            let mut stopped = stopped.clone();
            async move { while stopped.changed().await.is_ok() {} }
        };
        let mut others = JoinSet::new();
        for door in doors {
            others.spawn(cairn_binary::serve(door.listener, door.gate, door.config, until_stopped()));
        }
        let binary = cairn_binary::serve(listener, gate, BinaryConfig::default(), until_stopped());
        let http = cairn_http::serve(Listeners { tcp: Some(http), local: None }, app, until_stopped());
        tokio::join!(binary, http, others.join_all());
        anyhow::Ok(())
    })?;
    engine.close()?;
    Ok(())
}

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    output: BufReader<ChildStdout>,
    pub(crate) addr: SocketAddr,
    /// Where it serves HTTP.
    pub(crate) http: SocketAddr,
    /// Whether it is a build of the product, which does not listen to its input.
    is_program: bool,
}

impl Server {
    pub(crate) fn start(dir: &Path) -> Result<Self> {
        Ok(Server::launch(Command::new(program()?).args(["child", "serve-turns"]).arg(dir))?.0)
    }

    /// Starts it with an index of everything.
    pub(crate) fn start_searching(dir: &Path) -> Result<Self> {
        Ok(Server::launch(Command::new(program()?).args(["child", "serve-turns", "--search"]).arg(dir))?.0)
    }

    /// Starts a build of the product. It keeps no search index unless the environment says so.
    pub(crate) fn start_program(program: &Path, dir: &Path) -> Result<Self> {
        let mut command = Command::new(program);
        command.arg("--data-dir").arg(dir).args(["serve", "--json", "--log-level", "error"]);
        command.args(["--http", "127.0.0.1:0", "--binary", "127.0.0.1:0"]);
        if std::env::var_os(SEARCH).is_none() {
            command.env(SEARCH, "off");
        }
        let (child, output, line) = Server::spawn(&mut command)?;
        let said: serde_json::Value = serde_json::from_str(&line)
            .with_context(|| format!("{} does not say where it listens", program.display()))?;
        let addr = |name: &str| -> Result<SocketAddr> {
            Ok(said[name].as_str().with_context(|| format!("no address for {name}"))?.parse()?)
        };
        Ok(Server { addr: addr("binary")?, http: addr("http")?, child, output, is_program: true })
    }

    /// Whether it is a build of the product: it is killed at its end, and not [stopped](Server::stop).
    pub(crate) fn is_program(&self) -> bool {
        self.is_program
    }

    /// Starts one that only answers, to compare with.
    pub(crate) fn start_bare(answers: Answers) -> Result<Self> {
        let Answers { busy_us, bytes } = answers;
        let mut command = Command::new(program()?);
        command.args(["child", "serve-bare", &busy_us.to_string(), &bytes.to_string()]);
        Ok(Server::launch(&mut command)?.0)
    }

    /// Starts it with more doors than one, and with the certificate in a folder for one of them.
    pub(crate) fn start_with_doors(dir: &Path, certificates: &Path) -> Result<(Self, Doors)> {
        let mut command = Command::new(program()?);
        command.args(["child", "serve-turns"]).arg(dir).arg("--certificates").arg(certificates);
        let (server, said) = Server::launch(&mut command)?;
        let doors = Doors::parse(&said)?;
        Ok((server, doors))
    }

    /// Also answers what it says besides where it listens.
    fn launch(command: &mut Command) -> Result<(Self, String)> {
        let (child, output, line) = Server::spawn(command)?;
        let mut words = line.trim().splitn(3, ' ');
        let (addr, http) =
            words.next().zip(words.next()).context("the server did not say where it listens")?;
        let said = words.next().unwrap_or_default().to_owned();
        Ok((Server { addr: addr.parse()?, http: http.parse()?, child, output, is_program: false }, said))
    }

    /// Starts a process, and returns the first line that it prints.
    fn spawn(command: &mut Command) -> Result<(Child, BufReader<ChildStdout>, String)> {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("starting the server")?;
        let mut output = BufReader::new(child.stdout.take().context("a server without output")?);
        let mut line = String::new();
        output.read_line(&mut line)?;
        Ok((child, output, line))
    }

    fn ask(&mut self, what: &str) -> Result<String> {
        let input = self.child.stdin.as_mut().context("a server that was stopped")?;
        input.write_all(what.as_bytes())?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line)
    }

    /// How its index is doing: the state, for how many milliseconds it is behind, and its documents.
    pub(crate) fn search_status(&mut self) -> Result<(String, u64, u64)> {
        let line = self.ask("search\n")?;
        let words: Vec<_> = line.split_whitespace().collect();
        let [state, behind_ms, documents] = words[..] else { anyhow::bail!("the server says {line}") };
        Ok((state.to_owned(), behind_ms.parse()?, documents.parse()?))
    }

    /// Switches background verification on, one pass after the other at the default rate, or off.
    pub(crate) fn scrub(&mut self, is_on: bool) -> Result<()> {
        let switch = if is_on { "on" } else { "off" };
        let said = self.ask(&format!("scrub {switch}\n"))?;
        ensure!(said.trim() == switch, "the server says {said}");
        Ok(())
    }

    /// Commits and syncs so far.
    pub(crate) fn commits_and_groups(&mut self) -> Result<(u64, u64)> {
        let line = self.ask("stats\n")?;
        let (commits, groups) = line.trim().split_once(' ').context("the server says nothing")?;
        Ok((commits.parse()?, groups.parse()?))
    }

    /// Time that it has spent on processors.
    pub(crate) fn processor_time(&self) -> Result<Duration> {
        processor_time(&format!("/proc/{}/stat", self.child.id()))
    }

    /// Threads that it has.
    pub(crate) fn threads(&self) -> Result<u64> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id()));
        Ok(tasks.context("threads are counted on Linux only")?.count() as u64)
    }

    /// Mebibytes: what it takes now, and the most it ever took.
    pub(crate) fn memory_mib(&self) -> Result<(f64, f64)> {
        let path = format!("/proc/{}/status", self.child.id());
        Ok((crate::resident::field(&path, "VmRSS:")?, crate::resident::field(&path, "VmHWM:")?))
    }

    /// Stops it in good order.
    pub(crate) fn stop(mut self) -> Result<()> {
        drop(self.child.stdin.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest)?;
        let status = self.child.wait()?;
        ensure!(status.success(), "the server failed: {status}");
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail when it is gone already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program() -> Result<PathBuf> {
    std::env::current_exe().context("finding this program")
}

/// Time that this process has spent on processors.
pub(crate) fn own_processor_time() -> Result<Duration> {
    processor_time("/proc/self/stat")
}

fn processor_time(path: &str) -> Result<Duration> {
    let stat = fs::read_to_string(path).context("processor time is known on Linux only")?;
    // The name in parentheses may hold anything; user and system time are the 12th and 13th behind it.
    let (_, rest) = stat.rsplit_once(')').context("an odd stat file")?;
    let ticks = rest.split_whitespace().skip(11).take(2).map(str::parse::<u64>).sum::<Result<u64, _>>()?;
    // Linux counts in hundredths of a second here, whatever its own tick is.
    Ok(Duration::from_millis(ticks * 10))
}
