//! The text of a scene file as a tree in which every value knows its place.

use std::fmt;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// More text than anyone writes; a file of this size is something else.
pub const LARGEST: usize = 256 << 20;

/// A file, and where its lines begin.
#[derive(Clone, Debug)]
pub struct Source {
    /// What it is called in messages.
    pub name: String,
    /// Where files that it names are looked for.
    pub folder: PathBuf,
    text: String,
    lines: Vec<usize>,
}

/// What is wrong with a file, and where.
///
/// ```
/// let error = tumble_scene::file::parse("[[body]]\nmas = 2", "a.toml", ".").and_then(|scene| scene.setup().start()).err();
/// let expected = r#"a.toml:2:1: there is no "mas" in a body; the nearest name is "mass""#;
/// assert_eq!(error.map(|e| e.to_string()), Some(expected.to_owned()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The file.
    pub file: String,
    /// Counted from 1; 0 where the file as a whole is meant.
    pub line: u32,
    /// Counted from 1, in characters.
    pub column: u32,
    /// One sentence: what is wrong, and what to do.
    pub message: String,
    /// Further mistakes that were found, in the order of the file.
    pub others: Vec<FileError>,
}

impl FileError {
    /// A mistake of a file as a whole.
    pub(crate) fn whole(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: file.into(), line: 0, column: 0, message: message.into(), others: Vec::new() }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message),
            line => write!(f, "{}:{line}:{}: {}", self.file, self.column, self.message),
        }
    }
}

impl std::error::Error for FileError {}

/// What is wrong, and at which byte of the text.
#[derive(Clone, Debug)]
pub struct Fault {
    pub at: usize,
    pub message: String,
    /// Another place, with whose line the message ends.
    other: Option<usize>,
}

impl Fault {
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), other: None }
    }
}

impl Fault {
    /// The message ends with the line of another place.
    #[must_use]
    pub fn and_line_of(mut self, other: usize) -> Self {
        self.other = Some(other);
        self
    }
}

/// The result of everything that reads.
pub type Read<T> = Result<T, Fault>;

/// A value and where it begins.
#[derive(Clone, Debug)]
pub struct Node {
    pub at: usize,
    pub item: Item,
}

#[derive(Clone, Debug)]
pub enum Item {
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key with its value; in the order of the text.
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: String,
    pub at: usize,
    pub node: Node,
}

impl Item {
    /// What it is, for people.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Flag(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

impl Node {
    pub fn get(&self, key: &str) -> Option<&Entry> {
        match &self.item {
            Item::Table(entries) => entries.iter().find(|e| e.key == key),
            _ => None,
        }
    }
}

impl Source {
    pub fn new(text: String, name: impl Into<String>, folder: impl AsRef<Path>) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { name: name.into(), folder: folder.as_ref().to_owned(), text, lines }
    }

    /// The fault with its line and column.
    pub fn locate(&self, fault: Fault) -> FileError {
        let at = fault.at.min(self.text.len());
        let line_of = |at: usize| self.lines.partition_point(|&start| start <= at);
        let line = line_of(at);
        let start = line.checked_sub(1).and_then(|i| self.lines.get(i)).copied().unwrap_or(0);
        let column = 1 + self.text.get(start..at).map_or(at - start, |before| before.chars().count());
        let message = match fault.other {
            Some(other) => format!("{} in line {}", fault.message, line_of(other)),
            None => fault.message,
        };
        let (line, column) = (line as u32, column as u32);
        FileError { file: self.name.clone(), line, column, message, others: Vec::new() }
    }

    /// The topmost of several faults, with the others behind it; the first of those at one place.
    pub fn locate_all(&self, mut faults: Vec<Fault>) -> FileError {
        faults.sort_by_key(|fault| fault.at);
        faults.dedup_by_key(|fault| fault.at);
        let mut located = faults.into_iter().map(|fault| self.locate(fault));
        let Some(mut first) = located.next() else { return FileError::whole(self.name.clone(), "nothing is wrong") };
        first.others = located.collect();
        first
    }

    /// The text as a tree.
    pub fn parse(&self) -> Read<Node> {
        if self.text.len() > LARGEST {
            return Err(Fault::new(0, format!("the file has more than {} MB; is it a scene?", LARGEST >> 20)));
        }
        let table = DeTable::parse(&self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            // One sentence in one line, whatever the parser says.
            let words: Vec<&str> = error.message().split_whitespace().collect();
            Fault::new(at, format!("this is not TOML: {}", words.join(" ")))
        })?;
        self::table(table.get_ref(), table.span().start)
    }
}

fn table(table: &DeTable<'_>, at: usize) -> Read<Node> {
    let mut entries = Vec::with_capacity(table.len());
    for (key, value) in table {
        // A table in the middle of a dotted key has no place of its own, and takes that of the key.
        let at = key.span().start;
        let node = node(value.get_ref(), value.span().start.max(at))?;
        entries.push(Entry { key: key.get_ref().to_string(), at, node });
    }
    entries.sort_by_key(|e| e.at);
    Ok(Node { at, item: Item::Table(entries) })
}

fn node(value: &DeValue<'_>, at: usize) -> Read<Node> {
    let number = |digits: &str| {
        let wrong = || Fault::new(at, format!("{digits:?} is too large a number"));
        digits.replace('_', "").parse::<f64>().map_err(|_| wrong())
    };
    let item = match value {
        DeValue::Boolean(flag) => Item::Flag(*flag),
        DeValue::String(text) => Item::Text(text.to_string()),
        DeValue::Float(float) => Item::Number(number(float.as_str())?),
        DeValue::Integer(integer) if integer.radix() == 10 => Item::Number(number(integer.as_str())?),
        DeValue::Integer(integer) => {
            let digits = integer.as_str().replace('_', "");
            let value = u64::from_str_radix(&digits, integer.radix());
            Item::Number(value.map_err(|_| Fault::new(at, "this number is too large"))? as f64)
        }
        DeValue::Datetime(_) => return Err(Fault::new(at, "dates mean nothing here; times are numbers in seconds")),
        DeValue::Array(list) => {
            let nodes = list.iter().map(|value| node(value.get_ref(), value.span().start));
            Item::List(nodes.collect::<Read<Vec<Node>>>()?)
        }
        DeValue::Table(inner) => return table(inner, at),
    };
    Ok(Node { at, item })
}
