//! Reaching the store of a data directory: by owning it, or through whoever does.
//!
//! The lock decides who owns. A command that gets it opens the store itself; one that does not attaches
//! to the owner's socket. Both then make the same calls over the same surface, so that a command cannot
//! tell which it was.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cairn_base::{ErrorCode, SystemClock};
use cairn_embedded::{EmbeddedStore, Progress};
use cairn_engine::Engine;
use cairn_gate::Gate;
use cairn_http::{App, Client, ClientError, serve_in_process};
use tokio::runtime::Runtime;

use crate::config::Config;
use crate::failure::Failure;
use crate::signals::StopSignals;
use crate::wiring::Process;
use crate::{open, progress, silence, socket, wiring};

/// How long an owner that does not answer yet is waited for: it starts, stops, or is a short command.
const OWNER_WITHIN: Duration = Duration::from_secs(5);
/// How often it is looked for.
const TRY_EVERY: Duration = Duration::from_millis(20);
/// How often a server that is away is looked for by whoever follows.
const TRY_AGAIN: Duration = Duration::from_millis(200);
/// How often an owner may go away in the middle before we stop trying.
const LOST_MAX: u32 = 3;
/// How long a search without a server waits for the index.
const INDEX_WITHIN: Duration = Duration::from_secs(600);
/// What an answer may take beyond the deadline of the server.
const GRACE: Duration = Duration::from_secs(5);

/// Hint for an owner that accepts requests and does not respond.
pub(crate) const SILENT: &str = "it does not respond: it is stopped (resume it with `kill -CONT` and its process number) \
                                 or hangs; the request may still be carried out when it resumes";

/// Opens the store as its owner. Waits a little for an owner that is about to go, and not for one that
/// serves.
pub(crate) fn own(dir: &Path, config: &Config, loss: open::Loss) -> Result<EmbeddedStore, Failure> {
    let until = Instant::now() + OWNER_WITHIN;
    loop {
        match open::embedded(dir, config, loss) {
            Err(failure) if failure.is_in_use() => {
                let serves = runtime()?.block_on(socket::connect(dir)).is_ok();
                if serves || Instant::now() >= until {
                    return Err(failure);
                }
                std::thread::sleep(TRY_EVERY);
            }
            other => return other,
        }
    }
}

/// What work needs beside the store, if it is done here and not by an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing.
    Store,
    /// A search index that is kept.
    Index,
    /// One that has everything.
    WholeIndex,
}

/// Has `work` done on the store of an existing data directory, by its owner or as its owner.
///
/// `work` is called again when the owner went away before it answered.
pub(crate) fn reach<T>(
    dir: &Path,
    config: &Config,
    work: impl AsyncFnMut(&mut Client) -> Result<T, ClientError>,
) -> Result<T, Failure> {
    reach_with(dir, config, Needs::Store, work)
}

/// The same, with what else is needed.
pub(crate) fn reach_with<T>(
    dir: &Path,
    config: &Config,
    needs: Needs,
    work: impl AsyncFnMut(&mut Client) -> Result<T, ClientError>,
) -> Result<T, Failure> {
    let mut work = Kept { work, value: None };
    reach_for(dir, config, needs, &mut work)?;
    Ok(work.value.expect("work that succeeds leaves its value"))
}

/// Work without its type, so that the code that reaches the store is compiled once and not for every command.
trait Work {
    fn call<'a>(&'a mut self, client: &'a mut Client) -> Call<'a>;
}

type Call<'a> = Pin<Box<dyn Future<Output = Result<(), ClientError>> + 'a>>;

/// Work, and the value that it returned.
struct Kept<F, T> {
    work: F,
    value: Option<T>,
}

impl<T, F: AsyncFnMut(&mut Client) -> Result<T, ClientError>> Work for Kept<F, T> {
    fn call<'a>(&'a mut self, client: &'a mut Client) -> Call<'a> {
        Box::pin(async move {
            self.value = Some((self.work)(client).await?);
            Ok(())
        })
    }
}

fn reach_for(dir: &Path, config: &Config, needs: Needs, work: &mut dyn Work) -> Result<(), Failure> {
    refuse_missing(dir)?;
    let mut until = Instant::now() + OWNER_WITHIN;
    let mut lost = 0;
    loop {
        let locked = match open::embedded(dir, config, open::Loss::Refuse) {
            Ok(store) => return alone(store, dir, config, needs, work),
            Err(failure) if failure.is_in_use() => failure,
            // Whoever serves the directory could open it, whatever kept us from that: we have no key, say.
            Err(failure) => {
                return match attached(dir, config, work)? {
                    Attempt::Done(()) => Ok(()),
                    Attempt::NobodyThere | Attempt::Lost => Err(failure),
                    Attempt::Silent => {
                        let message = format!("the owner of {} does not respond", dir.display());
                        Err(Failure::in_use(message).hint(SILENT))
                    }
                };
            }
        };
        match attached(dir, config, work)? {
            Attempt::Done(()) => return Ok(()),
            Attempt::NobodyThere => {}
            Attempt::Lost => {
                lost += 1;
                until = Instant::now() + OWNER_WITHIN;
            }
            Attempt::Silent => return Err(locked.hint(SILENT)),
        }
        if Instant::now() >= until || lost > LOST_MAX {
            return Err(locked.hint(
                "it does not answer: it is starting or stopping, or it is another command at work; \
                 wait until it is done and try again, or end it",
            ));
        }
        std::thread::sleep(TRY_EVERY);
    }
}

/// Has `work` done by the owner, for as long as it takes and across the owner's restarts, until a signal
/// says to stop. `work` gets a connection to listen and one to ask, and is called again whenever the owner
/// went away or was silent.
pub(crate) fn follow(
    dir: &Path,
    config: &Config,
    mut work: impl AsyncFnMut(Client, &mut Client) -> Result<(), ClientError>,
) -> Result<(), Failure> {
    let attempts = async {
        let mut is_told = false;
        loop {
            let called = match two_clients(dir, config).await? {
                Ok(_) if !silence::is_responding(dir).await => Err(None),
                Ok((listener, mut client)) => {
                    is_told = false;
                    tokio::select! {
                        called = work(listener, &mut client) => called.map_err(Some),
                        () = silence::begins(dir) => Err(None),
                    }
                }
                Err(error) => Err(Some(error)),
            };
            let waits_for = match called {
                Ok(()) => return Ok(()),
                Err(None) => "the server on this data directory does not respond; waiting until it does",
                Err(Some(
                    ClientError::Unanswered { .. }
                    | ClientError::Cut { .. }
                    | ClientError::Refused { code: Some(ErrorCode::Unavailable), .. },
                )) => "no server on this data directory; waiting for one",
                Err(Some(error)) => return Err(error.into()),
            };
            if !std::mem::replace(&mut is_told, true) {
                tracing::warn!("{waits_for}");
            }
            tokio::time::sleep(TRY_AGAIN).await;
        }
    };
    runtime()?.block_on(async { unless_stopped(attempts).await? })
}

/// Two connections to the owner, if there is one.
async fn two_clients(dir: &Path, config: &Config) -> Result<Result<(Client, Client), ClientError>, Failure> {
    let (one, two) = match tokio::try_join!(socket::connect(dir), socket::connect(dir)) {
        Ok(streams) => streams,
        Err(error) if nobody_there(error.kind()) => {
            return Ok(Err(ClientError::Unanswered { cause: error.to_string() }));
        }
        Err(error) => return Err(refused_to_connect(dir, &error)),
    };
    let within = config.http_deadline + GRACE;
    Ok(tokio::try_join!(Client::over(one, within), Client::over(two, within)))
}

/// How attaching went.
pub(crate) enum Attempt<T> {
    /// It is done.
    Done(T),
    /// Nobody answers at the socket.
    NobodyThere,
    /// The owner went away before it answered.
    Lost,
    /// The owner accepts requests and does not respond.
    Silent,
}

fn attached(dir: &Path, config: &Config, work: &mut dyn Work) -> Result<Attempt<()>, Failure> {
    let call = async |client: &mut Client| work.call(client).await;
    runtime()?.block_on(async { unless_stopped(attach(dir, config, call)).await? })
}

/// Has `work` done by the owner, if there is one, over a connection of its own.
pub(crate) async fn attach<T>(
    dir: &Path,
    config: &Config,
    work: impl AsyncFnOnce(&mut Client) -> Result<T, ClientError>,
) -> Result<Attempt<T>, Failure> {
    let stream = match socket::connect(dir).await {
        Ok(stream) => stream,
        Err(error) if nobody_there(error.kind()) => return Ok(Attempt::NobodyThere),
        Err(error) => return Err(refused_to_connect(dir, &error)),
    };
    let call = async {
        let mut client = Client::over(stream, config.http_deadline + GRACE).await?;
        work(&mut client).await
    };
    let called = tokio::select! {
        called = call => called,
        () = silence::begins(dir) => return Ok(Attempt::Silent),
    };
    match called {
        Ok(value) => Ok(Attempt::Done(value)),
        Err(ClientError::Unanswered { .. }) => Ok(Attempt::Lost),
        // It lets nobody in any more, because it stops.
        Err(ClientError::Refused { code: Some(ErrorCode::Unavailable), .. }) => Ok(Attempt::Lost),
        Err(error) => Err(error.into()),
    }
}

fn refused_to_connect(dir: &Path, error: &std::io::Error) -> Failure {
    Failure::io(format_args!("reach the owner of {}", dir.display()), error)
        .hint("run the command as the user who runs the server")
}

/// The socket is not there yet, is left over, or has more callers than it can take just now.
fn nobody_there(kind: ErrorKind) -> bool {
    [ErrorKind::NotFound, ErrorKind::ConnectionRefused, ErrorKind::ConnectionReset, ErrorKind::WouldBlock]
        .contains(&kind)
}

fn alone(
    store: EmbeddedStore,
    dir: &Path,
    config: &Config,
    needs: Needs,
    work: &mut dyn Work,
) -> Result<(), Failure> {
    let process = Process::Command { keeps_index: needs != Needs::Store };
    let engine = wiring::engine(Arc::new(store), Arc::new(SystemClock), config, Some(dir), process)?;
    let done = call_inside(&engine, config, needs, work);
    // Also after a failure: closing makes the next opening quick.
    let closed = engine.close();
    done?;
    Ok(closed?)
}

fn call_inside(
    engine: &Arc<Engine>,
    config: &Config,
    needs: Needs,
    work: &mut dyn Work,
) -> Result<(), Failure> {
    // Dropped before this returns, which waits until a job that nobody hears any more has stopped.
    runtime()?.block_on(async {
        let gate = Gate::new(Arc::clone(engine), wiring::gate(config));
        // Nobody listens on an address here.
        let app = App::new(gate, wiring::http(config), SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let mut client = Client::over(serve_in_process(app), config.http_deadline + GRACE).await?;
        if needs == Needs::WholeIndex {
            unless_stopped(caught_up(engine)).await?;
        }
        Ok(unless_stopped(work.call(&mut client)).await??)
    })
}

/// Waits until the index has everything, and shows how far it is. What takes too long is left to the answer,
/// which says that something may be missing.
async fn caught_up(engine: &Engine) {
    let until = Instant::now() + INDEX_WITHIN;
    let show = progress::counter();
    while Instant::now() < until {
        let status = engine.search_status();
        if let Some((done, total)) = status.progress {
            show("making the search index", Progress { done, total });
        }
        match status.state {
            "ready" if status.behind_ms == 0 => return,
            "off" | "failed" => return,
            _ => tokio::time::sleep(TRY_EVERY).await,
        }
    }
}

/// Awaits the call, unless a signal says to stop: then the call is dropped, which stops what it began.
async fn unless_stopped<T>(call: impl Future<Output = T>) -> Result<T, Failure> {
    let mut signals = StopSignals::listen()?;
    tokio::select! {
        outcome = call => Ok(outcome),
        exit_code = signals.next() => Err(Failure::stopped(exit_code)),
    }
}

/// A command that reads makes no data directory.
pub(crate) fn refuse_missing(dir: &Path) -> Result<(), Failure> {
    if ["LOCK", "MANIFEST"].iter().any(|name| dir.join(name).exists()) {
        return Ok(());
    }
    Err(Failure::usage(format!("there is no data directory at {}", dir.display()))
        .hint("make one with `cairn init`, or name another one with --data-dir"))
}

fn runtime() -> Result<Runtime, Failure> {
    Runtime::new().map_err(|error| Failure::io("start the runtime", &error))
}
