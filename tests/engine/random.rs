//! Random numbers for tests: the same on every machine and in both precisions.

use tumble::math::{Float, Quat, Vec3};

/// SplitMix64 (Steele, Lea, Flood 2014).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// In the cube from -1 to 1.
    pub fn in_cube(&mut self) -> Vec3<f64> {
        Vec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    /// In the unit ball.
    pub fn in_ball(&mut self) -> Vec3<f64> {
        loop {
            let p = self.in_cube();
            if p.length_squared() <= 1.0 {
                return p;
            }
        }
    }

    /// On the unit sphere.
    pub fn direction(&mut self) -> Vec3<f64> {
        loop {
            let p = self.in_ball();
            if p.length_squared() > 0.01 {
                return p / p.length();
            }
        }
    }

    pub fn rotation(&mut self) -> Quat<f64> {
        Quat::from_axis_angle(self.direction(), self.between(0.0, f64::PI))
    }
}
