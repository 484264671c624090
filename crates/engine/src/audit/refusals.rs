//! How many refusals may leave an audit line.

use std::collections::BTreeMap;
use std::time::Duration;

use cairn_base::TenantId;
use parking_lot::Mutex;

use crate::limits;

/// Windows are dropped when they have ended and owe nothing; above this many we look for such.
const WINDOWS_KEPT: usize = 1024;

/// One window per tenant that was refused something lately.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    windows: Mutex<BTreeMap<TenantId, Window>>,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    since: Duration,
    recorded: u32,
    unrecorded: u32,
}

impl Refusals {
    /// Whether one more refusal may leave a line, and how many before it left none.
    pub(crate) fn admit(&self, tenant: TenantId, now: Duration) -> Option<u32> {
        let mut windows = self.windows.lock();
        if windows.len() > WINDOWS_KEPT {
            windows.retain(|_, window| !window.is_over(now) || window.unrecorded > 0);
        }
        let window = windows.entry(tenant).or_insert(Window { since: now, recorded: 0, unrecorded: 0 });
        if window.is_over(now) {
            *window = Window { since: now, recorded: 0, ..*window };
        }
        if window.recorded == limits::AUDIT_REFUSALS_MAX {
            window.unrecorded = window.unrecorded.saturating_add(1);
            return None;
        }
        window.recorded += 1;
        Some(std::mem::take(&mut window.unrecorded))
    }
}

impl Window {
    fn is_over(&self, now: Duration) -> bool {
        now.saturating_sub(self.since) >= limits::AUDIT_REFUSALS_EVERY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_leaves_so_many_lines_and_a_count() {
        let refusals = Refusals::default();
        let admit = |tenant, seconds| refusals.admit(TenantId(tenant), Duration::from_secs(seconds));
        for _ in 0..limits::AUDIT_REFUSALS_MAX {
            assert_eq!(admit(1, 0), Some(0));
        }
        assert_eq!([admit(1, 0), admit(1, 59)], [None, None]);
        assert_eq!(admit(2, 59), Some(0), "one tenant's flood does not hide another's refusals");
        assert_eq!([admit(1, 60), admit(1, 60)], [Some(2), Some(0)]);
    }
}
