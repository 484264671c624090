//! Memory of the machine and of this process, as Linux tells it. Elsewhere nothing is known.

use std::fs;

/// Bytes, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct HostMemory {
    pub(super) total: Option<u64>,
    pub(super) available: Option<u64>,
    pub(super) free: Option<u64>,
    pub(super) cached: Option<u64>,
    pub(super) swap_total: Option<u64>,
    pub(super) swap_free: Option<u64>,
    /// What of this process is in memory.
    pub(super) resident: Option<u64>,
    /// What this process has asked for.
    pub(super) virtual_size: Option<u64>,
}

impl HostMemory {
    /// As it is now.
    pub(super) fn read() -> Self {
        let machine = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let process = fs::read_to_string("/proc/self/status").unwrap_or_default();
        HostMemory::parse(&machine, &process)
    }

    fn parse(machine: &str, process: &str) -> Self {
        HostMemory {
            total: bytes(machine, "MemTotal"),
            available: bytes(machine, "MemAvailable"),
            free: bytes(machine, "MemFree"),
            cached: bytes(machine, "Cached"),
            swap_total: bytes(machine, "SwapTotal"),
            swap_free: bytes(machine, "SwapFree"),
            resident: bytes(process, "VmRSS"),
            virtual_size: bytes(process, "VmSize"),
        }
    }
}

/// How many files this process has open, sockets among them.
pub(super) fn open_files() -> Option<u64> {
    // One of them is the folder itself.
    fs::read_dir("/proc/self/fd").ok().map(|files| (files.count() as u64).saturating_sub(1))
}

/// A line like `MemTotal:       24576000 kB`, in bytes.
fn bytes(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kilobytes_become_bytes_and_what_is_not_said_is_not_known() {
        let machine = "MemTotal:       24576000 kB\nMemAvailable:    1 kB\nSwapCached:  7 kB\nCached: 9 kB\n";
        let found = HostMemory::parse(machine, "VmPeak:\t  5 kB\nVmSize:\t   4 kB\nVmRSS:\t  much\n");
        let expected = HostMemory {
            total: Some(24_576_000 * 1024),
            available: Some(1024),
            cached: Some(9 * 1024),
            virtual_size: Some(4096),
            ..HostMemory::default()
        };
        assert_eq!(found, expected);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_has_more_memory_than_this_process() {
        let found = HostMemory::read();
        assert!(found.resident.is_some_and(|bytes| bytes > 100 << 10), "{found:?}");
        assert!(found.resident < found.total && found.total < Some(1 << 50), "{found:?}");
        assert!(open_files().is_some_and(|count| (3..100_000).contains(&count)));
    }
}
