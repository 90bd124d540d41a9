//! What an edit changed, as a difference of snapshots.
//!
//! Whoever replays a recording has the world before the edit to the bit, so only what differs needs to be kept. A patch is the
//! checksum of the snapshot before the edit, and then pieces: how many bytes stay, how many go, how many come in their place, and
//! these bytes.

use super::{fnv, word};
use std::collections::HashMap;

/// Bytes that stay between two pieces: fewer are not worth a new one.
const GAP: usize = 12;
/// Bytes by which a place that has moved is found again.
const BLOCK: usize = 32;
/// How far ahead a place is looked for that has not moved, where others have.
const NEAR: usize = 256;
/// Bytes by which two such places are compared: which of them goes on for longer.
const LONG: usize = 1 << 16;

/// The patch from one snapshot to another.
pub fn patch(before: &[u8], after: &[u8]) -> Vec<u8> {
    let mut out = fnv(before).to_le_bytes().to_vec();
    let mut blocks = None;
    let (mut a, mut b) = (before, after);
    loop {
        let stay = alike(a, b, usize::MAX);
        (a, b) = (&a[stay..], &b[stay..]);
        if a.is_empty() && b.is_empty() {
            return out;
        }
        let Meeting { go, come, .. } = if before.len() == after.len() {
            meet_in_place(a, b, GAP, usize::MAX)
        } else {
            let blocks = blocks.get_or_insert_with(|| Blocks::of(before));
            let here = meet_in_place(a, b, BLOCK, NEAR);
            let there = blocks.meet(a, b);
            if here.worth() >= there.worth() { here } else { there }
        };
        // Frames are shorter than 4 GB, and so are the snapshots in them.
        for length in [stay, go, come] {
            out.extend((length as u32).to_le_bytes());
        }
        out.extend(&b[..come]);
        (a, b) = (&a[go..], &b[come..]);
    }
}

/// How many bytes are the same at the beginning of both; no more than `most` are looked at.
fn alike(a: &[u8], b: &[u8], most: usize) -> usize {
    a.iter().zip(b).take(most).take_while(|(a, b)| a == b).count()
}

/// How many bytes of the one go and of the other come until both are alike again, and for how long.
struct Meeting {
    go: usize,
    come: usize,
    alike: usize,
}

impl Meeting {
    /// What stays, less what might have stayed elsewhere.
    fn worth(&self) -> isize {
        self.alike as isize - self.go.max(self.come) as isize
    }
}

/// The first place at the same distance in both from which on `enough` bytes, or all that are left, are alike; the ends of both if there is
/// none so near.
fn meet_in_place(a: &[u8], b: &[u8], enough: usize, near: usize) -> Meeting {
    let mut k = 1;
    while k < near.min(a.len()).min(b.len()) {
        let alike = alike(&a[k..], &b[k..], LONG);
        if alike >= enough || (k + alike == a.len() && k + alike == b.len()) {
            return Meeting { go: k, come: k, alike };
        }
        k += alike + 1;
    }
    Meeting { go: a.len(), come: b.len(), alike: 0 }
}

/// Where the blocks of a snapshot are, counted from its end, the last one first.
struct Blocks<'a>(HashMap<&'a [u8], Vec<usize>>);

impl<'a> Blocks<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        let mut places = HashMap::new();
        for (i, block) in bytes.chunks_exact(BLOCK).enumerate().rev() {
            places.entry(block).or_insert_with(Vec::new).push(bytes.len() - i * BLOCK);
        }
        Self(places)
    }

    /// Where a block of `b` is found in `a`, the rest of the snapshot: of the first few such places the best one, and the ends of both if there is
    /// none.
    fn meet(&self, a: &[u8], b: &[u8]) -> Meeting {
        let mut best = Meeting { go: a.len(), come: b.len(), alike: 0 };
        let (mut last, mut at) = (b.len(), 0);
        while at < last.min((b.len() + 1).saturating_sub(BLOCK)) {
            let places = self.0.get(&b[at..at + BLOCK]).map_or(&[][..], Vec::as_slice);
            if let Some(&left) = places[..places.partition_point(|&left| left <= a.len())].last() {
                // The blocks need not begin where the likeness does.
                let (mut go, mut come) = (a.len() - left, at);
                while go > 0 && come > 0 && a[go - 1] == b[come - 1] {
                    (go, come) = (go - 1, come - 1);
                }
                let found = Meeting { go, come, alike: alike(&a[go..], &b[come..], LONG) };
                last = last.min(at + NEAR);
                if found.worth() > best.worth() {
                    best = found;
                }
            }
            at += 1;
        }
        best
    }
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
        // What comes or goes in the middle takes no more than what is around it, though a checksum at the beginning changes too.
        let records: Vec<u8> =
            (0..20_000_u32).flat_map(|i| [i / 7, i % 5, 0, 0, i * i]).flat_map(u32::to_le_bytes).collect();
        let mut more =
            [&records[..100_003], b"a record that was not there", &records[100_003..300_000], &records[300_100..]]
                .concat();
        (more[8], more[9]) = (!more[8], !more[9]);
        for (before, after) in [(&records, &more), (&more, &records)] {
            let patch = patch(before, after);
            assert!(patch.len() < 400, "{}", patch.len());
            assert_eq!(patched(before, &patch).as_ref(), Some(after));
        }
        assert_eq!(patched(&few, &patch(&base, &few)), None);
        // One that was cut, or that speaks of more than there is, is refused.
        let whole = patch(&base, &few);
        assert!((4..whole.len()).filter(|n| patched(&base, &whole[..*n]).is_none()).count() > 20);
        let mut wrong = whole;
        wrong[4] = 255;
        assert_eq!(patched(&base, &wrong), None);
    }
}
