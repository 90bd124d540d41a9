//! Islands in snapshots.

use super::{Islands, NOWHERE};
use crate::constraint::contact::NONE;
use crate::error::Result;
use crate::record::stream::{Sink, Source, save_pods};

impl Islands {
    pub fn save(&self, out: &mut impl Sink) {
        let Self { all, members, free, woken: _, epoch: _ } = self;
        save_pods(out, all);
        save_pods(out, members);
        out.u32(*free);
    }

    /// What [`Islands::save`] wrote, or an error where a walk along its lists could go astray. Whether its members are
    /// dynamic bodies is for the caller to find out.
    pub fn load(source: &mut Source<'_>) -> Result<Self> {
        let islands = Self { all: source.pods()?, members: source.pods()?, free: source.u32()?, ..Self::new() };
        if islands.is_sound() { Ok(islands) } else { Err(source.corrupt("the list of islands")) }
    }

    /// Every member is in the list of its island, once; every island has members or is free.
    fn is_sound(&self) -> bool {
        let mut left = self.members.iter().filter(|m| m.island != NONE).count();
        let mut free = 0;
        for (index, island) in self.all.iter().enumerate() {
            if island.count == 0 {
                if island.first != NONE {
                    return false;
                }
                free += 1;
                continue;
            }
            let (mut count, mut last, mut body) = (0, NONE, island.first);
            while body != NONE {
                let Some(member) = self.members.get(body as usize) else { return false };
                if left == 0 || member.island as usize != index {
                    return false;
                }
                left -= 1;
                count += 1;
                (last, body) = (body, member.next);
            }
            if (count, last) != (island.count, island.last) {
                return false;
            }
        }
        let mut next = self.free;
        while next != NONE {
            match self.all.get(next as usize) {
                Some(island) if island.count == 0 && free > 0 => next = island.next_free,
                _ => return false,
            }
            free -= 1;
        }
        left == 0 && free == 0 && self.members.iter().all(|m| m.island != NONE || *m == NOWHERE)
    }
}
