//! The crew: the threads that a world's steps run on.
//!
//! Work is cut into blocks whose outcome does not depend on who does them or when: blocks write different elements, and what they
//! report is read in the order of the blocks. So the number of threads changes no bit.
//!
//! A step has hundreds of stages, many of a few microseconds. So the threads are called once per step: one of them, the leader, runs
//! the step from top to bottom, and hands out blocks wherever there is something to share; the others wait for blocks, spinning. Who calls for the step leads it, unless
//! the threads are those of a pool that belongs to somebody else: there its threads alone work.
//!
//! ```text
//!   leader   ──serial──┬─block 0─┬─block 1─┬──serial──┬─block 0─┬─ ...
//!   helper   ··waiting··┴─block 2─┴─block 3─┴·waiting··┴─block 1─┴─ ...
//! ```
//!
//! Each worker has a part of the blocks of a stage for his own, the same part in every stage of as many blocks: so what he has written is in his
//! cache when he comes back to it. He takes his blocks from the front; who is done with his own helps others with theirs, from the end.
//! One word for each worker says which of his blocks nobody has claimed: the number of the stage, the first of them, and their end. A block is
//! claimed by a compare-and-swap of the whole word, so that nobody who slept through the end of a stage takes a block of the next one for
//! one that he has seen.

use crate::math::prefetch_at;
use core::cell::{Cell, UnsafeCell};
use core::marker::PhantomData;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// Threads that share the work of a step; none but the caller's by default.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crew(Option<Helpers>);

#[derive(Clone, Debug)]
struct Helpers {
    pool: Arc<ThreadPool>,
    /// Whether somebody leads them now. None for a pool of somebody else's, which has its leader among its threads.
    led: Option<Arc<AtomicBool>>,
}

impl Crew {
    /// The caller and as many others that he is one of `size`.
    pub fn of(size: usize) -> Result<Self, ThreadPoolBuildError> {
        if size <= 1 {
            return Ok(Self(None));
        }
        let pool = Arc::new(ThreadPoolBuilder::new().num_threads(size - 1).build()?);
        Ok(Self(Some(Helpers { pool, led: Some(Arc::default()) })))
    }

    /// The threads of a pool, which the caller waits for.
    pub fn of_pool(pool: Option<Arc<ThreadPool>>) -> Self {
        Self(pool.map(|pool| Helpers { pool, led: None }))
    }

    /// How many work.
    pub fn size(&self) -> usize {
        self.0
            .as_ref()
            .map_or(1, |helpers| helpers.pool.current_num_threads().max(1) + usize::from(helpers.led.is_some()))
    }

    /// The threads are the world's own: to call them waits for nobody else's work.
    pub fn is_own(&self) -> bool {
        self.0.as_ref().is_none_or(|helpers| helpers.led.is_some())
    }

    /// Runs `lead` with the others as its team, or `alone`: on the caller's thread, but for a pool of somebody else's on one of that. Alone, too, is who asks for it within another's lead, as a hook that steps a world of its
    /// own: the threads of that one would be waited for until it ends. (A pool of its own could help it; it is left alone all the same.)
    pub fn lead<R: Send>(&self, alone: bool, lead: impl FnOnce(&Team) -> R + Send) -> R {
        let alone = alone || self.size() == 1 || AT_WORK.get();
        let Some(Helpers { pool, led }) = self.0.as_ref().filter(|_| !alone) else { return lead(&Team::new(1, &[])) };
        let led = led.as_deref().map(Led::begin);
        if let Some(None) = led {
            // The helpers have a leader, who may be waiting for this caller.
            return lead(&Team::new(1, &[]));
        }
        let claims = Team::claims();
        let team = Team::new(self.size(), &claims);
        if let Some(Some(led)) = led {
            return pool.in_place_scope(|scope| {
                let (led, working, dismissed) = (led, Working::begin(), Dismiss(&team));
                scope.spawn_broadcast(|_, thread| {
                    let _working = Working::begin();
                    team.help(thread.index() + 1);
                    team.gone.0.fetch_add(1, Ordering::Release);
                });
                let result = lead(&team);
                drop((dismissed, working, led));
                // Mostly they are about to go, and to sleep until they are gone takes longer.
                let mut rounds = 0;
                while rounds < PATIENCE && team.gone.0.load(Ordering::Acquire) + 1 < team.size {
                    wait(&mut rounds);
                }
                result
            });
        }
        let task = Mutex::new((Some(lead), None));
        pool.broadcast(|thread| {
            let _working = Working::begin();
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
        let result = task.into_inner().unwrap_or_else(PoisonError::into_inner).1;
        match result {
            Some(result) => result,
            // The leader panicked, and so has the broadcast.
            None => unreachable!("a leader that returns has a result"),
        }
    }
}

thread_local! {
    /// This thread leads or helps.
    static AT_WORK: Cell<bool> = const { Cell::new(false) };
}

/// A thread leads or helps while this lives.
struct Working(bool);

impl Working {
    fn begin() -> Self {
        Self(AT_WORK.replace(true))
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        AT_WORK.set(self.0);
    }
}

/// Somebody leads the helpers of a crew while this lives.
struct Led<'a>(&'a AtomicBool);

impl<'a> Led<'a> {
    /// None if somebody does already.
    fn begin(led: &'a AtomicBool) -> Option<Self> {
        (!led.swap(true, Ordering::Acquire)).then_some(Self(led))
    }
}

impl Drop for Led<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Lets the helpers go when the leader is done, and when it panics.
struct Dismiss<'a>(&'a Team<'a>);

impl Drop for Dismiss<'_> {
    fn drop(&mut self) {
        self.0.over.0.store(true, Ordering::Release);
    }
}

/// Blocks of one stage: `work(worker, block)`.
type Work<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// What several threads write, in lines of the cache that it has for itself. Two of them: processors fetch lines in pairs.
#[derive(Clone, Debug)]
#[repr(align(128))]
pub(crate) struct Padded<T>(pub T);

/// A leader and its helpers during one step.
pub(crate) struct Team<'a> {
    size: usize,
    /// What each worker has to do: see [`Claim`]. Of more workers than there are places, several have one in common. A leader without helpers needs none:
    /// a small world need not fill two kilobytes with zeros in every step.
    claims: &'a [Padded<AtomicU64>],
    /// Blocks of the stage that are done.
    done: Padded<AtomicUsize>,
    /// What the blocks of the stage are; written by the leader between stages.
    work: UnsafeCell<Option<*const Work<'static>>>,
    panicked: AtomicBool,
    /// The first of the blocks that did, with its words.
    words: Mutex<Option<(usize, Box<dyn Any + Send>)>>,
    over: Padded<AtomicBool>,
    /// Helpers that have been let go.
    gone: Padded<AtomicUsize>,
}

// SAFETY: `work` is written by the leader only while no block is claimed, before the claim words of its stage are published, and read
// by those who have claimed a block of that stage.
unsafe impl Sync for Team<'_> {}

/// Workers with blocks of their own, at the most.
const PLACES: usize = 16;

/// The claim word of a worker: 24 bits of stage, 20 bits of the next of his blocks, 20 bits of their end.
#[derive(Clone, Copy, PartialEq)]
struct Claim(u64);

impl Claim {
    const MOST: usize = (1 << 20) - 1;

    fn new(stage: u64, blocks: Range<usize>) -> Self {
        Self((stage & 0xff_ffff) << 40 | (blocks.start as u64) << 20 | blocks.end as u64)
    }

    fn stage(self) -> u64 {
        self.0 >> 40
    }

    fn blocks(self) -> Range<usize> {
        let part = |shift: u32| (self.0 >> shift) as usize & Self::MOST;
        part(20)..part(0)
    }

    /// The first block, or the last, and what is left then.
    fn without(self, last: bool) -> Option<(usize, Self)> {
        let blocks = self.blocks();
        if blocks.is_empty() {
            None
        } else if last {
            Some((blocks.end - 1, Self(self.0 - 1)))
        } else {
            Some((blocks.start, Self(self.0 + (1 << 20))))
        }
    }
}

/// Rounds of waiting before the thread offers its core to others.
const PATIENCE: u32 = 200;

impl<'a> Team<'a> {
    /// The claim words of a team, with nothing to be done.
    fn claims() -> [Padded<AtomicU64>; PLACES] {
        [const { Padded(AtomicU64::new(0)) }; PLACES]
    }

    fn new(size: usize, claims: &'a [Padded<AtomicU64>]) -> Self {
        Self {
            size,
            claims,
            done: Padded(AtomicUsize::new(0)),
            work: UnsafeCell::new(None),
            panicked: AtomicBool::new(false),
            words: Mutex::new(None),
            over: Padded(AtomicBool::new(false)),
            gone: Padded(AtomicUsize::new(0)),
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
    /// If a block does, once all others are done; with the words of the first that did.
    pub fn for_blocks(&self, blocks: usize, work: impl Fn(usize, usize) + Sync) {
        if blocks <= 1 || self.size == 1 {
            return (0..blocks).for_each(|block| work(0, block));
        }
        assert!(blocks <= Claim::MOST, "{blocks} blocks");
        let work: *const Work<'_> = &work;
        // SAFETY: all blocks of the last stage are done, and with them all reads of it. The lifetime is cut off: `work` lives until
        // this function returns, which is after the last block of the stage, and nobody reads it without having claimed one.
        unsafe { *self.work.get() = Some(core::mem::transmute::<*const Work<'_>, *const Work<'static>>(work)) };
        self.done.0.store(0, Ordering::Relaxed);
        let stage = Claim(self.claims[0].0.load(Ordering::Relaxed)).stage() + 1;
        // Nobody is called for nothing. The leader's own come last: the others can begin.
        let places = &self.places()[..self.places().len().min(blocks)];
        for place in (0..places.len()).rev() {
            let own = place * blocks / places.len()..(place + 1) * blocks / places.len();
            places[place].0.store(Claim::new(stage, own).0, Ordering::Release);
        }
        self.do_blocks(0);
        let mut rounds = 0;
        while self.done.0.load(Ordering::Acquire) < blocks {
            wait(&mut rounds);
        }
        if self.panicked.load(Ordering::Relaxed) {
            let words = self.words.lock().unwrap_or_else(PoisonError::into_inner).take();
            resume_unwind(words.map_or_else(|| Box::new("a block of a step panicked") as Box<dyn Any + Send>, |w| w.1));
        }
    }

    /// Calls `work(task)` for each of a few tasks of unlike size, each once: whoever has nothing to do takes the next, so that the longest had better come first. As
    /// [`Team::for_blocks`].
    pub fn for_tasks(&self, tasks: usize, work: impl Fn(usize) + Sync) {
        let next = AtomicUsize::new(0);
        self.for_blocks(self.size, |_, _| {
            loop {
                let task = next.fetch_add(1, Ordering::Relaxed);
                if task >= tasks {
                    break;
                }
                work(task);
            }
        });
    }

    /// Calls both, at the same time where somebody helps. As [`Team::for_blocks`].
    pub fn both<A: Send, B: Send>(&self, a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
        if self.size == 1 {
            return (a(), b());
        }
        let (a, b) = (Errand::new(a), Errand::new(b));
        self.for_blocks(2, |_, block| if block == 0 { a.run() } else { b.run() });
        (a.result(), b.result())
    }

    /// Calls `work` for pieces of `0..count` with `piece` elements each, with fewer where there would be no piece for some, and for all of it at once where
    /// nobody helps. As [`Team::for_blocks`].
    pub fn for_ranges(&self, count: usize, piece: usize, work: impl Fn(Range<usize>) + Sync) {
        self.for_ranges_of(count, piece, |_, range| work(range));
    }

    /// The same, and says who works.
    pub fn for_ranges_of(&self, count: usize, piece: usize, work: impl Fn(usize, Range<usize>) + Sync) {
        if self.size == 1 {
            return work(0, 0..count);
        }
        // A piece for each where there is little to do; but to hand out next to nothing costs more than it is worth.
        let piece = count.div_ceil(self.size).clamp(piece.div_ceil(4), piece);
        self.for_blocks(count.div_ceil(piece), |worker, block| {
            work(worker, block * piece..count.min((block + 1) * piece));
        });
    }

    /// The claim words that are in use.
    fn places(&self) -> &[Padded<AtomicU64>] {
        &self.claims[..self.size.min(PLACES)]
    }

    /// Does the worker's own blocks, then those that others have left.
    fn do_blocks(&self, worker: usize) {
        let places = self.places();
        let (before, from) = places.split_at(worker % places.len());
        let mut done = 0;
        for (i, place) in from.iter().chain(before).enumerate() {
            while let Some(block) = claim(&place.0, i > 0) {
                self.do_block(worker, block);
                done += 1;
            }
        }
        if done > 0 {
            self.done.0.fetch_add(done, Ordering::Release);
        }
    }

    /// Does a block that this worker has claimed.
    fn do_block(&self, worker: usize, block: usize) {
        // SAFETY: a block of this stage is claimed and not told to be done, so that `work` stays as the leader has set it.
        if let Some(work) = unsafe { *self.work.get() } {
            // SAFETY: as above; the leader does not return before the block is done.
            let work = unsafe { &*work };
            if let Err(words) = catch_unwind(AssertUnwindSafe(|| work(worker, block))) {
                let mut first = self.words.lock().unwrap_or_else(PoisonError::into_inner);
                if first.as_ref().is_none_or(|first| block < first.0) {
                    *first = Some((block, words));
                }
                self.panicked.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Does blocks until the leader is done. While there is nothing to do it leaves the words of the others to them.
    fn help(&self, worker: usize) {
        let places = self.places();
        let own = &places[worker % places.len()].0;
        let (mut rounds, mut seen) = (0, 0);
        while !self.over.0.load(Ordering::Acquire) {
            let stage = Claim(own.load(Ordering::Acquire)).stage();
            if stage == seen {
                wait(&mut rounds);
            } else {
                (rounds, seen) = (0, stage);
                self.do_blocks(worker);
            }
        }
    }
}

/// Something that somebody does once.
struct Errand<F, R> {
    todo: Mutex<Option<F>>,
    result: Mutex<Option<R>>,
}

impl<R, F: FnOnce() -> R> Errand<F, R> {
    fn new(todo: F) -> Self {
        Self { todo: Mutex::new(Some(todo)), result: Mutex::new(None) }
    }

    fn run(&self) {
        let todo = self.todo.lock().unwrap_or_else(PoisonError::into_inner).take();
        let result = todo.map(|todo| todo());
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) = result;
    }

    /// It has been run, and without a panic: else who handed it out would have panicked.
    fn result(self) -> R {
        let result = self.result.into_inner().unwrap_or_else(PoisonError::into_inner);
        result.unwrap_or_else(|| resume_unwind(Box::new("an errand was not run")))
    }
}

/// Claims a block of a word: its first or its `last`.
fn claim(word: &AtomicU64, last: bool) -> Option<usize> {
    let mut claim = Claim(word.load(Ordering::Acquire));
    loop {
        let (block, left) = claim.without(last)?;
        match word.compare_exchange_weak(claim.0, left.0, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return Some(block),
            Err(now) => claim = Claim(now),
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

/// A list for each worker, which may be brought together when all are done. Kept between steps for its memory.
#[derive(Clone, Debug)]
pub(crate) struct Lists<T> {
    /// The first is that of all in the end, so that one worker has no second.
    lists: Vec<Padded<Vec<T>>>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { lists: Vec::new() }
    }
}

impl<T: Send> Lists<T> {
    /// Empties them, for so many workers. Each has room for twice its share of what they held together, so that they seldom grow where it stays the same.
    pub fn begin(&mut self, workers: usize) -> Shared<'_, Padded<Vec<T>>> {
        let room = 2 * self.lists.iter().map(|list| list.0.len()).sum::<usize>() / workers.max(1);
        // A step that one worker makes alone does not give the memory of the others back.
        if self.lists.len() < workers.max(1) {
            self.lists.resize_with(workers.max(1), || Padded(Vec::new()));
        }
        for list in &mut self.lists {
            list.0.clear();
        }
        for list in self.lists.iter_mut().take(workers).skip(1) {
            list.0.reserve(room);
        }
        Shared::new(&mut self.lists)
    }

    /// Appends all lists to the first, in no order: a worker does its own blocks from the first on, and those that others have left from the last.
    pub fn gather(&mut self) {
        if let Some((all, others)) = self.lists.split_first_mut() {
            others.iter_mut().for_each(|list| all.0.append(&mut list.0));
        }
    }

    /// Appends all lists to the first, in the order of a key that no two have in common, whoever found what.
    pub fn gather_by_key(&mut self, key: impl Fn(&T) -> u32) {
        self.gather();
        let all = self.all_mut();
        if !all.is_sorted_by_key(&key) {
            all.sort_unstable_by_key(key);
        }
    }

    /// The list of a worker.
    pub fn of(&self, worker: usize) -> &[T] {
        self.lists.get(worker).map_or(&[], |list| &list.0)
    }

    /// The first list.
    pub fn all(&self) -> &[T] {
        self.lists.first().map_or(&[], |list| &list.0)
    }

    /// The first list, to be changed.
    pub fn all_mut(&mut self) -> &mut Vec<T> {
        if self.lists.is_empty() {
            self.lists.push(Padded(Vec::new()));
        }
        &mut self.lists[0].0
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
    pub unsafe fn range(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "{range:?} of {}", self.len);
        // SAFETY: as above.
        unsafe { core::slice::from_raw_parts_mut(self.data.add(range.start), range.len()) }
    }
}

impl Shared<'_, u32> {
    /// Adds to the element at `i`, as others may do at the same time.
    ///
    /// # Safety
    /// Nobody may hold a reference to it.
    ///
    /// # Panics
    /// If there is none.
    #[inline(always)]
    pub unsafe fn add(&self, i: usize, more: u32) {
        assert!(i < self.len, "element {i} of {}", self.len);
        // SAFETY: within the slice, which is borrowed as long as this lives; that nobody reads or writes it in another way is the caller's promise.
        unsafe { AtomicU32::from_ptr(self.data.add(i)) }.fetch_add(more, Ordering::Relaxed);
    }
}

/// Counts that several threads add to, and nobody reads meanwhile.
#[derive(Clone, Copy)]
pub(crate) struct Sums<'a>(Shared<'a, u32>);

impl<'a> Sums<'a> {
    pub fn new(counts: &'a mut [u32]) -> Self {
        Self(Shared::new(counts))
    }

    /// Adds to the count at `i`, if there is one.
    #[inline(always)]
    pub fn add(&self, i: usize, more: u32) {
        if i < self.0.len() {
            // SAFETY: the slice is borrowed as long as this lives, and handed out to nobody.
            unsafe { self.0.add(i, more) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crew(size: usize) -> Crew {
        Crew::of(size).unwrap()
    }

    /// That of a pool of somebody else's.
    fn hired(size: usize) -> Crew {
        Crew::of_pool(Some(Arc::new(ThreadPoolBuilder::new().num_threads(size).build().unwrap())))
    }

    /// A hook that steps another world on the same threads is not waited for by those who wait for it.
    #[test]
    fn a_lead_within_a_lead_is_alone() {
        for crew in [crew(3), hired(3)] {
            for _ in 0..2 {
                let sizes = crew.lead(false, |team| (team.size(), crew.lead(false, |inner| inner.size())));
                assert_eq!(sizes, (3, 1));
            }
        }
    }

    /// Who calls leads a crew of his own; a pool of somebody else's has threads for that. Several may call for one crew at the same time.
    #[test]
    fn the_caller_leads_his_own() {
        let caller = || std::thread::current().id();
        assert_eq!(crew(2).lead(false, |_| caller()), caller());
        assert_ne!(hired(2).lead(false, |_| caller()), caller());
        for crew in [crew(2), hired(2)] {
            let sums = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        for _ in 0..if cfg!(miri) { 2 } else { 50 } {
                            crew.lead(false, |team| {
                                team.for_blocks(8, |_, block| {
                                    sums.fetch_add(block, Ordering::Relaxed);
                                });
                            });
                        }
                    });
                }
            });
            assert_eq!(sums.into_inner(), 3 * 28 * if cfg!(miri) { 2 } else { 50 });
        }
    }

    /// Somebody whom the leader waits for, on another thread, leads alone: the helpers are those of the leader until he is done.
    #[test]
    fn who_is_waited_for_by_a_leader_leads_alone() {
        let crew = crew(2);
        let other = || std::thread::scope(|scope| scope.spawn(|| crew.lead(false, |team| team.size())).join().unwrap());
        for _ in 0..3 {
            assert_eq!(crew.lead(false, |team| (team.size(), other())), (2, 1));
        }
        assert_eq!(crew.lead(false, |team| team.size()), 2);
    }

    /// A leader that panics lets his helpers go, and the crew is as good as before.
    #[test]
    fn helpers_survive_their_leader() {
        for crew in [crew(3), hired(3)] {
            let lead = || crew.lead(false, |_| -> usize { panic!("the leader") });
            assert!(catch_unwind(AssertUnwindSafe(lead)).is_err());
            assert!(!AT_WORK.get());
            assert_eq!(crew.lead(false, |team| team.size()), 3);
        }
    }

    /// Every block is done once, and what threads write to different elements is what one thread writes to all of them.
    #[test]
    fn every_block_is_done_once() {
        let stages = if cfg!(miri) { 10 } else { 200 };
        for crew in [Crew::default(), crew(1), crew(3), hired(1), hired(3)] {
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

    /// Both are called once and give what they come to; a panic of one is the caller's, who can go on.
    #[test]
    fn both_are_called() {
        for crew in [Crew::default(), crew(2), crew(5), hired(3)] {
            let (mut left, mut right) = (0, String::new());
            let sum = |left: &mut i32| {
                *left += 1;
                *left
            };
            let results = crew.lead(false, |team| team.both(|| sum(&mut left), || right.push('r')));
            assert_eq!((results, left, right.as_str()), ((1, ()), 1, "r"));
            let panicked = crew.lead(false, |team| {
                catch_unwind(AssertUnwindSafe(|| team.both(|| panic!("on purpose"), || 2))).is_err()
            });
            assert!(panicked);
            assert_eq!(crew.lead(false, |team| team.both(|| 3, || 4)), (3, 4));
        }
    }

    /// Tasks are done once each, all of them, by few and by many.
    #[test]
    fn every_task_is_done_once() {
        for crew in [Crew::default(), crew(2), crew(5), hired(3)] {
            for tasks in [0, 1, 2, 7, 300] {
                let done: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
                crew.lead(false, |team| {
                    team.for_tasks(tasks, |task| {
                        done[task].fetch_add(1, Ordering::Relaxed);
                    });
                });
                assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 1), "{tasks} by {}", crew.size());
            }
        }
    }

    /// Pieces of a range are all of it, each once, whatever their size; and what several threads add to one element adds up.
    #[test]
    fn ranges_cover_all_once() {
        for crew in [Crew::default(), crew(3), hired(3)] {
            for (count, piece) in [(0, 4), (1, 4), (99, 7), (100, 100), (100, 200)] {
                let (mut seen, mut sum) = (vec![0u32; count], [0u32]);
                let (all, total) = (Shared::new(&mut seen), Sums::new(&mut sum));
                let calls = AtomicUsize::new(0);
                crew.lead(false, |team| {
                    team.for_ranges(count, piece, |range| {
                        calls.fetch_add(1, Ordering::Relaxed);
                        for i in range {
                            // SAFETY: ranges do not overlap.
                            unsafe { *all.get(i) += 1 };
                            total.add(0, i as u32);
                            total.add(1, 1); // there is none
                        }
                    });
                });
                assert!(seen.iter().all(|&n| n == 1) && sum[0] as usize == (0..count).sum());
                // One piece for each of three, unless it were less than a quarter of what a piece is to be.
                let pieces = match (count, crew.size()) {
                    (0, 3) => 0,
                    (1, _) | (_, 1) => 1,
                    (99, _) => 15,
                    _ if piece == 100 => 3,
                    _ => 2,
                };
                assert_eq!(calls.into_inner(), pieces, "{count} by {piece}");
            }
        }
    }

    /// Blocks that take longer than others are done all the same, by whoever has nothing to do; more workers than places, and fewer blocks than
    /// either, are no trouble.
    #[test]
    fn blocks_of_the_slow_are_done_by_others() {
        let crew = crew(PLACES + 3);
        for blocks in [2, PLACES, 5 * PLACES] {
            let mut counts = vec![0u32; blocks];
            let shared = Shared::new(&mut counts);
            crew.lead(false, |team| {
                for _ in 0..if cfg!(miri) { 2 } else { 20 } {
                    team.for_blocks(blocks, |_, block| {
                        if block % 7 == 0 {
                            std::thread::yield_now();
                        }
                        // SAFETY: a block is given to one thread.
                        unsafe { *shared.get(block) += 1 };
                    });
                }
            });
            assert!(counts.iter().all(|&n| n == if cfg!(miri) { 2 } else { 20 }), "{counts:?}");
        }
    }

    /// The number of the stage begins anew when it has run through, and all blocks are done as before.
    #[test]
    fn stages_begin_anew() {
        let claims = Team::claims();
        let team = Team::new(2, &claims);
        team.claims.iter().for_each(|word| word.0.store(Claim::new(0xff_fffd, 0..0).0, Ordering::Relaxed));
        let mut counts = [0u32; 40];
        let shared = Shared::new(&mut counts);
        std::thread::scope(|scope| {
            scope.spawn(|| team.help(1));
            let _dismissed = Dismiss(&team);
            for _ in 0..6 {
                // SAFETY: a block is given to one thread.
                team.for_blocks(40, |_, block| unsafe { *shared.get(block) += 1 });
            }
        });
        assert_eq!(counts, [6; 40]);
    }

    /// Lists of workers come together, those of one worker as they are; memory is kept where fewer work for a while.
    #[test]
    fn lists_come_together() {
        let mut lists = Lists::default();
        lists.gather();
        assert!(lists.all().is_empty());
        for workers in [3, 1, 3] {
            let each = lists.begin(workers);
            for worker in 0..workers {
                // SAFETY: nobody else is at work.
                unsafe { each.get(worker) }.0.extend([worker as u32; 4]);
            }
            lists.gather();
            let held: Vec<u32> = (0..workers as u32).flat_map(|w| [w; 4]).collect();
            assert_eq!(lists.all(), held);
            assert!(lists.lists.len() == 3 && lists.lists[2].0.capacity() >= 4, "after {workers}");
        }
    }

    /// A worker that does all blocks of another one does them from the last to the first, and nobody has anything to append: what comes together
    /// is in order all the same.
    #[test]
    fn lists_of_one_who_does_the_work_of_others_are_in_order() {
        let mut lists: Lists<u32> = Lists::default();
        for (own, other) in [(vec![0, 1, 4, 3, 2], vec![]), (vec![0, 4], vec![1, 2, 3]), (vec![0, 1, 2, 3, 4], vec![])]
        {
            let each = lists.begin(2);
            // SAFETY: nobody else is at work.
            unsafe { each.get(0) }.0.extend(own);
            // SAFETY: as above.
            unsafe { each.get(1) }.0.extend(other);
            lists.gather_by_key(|&block| block);
            assert_eq!(lists.all(), [0, 1, 2, 3, 4]);
        }
    }

    /// Blocks that panic on any thread end the step with a panic of the caller, which has the words of the first of them; nobody waits for ever, and the pool can
    /// be used again.
    #[test]
    fn a_panic_in_a_block_is_no_hang() {
        let crew = crew(2);
        for guilty in [[0, 5], [6, 7]] {
            let fail = |block: usize| assert!(!guilty.contains(&block), "block {block}");
            let run = || crew.lead(false, |team| team.for_blocks(8, |_, block| fail(block)));
            let words = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
            assert_eq!(words.downcast_ref::<String>(), Some(&format!("block {}", guilty[0])));
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
