//! `cairn mcp`: the memory as tools for agents, on standard input and output.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cairn_access::identity::SecretText;
use cairn_mcp::Offer;
use clap::Args;
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::failure::Failure;
use crate::keeper::Keeper;
use crate::signals::StopSignals;
use crate::{logging, secret_input};

pub(crate) const MCP_AFTER_HELP: &str = "\
Examples:
  {\"mcpServers\": {\"memory\": {\"command\": \"cairn\", \"args\": [\"mcp\"]}}}
                                            configuration of most MCP clients
  cairn mcp --read-only                     offer only tools that read
  cairn mcp --token-file agent.token        call tools as the user of a token
  cairn --data-dir ./memory mcp             use another data directory

MCP clients start this command and talk to it over standard input and output, where nothing else is
printed; the log goes to standard error. It exits when its input ends.

The tools are execute_kip and execute_kip_readonly; the resource cairn://docs/kip describes the
language. Several clients can use one data directory at once, with and without a server: the first
opens it, the others go through the first, and one of them takes over when it exits.";

/// How long the end waits for what is being opened or closed.
const CLOSE_WITHIN: Duration = Duration::from_secs(20);

/// What agents get.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Offer only tools that read
    #[arg(long)]
    read_only: bool,
    /// Call tools as the user of the token in this file [default: the local owner]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

/// Serves until standard input ends.
pub(super) fn mcp(data_dir: Option<&Path>, arguments: &McpArgs) -> Result<(), Failure> {
    let (data_dir, settings) = super::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let offer = if arguments.read_only { Offer::ReadOnly } else { Offer::Everything };
    let token = arguments.token_file.as_deref().map(token).transpose()?;
    let runtime = Runtime::new().map_err(|error| Failure::io("start the runtime", &error))?;
    let keeper = Keeper::new(data_dir.path, settings.config).with_token(token);
    let done = runtime.block_on(serve(Arc::new(keeper), offer));
    // The thread that waits for standard input cannot be called back.
    runtime.shutdown_background();
    done
}

/// Reads the token of the caller.
fn token(file: &Path) -> Result<SecretText, Failure> {
    if secret_input::is_stdin(Some(file)) {
        return Err(Failure::usage("standard input is the client's; name a file that holds the token"));
    }
    let token = secret_input::read(file)?;
    if token.is_empty() {
        return Err(Failure::usage(format!("{} is empty", file.display()))
            .hint("make a token with `cairn access token create` and write it there"));
    }
    Ok(token)
}

async fn serve(keeper: Arc<Keeper>, offer: Offer) -> Result<(), Failure> {
    let mut signals = StopSignals::listen()?;
    // Nobody waits for it but those who call a tool.
    tokio::spawn(Arc::clone(&keeper).open());
    let serving = cairn_mcp::serve(tokio::io::stdin(), tokio::io::stdout(), keeper.clone(), offer);
    let served = tokio::select! {
        served = serving => served.map_err(|error| Failure::new(error.to_string())),
        _ = signals.next() => Ok(()),
    };
    match timeout(CLOSE_WITHIN, keeper.close()).await {
        Ok(closed) => served.and(closed),
        Err(_elapsed) => {
            tracing::warn!("left the store as it is: closing takes too long; what was answered is on disk");
            served
        }
    }
}
