//! A store with many artifacts, made by importing a bundle.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, ensure};
use cairn_access::Principal;
use cairn_access::identity::{Identity, Signature};
use cairn_artifacts::ArtifactId;
use cairn_artifacts::bundle::{AttestedBy, BundleWriter, BundledArtifact};
use cairn_base::{Clock, Entropy, SystemClock, SystemEntropy};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_engine::{Engine, EngineConfig, SearchMode, Signing, SigningError};
use cairn_seam::{Sha256, Store};

use super::author::{Author, Draft};
use crate::random::Random;
use crate::search::home_in;
use crate::search::million::wait_until_ready;
use crate::search::words::Vocabulary;

/// Artifacts between two signed heads.
const HEAD_EVERY: usize = 2000;

#[derive(Debug)]
struct Key(Identity);

impl Signing for Key {
    fn identity(&self) -> Result<Identity, SigningError> {
        Ok(self.0.clone())
    }
}

/// Opens a store as the product does.
pub(super) fn open(dir: &Path) -> Result<Arc<Engine>> {
    let store = Arc::new(EmbeddedStore::open(dir, EmbeddedOptions::default())?);
    let config = EngineConfig {
        search: SearchMode::Kept(home_in(dir)),
        signing: Some(Arc::new(Key(Identity::random(&SystemEntropy, &SystemClock)))),
        ..EngineConfig::default()
    };
    let engine =
        Engine::open(store as Arc<dyn Store>, Arc::new(SystemClock), Arc::new(SystemEntropy), config)?;
    wait_until_ready(&engine)?;
    Ok(engine)
}

/// A bundle of signed artifacts; `visibility` and `parents` say of which kind each is.
pub(super) fn bundle(
    count: usize,
    visibility: &dyn Fn(usize) -> &'static str,
    parents: &dyn Fn(usize, &[ArtifactId]) -> Vec<ArtifactId>,
) -> Result<(Vec<u8>, Vec<ArtifactId>)> {
    let (author, vocabulary, mut random) = (Author::new(), Vocabulary::new(), Random::new(11));
    let mut bundle = BundleWriter::create(Vec::new(), SystemClock.now_ms())?;
    let mut ids: Vec<ArtifactId> = Vec::with_capacity(count);
    for number in 0..count {
        let content = format!("quarterly {}", vocabulary.words_of(&mut random, 60));
        let id = ArtifactId::random(&SystemEntropy as &dyn Entropy);
        let title = format!("Report {number} about {}", vocabulary.draw(&mut random));
        let above = parents(number, &ids);
        let draft =
            Draft { id, title: &title, content: &content, visibility: visibility(number), parents: &above };
        let mut object = author.sign(&draft)?;
        let signature = object.get_str("signature").and_then(|text| Signature::parse(&text));
        let signature = signature.expect("it was just signed");
        object.remove("signature");
        bundle.content(&Sha256::of(content.as_bytes()), content.len() as u64, &mut content.as_bytes())?;
        bundle.artifact(&BundledArtifact {
            payload: object.to_json(|_| true),
            signature,
            public_key: *author.identity.public_key().as_bytes(),
            attested_by: AttestedBy::Author,
            derived_from: None,
            received_at_ms: SystemClock.now_ms(),
        })?;
        if (number + 1) % HEAD_EVERY == 0 {
            bundle.head(&author.identity, SystemClock.now_ms())?;
        }
        ids.push(id);
    }
    Ok((bundle.finish(&author.identity, SystemClock.now_ms())?.1, ids))
}

/// Imports a bundle; returns artifacts per second.
pub(super) fn import(engine: &Engine, bundle: &[u8], count: usize) -> Result<f64> {
    let began = Instant::now();
    let report = engine.import_artifacts(&Principal::local_owner(), bundle, &mut |_| true)?;
    ensure!(report.imported == count as u64, "{report:?}");
    Ok(count as f64 / began.elapsed().as_secs_f64())
}
