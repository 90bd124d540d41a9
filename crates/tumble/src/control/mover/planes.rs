//! Where something may go that several planes stop.
//!
//! Planes through the origin with normals nᵢ leave the cone { v : nᵢ·v >= 0 }. The motion that comes nearest to the wanted one, w, is
//! its projection on that cone. It lies in the interior (v = w), on one plane (w without its part along n), on the crease of two planes
//! (the part of w along n₁ × n₂), or is 0. Projections are orthogonal, |w - v|² = |w|² - |v|², so that of all candidates inside the cone
//! the longest is the nearest. The whole set is looked at each time, whatever the order in which the planes were met: no motion is
//! passed to and fro between two walls.

use crate::math::{Real, Vec3};

/// Of as many planes as a motion is likely to meet at once; the oldest are forgotten.
const MOST: usize = 8;

/// Sine of the angle by which a motion may go into a plane and still count as along it: the rounding of normals.
const ALONG: Real = 1e-4;

/// 1 - cosine of the angle below which two planes are one.
const SAME: Real = 1e-6;

/// Planes that a motion must not cross.
#[derive(Clone, Debug, Default)]
pub(super) struct Planes {
    normals: [Vec3; MOST],
    count: usize,
}

impl Planes {
    pub fn clear(&mut self) {
        self.count = 0;
    }

    pub fn len(&self) -> usize {
        self.count
    }

    fn all(&self) -> &[Vec3] {
        self.normals.get(..self.count).unwrap_or_default()
    }

    /// Adds the plane with this unit normal; takes the place of one that is the same but for rounding.
    pub fn add(&mut self, normal: Vec3) {
        if let Some(same) = self.normals.iter_mut().take(self.count).find(|n| n.dot(normal) > 1.0 - SAME) {
            *same = normal;
            return;
        }
        if self.count == MOST {
            self.normals.rotate_left(1);
            self.count -= 1;
        }
        if let Some(free) = self.normals.get_mut(self.count) {
            *free = normal;
            self.count += 1;
        }
    }

    /// The motion nearest to `want` that crosses no plane.
    pub fn clip(&self, want: Vec3) -> Vec3 {
        let normals = self.all();
        let slack = -ALONG * want.length();
        let free = |v: Vec3| normals.iter().all(|n| n.dot(v) >= slack);
        if free(want) {
            return want;
        }
        let mut best = Vec3::ZERO;
        let mut consider = |v: Vec3| {
            if v.length_squared() > best.length_squared() && free(v) {
                best = v;
            }
        };
        for (i, &n) in normals.iter().enumerate() {
            if n.dot(want) < 0.0 {
                consider(want.across(n));
            }
            for &m in normals.iter().take(i) {
                if let Some(crease) = n.cross(m).try_normalize() {
                    consider(want.along(crease));
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Float;

    fn planes(normals: &[[Real; 3]]) -> Planes {
        let mut planes = Planes::default();
        for &n in normals {
            planes.add(Vec3::from(n).try_normalize().unwrap());
        }
        planes
    }

    #[test]
    fn one_plane_slides_two_lead_along_the_crease_three_stop() {
        let want = Vec3::new(1.0, -1.0, 0.5);
        assert_eq!(planes(&[]).clip(want), want);
        assert_eq!(planes(&[[0.0, 1.0, 0.0]]).clip(want), Vec3::new(1.0, 0.0, 0.5));
        assert_eq!(planes(&[[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]).clip(want), Vec3::new(0.0, 0.0, 0.5));
        let corner = planes(&[[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]]);
        assert_eq!(corner.clip(want), Vec3::ZERO);
        assert_eq!(corner.clip(-want), -want);
    }

    // Guards the claim of the head comment: no sampled direction inside the cone comes nearer to what was wanted.
    #[test]
    fn nothing_comes_nearer() {
        let mut seed = 1u32;
        let mut random = || {
            seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
            Real::from_f64((seed >> 8) as f64 / (1 << 23) as f64 - 1.0)
        };
        for _ in 0..200 {
            let mut next = || Vec3::new(random(), random(), random());
            let mut cone = Planes::default();
            for _ in 0..3 {
                cone.add(next().normalize_or(Vec3::Y));
            }
            let want = next();
            let got = cone.clip(want);
            assert!(cone.all().iter().all(|n| n.dot(got) >= -1.01 * ALONG * want.length()));
            for _ in 0..200 {
                let v = next();
                if cone.all().iter().all(|n| n.dot(v) >= 0.0) {
                    let near = v * (crate::math::Num::max(v.dot(want), 0.0) / v.length_squared());
                    assert!((got - want).length() <= (near - want).length() + 1e-3);
                }
            }
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut many = Planes::default();
        for i in 0..100 {
            let a = Real::from_f64(0.06 * f64::from(i));
            many.add(Vec3::new(Float::cos(a), 0.0, Float::sin(a)));
        }
        assert_eq!(many.len(), MOST);
        many.clear();
        assert_eq!(many.clip(Vec3::X), Vec3::X);
    }
}
