//! Ids of events: places in the change feed, sealed.
//!
//! Positions count what all tenants write together, so that no tenant may see one, nor the distance of two.
//! An id can be read by this store alone, and only for the tenant that it was made for:
//!
//! ```text
//! plain  position u64 | seen u32 | salt u64
//! tag    the first 16 bytes of BLAKE3, keyed with one key, over tenant u32 | plain
//! id     tag | plain xor BLAKE3, keyed with another key, over the tag; as base64 for URLs
//! ```
//!
//! The tag is both what the plain bytes are hidden with and what proves them (a synthetic nonce): the same
//! bytes of the same tenant have the same id, also after a restart, and nothing else can be seen of it.
//!
//! Even that would be too much for a place that is not an event: whether "now" is still where it was says
//! whether others have written. Such an id has a salt, and no two of them are the same.

use cairn_access::Principal;
use cairn_base::{Base64Url, Entropy, Position, TenantId, from_base64_url};

use crate::secret::Secret;
use crate::{Engine, Place};

const TAG_BYTES: usize = 16;
const PLAIN_BYTES: usize = 20;
/// The salt of an event's own id.
const NO_SALT: u64 = 0;

/// The keys of all ids.
pub(crate) struct EventIdKeys {
    tag: [u8; 32],
    pad: [u8; 32],
}

impl EventIdKeys {
    pub(crate) fn new(secret: &Secret) -> Self {
        EventIdKeys {
            tag: secret.key("cairn 2026 event ids, what proves them"),
            pad: secret.key("cairn 2026 event ids, what hides them"),
        }
    }

    fn tag(&self, tenant: TenantId, plain: &[u8; PLAIN_BYTES]) -> [u8; TAG_BYTES] {
        let mut hasher = blake3::Hasher::new_keyed(&self.tag);
        hasher.update(&tenant.0.to_be_bytes()).update(plain);
        let mut tag = [0; TAG_BYTES];
        hasher.finalize_xof().fill(&mut tag);
        tag
    }

    /// Hides plain bytes, and shows them again.
    fn turn(&self, tag: &[u8; TAG_BYTES], bytes: [u8; PLAIN_BYTES]) -> [u8; PLAIN_BYTES] {
        let pad = blake3::keyed_hash(&self.pad, tag);
        let mut turned = bytes;
        turned.iter_mut().zip(pad.as_bytes()).for_each(|(byte, pad)| *byte ^= pad);
        turned
    }
}

/// Ids as one tenant is shown them.
#[derive(Clone, Copy)]
pub struct EventIds<'a> {
    keys: &'a EventIdKeys,
    entropy: &'a dyn Entropy,
    tenant: TenantId,
}

impl Engine {
    /// The ids that somebody is shown, and may come back with: those of their tenant.
    pub fn event_ids(&self, principal: &Principal) -> EventIds<'_> {
        let keys = self.memories.turns.event_id_keys.get_or_init(|| EventIdKeys::new(&self.secret));
        EventIds { keys, entropy: &**self.entropy(), tenant: principal.tenant() }
    }
}

impl EventIds<'_> {
    /// The id of an event, by the place of those who have seen it: always the same one.
    pub fn of_event(&self, place: Place) -> String {
        self.seal(place, NO_SALT)
    }

    /// An id for a place that is not an event's: another one each time.
    pub fn of_moment(&self, place: Place) -> String {
        self.seal(place, self.entropy.next_u64().max(NO_SALT + 1))
    }

    /// The place of an id; `None` if it is none of this store and tenant.
    pub fn place(&self, id: &str) -> Option<Place> {
        let bytes = from_base64_url(id)?;
        let (tag, hidden) = bytes.split_first_chunk::<TAG_BYTES>()?;
        let plain = self.keys.turn(tag, hidden.try_into().ok()?);
        is_same(tag, &self.keys.tag(self.tenant, &plain)).then(|| read(&plain))
    }

    fn seal(&self, place: Place, salt: u64) -> String {
        let plain = plain(place, salt);
        let tag = self.keys.tag(self.tenant, &plain);
        Base64Url(&[&tag[..], &self.keys.turn(&tag, plain)].concat()).to_string()
    }
}

fn plain(place: Place, salt: u64) -> [u8; PLAIN_BYTES] {
    let (position, seen) = place.parts();
    let mut plain = [0; PLAIN_BYTES];
    plain[..8].copy_from_slice(&position.to_stored().to_be_bytes());
    plain[8..12].copy_from_slice(&seen.to_be_bytes());
    plain[12..].copy_from_slice(&salt.to_be_bytes());
    plain
}

fn read(plain: &[u8; PLAIN_BYTES]) -> Place {
    let (position, rest) = plain.split_first_chunk().expect("20 bytes begin with 8");
    let (seen, _salt) = rest.split_first_chunk().expect("12 bytes begin with 4");
    Place::inside(Position::from_stored(u64::from_be_bytes(*position)), u32::from_be_bytes(*seen))
}

/// Compares in a time that does not depend on where they differ, as BLAKE3 compares its hashes.
fn is_same(one: &[u8; TAG_BYTES], other: &[u8; TAG_BYTES]) -> bool {
    blake3::hash(one) == blake3::hash(other)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use cairn_base::SeededEntropy;

    use super::*;

    const LENGTH: usize = 48;

    fn places() -> impl Iterator<Item = Place> {
        let positions = [0, 1, 2, 0xab, u64::MAX].map(Position::from_stored);
        positions.into_iter().flat_map(|at| [Place::after(at), Place::inside(at, 0), Place::inside(at, 17)])
    }

    fn check(body: impl Fn(EventIds<'_>, &dyn Fn(u8, u32) -> Vec<String>)) {
        let entropy = SeededEntropy::new(1);
        let all = |secret: u8, tenant: u32| {
            let keys = EventIdKeys::new(&Secret([secret; 32]));
            let ids = EventIds { keys: &keys, entropy: &entropy, tenant: TenantId(tenant) };
            places().map(|place| ids.of_event(place)).collect()
        };
        let keys = EventIdKeys::new(&Secret([7; 32]));
        body(EventIds { keys: &keys, entropy: &entropy, tenant: TenantId(2) }, &all);
    }

    #[test]
    fn an_id_leads_back_to_its_place_and_is_always_the_same() {
        check(|ids, all| {
            for (place, id) in places().zip(all(7, 2)) {
                assert_eq!((ids.place(&id), ids.of_event(place)), (Some(place), id.clone()));
                assert_eq!(id.len(), LENGTH);
            }
        });
    }

    #[test]
    fn ids_of_another_tenant_or_store_have_nothing_in_common_and_are_none() {
        check(|ids, all| {
            let known: HashSet<String> = all(7, 2).into_iter().collect();
            assert_eq!(known.len(), places().count(), "each place has its own");
            for id in all(7, 3).into_iter().chain(all(8, 2)) {
                assert_eq!(ids.place(&id), None);
                assert!(known.iter().all(|known| known[..21] != id[..21] && known[22..] != id[22..]));
            }
        });
    }

    #[test]
    fn what_was_changed_is_none_wherever_it_was() {
        check(|ids, all| {
            let id = &all(7, 2)[4];
            let bytes = from_base64_url(id).unwrap();
            for bit in 0..bytes.len() * 8 {
                let mut changed = bytes.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(ids.place(&Base64Url(&changed).to_string()), None, "bit {bit}");
            }
            for cut in 0..LENGTH {
                assert_eq!(ids.place(&id[..cut]), None, "cut at {cut}");
            }
            for bad in
                ["x", "1a90", "ab.11", "é", "\0", &format!("{id}AAAA"), &format!(" {id}"), &format!("{id}=")]
            {
                assert_eq!(ids.place(bad), None, "{bad:?}");
            }
        });
    }

    #[test]
    fn moments_lead_back_and_no_two_of_them_look_the_same() {
        check(|ids, _| {
            let place = Place::after(Position::from_stored(0xab));
            let moments: HashSet<String> = (0..100).map(|_| ids.of_moment(place)).collect();
            assert_eq!(moments.len(), 100);
            assert!(moments.iter().all(|id| id.len() == LENGTH && ids.place(id) == Some(place)));
            assert!(!moments.contains(&ids.of_event(place)));
        });
    }
}
