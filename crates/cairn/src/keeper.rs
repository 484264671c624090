//! The way to the store of a data directory, for as long as the process lives.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cairn_mcp::{Answer, Door, Unreached};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use crate::config::Config;
use crate::failure::Failure;
use crate::owner::Owner;
use crate::reach::{Attempt, SILENT, attach};

/// How long a call waits until the store is open, here or by its owner. Clients wait for a minute or so.
const OPEN_WITHIN: Duration = Duration::from_secs(30);
/// How often the owner is looked for.
const TRY_EVERY: Duration = Duration::from_millis(20);
/// How often an owner may go away in the middle of a call before we stop trying.
const LOST_MAX: u32 = 3;

/// Goes through the owner of a data directory, and becomes it when there is none.
#[derive(Debug)]
pub(crate) struct Keeper {
    dir: PathBuf,
    config: Config,
    /// Held while the store is opened, so that this is done once.
    owned: Arc<Mutex<Option<Owner>>>,
}

impl Keeper {
    /// Nothing is opened yet.
    pub(crate) fn new(dir: PathBuf, config: Config) -> Self {
        Keeper { dir, config, owned: Arc::default() }
    }

    /// Opens the store ahead of the first call.
    pub(crate) async fn open(self: Arc<Self>) {
        let reached = attach(&self.dir, &self.config, async |_| Ok(())).await;
        let opened = match reached {
            Ok(Attempt::Done(()) | Attempt::Silent) => return,
            Ok(Attempt::NobodyThere | Attempt::Lost) => self.own().await,
            Err(failure) => Err(failure),
        };
        if let Err(failure) = opened {
            let (message, hint) = failure.into_words();
            tracing::warn!(hint, "the memory could not be opened: {message}");
        }
    }

    /// Lets the directory go, if it is held here.
    pub(crate) async fn close(&self) -> Result<(), Failure> {
        match self.owned.lock().await.take() {
            Some(owner) => owner.close(&self.config).await,
            None => Ok(()),
        }
    }

    /// Calls a function of KIP.
    pub(crate) async fn ask(&self, function: &str, arguments: &Value) -> Result<Value, Failure> {
        let until = Instant::now() + OPEN_WITHIN;
        let mut lost = 0;
        loop {
            match attach(&self.dir, &self.config, async |client| client.kip(function, arguments).await)
                .await?
            {
                Attempt::Done(answer) => return Ok(answer),
                Attempt::NobodyThere => {}
                Attempt::Lost => lost += 1,
                Attempt::Silent => {
                    return Err(
                        Failure::new("the process that has the memory open does not respond").hint(SILENT)
                    );
                }
            }
            if Instant::now() >= until || lost > LOST_MAX {
                return Err(Failure::new("the process that has the memory open does not answer")
                    .hint("it is starting or stopping: try again in a moment"));
            }
            let Ok(owned) = tokio::time::timeout_at(until, self.own()).await else {
                return Err(Failure::new("the memory is still being opened").hint("try again in a moment"));
            };
            if !owned? {
                sleep(TRY_EVERY).await;
            }
        }
    }

    /// Becomes the owner, unless another process is: then it says no.
    async fn own(&self) -> Result<bool, Failure> {
        let (dir, config, owned) = (self.dir.clone(), self.config.clone(), Arc::clone(&self.owned));
        // On its own: whoever asks may give up while the store is opened, and the next one finds it open.
        let opening = tokio::spawn(async move {
            let mut owned = owned.lock().await;
            if owned.is_some() {
                return Ok(true);
            }
            match Owner::open(&dir, &config).await {
                Ok(owner) => {
                    *owned = Some(owner);
                    Ok(true)
                }
                Err(failure) if failure.is_in_use() => Ok(false),
                Err(failure) => Err(failure),
            }
        });
        opening.await.unwrap_or_else(|error| Err(Failure::new(format!("opening failed: {error}"))))
    }
}

impl Door for Keeper {
    fn call<'a>(&'a self, function: &'static str, arguments: Map<String, Value>) -> Answer<'a> {
        Box::pin(async move {
            let answer = self.ask(function, &Value::Object(arguments)).await;
            answer.map_err(|failure| {
                let (message, hint) = failure.into_words();
                Unreached { code: "KIP_4003", message, hint }
            })
        })
    }
}
