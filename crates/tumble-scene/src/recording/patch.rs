//! What an edit changed, as a difference of snapshots.
//!
//! Whoever replays a recording has the world before the edit to the bit, so only what differs needs to be kept. A patch is the
//! checksum of the snapshot before the edit, and then pieces: how many bytes stay, how many go, how many come in their place, and
//! these bytes.

use super::{fnv, word};

/// Bytes that stay between two pieces: fewer are not worth a new one.
const GAP: usize = 12;

/// The patch from one snapshot to another.
pub fn patch(before: &[u8], after: &[u8]) -> Vec<u8> {
    let mut out = fnv(before).to_le_bytes().to_vec();
    let mut piece = |stay: usize, go: usize, come: &[u8]| {
        // Frames are shorter than 4 GB, and so are the snapshots in them.
        for length in [stay, go, come.len()] {
            out.extend((length as u32).to_le_bytes());
        }
        out.extend(come);
    };
    if before.len() != after.len() {
        let alike = |(a, b): &(&u8, &u8)| a == b;
        let start = before.iter().zip(after).take_while(alike).count();
        let (a, b) = (&before[start..], &after[start..]);
        let end = a.iter().rev().zip(b.iter().rev()).take_while(alike).count();
        piece(start, a.len() - end, &b[..b.len() - end]);
        return out;
    }
    let (mut done, mut at) = (0, 0);
    while at < after.len() {
        if before[at] == after[at] {
            at += 1;
            continue;
        }
        let first = at;
        let mut end = at + 1;
        while at < after.len() && at < end + GAP {
            if before[at] != after[at] {
                end = at + 1;
            }
            at += 1;
        }
        piece(first - done, end - first, &after[first..end]);
        done = end;
        at = end;
    }
    out
}

/// The snapshot after an edit; `None` if this is no patch, or not one of that snapshot.
pub fn patched(before: &[u8], patch: &[u8]) -> Option<Vec<u8>> {
    if word(patch, 0)? != fnv(before) {
        return None;
    }
    let (mut out, mut rest, mut at) = (Vec::with_capacity(before.len()), before, 4);
    while at < patch.len() {
        let [stay, go, come] = [word(patch, at)?, word(patch, at + 4)?, word(patch, at + 8)?].map(|n| n as usize);
        at += 12;
        out.extend(rest.get(..stay)?);
        rest = rest.get(stay.checked_add(go)?..)?;
        out.extend(patch.get(at..at.checked_add(come)?)?);
        at += come;
    }
    out.extend(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever differs comes back, a small difference is a small patch, and a patch of something else is none.
    #[test]
    fn patches_lead_from_one_to_the_other() {
        let base: Vec<u8> = (0..200_u8).collect();
        let mut few = base.clone();
        (few[3], few[7], few[90]) = (0, 0, 0);
        let longer = [&base[..50], b"more", &base[50..]].concat();
        let cases = [base.clone(), few.clone(), longer, base[..9].to_vec(), Vec::new(), b"another".to_vec()];
        for (i, before) in cases.iter().enumerate() {
            for (k, after) in cases.iter().enumerate() {
                assert_eq!(patched(before, &patch(before, after)).as_ref(), Some(after), "{i} to {k}");
            }
        }
        assert!(patch(&base, &few).len() < 50);
        assert_eq!(patched(&few, &patch(&base, &few)), None);
        // One that was cut, or that speaks of more than there is, is refused.
        let whole = patch(&base, &few);
        assert!((4..whole.len()).filter(|n| patched(&base, &whole[..*n]).is_none()).count() > 20);
        let mut wrong = whole;
        wrong[4] = 255;
        assert_eq!(patched(&base, &wrong), None);
    }
}
