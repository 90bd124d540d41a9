//! Room in arrays that are filled anew in every step.

/// Makes room for `count` elements in all, of an array whose old elements mean nothing: they are gone where there is too little room.
///
/// Arrays of a step are as long as the world is large. So they grow by a quarter and not to twice as much, take no more than what is asked for the first time,
/// and give back what they had before they take more.
pub(crate) fn make_room<T>(array: &mut Vec<T>, count: usize) {
    make_ample_room(array, count, 0);
}

/// The same where there may soon be a `crowd`. An array that grows with every body that falls onto a pile leaves its old places in memory behind, one larger
/// than the other; so it takes up to eight times what is asked for.
pub(crate) fn make_ample_room<T>(array: &mut Vec<T>, count: usize, crowd: usize) {
    let room = array.capacity();
    if room < count {
        *array = Vec::new();
        array.reserve_exact(count.max(room + room / 4).max(crowd.min(8 * count)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As much as is asked for at first, a quarter more where little more is asked for, and nothing where there is room, which keeps what is there.
    #[test]
    fn room_grows_by_a_quarter() {
        let mut array = vec![0u64; 0];
        for (count, room) in [(100, 100), (7, 100), (100, 100), (101, 125), (125, 125), (400, 400)] {
            let grows = array.capacity() < count;
            let kept = if grows { 0 } else { array.len() };
            make_room(&mut array, count);
            assert_eq!((array.capacity(), array.len()), (room, kept), "for {count}");
            array.resize(count.min(50), 1);
        }
    }

    /// Ample room is for a crowd, but not for much more than is there.
    #[test]
    fn ample_room_is_within_reason() {
        for (count, crowd, room) in [(10, 1000, 80), (200, 1000, 1000), (200, 100, 200), (0, 1000, 0)] {
            let mut array: Vec<u64> = Vec::new();
            make_ample_room(&mut array, count, crowd);
            assert_eq!(array.capacity(), room, "{count} of {crowd}");
        }
    }
}
