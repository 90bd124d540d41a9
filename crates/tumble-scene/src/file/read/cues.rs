//! What a file does to the world while it runs.

use super::super::forms::CUE;
use super::super::record::Record;
use super::super::text::{Fault, Node, Read};
use super::Assembly;
use crate::cue::Cue;
use crate::names::missing;
use tumble::{BodyId, JointId, World};

impl Assembly<'_> {
    /// The cues of the file, with their times.
    pub fn cues(&self, record: &Record<'_>) -> Read<Vec<(f64, Cue)>> {
        let mut cues = Vec::new();
        let Some(node) = record.get("cue") else { return Ok(cues) };
        for node in self.scope.list(node)? {
            let cue = Record::open(node, &CUE, &self.scope)?;
            let when = cue.needed("at")?;
            let at = self.scope.number(when)?;
            if !(at.is_finite() && at >= 0.0) {
                return Err(Fault::new(
                    when.at,
                    format!("the time of a cue must be finite and not negative, got {at}"),
                ));
            }
            let names = |key: &str| cue.get(key).map_or(Ok(&[][..]), |list| self.scope.list(list));
            for name in names("activate")? {
                cues.push((at, Cue::Activate(self.joint(name)?)));
            }
            for name in names("release")? {
                cues.push((at, Cue::Release(self.joint(name)?)));
            }
            for name in names("remove")? {
                cues.push((at, Cue::Remove(self.removable(name)?)));
            }
        }
        Ok(cues)
    }

    /// A body that can be taken away by itself: the engine removes neither the world nor a link without its tree, and would break off the run.
    fn removable(&self, node: &Node) -> Read<BodyId> {
        let id = self.body(node)?;
        if id == World::BODY {
            return Err(Fault::new(node.at, "the world itself cannot be removed"));
        }
        if self.world.body(id).is_ok_and(|body| body.link().is_some()) {
            let name = self.scope.text(node)?;
            let message = format!("the body {name:?} is a link, which cannot be removed without its tree");
            return Err(Fault::new(node.at, message));
        }
        Ok(id)
    }

    /// The joint of this name.
    fn joint(&self, node: &Node) -> Read<JointId> {
        let name = self.scope.text(node)?;
        let named = |id: &JointId| self.world.joint(*id).ok().and_then(|joint| joint.name());
        let mut found = self.world.joint_ids().filter(|id| named(id) == Some(name.as_str()));
        match (found.next(), found.next()) {
            (Some(id), None) => Ok(id),
            (Some(_), Some(_)) => {
                Err(Fault::new(node.at, format!("several joints are called {name:?}; give them different names")))
            }
            (None, _) => {
                let ids: Vec<JointId> = self.world.joint_ids().collect();
                Err(Fault::new(node.at, missing("joint", &name, ids.iter().filter_map(named))))
            }
        }
    }
}
