//! The crew: the threads that a world's steps run on.
//!
//! Work is cut into blocks whose outcome does not depend on who does them or when: blocks write different elements, and what they
//! report is read in the order of the blocks. So the number of threads changes no bit.

use core::marker::PhantomData;
use core::sync::atomic::{AtomicUsize, Ordering};
use rayon::ThreadPool;
use std::sync::Arc;

/// Threads that share the work of a step; none but the caller's by default.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crew(Option<Arc<ThreadPool>>);

impl Crew {
    pub fn new(pool: Option<Arc<ThreadPool>>) -> Self {
        Self(pool)
    }

    pub fn pool(&self) -> Option<&Arc<ThreadPool>> {
        self.0.as_ref()
    }

    /// How many work.
    pub fn size(&self) -> usize {
        self.0.as_ref().map_or(1, |pool| pool.current_num_threads())
    }

    /// Calls `work(worker, block)` for each of the blocks, each once. A worker is a number below [`Crew::size`] that no two calls
    /// at the same time share.
    pub fn for_blocks(&self, blocks: usize, work: impl Fn(usize, usize) + Sync) {
        match &self.0 {
            Some(pool) if blocks > 1 && pool.current_num_threads() > 1 => {
                let next = AtomicUsize::new(0);
                pool.broadcast(|who| {
                    loop {
                        let block = next.fetch_add(1, Ordering::Relaxed);
                        if block >= blocks {
                            break;
                        }
                        work(who.index(), block);
                    }
                });
            }
            _ => {
                for block in 0..blocks {
                    work(0, block);
                }
            }
        }
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

    pub fn len(&self) -> usize {
        self.len
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
        for crew in [Crew::default(), pool(1), pool(3)] {
            let mut counts = vec![0u32; 1000];
            let shared = Shared::new(&mut counts);
            crew.for_blocks(10, |worker, block| {
                assert!(worker < crew.size());
                // SAFETY: blocks have different ranges.
                for c in unsafe { shared.range(block * 100..(block + 1) * 100) } {
                    *c += 1 + block as u32;
                }
            });
            assert!(counts.iter().enumerate().all(|(i, &c)| c == 1 + i as u32 / 100));
        }
    }

    #[test]
    #[should_panic(expected = "element 3 of 3")]
    fn elements_beyond_the_end_are_refused() {
        let mut three = [0; 3];
        // SAFETY: nothing else refers to it.
        unsafe { *Shared::new(&mut three).get(3) = 1 };
    }
}
