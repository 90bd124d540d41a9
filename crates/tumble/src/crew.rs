//! The crew: the threads that a world's steps run on.
//!
//! Work is cut into blocks whose outcome does not depend on who does them or when: blocks write different elements, and what they
//! report is read in the order of the blocks. So the number of threads changes no bit.
//!
//! A step has hundreds of stages, many of a few microseconds. So the threads are called once per step: one of them, the leader, runs
//! the step from top to bottom, and hands out blocks wherever there is something to share; the others wait for blocks, spinning.
//!
//! ```text
//!   leader   ──serial──┬─block 0─┬─block 2─┬──serial──┬─block 0─┬─ ...
//!   helper   ··waiting··┴─block 1─┴─block 3─┴·waiting··┴─block 1─┴─ ...
//! ```
//!
//! One word says what there is to do: the number of the stage, how many blocks it has, and the next block that nobody has claimed. A block is
//! claimed by a compare-and-swap of the whole word, so that nobody who slept through the end of a stage takes a block of the next one for
//! his own.

use crate::math::prefetch_at;
use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use rayon::ThreadPool;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// Threads that share the work of a step; none but the caller's by default.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crew(Option<Arc<ThreadPool>>);

impl Crew {
    pub fn new(pool: Option<Arc<ThreadPool>>) -> Self {
        Self(pool)
    }

    /// How many work.
    pub fn size(&self) -> usize {
        self.0.as_ref().map_or(1, |pool| pool.current_num_threads().max(1))
    }

    /// Runs `lead` on one thread, with the others as its team, or `alone`.
    pub fn lead<R: Send>(&self, alone: bool, lead: impl FnOnce(&Team) -> R + Send) -> R {
        let Some(pool) = self.0.as_ref().filter(|_| !alone && self.size() > 1) else { return lead(&Team::new(1)) };
        let team = Team::new(self.size());
        let task = Mutex::new((Some(lead), None));
        pool.broadcast(|thread| {
            if thread.index() != 0 {
                return team.help(thread.index());
            }
            let _dismissed = Dismiss(&team);
            if let Ok(mut task) = task.lock()
                && let Some(lead) = task.0.take()
            {
                task.1 = Some(lead(&team));
            }
        });
        let result = task.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).1;
        match result {
            Some(result) => result,
            // The leader panicked, and so has the broadcast.
            None => unreachable!("a leader that returns has a result"),
        }
    }
}

/// Lets the helpers go when the leader is done, and when it panics.
struct Dismiss<'a>(&'a Team);

impl Drop for Dismiss<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Release);
    }
}

/// Blocks of one stage: `work(worker, block)`.
type Work<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// A leader and its helpers during one step.
pub(crate) struct Team {
    size: usize,
    /// Stage, number of blocks, next block: see [`Claim`].
    claim: AtomicU64,
    /// Blocks of the stage that are done.
    done: AtomicUsize,
    /// What the blocks of the stage are; written by the leader between stages.
    work: UnsafeCell<Option<*const Work<'static>>>,
    panicked: AtomicBool,
    over: AtomicBool,
}

// SAFETY: `work` is written by the leader only while no block is claimed, before the claim word of its stage is published, and read
// by those who have claimed a block of that stage.
unsafe impl Sync for Team {}

/// The claim word: 24 bits of stage, 20 bits of blocks, 20 bits of the next block.
#[derive(Clone, Copy, PartialEq)]
struct Claim(u64);

impl Claim {
    const MOST: usize = (1 << 20) - 1;

    fn new(stage: u64, blocks: usize) -> Self {
        Self(stage << 40 | (blocks as u64) << 20)
    }

    fn stage(self) -> u64 {
        self.0 >> 40
    }

    fn block(self) -> Option<usize> {
        let (blocks, next) = (self.0 >> 20 & Self::MOST as u64, self.0 & Self::MOST as u64);
        (next < blocks).then_some(next as usize)
    }
}

/// Rounds of waiting before the thread offers its core to others.
const PATIENCE: u32 = 200;

impl Team {
    fn new(size: usize) -> Self {
        Self {
            size,
            claim: AtomicU64::new(0),
            done: AtomicUsize::new(0),
            work: UnsafeCell::new(None),
            panicked: AtomicBool::new(false),
            over: AtomicBool::new(false),
        }
    }

    /// How many work, the leader among them.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Calls `work(worker, block)` for each of the blocks, each once; returns when all are done. A worker is a number below
    /// [`Team::size`] that no two calls at the same time share. To be called by the leader only, and not from a block.
    ///
    /// # Panics
    /// If a block does, once all others are done.
    pub fn for_blocks(&self, blocks: usize, work: impl Fn(usize, usize) + Sync) {
        if blocks <= 1 || self.size == 1 {
            return (0..blocks).for_each(|block| work(0, block));
        }
        assert!(blocks <= Claim::MOST, "{blocks} blocks");
        let work: *const Work<'_> = &work;
        // SAFETY: all blocks of the last stage are done, and with them all reads of it. The lifetime is cut off: `work` lives until
        // this function returns, which is after the last block of the stage, and nobody reads it without having claimed one.
        unsafe { *self.work.get() = Some(core::mem::transmute::<*const Work<'_>, *const Work<'static>>(work)) };
        self.done.store(0, Ordering::Relaxed);
        let stage = Claim(self.claim.load(Ordering::Relaxed)).stage() + 1;
        self.claim.store(Claim::new(stage & 0xff_ffff, blocks).0, Ordering::Release);
        while self.do_block(0) {}
        let mut rounds = 0;
        while self.done.load(Ordering::Acquire) < blocks {
            wait(&mut rounds);
        }
        assert!(!self.panicked.load(Ordering::Relaxed), "a block of a step panicked");
    }

    /// Claims a block and does it; `false` where none is left.
    fn do_block(&self, worker: usize) -> bool {
        let mut claim = Claim(self.claim.load(Ordering::Acquire));
        let block = loop {
            let Some(block) = claim.block() else { return false };
            match self.claim.compare_exchange_weak(claim.0, claim.0 + 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => break block,
                Err(now) => claim = Claim(now),
            }
        };
        // SAFETY: a block of this stage is claimed and not done, so that `work` stays as the leader has set it.
        if let Some(work) = unsafe { *self.work.get() } {
            // SAFETY: as above; the leader does not return before the block is done.
            let work = unsafe { &*work };
            if catch_unwind(AssertUnwindSafe(|| work(worker, block))).is_err() {
                self.panicked.store(true, Ordering::Relaxed);
            }
        }
        self.done.fetch_add(1, Ordering::Release);
        true
    }

    /// Does blocks until the leader is done.
    fn help(&self, worker: usize) {
        let mut rounds = 0;
        while !self.over.load(Ordering::Acquire) {
            if self.do_block(worker) {
                rounds = 0;
            } else {
                wait(&mut rounds);
            }
        }
    }
}

fn wait(rounds: &mut u32) {
    *rounds += 1;
    if *rounds < PATIENCE {
        core::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}

/// A slice of which several threads write different elements.
pub(crate) struct Shared<'a, T> {
    data: *mut T,
    len: usize,
    borrow: PhantomData<&'a mut [T]>,
}

// SAFETY: it hands out elements by `unsafe` calls only, whose callers promise that no two threads hold the same one.
unsafe impl<T: Send> Sync for Shared<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Shared<'_, T> {}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    pub fn new(slice: &'a mut [T]) -> Self {
        Self { data: slice.as_mut_ptr(), len: slice.len(), borrow: PhantomData }
    }

    /// For the gathers and scatters of kernels, whose callers promise that threads write different elements.
    pub fn as_mut_ptr(&self) -> *mut T {
        self.data
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Asks for the memory of the element at `i`, if there is one, whoever holds it.
    #[inline(always)]
    pub fn prefetch(&self, i: usize) {
        if i < self.len {
            prefetch_at(self.data.wrapping_add(i));
        }
    }

    /// The element at `i`.
    ///
    /// # Safety
    /// Nobody else may hold a reference to it while this one lives.
    ///
    /// # Panics
    /// If there is none.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn get(&self, i: usize) -> &mut T {
        assert!(i < self.len, "element {i} of {}", self.len);
        // SAFETY: within the slice, which is borrowed as long as this lives; that it is not shared is the caller's promise.
        unsafe { &mut *self.data.add(i) }
    }

    /// The elements of a range.
    ///
    /// # Safety
    /// Nobody else may hold a reference to one of them while this one lives.
    ///
    /// # Panics
    /// If the range reaches beyond the slice.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn range(&self, range: core::ops::Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "{range:?} of {}", self.len);
        // SAFETY: as above.
        unsafe { core::slice::from_raw_parts_mut(self.data.add(range.start), range.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(threads: usize) -> Crew {
        Crew::new(Some(Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap())))
    }

    /// Every block is done once, and what threads write to different elements is what one thread writes to all of them.
    #[test]
    fn every_block_is_done_once() {
        let stages = if cfg!(miri) { 10 } else { 200 };
        for crew in [Crew::default(), pool(1), pool(3)] {
            let mut counts = vec![0u32; 1000];
            let shared = Shared::new(&mut counts);
            let done = crew.lead(false, |team| {
                for _ in 0..stages {
                    team.for_blocks(10, |worker, block| {
                        assert!(worker < team.size());
                        // SAFETY: blocks have different ranges.
                        for c in unsafe { shared.range(block * 100..(block + 1) * 100) } {
                            *c += 1 + block as u32;
                        }
                    });
                }
                stages
            });
            assert_eq!(done, stages);
            assert!(counts.iter().enumerate().all(|(i, &c)| c == stages * (1 + i as u32 / 100)));
        }
    }

    /// A block that panics on any thread ends the step with a panic of the caller; nobody waits for ever, and the pool can be used
    /// again.
    #[test]
    fn a_panic_in_a_block_is_no_hang() {
        let crew = pool(2);
        for guilty in [0, 7] {
            let run = || crew.lead(false, |team| team.for_blocks(8, |_, block| assert!(block != guilty)));
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        }
        assert_eq!(crew.lead(false, |team| team.size()), 2);
    }

    #[test]
    #[should_panic(expected = "element 3 of 3")]
    fn elements_beyond_the_end_are_refused() {
        let mut three = [0; 3];
        // SAFETY: nothing else refers to it.
        unsafe { *Shared::new(&mut three).get(3) = 1 };
    }
}
