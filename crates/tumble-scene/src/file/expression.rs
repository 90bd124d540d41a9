//! Expressions: arithmetic in the places of numbers.
//!
//! ```text
//!   or      = and  { "or" and }            compare = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
//!   and     = not  { "and" not }           sum     = product { ("+" | "-") product }
//!   not     = [ "not" ] compare            product = sign { ("*" | "/" | "%") sign }
//!   sign    = { "-" | "+" } power          power   = unit [ "^" sign ]
//!   unit    = atom { unit name }           atom    = number | name | name "(" arguments ")" | "(" or ")"
//! ```
//!
//! True is 1 and false is 0. All functions give the same bits on every machine.

use super::units::{Dimension, Units};
use crate::names::{instead, missing, nearest};
use tumble::math::Float;

/// Deeper than any formula; what is nested farther is refused before it fills the stack.
const DEEPEST: usize = 64;

/// Longer than any formula. A long row of terms is a deep tree, which is dropped by recursion.
const LONGEST: usize = 4096;

/// What is wrong, and at which byte of the expression.
pub type Wrong = (usize, String);

/// A parsed expression.
#[derive(Clone, Debug)]
pub enum Expression {
    Number(f64),
    Name(String, usize),
    /// Multiplied by a unit: its value in SI and its dimension.
    Unit(Box<Self>, f64, Dimension),
    Negative(Box<Self>),
    Not(Box<Self>),
    Binary(Operator, Box<Self>, Box<Self>),
    Call(String, Vec<Argument>, usize),
}

/// What a function is given. Texts serve the functions of checks, which take names of bodies.
#[derive(Clone, Debug)]
pub enum Argument {
    Value(Expression),
    Text(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    Differs,
    And,
    Or,
}

/// What names and further functions mean.
pub trait Meaning {
    /// The value of a name; an error where it has one that cannot be had.
    fn name(&self, name: &str) -> Option<Result<f64, String>>;
    /// Every name that has a value, for advice.
    fn names(&self) -> Vec<String>;
    /// The units of the file.
    fn units(&self) -> Units;
    /// A function that is not arithmetic; `None` where there is none of this name.
    fn call(&self, function: &str, texts: &[String], numbers: &[f64]) -> Option<Result<f64, String>>;
    /// Functions that are not arithmetic, for advice.
    fn functions(&self) -> &'static [&'static str] {
        &[]
    }
}

/// The arithmetic functions: name and number of arguments, `None` for one or more.
pub const FUNCTIONS: [(&str, Option<usize>); 25] = [
    ("abs", Some(1)),
    ("acos", Some(1)),
    ("asin", Some(1)),
    ("atan", Some(1)),
    ("atan2", Some(2)),
    ("ceil", Some(1)),
    ("clamp", Some(3)),
    ("cos", Some(1)),
    ("exp", Some(1)),
    ("floor", Some(1)),
    ("hypot", Some(2)),
    ("if", Some(3)),
    ("ln", Some(1)),
    ("log10", Some(1)),
    ("max", None),
    ("min", None),
    ("mod", Some(2)),
    ("pow", Some(2)),
    ("random", None),
    ("round", Some(1)),
    ("sign", Some(1)),
    ("sin", Some(1)),
    ("sqrt", Some(1)),
    ("tan", Some(1)),
    ("trunc", Some(1)),
];

impl Expression {
    pub fn parse(text: &str) -> Result<Self, Wrong> {
        if text.len() > LONGEST {
            return Err((0, format!("the expression has more than {LONGEST} bytes")));
        }
        let mut parser = Parser { text, at: 0, depth: 0 };
        let expression = parser.or()?;
        parser.blank();
        match parser.rest().chars().next() {
            None => Ok(expression),
            Some(c) => Err((parser.at, format!("{c:?} is not expected here in {text:?}"))),
        }
    }

    pub fn value(&self, meaning: &dyn Meaning) -> Result<f64, Wrong> {
        Ok(match self {
            Self::Number(number) => *number,
            Self::Name(name, at) => match meaning.name(name) {
                Some(value) => value.map_err(|words| (*at, words))?,
                None if name == "pi" => core::f64::consts::PI,
                None if name == "tau" => core::f64::consts::TAU,
                None => {
                    let names = meaning.names();
                    let all = names.iter().map(String::as_str).chain(["pi", "tau"]);
                    // A word where a number is needed need not have been meant as a name.
                    let hint = match nearest(name, all.clone()) {
                        Some(_) => "",
                        None => "a number or an expression is needed here; ",
                    };
                    return Err((*at, format!("nothing is called {name:?}; {hint}{}", instead(name, all))));
                }
            },
            Self::Unit(value, si, dimension) => value.value(meaning)? * (si / dimension.in_si(&meaning.units())),
            Self::Negative(value) => -value.value(meaning)?,
            Self::Not(value) => truth(value.value(meaning)? == 0.0),
            Self::Binary(..) => return self.row_value(meaning),
            Self::Call(function, arguments, at) => return call(function, arguments, *at, meaning),
        })
    }

    /// A row of terms is a tree that leans to the left, as deep as the row is long: its spine is walked without recursion, which
    /// would need more stack than a thread has.
    fn row_value(&self, meaning: &dyn Meaning) -> Result<f64, Wrong> {
        let (mut first, mut terms) = (self, Vec::new());
        while let Self::Binary(operator, left, right) = first {
            terms.push((*operator, right));
            first = left;
        }
        let mut value = first.value(meaning)?;
        for (operator, right) in terms.into_iter().rev() {
            value = match operator {
                Operator::And => truth(value != 0.0 && right.value(meaning)? != 0.0),
                Operator::Or => truth(value != 0.0 || right.value(meaning)? != 0.0),
                operator => operator.apply(value, right.value(meaning)?),
            };
        }
        Ok(value)
    }
}

fn truth(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

impl Operator {
    fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Remainder => remainder(a, b),
            Self::Power => power(a, b),
            Self::Less => truth(a < b),
            Self::AtMost => truth(a <= b),
            Self::Greater => truth(a > b),
            Self::AtLeast => truth(a >= b),
            Self::Equal => truth(a == b),
            Self::Differs => truth(a != b),
            Self::And => truth(a != 0.0 && b != 0.0),
            Self::Or => truth(a != 0.0 || b != 0.0),
        }
    }
}

/// a - b ⌊a / b⌋: never negative where b is positive, so that it numbers rows and columns.
fn remainder(a: f64, b: f64) -> f64 {
    a - b * Float::floor(a / b)
}

/// Small whole powers by multiplication, the others by the library's function.
fn power(a: f64, b: f64) -> f64 {
    if b.fract() == 0.0 && (0.0..=8.0).contains(&b) {
        return (0..b as u32).fold(1.0, |product, _| product * a);
    }
    libm::pow(a, b)
}

/// A number in [0, 1) that looks as if drawn at random, and is the same for the same arguments: the finaliser of SplitMix64
/// (Steele, Lea and Flood 2014) over their bits.
fn random(arguments: &[f64]) -> f64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for argument in arguments {
        // +0 and -0 are the same number.
        state = (state ^ (argument + 0.0).to_bits()).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
    }
    (state >> 11) as f64 / (1_u64 << 53) as f64
}

fn call(function: &str, arguments: &[Argument], at: usize, meaning: &dyn Meaning) -> Result<f64, Wrong> {
    // The branch that is not taken may divide by zero, or name what does not exist.
    if let ("if", [Argument::Value(condition), Argument::Value(yes), Argument::Value(no)]) = (function, arguments) {
        return if condition.value(meaning)? != 0.0 { yes.value(meaning) } else { no.value(meaning) };
    }
    let (mut numbers, mut texts) = (Vec::new(), Vec::new());
    for argument in arguments {
        match argument {
            Argument::Value(value) => numbers.push(value.value(meaning)?),
            Argument::Text(text) => texts.push(interpolate(text, meaning).map_err(|(_, words)| (at, words))?),
        }
    }
    let arithmetic = FUNCTIONS.iter().find(|(name, _)| *name == function);
    let Some(&(_, count)) = arithmetic else {
        return match meaning.call(function, &texts, &numbers) {
            Some(answer) => answer.map_err(|words| (at, words)),
            None => {
                let all = FUNCTIONS.iter().map(|(name, _)| *name).chain(meaning.functions().iter().copied());
                Err((at, missing("function", function, all)))
            }
        };
    };
    if !texts.is_empty() {
        return Err((at, format!("{function} takes numbers, not texts")));
    }
    match count {
        Some(count) if numbers.len() != count => {
            return Err((at, format!("{function} takes {count} numbers, got {}", numbers.len())));
        }
        None if numbers.is_empty() => return Err((at, format!("{function} takes at least one number"))),
        _ => {}
    }
    let angle = meaning.units().angle;
    let x = numbers[0];
    let y = numbers.get(1).copied().unwrap_or(0.0);
    Ok(match function {
        "abs" => x.abs(),
        "sign" => truth(x > 0.0) - truth(x < 0.0),
        "floor" => Float::floor(x),
        "ceil" => -Float::floor(-x),
        "round" => Float::floor(x + 0.5),
        "trunc" => x.trunc(),
        "sqrt" => x.sqrt(),
        "exp" => libm::exp(x),
        "ln" => libm::log(x),
        "log10" => libm::log10(x),
        "pow" => power(x, y),
        "mod" => remainder(x, y),
        "hypot" => (x * x + y * y).sqrt(),
        "sin" => Float::sin(x * angle),
        "cos" => Float::cos(x * angle),
        "tan" => libm::tan(x * angle),
        "asin" => libm::asin(x) / angle,
        "acos" => libm::acos(x) / angle,
        "atan" => libm::atan(x) / angle,
        "atan2" => libm::atan2(x, y) / angle,
        "min" => numbers.iter().copied().fold(x, |a, b| if b < a { b } else { a }),
        "max" => numbers.iter().copied().fold(x, |a, b| if b > a { b } else { a }),
        "clamp" => {
            let high = numbers.get(2).copied().unwrap_or(y);
            if x < y {
                y
            } else if x > high {
                high
            } else {
                x
            }
        }
        // Only `random` is left.
        _ => random(&numbers),
    })
}

/// A text with `{expression}` replaced by values; `{{` and `}}` stand for the braces themselves.
pub fn interpolate(text: &str, meaning: &dyn Meaning) -> Result<String, Wrong> {
    if !text.contains(['{', '}']) {
        return Ok(text.to_owned());
    }
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    while let Some(next) = text[at..].find(['{', '}']).map(|i| at + i) {
        out.push_str(&text[at..next]);
        let rest = &text[next..];
        if rest.starts_with("{{") || rest.starts_with("}}") {
            out.push_str(&rest[..1]);
            at = next + 2;
            continue;
        }
        if rest.starts_with('}') {
            return Err((next, format!("a '}}' without its '{{' in {text:?}; write \"}}}}\" for the brace itself")));
        }
        let Some(length) = rest.find('}') else {
            return Err((next, format!("a '{{' without its '}}' in {text:?}; write \"{{{{\" for the brace itself")));
        };
        let value = Expression::parse(&rest[1..length]).and_then(|e| e.value(meaning));
        let value = value.map_err(|(i, words)| (next + 1 + i, words))?;
        out.push_str(&crate::figure::Exact(value).to_string());
        at = next + length + 1;
    }
    out.push_str(&text[at..]);
    Ok(out)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

type Parsed = Result<Expression, Wrong>;

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blank(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Takes a sign if it is next. Longer signs are asked for before their beginnings.
    fn takes(&mut self, sign: &str) -> bool {
        self.blank();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    /// The word that is next, without taking it.
    fn word(&mut self) -> &str {
        self.blank();
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if rest.starts_with(|c: char| c.is_ascii_digit()) { "" } else { &rest[..length] }
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn or(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err((self.at, format!("brackets are nested more than {DEEPEST} deep")));
        }
        let mut left = self.and()?;
        while self.takes_word("or") {
            left = Expression::Binary(Operator::Or, Box::new(left), Box::new(self.and()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn and(&mut self) -> Parsed {
        let mut left = self.not()?;
        while self.takes_word("and") {
            left = Expression::Binary(Operator::And, Box::new(left), Box::new(self.not()?));
        }
        Ok(left)
    }

    fn not(&mut self) -> Parsed {
        if self.takes_word("not") { Ok(Expression::Not(Box::new(self.compare()?))) } else { self.compare() }
    }

    fn compare(&mut self) -> Parsed {
        let left = self.sum()?;
        let signs = [
            ("<=", Operator::AtMost),
            (">=", Operator::AtLeast),
            ("==", Operator::Equal),
            ("!=", Operator::Differs),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        for (sign, operator) in signs {
            if self.takes(sign) {
                return Ok(Expression::Binary(operator, Box::new(left), Box::new(self.sum()?)));
            }
        }
        Ok(left)
    }

    fn sum(&mut self) -> Parsed {
        self.row(&[("+", Operator::Add), ("-", Operator::Subtract)], Self::product)
    }

    fn product(&mut self) -> Parsed {
        let signs = [("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)];
        self.row(&signs, Self::sign)
    }

    fn row(&mut self, signs: &[(&str, Operator)], part: impl Fn(&mut Self) -> Parsed) -> Parsed {
        let mut left = part(self)?;
        while let Some(&(_, operator)) = signs.iter().find(|(sign, _)| self.takes(sign)) {
            left = Expression::Binary(operator, Box::new(left), Box::new(part(self)?));
        }
        Ok(left)
    }

    fn sign(&mut self) -> Parsed {
        let mut negative = false;
        loop {
            if self.takes("-") {
                negative = !negative;
            } else if !self.takes("+") {
                break;
            }
        }
        let value = self.power()?;
        Ok(if negative { Expression::Negative(Box::new(value)) } else { value })
    }

    fn power(&mut self) -> Parsed {
        let base = self.unit()?;
        if !self.takes("^") {
            return Ok(base);
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err((self.at, format!("powers are nested more than {DEEPEST} deep")));
        }
        let exponent = self.sign()?;
        self.depth -= 1;
        Ok(Expression::Binary(Operator::Power, Box::new(base), Box::new(exponent)))
    }

    fn unit(&mut self) -> Parsed {
        let mut value = self.atom()?;
        // The words between operators; whatever else follows a value is a unit or a mistake.
        while !matches!(self.word(), "" | "and" | "or") {
            let (at, word) = (self.at, self.word().to_owned());
            let Some((si, dimension)) = Units::named(&word) else {
                return Err((at, missing("unit", &word, Units::names())));
            };
            self.at += word.len();
            value = Expression::Unit(Box::new(value), si, dimension);
        }
        Ok(value)
    }

    fn atom(&mut self) -> Parsed {
        self.blank();
        let start = self.at;
        if self.takes("(") {
            let inside = self.or()?;
            return if self.takes(")") { Ok(inside) } else { Err((start, "this bracket is never closed".to_owned())) };
        }
        let word = self.word().to_owned();
        if !word.is_empty() {
            self.at += word.len();
            if !self.takes("(") {
                return Ok(Expression::Name(word, start));
            }
            let mut arguments = Vec::new();
            while !self.takes(")") {
                if !arguments.is_empty() && !self.takes(",") {
                    return Err((self.at, format!("a ',' or ')' is missing in {:?}", self.text)));
                }
                arguments.push(self.argument()?);
            }
            return Ok(Expression::Call(word, arguments, start));
        }
        self.number()
    }

    fn argument(&mut self) -> Result<Argument, Wrong> {
        self.blank();
        let start = self.at;
        if !self.takes("'") {
            return self.or().map(Argument::Value);
        }
        let Some(length) = self.rest().find('\'') else {
            return Err((start, "this text has no second '".to_owned()));
        };
        let text = self.rest()[..length].to_owned();
        self.at += length + 1;
        Ok(Argument::Text(text))
    }

    fn number(&mut self) -> Parsed {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut length = digits(0);
        if bytes.get(length) == Some(&b'.') {
            length += 1 + digits(length + 1);
        }
        if let Some(b'e' | b'E') = bytes.get(length) {
            let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
            let exponent = digits(length + 1 + sign);
            length += if exponent > 0 { 1 + sign + exponent } else { 0 };
        }
        match self.rest().get(..length).map(str::parse) {
            Some(Ok(number)) => {
                self.at += length;
                Ok(Expression::Number(number))
            }
            _ if self.rest().starts_with('"') => {
                let message = "names of bodies and joints stand in single quotes, as in \"y('box')\"";
                Err((self.at, message.to_owned()))
            }
            _ => Err((self.at, format!("a number or a name is missing in {:?}", self.text))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Plain;

    impl Meaning for Plain {
        fn name(&self, name: &str) -> Option<Result<f64, String>> {
            (name == "i").then_some(Ok(3.0))
        }
        fn names(&self) -> Vec<String> {
            vec!["i".to_owned()]
        }
        fn units(&self) -> Units {
            Units::SI
        }
        fn call(&self, _: &str, _: &[String], _: &[f64]) -> Option<Result<f64, String>> {
            None
        }
    }

    fn value(text: &str) -> Result<f64, Wrong> {
        Expression::parse(text)?.value(&Plain)
    }

    /// What binds tighter, and what groups from which side, as everyone learnt it.
    #[test]
    fn precedence() {
        let cases = [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("2 - 3 - 4", -5.0),
            ("8 / 4 / 2", 1.0),
            ("2 ^ 3 ^ 2", 512.0),
            ("-2 ^ 2", -4.0),
            ("2 ^ -1", 0.5),
            ("-i % 5", 2.0),
            ("1 < 2 and not 2 < 1", 1.0),
            ("0 and 1 or 1", 1.0),
            ("i == 3", 1.0),
            ("if(i > 2, 10, 1 / 0)", 10.0),
            ("180 deg - pi", 0.0),
            ("2 * 500 mm", 1.0),
            ("max(1, i, 2) + min(4, 2)", 5.0),
            ("1e3 + .5 + 2.", 1002.5),
            ("clamp(5, 0, 2) + round(2.5) + mod(-1, 4)", 8.0),
        ];
        for (text, expected) in cases {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    /// Whatever is wrong is answered with its place, and nothing is read twice or for ever.
    #[test]
    fn mistakes_have_places() {
        for (text, at) in [("1 +", 3), ("(1", 0), ("1 2", 2), ("j + 1", 0), ("2 * sine(1)", 4), ("3 degs", 2), ("", 0)]
        {
            assert_eq!(value(text).map_err(|(at, _)| at), Err(at), "{text:?}");
        }
        assert!(value("2 * sine(1)").is_err_and(|(_, words)| words.contains("\"sin\"")));
        let deep = "(".repeat(100_000) + "1";
        assert!(value(&deep).is_err());
        assert!(value(&"-".repeat(100_000)).is_err());
        assert!(value(&"1^".repeat(100_000)).is_err());
        assert!(value(&"1+".repeat(100_000)).is_err());
        assert!(value(&("1".to_owned() + &" m".repeat(100_000))).is_err());
        assert_eq!(value(&("1".to_owned() + &"+1".repeat(2000))), Ok(2001.0));
    }

    /// Names of a thousand bodies come from one text.
    #[test]
    fn texts_hold_values() {
        let text = |t: &str| interpolate(t, &Plain);
        assert_eq!(text("box-{i}-{i/2}"), Ok("box-3-1.5".to_owned()));
        assert_eq!(text("{{i}}"), Ok("{i}".to_owned()));
        assert!(text("{i").is_err() && text("i}").is_err() && text("{j}").is_err_and(|(at, _)| at == 1));
    }

    /// Random numbers fill the interval evenly and do not repeat.
    #[test]
    fn random_numbers_are_spread() {
        let mean = (0..1000).map(|i| random(&[f64::from(i)])).sum::<f64>() / 1000.0;
        // Four standard errors of the mean of 1000 uniform numbers: 4 √(1/12/1000).
        assert!((mean - 0.5).abs() < 0.037, "{mean}");
        assert!(random(&[1.0, 2.0]) != random(&[2.0, 1.0]));
        assert_eq!(random(&[0.0]), random(&[-0.0]));
    }
}
