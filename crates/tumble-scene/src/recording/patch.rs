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
/// How far ahead a place is looked for that has not moved.
const NEAR: usize = 256;
/// Bytes by which two such places are compared: which of them goes on for longer.
const LONG: usize = 1 << 16;

/// How far a search goes on behind a place that is not worth what it gives up.
const FAR: usize = 4096;

/// The patch from one snapshot to another; `None` where it would not be shorter than the other one itself.
pub fn patch(before: &[u8], after: &[u8]) -> Option<Vec<u8>> {
    let mut out = fnv(before).to_le_bytes().to_vec();
    let mut blocks = None;
    let (mut a, mut b) = (before, after);
    while out.len() < after.len() {
        let stay = alike(a, b, usize::MAX);
        (a, b) = (&a[stay..], &b[stay..]);
        if a.is_empty() && b.is_empty() {
            return Some(out);
        }
        // Where as many bytes came as went, most edits have moved nothing.
        let moved = before.len() != after.len();
        let here = meet_in_place(a, b, if moved { BLOCK } else { GAP });
        let Meeting { go, come, .. } = if here.alike > 0 && !moved {
            here
        } else {
            let blocks = blocks.get_or_insert_with(|| Blocks::of(before));
            // Every search ends near what it finds: no byte is searched more than a few times.
            let there = blocks.meet(a, b, if here.alike > 0 { here.come + NEAR } else { b.len() });
            if here.worth() >= there.worth() { here } else { there }
        };
        // Frames are shorter than 4 GB, and so are the snapshots in them.
        for length in [stay, go, come] {
            out.extend((length as u32).to_le_bytes());
        }
        out.extend(&b[..come]);
        (a, b) = (&a[go..], &b[come..]);
    }
    None
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
fn meet_in_place(a: &[u8], b: &[u8], enough: usize) -> Meeting {
    let mut k = 1;
    while k < NEAR.min(a.len()).min(b.len()) {
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

    /// Where one of the first `last` blocks of `b` is found in `a`, the rest of the snapshot: of the first few such places the best one, and the ends of
    /// both if there is none.
    fn meet(&self, a: &[u8], b: &[u8], mut last: usize) -> Meeting {
        let mut best = Meeting { go: a.len(), come: b.len(), alike: 0 };
        let mut at = 0;
        while at < last.min((b.len() + 1).saturating_sub(BLOCK)) {
            let places = self.0.get(&b[at..at + BLOCK]).map_or(&[][..], Vec::as_slice);
            if let Some(&left) = places[..places.partition_point(|&left| left <= a.len())].last() {
                // The blocks need not begin where the likeness does.
                let (mut go, mut come) = (a.len() - left, at);
                while go > 0 && come > 0 && a[go - 1] == b[come - 1] {
                    (go, come) = (go - 1, come - 1);
                }
                let found = Meeting { go, come, alike: alike(&a[go..], &b[come..], LONG) };
                last = match found.worth() {
                    _ if found.alike == LONG => at,
                    1.. => last.min(at + NEAR),
                    _ => last.min(at + FAR),
                };
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

    /// What a patch makes of the one snapshot must be the other; its length.
    fn checked(before: &[u8], after: &[u8]) -> Option<usize> {
        let patch = patch(before, after)?;
        assert_eq!(patched(before, &patch).as_deref(), Some(after));
        Some(patch.len())
    }

    /// Whatever differs comes back, a small difference is a small patch, and a patch of something else is none.
    #[test]
    fn patches_lead_from_one_to_the_other() {
        let base: Vec<u8> = (0..200_u8).collect();
        let mut few = base.clone();
        (few[3], few[7], few[90]) = (0, 0, 0);
        let longer = [&base[..50], b"more", &base[50..]].concat();
        let cases = [base.clone(), few.clone(), longer, base[..9].to_vec(), Vec::new(), b"another".to_vec()];
        for before in &cases {
            for after in &cases {
                checked(before, after);
            }
        }
        let whole = patch(&base, &few).unwrap();
        assert!(whole.len() < 50);
        assert_eq!(patched(&few, &whole), None);
        // One that was cut, or that speaks of more than there is, is refused.
        assert!((4..whole.len()).filter(|n| patched(&base, &whole[..*n]).is_none()).count() > 20);
        let mut wrong = whole;
        wrong[4] = 255;
        assert_eq!(patched(&base, &wrong), None);
    }

    /// Records with numbers that repeat, that count, and that are like nothing else.
    fn records(count: u32) -> Vec<u8> {
        (0..count).flat_map(|i| [i / 7, i % 5, 0, 0, i.wrapping_mul(0x9e37_79b9)]).flat_map(u32::to_le_bytes).collect()
    }

    /// What comes or goes in the middle takes no more than what is around it, though a checksum at the beginning changes too: also among zeros of
    /// which there are more elsewhere.
    #[test]
    fn what_moves_is_found_again() {
        let all = records(20_000);
        let mut more =
            [&all[..100_003], b"a record that was not there", &all[100_003..300_000], &all[300_100..]].concat();
        (more[8], more[9]) = (!more[8], !more[9]);
        assert!(checked(&all, &more).unwrap() < 400);
        assert!(checked(&more, &all).unwrap() < 400);

        let mut zeros = all.clone();
        zeros[250_000..250_256].fill(0);
        let mut moved = [&zeros[..150_000], &[7; 8], &zeros[150_000..]].concat();
        moved[1000..1600].iter_mut().enumerate().for_each(|(i, byte)| *byte = (i * i / 3) as u8 | 1);
        moved[1300..1340].fill(0);
        assert!(checked(&zeros, &moved).unwrap() < 1000);
    }

    /// Splices of all kinds come back, for no more than what they take; and what has little in common is given up instead of searched for ever.
    #[test]
    fn any_splices_come_back() {
        let mut state = 1_u64;
        let mut random = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % limit
        };
        let base = records(3_000);
        for _ in 0..20 {
            let (mut after, mut changed) = (base.clone(), 0);
            for _ in 0..random(6) {
                let (at, go, come) = (random(after.len()), random(90), random(90));
                let go = go.min(after.len() - at);
                after.splice(at..at + go, (0..come).map(|i| (i * 37 % 251) as u8));
                changed += go + come + 200;
            }
            let length = checked(&base, &after).unwrap();
            assert!(length <= 4 + changed, "{length} bytes for {changed}");
        }
        // Every record keeps 40 bytes that begin nowhere near a block.
        let long = |salt: u32| -> Vec<u8> {
            let record =
                |i: u32| (0..24_u32).map(move |k| if (1..11).contains(&k) { i * 31 + k } else { i ^ (k * salt) });
            (0..4_000).flat_map(record).flat_map(u32::to_le_bytes).collect()
        };
        let (before, mut after) = (long(77), long(12_345));
        after.extend(b"seven..");
        checked(&before, &after);
    }
}
