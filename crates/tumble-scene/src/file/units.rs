//! Units, and which axis is up.

/// How large the units of a file are in SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    pub length: f64,
    pub mass: f64,
    pub angle: f64,
}

/// Powers of length, mass and angle; of time no file has another unit than the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    length: i8,
    mass: i8,
    angle: i8,
}

impl Dimension {
    pub const NONE: Self = Self::new(0, 0, 0);
    pub const LENGTH: Self = Self::new(1, 0, 0);
    pub const MASS: Self = Self::new(0, 1, 0);
    pub const ANGLE: Self = Self::new(0, 0, 1);
    pub const DENSITY: Self = Self::new(-3, 1, 0);
    /// Force; also the drag of a speed squared per length.
    pub const FORCE: Self = Self::new(1, 1, 0);
    pub const TORQUE: Self = Self::new(2, 1, 0);
    /// k of a spring, and c of a damper, in N/m and N s/m.
    pub const SPRING: Self = Self::new(0, 1, 0);
    /// c of a drag that goes with the square of the speed.
    pub const QUADRATIC: Self = Self::new(-1, 1, 0);
    /// Strength of an attraction, m³/s².
    pub const ATTRACTION: Self = Self::new(3, 0, 0);
    /// The constant of gravitation, m³/(kg s²).
    pub const GRAVITATION: Self = Self::new(3, -1, 0);
    /// Metres per radian.
    pub const TRAVEL: Self = Self::new(1, 0, -1);

    const fn new(length: i8, mass: i8, angle: i8) -> Self {
        Self { length, mass, angle }
    }

    /// The unit of this dimension in SI.
    pub fn in_si(self, units: &Units) -> f64 {
        let power = |base: f64, exponent: i8| match exponent {
            0 => 1.0,
            n if n > 0 => (0..n).fold(1.0, |p, _| p * base),
            n => (0..-n).fold(1.0, |p, _| p / base),
        };
        power(units.length, self.length) * power(units.mass, self.mass) * power(units.angle, self.angle)
    }
}

const DEGREE: f64 = core::f64::consts::PI / 180.0;

const NAMED: [(&str, f64, Dimension); 19] = [
    ("m", 1.0, Dimension::LENGTH),
    ("km", 1000.0, Dimension::LENGTH),
    ("cm", 0.01, Dimension::LENGTH),
    ("mm", 0.001, Dimension::LENGTH),
    ("in", 0.0254, Dimension::LENGTH),
    ("ft", 0.3048, Dimension::LENGTH),
    ("kg", 1.0, Dimension::MASS),
    ("g", 0.001, Dimension::MASS),
    ("t", 1000.0, Dimension::MASS),
    ("rad", 1.0, Dimension::ANGLE),
    ("deg", DEGREE, Dimension::ANGLE),
    ("turn", core::f64::consts::TAU, Dimension::ANGLE),
    ("rpm", core::f64::consts::TAU / 60.0, Dimension::ANGLE),
    ("s", 1.0, Dimension::NONE),
    ("ms", 0.001, Dimension::NONE),
    ("min", 60.0, Dimension::NONE),
    ("h", 3600.0, Dimension::NONE),
    ("N", 1.0, Dimension::FORCE),
    ("kN", 1000.0, Dimension::FORCE),
];

impl Units {
    pub const SI: Self = Self { length: 1.0, mass: 1.0, angle: 1.0 };

    /// What a unit is in SI.
    pub fn named(name: &str) -> Option<(f64, Dimension)> {
        NAMED.iter().find(|u| u.0 == name).map(|u| (u.1, u.2))
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|u| u.0)
    }
}

/// Names of units that a file can choose, by dimension.
pub const LENGTHS: &[&str] = &["m", "km", "cm", "mm", "in", "ft"];
pub const MASSES: &[&str] = &["kg", "g", "t"];
pub const ANGLES: &[&str] = &["rad", "deg"];

/// Which axis of the file is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Up {
    #[default]
    Y,
    /// (x, y, z) of the file is (x, z, -y) of the world: a quarter turn about x, which keeps left and right.
    Z,
}

impl Up {
    /// A vector of the file in the world, whatever its kind.
    pub fn vector(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Y => [x, y, z],
            Self::Z => [x, z, -y],
        }
    }

    /// A vector of the world in the file.
    pub fn back(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Y => [x, y, z],
            Self::Z => [x, -z, y],
        }
    }

    /// Three sizes along the axes.
    pub fn sizes(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Y => [x, y, z],
            Self::Z => [x, z, y],
        }
    }
}
