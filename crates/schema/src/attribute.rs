//! Attributes: the named values of a body.

use tenon_values::{Type, Value};

use crate::body::implied_type_of;
use crate::{Description, Nesting};

/// A named value that users write, the plugin computes, or both.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The name.
    pub name: String,
    /// The type, or the attributes of the objects that it holds.
    pub ty: AttributeType,
    /// Who sets it.
    pub presence: Presence,
    /// The value it has if the user gives none.
    pub default: Option<Value>,
    /// Hosts do not show it.
    pub is_sensitive: bool,
    /// Hosts pass it to the plugin and never store it.
    pub is_write_only: bool,
    /// A change of it replaces the resource. Has no effect on write-only attributes, whose values are
    /// not stored.
    pub replaces: bool,
    /// It is computed, and an update does not change it.
    pub is_stable: bool,
    /// Two calls with the same value take effect only once.
    pub is_idempotency_key: bool,
    /// What it means.
    pub description: Description,
    /// Why it should no longer be used, and what to use instead.
    pub deprecation: Option<String>,
}

/// The type of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeType {
    /// A type. Its parts have no descriptions of their own.
    Plain(Type),
    /// Objects whose attributes are described one by one.
    Nested(Nesting, Vec<Attribute>),
}

/// Who sets an attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// The user must give a value.
    Required,
    /// The user may give a value. Otherwise it is the default, or null.
    #[default]
    Optional,
    /// Only the plugin sets it.
    Computed,
    /// The user may give a value; otherwise the plugin does.
    OptionalComputed,
}

impl Attribute {
    /// An optional attribute of this type.
    pub fn new(name: impl Into<String>, ty: Type) -> Attribute {
        Attribute::of(name, AttributeType::Plain(ty))
    }

    /// An optional attribute that holds objects of these attributes: one object, a list, a set or
    /// a map of them.
    pub fn nested(
        name: impl Into<String>,
        nesting: Nesting,
        attributes: impl IntoIterator<Item = Attribute>,
    ) -> Attribute {
        let attributes = attributes.into_iter().collect();
        Attribute::of(name, AttributeType::Nested(nesting, attributes))
    }

    fn of(name: impl Into<String>, ty: AttributeType) -> Attribute {
        Attribute {
            name: name.into(),
            ty,
            presence: Presence::default(),
            default: None,
            is_sensitive: false,
            is_write_only: false,
            replaces: false,
            is_stable: false,
            is_idempotency_key: false,
            description: Description::default(),
            deprecation: None,
        }
    }

    /// The user must give it.
    #[must_use]
    pub fn required(mut self) -> Attribute {
        self.presence = Presence::Required;
        self
    }

    /// Only the plugin sets it.
    #[must_use]
    pub fn computed(mut self) -> Attribute {
        self.presence = Presence::Computed;
        self
    }

    /// The plugin sets it unless the user does.
    #[must_use]
    pub fn computed_unless_given(mut self) -> Attribute {
        self.presence = Presence::OptionalComputed;
        self
    }

    /// It has this value if the user gives none.
    #[must_use]
    pub fn with_default(mut self, default: Value) -> Attribute {
        self.default = Some(default);
        self
    }

    /// Hosts do not show it.
    #[must_use]
    pub fn sensitive(mut self) -> Attribute {
        self.is_sensitive = true;
        self
    }

    /// Hosts pass it to the plugin and never store it.
    #[must_use]
    pub fn write_only(mut self) -> Attribute {
        self.is_write_only = true;
        self
    }

    /// A change of it replaces the resource.
    #[must_use]
    pub fn replaces(mut self) -> Attribute {
        self.replaces = true;
        self
    }

    /// An update does not change it.
    #[must_use]
    pub fn stable(mut self) -> Attribute {
        self.is_stable = true;
        self
    }

    /// With a description.
    #[must_use]
    pub fn about(mut self, description: impl Into<Description>) -> Attribute {
        self.description = description.into();
        self
    }

    /// Marks it as deprecated, with the reason and what to use instead.
    #[must_use]
    pub fn deprecated(mut self, why: impl Into<String>) -> Attribute {
        self.deprecation = Some(why.into());
        self
    }

    /// The type of its values.
    pub fn implied_type(&self) -> Type {
        match &self.ty {
            AttributeType::Plain(ty) => ty.clone(),
            AttributeType::Nested(nesting, attributes) => {
                nesting.of(implied_type_of(attributes, &[]))
            }
        }
    }
}

impl Presence {
    /// Whether the user may give a value.
    pub fn is_configurable(self) -> bool {
        self != Presence::Computed
    }

    /// Whether the plugin may give a value.
    pub fn is_computed(self) -> bool {
        matches!(self, Presence::Computed | Presence::OptionalComputed)
    }

    /// Whether the user may leave it out, and may give it.
    pub fn is_optional(self) -> bool {
        matches!(self, Presence::Optional | Presence::OptionalComputed)
    }
}
