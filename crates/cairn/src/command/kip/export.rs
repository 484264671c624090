//! `cairn kip export`.

use std::path::{Path, PathBuf};

use cairn_embedded::Progress;
use clap::Args;

use super::form::Form;
use crate::command::output::Out;
use crate::failure::Failure;
use crate::{logging, progress, reach};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn kip export graph.kip                   everything, as UPSERT commands, one a line
  cairn kip export graph.ndjson                the same as lines of JSON
  cairn kip export | zstd > graph.kip.zst
  cairn kip export drugs.kip --where '?d {type: \"Drug\"} ?l (?d, \"treats\", ?s)' --select '?d,?l'
                                               only these, and what they need

`cairn kip import` takes what it writes, here or elsewhere. Types and predicates come first, then other
concepts, then links, each behind what it refers to. What every space begins with is left out until it is
changed, and so is what is kept for you: ids, _version, _created_at and _updated_at. The same graph gives
the same bytes.

--where takes what stands between the braces of a WHERE. What the variables of --select are bound to is
exported, with the ends of links and the types and predicates that are needed.

Others may go on writing. What they make meanwhile is left out; what they change is there as it was or as
it became; what they delete may be there or not. What is written always fits together.";

/// What to export.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The file to write, or - for standard output
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,

    /// What to write [default: by the name of the file, or kip]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Form>,

    /// The space to export [default: memory]
    #[arg(long, value_name = "SPACE")]
    space: Option<String>,

    /// Only what this pattern finds
    #[arg(long = "where", value_name = "PATTERN", requires = "select")]
    pattern: Option<String>,

    /// Variables of the pattern, with commas between them
    #[arg(long, value_name = "VARIABLES", requires = "pattern")]
    select: Option<String>,
}

/// Exports.
pub(super) fn export(data_dir: Option<&Path>, arguments: &ExportArgs) -> Result<(), Failure> {
    let (data_dir, settings) = crate::command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let query = query(arguments);
    let query: Vec<_> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut out = Out::whole(&arguments.file)?;
    let show = progress::counter();
    let (mut lines, mut failed) = (0, None);
    let done = reach::reach(&data_dir.path, &settings.config, async |client| {
        let take = &mut |bytes: &[u8], most: u64| {
            lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
            show("exporting", Progress { done: lines.min(most), total: most });
            out.write(bytes).map_err(|failure| failed = Some(failure)).unwrap_or(false)
        };
        client.kip_export(&query, take).await
    });
    drop(show);
    match failed.map_or(done, Err) {
        Ok(()) => out.finish(),
        Err(failure) => {
            out.discard();
            Err(failure)
        }
    }
}

fn query(arguments: &ExportArgs) -> Vec<(&'static str, String)> {
    let form = arguments.format.or_else(|| Form::of_file(&arguments.file)).unwrap_or(Form::Kip);
    let mut query = vec![("format", form.name().to_owned())];
    for (name, value) in
        [("space", &arguments.space), ("where", &arguments.pattern), ("select", &arguments.select)]
    {
        query.extend(value.iter().map(|value| (name, value.clone())));
    }
    query
}
