//! `cairn mcp`: the memory as tools for agents, on standard input and output.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cairn_mcp::Offer;
use clap::Args;
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::failure::Failure;
use crate::keeper::Keeper;
use crate::logging;
use crate::signals::StopSignals;

pub(crate) const MCP_AFTER_HELP: &str = "\
Examples:
  {\"mcpServers\": {\"memory\": {\"command\": \"cairn\", \"args\": [\"mcp\"]}}}
                                            as most clients are told of it, in a file of theirs
  cairn mcp --read-only                     agents may look, and change nothing
  cairn --data-dir ./memory mcp             another data directory

Clients of the Model Context Protocol start it themselves and speak to it over standard input and
output, where nothing else is printed; the log goes to standard error. It ends with its input.

The tools are execute_kip and execute_kip_readonly, and the resource cairn://docs/kip says what
commands look like. Several may run on one data directory, beside a server or without one: the first
opens it, the others go through the first, and take over when that ends.";

/// How long the end waits for what is being opened or closed.
const CLOSE_WITHIN: Duration = Duration::from_secs(20);

/// What agents get.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Offer only what reads
    #[arg(long)]
    read_only: bool,
}

/// Serves until standard input ends.
pub(super) fn mcp(data_dir: Option<&Path>, arguments: &McpArgs) -> Result<(), Failure> {
    let (data_dir, settings) = super::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let offer = if arguments.read_only { Offer::ReadOnly } else { Offer::Everything };
    let runtime = Runtime::new().map_err(|error| Failure::io("start the runtime", &error))?;
    let done = runtime.block_on(serve(Arc::new(Keeper::new(data_dir.path, settings.config)), offer));
    // The thread that waits for standard input cannot be called back.
    runtime.shutdown_background();
    done
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
