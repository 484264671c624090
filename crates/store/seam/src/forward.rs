//! Readers and transactions around others say only what they do differently.

/// Methods of [`Reader`](crate::Reader) and [`WriteTx`](crate::WriteTx) that pass everything on to a field:
/// inside of an `impl` block, by their names.
///
/// ```
/// use cairn_seam::{Keyspace, Reader, StoreError, forward};
///
/// /// Nobody looks up anything here.
/// struct ScansOnly<'a>(&'a dyn Reader);
///
/// impl Reader for ScansOnly<'_> {
///     forward!(0: multi_scan, hashed_get, blobs);
///
///     fn multi_get(
///         &self,
///         _: Keyspace,
///         _: &[&[u8]],
///         _: &mut dyn FnMut(usize, Option<&[u8]>),
///     ) -> Result<(), StoreError> {
///         Err(StoreError::Closed)
///     }
/// }
/// ```
#[macro_export]
macro_rules! forward {
    ($field:tt: $($method:ident),+ $(,)?) => { $($crate::forward!(@$method $field);)+ };
    (@multi_get $field:tt) => {
        fn multi_get(
            &self,
            keyspace: $crate::Keyspace,
            keys: &[&[u8]],
            visit: &mut dyn FnMut(usize, Option<&[u8]>),
        ) -> ::core::result::Result<(), $crate::StoreError> {
            self.$field.multi_get(keyspace, keys, visit)
        }
    };
    (@multi_scan $field:tt) => {
        fn multi_scan(
            &self,
            keyspace: $crate::Keyspace,
            ranges: &[$crate::KeyRange],
            visit: &mut dyn FnMut(usize, &[u8], &[u8]) -> $crate::Visit,
        ) -> ::core::result::Result<(), $crate::StoreError> {
            self.$field.multi_scan(keyspace, ranges, visit)
        }
    };
    (@multi_read $field:tt) => {
        fn multi_read(
            &self,
            reads: &[$crate::Read<'_>],
            visit: &mut dyn FnMut(usize, Option<&[u8]>),
        ) -> ::core::result::Result<(), $crate::StoreError> {
            self.$field.multi_read(reads, visit)
        }
    };
    (@hashed_get $field:tt) => {
        fn hashed_get(
            &self,
            keyspace: $crate::HashedKeyspace,
            tenant: $crate::named::TenantId,
            keys: &[&[u8]],
            visit: &mut dyn FnMut(usize, Option<&[u8]>),
        ) -> ::core::result::Result<(), $crate::StoreError> {
            self.$field.hashed_get(keyspace, tenant, keys, visit)
        }
    };
    (@blobs $field:tt) => {
        fn blobs(
            &self,
            tenant: $crate::named::TenantId,
            hashes: &[$crate::named::ContentHash],
            visit: &mut dyn FnMut(usize, Option<&[u8]>),
        ) -> ::core::result::Result<(), $crate::StoreError> {
            self.$field.blobs(tenant, hashes, visit)
        }
    };
    (@tenant $field:tt) => {
        fn tenant(&self) -> $crate::named::TenantId {
            self.$field.tenant()
        }
    };
    (@put $field:tt) => {
        fn put(
            &mut self,
            keyspace: $crate::Keyspace,
            key: &[u8],
            value: &[u8],
        ) -> ::core::result::Result<(), $crate::StoreError> {
            self.$field.put(keyspace, key, value)
        }
    };
    (@delete $field:tt) => {
        fn delete(
            &mut self,
            keyspace: $crate::Keyspace,
            key: &[u8],
        ) -> ::core::result::Result<(), $crate::StoreError> {
            self.$field.delete(keyspace, key)
        }
    };
    (@delete_range $field:tt) => {
        fn delete_range(
            &mut self,
            keyspace: $crate::Keyspace,
            range: &$crate::KeyRange,
        ) -> ::core::result::Result<u64, $crate::StoreError> {
            self.$field.delete_range(keyspace, range)
        }
    };
    (@hashed_put $field:tt) => {
        fn hashed_put(
            &mut self,
            keyspace: $crate::HashedKeyspace,
            key: &[u8],
            value: &[u8],
            expires_at_ms: Option<u64>,
        ) -> ::core::result::Result<(), $crate::StoreError> {
            self.$field.hashed_put(keyspace, key, value, expires_at_ms)
        }
    };
    (@put_blob $field:tt) => {
        fn put_blob(&mut self, blob: &$crate::Blob) -> ::core::result::Result<(), $crate::StoreError> {
            self.$field.put_blob(blob)
        }
    };
    (@keep_blob $field:tt) => {
        fn keep_blob(
            &mut self,
            hash: &$crate::named::ContentHash,
        ) -> ::core::result::Result<bool, $crate::StoreError> {
            self.$field.keep_blob(hash)
        }
    };
    (@remove_blob $field:tt) => {
        fn remove_blob(
            &mut self,
            hash: &$crate::named::ContentHash,
            uploaded_before_ms: u64,
        ) -> ::core::result::Result<bool, $crate::StoreError> {
            self.$field.remove_blob(hash, uploaded_before_ms)
        }
    };
    (@emit $field:tt) => {
        fn emit(&mut self, event: $crate::Event) -> ::core::result::Result<(), $crate::StoreError> {
            self.$field.emit(event)
        }
    };
}
