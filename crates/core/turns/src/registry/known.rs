//! Everything that was published, in memory.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::bundle::{Bundle, Labels};
use super::conversation;
use super::descriptor::Descriptor;
use super::evolve::{Growth, Refused, grow};

/// Every type and enum of a tenant.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    pub(super) types: BTreeMap<String, BTreeMap<u32, Descriptor>>,
    pub(super) enums: BTreeMap<String, Labels>,
    /// The bundle that was taken last.
    pub(super) last_bundle: Option<String>,
    /// Counts the bundles that were taken.
    pub(super) generation: u64,
}

static NO_VERSIONS: BTreeMap<u32, Descriptor> = BTreeMap::new();

/// What is there without having been published: used for types that nobody published.
static BUILT_IN: LazyLock<Registry> = LazyLock::new(|| {
    let mut registry = Registry::default();
    registry.take(&conversation::bundle()).expect("the built-in bundle is legal");
    registry
});

impl Registry {
    /// Takes a bundle, if that is allowed; otherwise nothing changes.
    pub fn take(&mut self, bundle: &Bundle) -> Result<(), Refused> {
        let growth = grow(self, bundle)?;
        self.apply(&bundle.id, growth);
        Ok(())
    }

    pub(crate) fn apply(&mut self, bundle_id: &str, growth: Growth) {
        for (id, versions) in growth.types {
            self.types.entry(id).or_default().extend(versions);
        }
        self.enums.extend(growth.enums);
        self.last_bundle = Some(bundle_id.to_owned());
        self.generation += 1;
    }

    /// The bundle that was taken last.
    pub fn last_bundle(&self) -> Option<&str> {
        self.last_bundle.as_deref()
    }

    /// Counts the bundles that were taken: the same number, the same registry.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The published versions of a type.
    pub(crate) fn versions(&self, id: &str) -> &BTreeMap<u32, Descriptor> {
        self.types.get(id).unwrap_or(&NO_VERSIONS)
    }

    pub(crate) fn labels(&self, id: &str) -> Option<&Labels> {
        self.enums.get(id)
    }

    /// A version of a type, published or built in.
    pub fn descriptor(&self, id: &str, version: u32) -> Option<Described<'_>> {
        let found = self.home_of(id);
        let descriptor = found.versions(id).get(&version)?;
        Some(Described { registry: found, version, descriptor })
    }

    /// The newest version of a type, published or built in.
    pub fn latest(&self, id: &str) -> Option<Described<'_>> {
        let found = self.home_of(id);
        let (version, descriptor) = found.versions(id).last_key_value()?;
        Some(Described { registry: found, version: *version, descriptor })
    }

    /// A type that was published is what was published, and nothing built in mixes with it.
    fn home_of(&self, id: &str) -> &Registry {
        if self.types.contains_key(id) { self } else { &BUILT_IN }
    }

    /// Every type with its versions, by name; the built-in ones that nobody published included.
    pub fn types(&self) -> impl Iterator<Item = (&str, &BTreeMap<u32, Descriptor>)> {
        let built_in = BUILT_IN.types.iter().filter(|(id, _)| !self.types.contains_key(*id));
        let all: BTreeMap<_, _> = self.types.iter().chain(built_in).collect();
        all.into_iter().map(|(id, versions)| (id.as_str(), versions))
    }

    /// Whether a type is only built in.
    pub fn is_built_in(&self, id: &str) -> bool {
        !self.types.contains_key(id) && BUILT_IN.types.contains_key(id)
    }
}

/// A version of a type, and where what it names is to be looked up.
#[derive(Debug, Clone, Copy)]
pub struct Described<'a> {
    pub(crate) registry: &'a Registry,
    /// Its number.
    pub version: u32,
    /// What it says.
    pub descriptor: &'a Descriptor,
}

impl<'a> Described<'a> {
    /// Whether it was built in, and not published.
    pub fn is_built_in(&self) -> bool {
        std::ptr::eq(self.registry, &*BUILT_IN)
    }

    /// The labels of an enum that it names.
    pub fn labels(&self, id: &str) -> Option<&'a Labels> {
        self.registry.labels(id)
    }

    /// The newest version of a type that it names.
    pub fn referenced(&self, id: &str) -> Option<Described<'a>> {
        self.registry.latest(id)
    }
}
