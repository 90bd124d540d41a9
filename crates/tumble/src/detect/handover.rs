//! What a contact hands on from one step to the next: the impulses from which the next solve starts.
//!
//! Points hand on theirs by feature. Friction and twist belong to a patch as a whole, and a contact with a mesh or a compound has several,
//! whose number and order change as it moves: one after the other, patches go on from that of the last step with which they share most points,
//! and then those that are left from one that faces the same way. Of two patches that one has become, the first goes on from it, so that nothing is handed on twice.

use super::look::Noted;
use crate::constraint::contact::{ContactManifold, ContactPoint, Contacts, NONE, SAME_FACE};
use crate::math::{Real, Vec3};

/// The manifolds of a contact as the last step left them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    points: Vec<PastPoint>,
    patches: Vec<PastPatch>,
    /// For each new patch, which of these it goes on from.
    origins: Vec<Option<usize>>,
}

#[derive(Clone, Copy, Debug)]
struct PastPoint {
    feature: u32,
    point: ContactPoint,
    tangent: [Real; 2],
}

#[derive(Clone, Copy, Debug)]
struct PastPatch {
    normal: Vec3,
    friction_impulse: Vec3,
    angular_impulse: Vec3,
    /// Its points end here.
    end: usize,
    taken: bool,
}

impl Past {
    /// Notes the manifolds of a contact, of which this is the first.
    pub fn note(&mut self, contacts: &Contacts, first: u32) {
        self.points.clear();
        self.patches.clear();
        let mut m = first;
        while m != NONE {
            let manifold = &contacts.manifolds[m as usize];
            let points = manifold.features.iter().zip(manifold.used()).zip(contacts.tangents_of(m));
            self.points.extend(points.map(|((&feature, &point), tangent)| PastPoint { feature, point, tangent }));
            let &ContactManifold { normal, friction_impulse, angular_impulse, next, .. } = manifold;
            let end = self.points.len();
            self.patches.push(PastPatch { normal, friction_impulse, angular_impulse, end, taken: false });
            m = next;
        }
    }

    /// Decides what each of these patches, whose normals in world axes `normal` knows, goes on from.
    pub fn trace(&mut self, patches: &[Noted], normal: impl Fn(usize) -> Vec3) {
        self.origins.clear();
        // The patch of a contact that has but one is the same, however it has turned.
        if let ([_], [_]) = (&self.patches[..], patches) {
            self.origins.push(Some(0));
            return;
        }
        for patch in patches {
            let found = &patch.points[..patch.count as usize];
            let shared = |old: &[PastPoint]| old.iter().filter(|o| found.iter().any(|p| p.id == o.feature)).count();
            let origin = self.best(|points, _| shared(points), 0);
            self.origins.push(origin);
        }
        for i in 0..patches.len() {
            if self.origins[i].is_none() {
                let n = normal(i);
                self.origins[i] = self.best(|_, old| old.dot(n), SAME_FACE);
            }
        }
    }

    /// Takes the first of the patches that are left for which `rate`, given its points and its normal, says most, and more than `least`.
    fn best<R: PartialOrd>(&mut self, rate: impl Fn(&[PastPoint], Vec3) -> R, least: R) -> Option<usize> {
        let (mut best, mut most, mut first) = (None, least, 0);
        for (i, patch) in self.patches.iter().enumerate() {
            let points = &self.points[first..patch.end];
            first = patch.end;
            if patch.taken {
                continue;
            }
            let rating = rate(points, patch.normal);
            if rating > most {
                (best, most) = (Some(i), rating);
            }
        }
        if let Some(i) = best {
            self.patches[i].taken = true;
        }
        best
    }

    /// The impulses of friction and twist with which a new patch starts.
    pub fn impulses_of(&self, patch: usize) -> (Vec3, Vec3) {
        let origin = self.origins.get(patch).copied().flatten().map(|i| &self.patches[i]);
        origin.map_or((Vec3::ZERO, Vec3::ZERO), |p| (p.friction_impulse, p.angular_impulse))
    }

    /// The point that had a feature, and its impulses across the normal.
    pub fn point(&self, feature: u32) -> (ContactPoint, [Real; 2]) {
        let old = self.points.iter().find(|o| o.feature == feature);
        old.map_or((ContactPoint::NONE, [0.0; 2]), |o| (o.point, o.tangent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::contact::SOLVED_POINTS;
    use crate::detect::narrow::ManifoldPoint;

    fn noted(normal: Vec3, features: &[u32]) -> Noted {
        let mut points = [ManifoldPoint::default(); SOLVED_POINTS];
        for (point, &id) in points.iter_mut().zip(features) {
            point.id = id;
        }
        Noted { normal, material_slots: 0, count: features.len() as u32, flat: false, points }
    }

    /// The manifolds of a contact, whose friction tells them apart.
    fn past(manifolds: &[(Vec3, Real, &[u32])]) -> Past {
        let mut contacts = Contacts::new();
        for (i, &(normal, friction, features)) in manifolds.iter().enumerate() {
            let id = contacts.new_manifold();
            let manifold = &mut contacts.manifolds[id as usize];
            (manifold.normal, manifold.point_count) = (normal, features.len() as u8);
            manifold.friction_impulse = Vec3::all(friction);
            manifold.features[..features.len()].copy_from_slice(features);
            manifold.next = if i + 1 < manifolds.len() { id + 1 } else { NONE };
        }
        let mut past = Past::default();
        past.note(&contacts, 0);
        past
    }

    fn frictions(past: &mut Past, patches: &[Noted]) -> Vec<Real> {
        past.trace(patches, |i| patches[i].normal);
        (0..patches.len()).map(|i| past.impulses_of(i).0.x).collect()
    }

    /// Floor and wall find their own friction again in whatever order they come, and what comes beside them starts with none.
    #[test]
    fn patches_go_on_from_themselves() {
        let floor_and_wall: [(Vec3, Real, &[u32]); 2] = [(Vec3::Y, 5.0, &[1, 2, 3]), (Vec3::X, 7.0, &[8, 9])];
        let (floor, wall) = (noted(Vec3::Y, &[2, 3, 4]), noted(Vec3::X, &[9]));
        let back = noted(-Vec3::X, &[11]);
        assert_eq!(frictions(&mut past(&floor_and_wall), &[wall, floor]), [7.0, 5.0]);
        assert_eq!(frictions(&mut past(&floor_and_wall), &[wall]), [7.0]);
        assert_eq!(frictions(&mut past(&floor_and_wall), &[back, wall, floor]), [0.0, 7.0, 5.0]);
        assert_eq!(frictions(&mut past(&floor_and_wall[..1]), &[wall, floor]), [0.0, 5.0]);
    }

    /// Without points in common the way that they face tells; and what two could go on from is handed on once.
    #[test]
    fn patches_that_face_the_same_way_go_on_once() {
        let both: [(Vec3, Real, &[u32]); 2] = [(Vec3::X, 7.0, &[8]), (Vec3::Y, 5.0, &[1, 2])];
        let floor = |features| noted(Vec3::Y, features);
        assert_eq!(frictions(&mut past(&both), &[floor(&[20]), floor(&[21])]), [5.0, 0.0]);
        assert_eq!(frictions(&mut past(&both), &[floor(&[20]), floor(&[1])]), [0.0, 5.0]);
    }
}
