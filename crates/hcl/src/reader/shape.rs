//! What a kind of block may hold.

/// What a kind of block may contain: its number of labels, its attributes and its blocks.
///
/// ```
/// use tenon_hcl::Shape;
///
/// const PLUGIN: Shape<1> = Shape::new("a plugin", ["name"])
///     .required(&["command"])
///     .optional(&["env"])
///     .blocks(&["permissions"]);
/// # let _ = PLUGIN;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Shape<const LABELS: usize> {
    pub(super) name: &'static str,
    pub(super) labels: [&'static str; LABELS],
    pub(super) has_free_labels: bool,
    pub(super) required: &'static [&'static str],
    pub(super) optional: &'static [&'static str],
    pub(super) takes_any: bool,
    pub(super) blocks: &'static [&'static str],
    pub(super) misplaced: &'static [(&'static str, &'static str)],
}

impl<const LABELS: usize> Shape<LABELS> {
    /// A block that errors call this, with an article (`a variable`), and with labels of these
    /// meanings. It holds nothing until the other methods say what.
    pub const fn new(name: &'static str, labels: [&'static str; LABELS]) -> Shape<LABELS> {
        Shape {
            name,
            labels,
            has_free_labels: false,
            required: &[],
            optional: &[],
            takes_any: false,
            blocks: &[],
            misplaced: &[],
        }
    }

    /// Its labels are only shown and never referred to, so any text that fits on a line is one.
    #[must_use]
    pub const fn free_labels(mut self) -> Shape<LABELS> {
        self.has_free_labels = true;
        self
    }

    /// Attributes that it must have.
    #[must_use]
    pub const fn required(mut self, names: &'static [&'static str]) -> Shape<LABELS> {
        self.required = names;
        self
    }

    /// Attributes that it may have.
    #[must_use]
    pub const fn optional(mut self, names: &'static [&'static str]) -> Shape<LABELS> {
        self.optional = names;
        self
    }

    /// Attributes of any name are allowed.
    #[must_use]
    pub const fn any_attributes(mut self) -> Shape<LABELS> {
        self.takes_any = true;
        self
    }

    /// Kinds of blocks that it may have, each any number of times.
    #[must_use]
    pub const fn blocks(mut self, kinds: &'static [&'static str]) -> Shape<LABELS> {
        self.blocks = kinds;
        self
    }

    /// Blocks that do not belong here but are likely to be tried, each with what to do instead.
    #[must_use]
    pub const fn misplaced(
        mut self,
        kinds: &'static [(&'static str, &'static str)],
    ) -> Shape<LABELS> {
        self.misplaced = kinds;
        self
    }

    pub(super) fn attributes(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.required.iter().chain(self.optional).copied()
    }
}
