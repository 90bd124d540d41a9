//! Asking for memory that will be read soon.

/// Bytes that the processor fetches at a time.
const LINE: usize = 64;

/// Asks for all of a value. Changes nothing but speed; does nothing where the target has no such hint.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    prefetch_at(value);
}

/// The same for a value of which nothing is known but where it may be: somebody else may write it, and it need not be there.
#[inline(always)]
pub(crate) fn prefetch_at<T>(value: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let mut at = 0;
        while at < size_of::<T>() {
            // SAFETY: a hint, which every x86-64 has: it reads nothing that the program sees, and faults nowhere.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(value.cast::<i8>().wrapping_add(at)) };
            at += LINE;
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (value, LINE);
}

/// Asks for as much as a value takes, so many bytes behind it, where there need not be anything. As [`prefetch`] it changes nothing but speed.
#[inline(always)]
pub(crate) fn prefetch_beyond<T>(value: &T, bytes: usize) {
    prefetch_at(core::ptr::from_ref(value).wrapping_byte_add(bytes));
}

#[cfg(test)]
mod tests {
    use super::{prefetch, prefetch_beyond};

    // Values of no size, of less than a line and of several, to the last byte of their memory.
    #[test]
    fn asks_for_values_of_any_size() {
        let lines = vec![[7_u8; 200]; 3];
        prefetch(&());
        prefetch(&lines[2][199]);
        for line in &lines {
            prefetch(line);
            assert_eq!(line, &[7; 200]);
        }
    }

    // What is asked for may lie behind the end of all memory.
    #[test]
    fn asks_for_what_is_not_there() {
        let byte = Box::new(7_u8);
        for beyond in [0, 1, 4096, usize::MAX / 2, usize::MAX] {
            prefetch_beyond(&*byte, beyond);
        }
        assert_eq!(*byte, 7);
    }
}
