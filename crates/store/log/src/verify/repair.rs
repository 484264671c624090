//! Making derived data again. Primary data is never touched.

use cairn_seam::StoreError;

use crate::log::Log;
use crate::manifest;
use crate::side;

impl Log {
    /// Makes a side file again from its segments, which are whole; says which file that was.
    pub fn repair_side(&self, number: u64) -> (String, Result<(), StoreError>) {
        let _one_at_a_time = self.housekeeping.lock();
        self.bad_sides.lock().insert(number);
        (side::file_name(number), self.repair_sides().map(drop))
    }

    /// Forgets the image, and removes its file if it is there.
    pub fn drop_image(&self) -> Result<(), StoreError> {
        let Some(image) = self.image() else { return Ok(()) };
        if !self.has_all_history() {
            return Err(self.damaged(&manifest::image_name(image.number), 0, "the log cannot do without it"));
        }
        self.change_manifest(|manifest| manifest.image = None)?;
        self.remove_file(&manifest::image_name(image.number))
    }

    /// Removes a file with a name of ours, unless the manifest lists it by now.
    pub fn remove_stray(&self, name: &str) -> Result<(), StoreError> {
        let _nothing_is_half_packed = self.packing.lock();
        let _nothing_is_half_made = self.housekeeping.lock();
        let manifest = self.manifest.lock();
        if self.waits_to_be_removed(name) {
            return Ok(());
        }
        if !manifest::is_store_file(name) || manifest.file_names().iter().any(|listed| listed == name) {
            return Ok(());
        }
        self.options.fs.remove(&self.path(name)).map_err(self.io("removing", name))
    }

    /// Writes the manifest in use to the disk once more.
    pub fn rewrite_manifest(&self) -> Result<(), StoreError> {
        self.change_manifest(|_| ())
    }
}
