//! Putting marks on values and taking them off.

use std::collections::HashMap;
use std::sync::Arc;

use crate::marks::{Mark, Marks};
use crate::path::Path;
use crate::value::{Content, Marked, Value};

impl Value {
    /// The value with this mark as well.
    #[must_use]
    pub fn mark(&self, mark: Mark) -> Value {
        self.clone().with_marks(&Marks::from(mark))
    }

    /// The value as a secret.
    #[must_use]
    pub fn sensitive(&self) -> Value {
        self.mark(Mark::SENSITIVE)
    }

    /// The value with these marks as well.
    #[must_use]
    pub fn with_marks(self, marks: &Marks) -> Value {
        if marks.is_empty() {
            return self;
        }
        let (value, mut all) = self.unmark();
        all.extend(marks);
        Value(Content::Marked(Arc::new(Marked { marks: all, value })))
    }

    /// The value without the marks that it has itself, and those marks.
    pub fn unmark(&self) -> (Value, Marks) {
        match &self.0 {
            Content::Marked(marked) => (marked.value.clone(), marked.marks.clone()),
            _ => (self.clone(), Marks::none()),
        }
    }

    /// The marks that the value has itself.
    pub fn marks(&self) -> Marks {
        self.unmark().1
    }

    /// The value itself is marked as a secret.
    pub fn is_sensitive(&self) -> bool {
        matches!(&self.0, Content::Marked(marked) if marked.marks.contains(&Mark::SENSITIVE))
    }

    /// The value has a mark.
    pub fn is_marked(&self) -> bool {
        matches!(self.0, Content::Marked(_))
    }

    /// The value has a mark, or one inside it has.
    pub fn contains_marked(&self) -> bool {
        match &self.0 {
            Content::Marked(_) => true,
            Content::Sequence(sequence) => sequence.items().iter().any(Value::contains_marked),
            Content::Map(map) => map.items().iter().any(|(_, value)| value.contains_marked()),
            _ => false,
        }
    }

    /// The value without any marks at any depth, and all of them.
    pub fn unmark_deep(&self) -> (Value, Marks) {
        let mut marks = Marks::none();
        let value = self.clone().unmark_deep_into(&mut marks);
        (value, marks)
    }

    pub(crate) fn unmark_deep_into(self, marks: &mut Marks) -> Value {
        // Most values have no marks, and then nothing is copied.
        if !self.contains_marked() {
            return self;
        }
        match self.0 {
            Content::Marked(marked) => {
                marks.extend(&marked.marks);
                marked.value.clone().unmark_deep_into(marks)
            }
            Content::Sequence(sequence) => {
                let unmark = |value: &Value| value.clone().unmark_deep_into(marks);
                Value::sequence_of(sequence.ty().clone(), sequence.items().iter().map(unmark))
            }
            Content::Map(map) => {
                let unmark = |(key, value): &(_, Value)| {
                    (Clone::clone(key), value.clone().unmark_deep_into(marks))
                };
                Value::map_of(map.ty().clone(), map.items().iter().map(unmark))
            }
            _ => self,
        }
    }

    /// The value without any marks, and where they were: what [`Value::mark_at`] puts back.
    pub fn unmark_with_paths(&self) -> (Value, Vec<(Path, Marks)>) {
        let mut found = Vec::new();
        self.walk(&mut |path, value| {
            if value.is_marked() {
                found.push((path.clone(), value.marks()));
            }
            true
        });
        (self.unmark_deep().0, found)
    }

    /// The value with these marks at these places. Places that are not there are left out.
    #[must_use]
    pub fn mark_at(&self, places: &[(Path, Marks)]) -> Value {
        if places.is_empty() {
            return self.clone();
        }
        let mut by_path: HashMap<&Path, Marks> = HashMap::with_capacity(places.len());
        for (path, marks) in places {
            by_path.entry(path).or_default().extend(marks);
        }
        let mark = |path: &Path, value: Value| {
            let marks = by_path.get(path);
            Ok(marks.map_or_else(|| value.clone(), |marks| value.clone().with_marks(marks)))
        };
        self.transform(&mut { mark })
            .unwrap_or_else(|_| self.clone())
    }
}
