//! Values as text from which the reader makes the same bits.

use crate::figure::Exact;
use tumble::constraint::{Axis, Drive, Limit, Motor, Signal, Stiffness};
use tumble::math::{Float, Quat, Real, Vec3};

/// A number of 64 bits.
pub fn number(value: f64) -> String {
    Exact(value).to_string()
}

/// A number in the precision of the engine, with as few digits as tell it apart.
pub fn real(value: Real) -> String {
    let plain = value == 0.0 || !value.is_finite() || (1e-6..1e9).contains(&value.abs());
    let text = if plain { format!("{value}") } else { format!("{value:e}") };
    // It is read as `f64` and rounded a second time. Where that goes wrong, all digits are needed.
    match text.parse::<f64>() {
        Ok(read) if Real::from_f64(read).to_bits() == value.to_bits() => text,
        _ => number(value.to_f64()),
    }
}

pub fn numbers(values: impl IntoIterator<Item = f64>) -> String {
    list(values.into_iter().map(number))
}

pub fn vector(v: Vec3) -> String {
    list(v.to_array().map(real))
}

pub fn point(v: Vec3<f64>) -> String {
    numbers(v.to_array())
}

pub fn list(parts: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", parts.into_iter().collect::<Vec<_>>().join(", "))
}

pub fn quat(q: Quat) -> String {
    list([q.x, q.y, q.z, q.w].map(real))
}

/// A text in which nothing is an expression.
pub fn text(text: &str) -> String {
    quoted(&text.replace('{', "{{").replace('}', "}}"))
}

/// A text as it is.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A table in one line.
#[derive(Default)]
pub struct Inline(Vec<String>);

impl Inline {
    pub fn set(&mut self, key: &str, value: impl Into<String>) -> &mut Self {
        self.0.push(format!("{key} = {}", value.into()));
        self
    }

    /// Only where it differs from what goes without saying.
    pub fn real(&mut self, key: &str, value: Real, usual: Real) -> &mut Self {
        if value.to_bits() != usual.to_bits() {
            self.set(key, real(value));
        }
        self
    }

    /// The same of a number of 64 bits.
    pub fn number(&mut self, key: &str, value: f64, usual: f64) -> &mut Self {
        if value.to_bits() != usual.to_bits() {
            self.set(key, number(value));
        }
        self
    }

    pub fn flag(&mut self, key: &str, value: bool, usual: bool) -> &mut Self {
        if value != usual {
            self.set(key, value.to_string());
        }
        self
    }

    pub fn vector(&mut self, key: &str, value: Vec3) -> &mut Self {
        if value.to_array().map(Real::to_bits) != [0; 3] {
            self.set(key, vector(value));
        }
        self
    }

    pub fn user_data(&mut self, data: u64) -> &mut Self {
        match data {
            0 => self,
            small if small <= 1 << 53 => self.set("user_data", small.to_string()),
            large => self.set("user_data", quoted(&large.to_string())),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn table(&self) -> String {
        if self.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", self.0.join(", ")) }
    }

    /// Each in a line of its own.
    pub fn lines(&self) -> String {
        self.0.iter().map(|line| format!("{line}\n")).collect()
    }
}

pub fn stiffness(stiffness: Stiffness) -> Option<String> {
    let mut table = Inline::default();
    add_stiffness(stiffness, &mut table);
    (!table.is_empty()).then(|| table.table())
}

pub fn add_stiffness(stiffness: Stiffness, table: &mut Inline) {
    match stiffness {
        Stiffness::Method => {}
        Stiffness::Tuned(s) => {
            table.set("hertz", real(s.hertz)).set("damping_ratio", real(s.damping_ratio));
        }
        Stiffness::Spring { stiffness, damping } => {
            table.set("spring", real(stiffness)).set("damping", real(damping));
        }
    }
}

/// A function of time, whose times count from `now` on.
pub fn signal(signal: &Signal, now: f64) -> String {
    let one = |key: &str, inner: &Inline| {
        let mut table = Inline::default();
        table.set(key, inner.table());
        table.table()
    };
    let mut inner = Inline::default();
    match signal {
        Signal::Constant(value) => real(*value),
        Signal::Ramp { from, to, start, duration } => {
            inner.set("from", real(*from)).set("to", real(*to));
            inner.set("start", number(start - now)).set("duration", number(*duration));
            one("ramp", &inner)
        }
        Signal::Sine { mean, amplitude, hertz, phase } => {
            inner.set("mean", real(*mean)).set("amplitude", real(*amplitude));
            inner.set("hertz", number(*hertz)).set("phase", number(phase + hertz * now));
            one("sine", &inner)
        }
        Signal::Table(points) => {
            inner.set("table", list(points.iter().map(|(t, v)| list([number(t - now), real(*v)]))));
            inner.table()
        }
    }
}

pub fn limit(limit: &Limit) -> String {
    let Limit { low, high, restitution, stiffness: hardness } = *limit;
    if restitution == 0.0 && hardness == Stiffness::Method {
        return list([real(low), real(high)]);
    }
    let mut table = Inline::default();
    table.set("low", real(low)).set("high", real(high)).real("restitution", restitution, 0.0);
    if let Some(hardness) = stiffness(hardness) {
        table.set("stiffness", hardness);
    }
    table.table()
}

pub fn motor(motor: &Motor, now: f64) -> String {
    let mut table = Inline::default();
    match &motor.drive {
        Drive::Velocity(aim) => {
            table.set("velocity", signal(aim, now));
        }
        Drive::Position(aim, stiffness) => {
            table.set("position", signal(aim, now));
            add_stiffness(*stiffness, &mut table);
        }
    }
    table.real("max_force", motor.max_force, Real::INFINITY);
    table.table()
}

/// Limit and motor, as keys of a table.
pub fn add_axis(axis: &Axis, now: f64, table: &mut Inline) {
    if let Some(l) = &axis.limit {
        table.set("limit", limit(l));
    }
    if let Some(m) = &axis.motor {
        table.set("motor", motor(m, now));
    }
}

pub fn axis(axis: &Axis, now: f64) -> String {
    let mut table = Inline::default();
    add_axis(axis, now, &mut table);
    if table.is_empty() { "{}".to_owned() } else { table.table() }
}
