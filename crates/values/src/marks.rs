//! Marks: what travels with a value without being part of it.

use std::fmt;

use smol_str::SmolStr;

/// A label on a value, which everything that is made from the value gets too.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark(SmolStr);

impl Mark {
    /// The value is a secret.
    pub const SENSITIVE: Mark = Mark(SmolStr::new_static("sensitive"));

    /// A mark of this name.
    pub fn new(name: &str) -> Mark {
        Mark(name.into())
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for Mark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// A set of marks, mostly empty or of one.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Marks(Vec<Mark>);

impl Marks {
    /// No mark.
    pub const fn none() -> Marks {
        Marks(Vec::new())
    }

    /// There is no mark.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The mark is one of these.
    pub fn contains(&self, mark: &Mark) -> bool {
        self.0.binary_search(mark).is_ok()
    }

    /// The marks, in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Mark> {
        self.0.iter()
    }

    /// Adds a mark.
    pub fn insert(&mut self, mark: Mark) {
        if let Err(position) = self.0.binary_search(&mark) {
            self.0.insert(position, mark);
        }
    }

    /// Adds all the other marks.
    pub fn extend(&mut self, other: &Marks) {
        for mark in &other.0 {
            self.insert(mark.clone());
        }
    }
}

impl From<Mark> for Marks {
    fn from(mark: Mark) -> Marks {
        Marks(vec![mark])
    }
}

impl FromIterator<Mark> for Marks {
    fn from_iter<I: IntoIterator<Item = Mark>>(marks: I) -> Marks {
        let mut set = Marks::none();
        marks.into_iter().for_each(|mark| set.insert(mark));
        set
    }
}

impl fmt::Display for Marks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, mark) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { " and " };
            write!(formatter, "{separator}{mark}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Marks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(&self.0).finish()
    }
}
