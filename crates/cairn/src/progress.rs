//! How far an opening or a long job is: a bar on terminals, log lines elsewhere.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cairn_embedded::ProgressFn;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// Told about every step. The bar goes away with it.
pub(crate) fn reporter() -> ProgressFn {
    if std::io::stderr().is_terminal() {
        bar("{msg} [{wide_bar}] {bytes}/{total_bytes} {eta}")
    } else {
        lines()
    }
}

/// The same for things that are counted.
pub(crate) fn counter() -> ProgressFn {
    if std::io::stderr().is_terminal() { bar("{msg} [{wide_bar}] {pos}/{len} {eta}") } else { lines() }
}

/// A running total of bytes, for work whose end is not known; terminals only. The line goes away with it.
pub(crate) fn bytes(message: &'static str) -> impl Fn(u64) {
    let target = if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(None, target).with_finish(ProgressFinish::AndClear);
    let style = ProgressStyle::with_template("{msg} {bytes} ({bytes_per_sec})");
    bar.set_style(style.expect("the template is valid"));
    bar.set_message(message);
    move |done| bar.set_position(done)
}

/// Says what is waited for, until it is dropped; terminals only.
pub(crate) fn waiting(message: &'static str) -> impl Drop {
    let target = if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(None, target);
    let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}");
    bar.set_style(style.expect("the template is valid"));
    bar.set_message(message);
    bar.enable_steady_tick(TICK);
    Waiting(bar)
}

/// How often a line without a bar moves.
const TICK: Duration = Duration::from_millis(120);

/// A line that goes away with it.
struct Waiting(ProgressBar);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn bar(template: &str) -> ProgressFn {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
        .with_finish(ProgressFinish::AndClear);
    let style = ProgressStyle::with_template(template);
    bar.set_style(style.expect("the template is valid"));
    Arc::new(move |stage, progress| {
        if bar.is_finished() {
            bar.reset();
        }
        bar.set_message(stage.to_owned());
        bar.set_length(progress.total);
        bar.set_position(progress.done);
        if progress.done >= progress.total {
            bar.finish_and_clear();
        }
    })
}

fn lines() -> ProgressFn {
    let said = Mutex::new(Quarters::default());
    Arc::new(move |stage, progress| {
        let news =
            said.lock().expect("nothing panics while it is held").news(stage, progress.done, progress.total);
        if let Some(percent) = news {
            tracing::info!(percent, "{stage}");
        }
    })
}

/// What has been said already.
#[derive(Debug, Default)]
struct Quarters {
    stage: String,
    percent: u64,
}

impl Quarters {
    /// The percentage to say now: whenever a stage begins or another quarter of it is done.
    fn news(&mut self, stage: &str, done: u64, total: u64) -> Option<u64> {
        let percent = if done >= total { 100 } else { done / total.div_ceil(4) * 25 };
        if self.stage == stage && self.percent == percent {
            return None;
        }
        *self = Quarters { stage: stage.to_owned(), percent };
        Some(percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_quarter_is_said_once() {
        let mut said = Quarters::default();
        let steps = [
            ("read", 0),
            ("read", 10),
            ("read", 30),
            ("read", 99),
            ("read", 100),
            ("read", 100),
            ("write", 1),
        ];
        let news: Vec<_> = steps.iter().filter_map(|(stage, done)| said.news(stage, *done, 100)).collect();
        assert_eq!(news, [0, 25, 75, 100, 0]);
        assert_eq!(said.news("nothing to do", 0, 0), Some(100));
        assert_eq!(said.news("huge", u64::MAX / 2, u64::MAX), Some(25));
    }
}
