//! Numbers that may be infinite, written also where a format of text knows no infinity: as the words `"inf"` and `"-inf"`. Both the words and numbers are read. Formats
//! of bytes have numbers alone.

use core::marker::PhantomData;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// For fields of one number.
pub(super) mod one {
    use super::{Deserializer, Number, Serializer, Unbounded};
    use serde::{Deserialize, Serialize};

    pub fn serialize<T: Number, S: Serializer>(value: &T, out: S) -> Result<S::Ok, S::Error> {
        Unbounded(*value).serialize(out)
    }

    pub fn deserialize<'a, T: Number, D: Deserializer<'a>>(from: D) -> Result<T, D::Error> {
        Unbounded::deserialize(from).map(|Unbounded(value)| value)
    }
}

/// For fields of three.
pub(super) mod three {
    use super::{Deserializer, Number, Serializer, Unbounded};
    use serde::{Deserialize, Serialize};

    pub fn serialize<T: Number, S: Serializer>(values: &[T; 3], out: S) -> Result<S::Ok, S::Error> {
        values.map(Unbounded).serialize(out)
    }

    pub fn deserialize<'a, T: Number, D: Deserializer<'a>>(from: D) -> Result<[T; 3], D::Error> {
        <[Unbounded<T>; 3]>::deserialize(from).map(|values| values.map(|Unbounded(value)| value))
    }
}

/// A float of either precision.
pub(super) trait Number: Copy + Serialize + for<'a> Deserialize<'a> + Into<f64> {
    fn rounded(value: f64) -> Self;
}

impl Number for f32 {
    fn rounded(value: f64) -> Self {
        value as f32
    }
}

impl Number for f64 {
    fn rounded(value: f64) -> Self {
        value
    }
}

struct Unbounded<T>(T);

impl<T: Number> Serialize for Unbounded<T> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.0.into() {
            f64::INFINITY if out.is_human_readable() => out.serialize_str("inf"),
            f64::NEG_INFINITY if out.is_human_readable() => out.serialize_str("-inf"),
            _ => self.0.serialize(out),
        }
    }
}

impl<'a, T: Number> Deserialize<'a> for Unbounded<T> {
    fn deserialize<D: Deserializer<'a>>(from: D) -> Result<Self, D::Error> {
        match from.is_human_readable() {
            true => from.deserialize_any(Reader(PhantomData)),
            false => T::deserialize(from).map(Self),
        }
    }
}

struct Reader<T>(PhantomData<T>);

impl<T: Number> Visitor<'_> for Reader<T> {
    type Value = Unbounded<T>;

    fn expecting(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.write_str("a number, \"inf\" or \"-inf\"")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Unbounded(T::rounded(value)))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Self::Value, E> {
        match word {
            "inf" => self.visit_f64(f64::INFINITY),
            "-inf" => self.visit_f64(f64::NEG_INFINITY),
            _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
        }
    }
}
