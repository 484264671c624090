//! Reading a segment of this log around damage.

use std::io;

use cairn_base::fs::File;
use cairn_seam::StoreError;

use crate::log::{Log, Segment};
use crate::salvage::{Around, RunAround, read_around};
use crate::segment;

/// Why reading stopped.
enum Failed {
    Io(io::Error),
    Visit(StoreError),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Failed::Io(error)
    }
}

impl Log {
    /// Calls `visit` with what is left of each run of a segment up to the offset `limit`. Everything before
    /// the position `durable_to` was on disk.
    pub(crate) fn read_around(
        &self,
        file: &dyn File,
        segment: &Segment,
        limit: u64,
        durable_to: u64,
        visit: &mut dyn FnMut(&RunAround<'_>) -> Result<(), StoreError>,
    ) -> Result<Around, StoreError> {
        let sealer = self.sealer.as_deref();
        let mut visit = |run: &RunAround<'_>| visit(run).map_err(Failed::Visit);
        let read = read_around(file, segment, limit, sealer, durable_to, &mut visit);
        read.map_err(|failed| match failed {
            Failed::Io(error) => self.io("reading", &segment::file_name(segment.number))(error),
            Failed::Visit(error) => error,
        })
    }
}
