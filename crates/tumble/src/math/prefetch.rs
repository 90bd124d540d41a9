//! Asking for memory that will be read soon.

/// Bytes that the processor fetches at a time.
const LINE: usize = 64;

/// Asks for all of a value. Changes nothing but speed; does nothing where the target has no such hint.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let first = core::ptr::from_ref(value).cast::<i8>();
        let mut at = 0;
        while at < size_of::<T>() {
            // SAFETY: a hint, which every x86-64 has: it reads nothing that the program sees, and faults nowhere.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(at)) };
            at += LINE;
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (value, LINE);
}

#[cfg(test)]
mod tests {
    use super::prefetch;

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
}
