//! The way to the store of a data directory, for as long as the process lives.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cairn_access::identity::SecretText;
use cairn_base::{ErrorCode, Retry, Value};
use cairn_http::{Client, ClientError};
use cairn_mcp::{Answer, CallError, Door};
use cairn_seam::StoreCode;
use cairn_tools::Tool;
use cairn_wire::kip::KipResponse;
use cairn_wire::tools::ToolResult;
use serde::Serialize;
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

const OTHER_VERSION: &str =
    "the process that has the memory open may be of another version: restart it with this one";

/// Goes through the owner of a data directory, and becomes it when there is none.
#[derive(Debug)]
pub(crate) struct Keeper {
    dir: PathBuf,
    config: Config,
    /// The token of the caller; without one it is the local owner.
    token: Option<SecretText>,
    /// Held while the store is opened, so that this is done once.
    owned: Arc<Mutex<Option<Owner>>>,
}

/// How often and how long a call may be tried.
#[derive(Debug)]
struct Tries {
    until: Instant,
    /// How often the owner went away in the middle of it.
    lost: u32,
}

impl Tries {
    fn begin() -> Self {
        Tries { until: Instant::now() + OPEN_WITHIN, lost: 0 }
    }
}

impl Keeper {
    /// Nothing is opened yet.
    pub(crate) fn new(dir: PathBuf, config: Config) -> Self {
        Keeper { dir, config, token: None, owned: Arc::default() }
    }

    /// Makes every call as the user of a token, and with the permissions of that.
    pub(crate) fn with_token(self, token: Option<SecretText>) -> Self {
        Keeper { token, ..self }
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
    pub(crate) async fn ask(
        &self,
        function: &str,
        arguments: &impl Serialize,
    ) -> Result<KipResponse, Failure> {
        let mut tries = Tries::begin();
        loop {
            let attempt = attach(&self.dir, &self.config, async |client| {
                self.show_token(client)?;
                client.kip(function, arguments).await
            });
            if let Some(response) = self.settle(attempt.await?, &mut tries).await? {
                return Ok(response);
            }
        }
    }

    /// Calls a tool.
    async fn call_tool(&self, tool: &Tool, arguments: &Value) -> Result<ToolResult, Failure> {
        let mut tries = Tries::begin();
        let called = self.try_tool(tool, arguments, &mut tries).await;
        // An owner that went away without a response may have carried out the call before.
        let may_be_done = tries.lost > 0 && !tool.annotations.read_only;
        called.map_err(|failure| if may_be_done { in_doubt(failure) } else { failure })
    }

    async fn try_tool(
        &self,
        tool: &Tool,
        arguments: &Value,
        tries: &mut Tries,
    ) -> Result<ToolResult, Failure> {
        loop {
            let attempt = attach(&self.dir, &self.config, async |client| {
                self.show_token(client)?;
                client.call_tool(tool.name, arguments).await
            });
            if let Some(result) = self.settle(attempt.await?, tries).await? {
                return Ok(result);
            }
        }
    }

    fn show_token(&self, client: &mut Client) -> Result<(), ClientError> {
        match &self.token {
            Some(token) => client.set_token(token.expose()),
            None => Ok(()),
        }
    }

    /// Returns the answer of an attempt. Without one, the store is opened here unless another process has it, and
    /// the call is to be tried again.
    async fn settle<T>(&self, attempt: Attempt<T>, tries: &mut Tries) -> Result<Option<T>, Failure> {
        match attempt {
            Attempt::Done(answer) => return Ok(Some(answer)),
            Attempt::NobodyThere => {}
            Attempt::Lost => tries.lost += 1,
            Attempt::Silent => {
                let message = "the process that has the memory open does not respond";
                return Err(Failure::new(message).hint(SILENT).with_code(ErrorCode::DeadlineExceeded));
            }
        }
        if Instant::now() >= tries.until || tries.lost > LOST_MAX {
            return Err(Failure::new("the process that has the memory open does not answer")
                .hint("it is starting or stopping: try again in a moment"));
        }
        let Ok(owned) = tokio::time::timeout_at(tries.until, self.own()).await else {
            return Err(Failure::new("the memory is still being opened").hint("try again in a moment"));
        };
        if !owned? {
            sleep(TRY_EVERY).await;
        }
        Ok(None)
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

/// The failure of a call that may have been carried out: a code that says to retry becomes `OutcomeUnknown`.
fn in_doubt(failure: Failure) -> Failure {
    match failure.code().retry() {
        Retry::Same | Retry::Later => failure
            .hint("look whether the change is there before you send it again")
            .with_code(StoreCode::OutcomeUnknown),
        Retry::Never | Retry::Look => failure,
    }
}

impl Door for Keeper {
    fn call<'a>(&'a self, tool: &'static Tool, arguments: &'a Value) -> Answer<'a> {
        Box::pin(async move {
            let called = self.call_tool(tool, arguments).await;
            let called = called.map(|answer| serde_json::to_value(answer).expect("an answer is plain data"));
            called.map_err(|failure| {
                let code = failure.code();
                // This process knows the tool.
                let failure = if code == ErrorCode::NotFound { failure.hint(OTHER_VERSION) } else { failure };
                let (message, hint) = failure.into_words();
                CallError { code, message, hint }
            })
        })
    }
}
