//! Forms: which keys a table may have and what they mean.
//!
//! One table of fields serves three readers: the checks of a file (an unknown key is answered with the nearest one), the JSON
//! Schema that editors use, and the reference in the manual. So none of them can lag behind another.

use super::units::Dimension;

/// A kind of table.
#[derive(Debug)]
pub struct Form {
    /// What it is called in messages, with its article: `a body`.
    pub title: &'static str,
    pub help: &'static str,
    pub fields: &'static [Field],
    /// Forms whose fields it has too.
    pub also: &'static [&'static Form],
}

/// A key of a table.
#[derive(Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
    pub help: &'static str,
}

/// What a value may be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// true or false.
    Flag,
    /// Any text; `{expression}` in it is replaced by its value.
    Text,
    /// A number or an expression, in units of this dimension.
    Number(Dimension),
    /// A whole number that is not negative, or an expression with such a value.
    Whole,
    /// A condition, as an expression.
    Condition,
    /// Three numbers.
    Vector(Dimension),
    /// Three numbers, or an axis such as `"y"` or `"-x"`.
    Direction,
    /// An axis and an angle, a quaternion, or a list of rotations made one after the other.
    Rotation,
    /// One of these words.
    Choice(&'static [&'static str]),
    List(&'static Kind),
    /// So many of them.
    Several(usize, &'static Kind),
    Table(&'static Form),
    /// Any key, and a table of this form for each.
    Named(&'static Form),
    /// Any key, and a number or expression for each.
    Values,
    Either(&'static [Kind]),
    /// A method, or a part of one: what the engine's `Method` says.
    Method,
}

pub const fn field(name: &'static str, kind: Kind, help: &'static str) -> Field {
    Field { name, kind, help }
}

impl Form {
    /// All fields, those of other forms last.
    pub fn all(&self) -> impl Iterator<Item = &'static Field> + '_ {
        self.fields.iter().chain(self.also.iter().flat_map(|form| form.fields))
    }

    pub fn find(&self, name: &str) -> Option<&'static Field> {
        self.all().find(|field| field.name == name)
    }
}

pub const PLAIN: Kind = Kind::Number(Dimension::NONE);
pub const LENGTH: Kind = Kind::Number(Dimension::LENGTH);
pub const ANGLE: Kind = Kind::Number(Dimension::ANGLE);
pub const FORCE: Kind = Kind::Number(Dimension::FORCE);
pub const TORQUE: Kind = Kind::Number(Dimension::TORQUE);
pub const POINT: Kind = Kind::Vector(Dimension::LENGTH);
