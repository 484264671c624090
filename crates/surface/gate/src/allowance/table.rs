//! The buckets of everybody who has taken something lately.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::num::NonZeroU64;

use cairn_base::TenantId;

use super::bucket::Bucket;
use super::limit::{Allowance, Cost, Counted, Reached, Whose};

/// Before there are so many users, nobody looks for those that can be forgotten.
const FORGET_FROM: usize = 64;

/// Buckets by tenant and user. A bucket that is not there is a full one, and full ones go.
#[derive(Debug)]
pub(super) struct Table {
    of_user: Rates,
    of_tenant: Rates,
    tenants: HashMap<TenantId, Tenant>,
    /// How many users there are, and may be.
    users: usize,
    users_max: usize,
    /// At how many users those are looked for that can be forgotten.
    forget_at: usize,
}

#[derive(Debug, Default)]
struct Tenant {
    own: Buckets,
    users: HashMap<Box<str>, Buckets>,
}

/// By [`Counted`].
#[derive(Debug, Clone, Copy)]
struct Rates([Option<NonZeroU64>; Counted::PER_MINUTE.len()]);

/// By [`Counted`].
#[derive(Debug, Clone, Copy, Default)]
struct Buckets([Bucket; Counted::PER_MINUTE.len()]);

impl Table {
    pub(super) fn new(allowance: &Allowance, users_max: usize) -> Self {
        let rates = |whose| Rates(Counted::PER_MINUTE.map(|counted| allowance.of(whose, counted)));
        Table {
            of_user: rates(Whose::User),
            of_tenant: rates(Whose::Tenant),
            tenants: HashMap::new(),
            users: 0,
            users_max,
            forget_at: FORGET_FROM.min(users_max),
        }
    }

    /// Takes what a request costs from the user and its tenant, or nothing from either.
    ///
    /// A refusal says how long until the same would be granted, in nanoseconds, and which limit that is.
    pub(super) fn take(
        &mut self,
        tenant: TenantId,
        user: &str,
        cost: Cost,
        now_ns: u64,
    ) -> Result<(), (u64, Reached)> {
        let Tenant { own, users } = self.tenants.entry(tenant).or_default();
        let known = users.get_mut(user);
        let buckets = known.as_deref().copied().unwrap_or_default();
        let waits = cost.parts().flat_map(|(counted, units)| {
            [(Whose::User, &buckets, &self.of_user), (Whose::Tenant, &*own, &self.of_tenant)].map(
                |(whose, buckets, rates)| {
                    let max = rates.0[counted as usize]?;
                    let wait_ns = buckets.0[counted as usize].wait_ns(max, units, now_ns);
                    Some((wait_ns, Reached { whose, counted, max }))
                },
            )
        });
        let longest = waits.flatten().filter(|(wait_ns, _)| *wait_ns > 0).max_by_key(|(wait_ns, _)| *wait_ns);
        if let Some(refused) = longest {
            return Err(refused);
        }
        own.take(&self.of_tenant, cost, now_ns);
        if let Some(known) = known {
            known.take(&self.of_user, cost, now_ns);
            return Ok(());
        }
        let mut new = Buckets::default();
        new.take(&self.of_user, cost, now_ns);
        users.insert(user.into(), new);
        self.users += 1;
        if self.users >= self.forget_at {
            self.forget(now_ns);
        }
        Ok(())
    }

    /// Forgets those whose buckets are full. Where that leaves more than half of what may be kept, the half
    /// that is nearest to it goes too: who is forgotten has a full bucket a little early, and no more than
    /// every other newcomer makes everybody be looked at.
    fn forget(&mut self, now_ns: u64) {
        self.keep_beyond(0, 0, now_ns);
        if self.users > self.users_max / 2 {
            let users = self.tenants.values().flat_map(|tenant| tenant.users.values());
            let mut full_in: Vec<_> = users.map(|own| own.full_in_ns(&self.of_user, now_ns)).collect();
            let kept = full_in.len() / 2;
            let middle = full_in.len() - kept;
            let (_, middle, beyond) = full_in.select_nth_unstable(middle - 1);
            let beyond = beyond.iter().filter(|full_in| *full_in > middle).count();
            let middle = *middle;
            self.keep_beyond(middle, kept - beyond, now_ns);
        }
        self.forget_at = (self.users * 2).clamp(FORGET_FROM.min(self.users_max), self.users_max);
    }

    /// Keeps only whom it takes longer than that to be full again, and some whom it takes just as long.
    fn keep_beyond(&mut self, ns: u64, mut as_long: usize, now_ns: u64) {
        self.users = 0;
        for tenant in self.tenants.values_mut() {
            tenant.users.retain(|_, own| match own.full_in_ns(&self.of_user, now_ns).cmp(&ns) {
                Ordering::Less => false,
                Ordering::Equal => as_long.checked_sub(1).is_some_and(|left| {
                    as_long = left;
                    true
                }),
                Ordering::Greater => true,
            });
            tenant.users.shrink_to(2 * tenant.users.len());
            self.users += tenant.users.len();
        }
        self.tenants.retain(|_, tenant| {
            !tenant.users.is_empty() || tenant.own.full_in_ns(&self.of_tenant, now_ns) > 0
        });
    }
}

impl Buckets {
    fn take(&mut self, rates: &Rates, cost: Cost, now_ns: u64) {
        for (counted, units) in cost.parts() {
            if let Some(rate) = rates.0[counted as usize] {
                self.0[counted as usize].take(rate, units, now_ns);
            }
        }
    }

    /// How long until all of them are full.
    fn full_in_ns(&self, rates: &Rates, now_ns: u64) -> u64 {
        let each = self.0.iter().zip(rates.0).filter_map(|(bucket, rate)| Some((bucket, rate?)));
        each.map(|(bucket, rate)| bucket.full_in_ns(rate, now_ns)).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;
    const ACME: TenantId = TenantId(7);

    fn allowance(writes: u64, bytes: u64, factor: u64) -> Allowance {
        Allowance {
            writes_per_minute: NonZeroU64::new(writes),
            upload_bytes_per_minute: NonZeroU64::new(bytes),
            tenant_factor: NonZeroU64::new(factor).expect("a factor"),
            ..Allowance::default()
        }
    }

    fn table(writes: u64, bytes: u64, factor: u64) -> Table {
        Table::new(&allowance(writes, bytes, factor), 1000)
    }

    fn refused(outcome: Result<(), (u64, Reached)>) -> (u64, Whose, Counted, u64) {
        let (wait_ns, reached) = outcome.expect_err("it is refused");
        (wait_ns, reached.whose, reached.counted, reached.max.get())
    }

    #[test]
    fn users_have_their_own_and_a_tenants_users_have_one_together() {
        let mut table = table(2, 0, 2);
        let mut write = |tenant, user| table.take(tenant, user, Cost::WRITE, 0);
        for _ in 0..2 {
            write(ACME, "ada").expect("there is enough");
        }
        let own = (30 * SECOND_NS, Whose::User, Counted::Writes, 2);
        assert_eq!(refused(write(ACME, "ada")), own);
        for _ in 0..2 {
            write(ACME, "bob").expect("bob has his own");
        }
        let common = (15 * SECOND_NS, Whose::Tenant, Counted::Writes, 4);
        assert_eq!(refused(write(ACME, "eve")), common);
        assert_eq!(refused(write(ACME, "ada")), own, "what is longer counts");
        write(TenantId(8), "ada").expect("another tenant, and another ada");
    }

    #[test]
    fn what_is_refused_takes_nothing() {
        let mut table = table(2, 100, 1);
        table.take(ACME, "ada", Cost::WRITE.with_bytes(60), 0).expect("there is enough");
        for _ in 0..5 {
            let too_much = table.take(ACME, "ada", Cost::WRITE.with_bytes(50), 0);
            assert_eq!(refused(too_much), (6 * SECOND_NS, Whose::Tenant, Counted::UploadBytes, 100));
            // The tenant has no bytes for bob either, and he loses none of his own.
            assert!(table.take(ACME, "bob", Cost::WRITE.with_bytes(50), 0).is_err());
        }
        assert!(!table.tenants[&ACME].users.contains_key("bob"));
        table.take(ACME, "ada", Cost::WRITE.with_bytes(40), 0).expect("the second write is still there");
        assert_eq!(refused(table.take(ACME, "ada", Cost::WRITE, 0)).2, Counted::Writes);
    }

    #[test]
    fn what_has_no_limit_leaves_nothing_behind() {
        let mut table = table(0, 0, 1);
        for _ in 0..10_000 {
            table.take(ACME, "ada", Cost::WRITE.with_bytes(u64::MAX), 0).expect("there is no limit");
        }
        assert_eq!(table.tenants[&ACME].users["ada"].full_in_ns(&table.of_user, 0), 0);
    }

    #[test]
    fn who_is_full_again_is_forgotten() {
        let mut table = table(60, 0, 1000);
        table.take(ACME, "slow", Cost::WRITE, 0).expect("enough");
        for n in 0..62 {
            table.take(ACME, &format!("user {n}"), Cost::WRITE, 0).expect("enough");
        }
        table.take(ACME, "slow", Cost::WRITE, SECOND_NS / 2).expect("enough");
        assert_eq!(table.users, 63);
        table.take(TenantId(8), "last", Cost::WRITE, SECOND_NS).expect("enough");
        assert_eq!(table.users, 2, "one is not full yet, and one has just come");
        assert_eq!(table.tenants[&ACME].users.len(), 1);
        for n in 0..62 {
            table.take(TenantId(8), &format!("user {n}"), Cost::WRITE, 10 * SECOND_NS).expect("enough");
        }
        assert!(!table.tenants.contains_key(&ACME), "a tenant goes like its users");
    }

    #[test]
    fn there_are_never_more_than_may_be() {
        let mut table = Table::new(&allowance(60, 0, 1000), 100);
        for n in 0..10_000_u32 {
            // Later ones take more, and are further from being full.
            for _ in 0..=n % 7 {
                table.take(TenantId(n % 3), &n.to_string(), Cost::WRITE, 0).expect("enough");
            }
            assert!(table.users < 100 && (n < 50 || table.users > 25), "{}", table.users);
            let counted: usize = table.tenants.values().map(|tenant| tenant.users.len()).sum();
            assert_eq!(counted, table.users);
        }
    }

    #[test]
    fn those_stay_who_took_most() {
        let mut table = Table::new(&allowance(60, 0, 1000), 100);
        for n in 0..99_u64 {
            let cost = if n < 20 { 9 } else { 1 };
            for _ in 0..cost {
                table.take(ACME, &n.to_string(), Cost::WRITE, 0).expect("enough");
            }
        }
        table.take(ACME, "one too many", Cost::WRITE, 0).expect("enough");
        let users = &table.tenants[&ACME].users;
        assert!((0..20).all(|n: u64| users.contains_key(&*n.to_string())), "{}", users.len());
        assert_eq!(table.users, users.len());
    }

    #[derive(Debug, Clone)]
    struct Step {
        pause_ms: u64,
        tenant: u32,
        user: u8,
        write: bool,
        bytes: u64,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = (0_u64..20_000, 0_u32..2, 0_u8..3, any::<bool>(), 0_u64..150);
        let step = step.prop_map(|(pause_ms, tenant, user, write, bytes)| Step {
            pause_ms: pause_ms.saturating_sub(12_000),
            tenant,
            user,
            write,
            bytes,
        });
        prop::collection::vec(step, 1..120)
    }

    /// Two numbers, filled a millisecond at a time, in 60,000ths of a unit.
    #[derive(Clone)]
    struct Naive {
        held: [i64; 2],
        level: [i64; 2],
    }

    impl Naive {
        fn new(writes: u64, bytes: u64) -> Self {
            let held = [writes, bytes].map(|held| i64::try_from(held).expect("small") * 60_000);
            Naive { held, level: held }
        }

        fn pass(&mut self, ms: u64) {
            for at in 0..2 {
                let comes = self.held[at] / 60_000 * i64::try_from(ms).expect("small");
                self.level[at] = self.held[at].min(self.level[at] + comes);
            }
        }

        fn has(&self, cost: [i64; 2]) -> bool {
            (0..2).all(|at| cost[at] == 0 || self.level[at] >= cost[at].min(self.held[at]))
        }

        fn take(&mut self, cost: [i64; 2]) {
            (0..2).for_each(|at| self.level[at] -= cost[at]);
        }
    }

    proptest! {
        #[test]
        fn a_naive_one_grants_the_same(steps in steps()) {
            let mut table = table(5, 100, 2);
            let mut users: HashMap<_, Naive> = HashMap::new();
            let mut tenants: HashMap<_, Naive> = HashMap::new();
            let mut now_ms = 0;
            for Step { pause_ms, tenant, user, write, bytes } in steps {
                now_ms += pause_ms;
                users.values_mut().chain(tenants.values_mut()).for_each(|naive| naive.pass(pause_ms));
                let own = users.entry((tenant, user)).or_insert_with(|| Naive::new(5, 100));
                let common = tenants.entry(tenant).or_insert_with(|| Naive::new(10, 200));
                let units = [i64::from(write) * 60_000, i64::try_from(bytes).expect("small") * 60_000];
                let expected = own.has(units) && common.has(units);
                if expected {
                    own.take(units);
                    common.take(units);
                }
                let cost = if write { Cost::WRITE.with_bytes(bytes) } else { Cost::bytes(bytes) };
                let name = user.to_string();
                let now_ns = now_ms * 1_000_000;
                let granted = table.take(TenantId(tenant), &name, cost, now_ns);
                prop_assert_eq!(granted.is_ok(), expected, "at {} ms", now_ms);
                if let Err((wait_ns, _)) = granted {
                    // Exactly then, and not a nanosecond earlier.
                    let wait = |ns| table.tenants[&TenantId(tenant)].longest(&table, &name, cost, ns);
                    prop_assert_eq!((wait(now_ns + wait_ns - 1), wait(now_ns + wait_ns)), (1, 0));
                }
                if now_ms % 3 == 0 {
                    table.forget(now_ns);
                }
            }
        }
    }

    impl Tenant {
        /// How long a cost has to wait.
        fn longest(&self, table: &Table, user: &str, cost: Cost, now_ns: u64) -> u64 {
            let own = self.users.get(user).copied().unwrap_or_default();
            let wait = |buckets: &Buckets, rates: &Rates, (counted, units): (Counted, u64)| {
                let at = counted as usize;
                rates.0[at].map_or(0, |rate| buckets.0[at].wait_ns(rate, units, now_ns))
            };
            let each = |part| wait(&own, &table.of_user, part).max(wait(&self.own, &table.of_tenant, part));
            cost.parts().map(each).max().unwrap_or(0)
        }
    }
}
