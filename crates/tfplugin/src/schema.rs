//! Schemas in the form that Terraform gets.

use tenon_schema::{
    Attribute, AttributeType, Block, Body, Description, Function, Nesting, Parameter, Presence,
    Schema,
};
use tenon_values::Type;

use crate::proto::tfplugin6::resource_identity_schema::IdentityAttribute;
use crate::proto::tfplugin6::schema::{self, nested_block, object};
use crate::proto::tfplugin6::{self as proto, StringKind};

/// A whole block: of a resource, a data source, a configuration.
pub(crate) fn of(schema: &Schema) -> proto::Schema {
    proto::Schema {
        version: number(schema.version),
        block: Some(block(&schema.body)),
    }
}

fn block(body: &Body) -> schema::Block {
    let blocks = body.blocks.iter().map(|nested| schema::NestedBlock {
        type_name: nested.name.clone(),
        block: Some(block(&nested.body)),
        nesting: match nested.nesting {
            Nesting::Single => nested_block::NestingMode::Single,
            Nesting::Group => nested_block::NestingMode::Group,
            Nesting::List => nested_block::NestingMode::List,
            Nesting::Set => nested_block::NestingMode::Set,
            Nesting::Map => nested_block::NestingMode::Map,
        } as i32,
        min_items: limits(nested).0,
        max_items: limits(nested).1,
    });
    schema::Block {
        attributes: attributes(&body.attributes),
        block_types: blocks.collect(),
        description: body.description.text.clone(),
        description_kind: kind(&body.description),
        deprecated: body.deprecation.is_some(),
        deprecation_message: body.deprecation.clone().unwrap_or_default(),
        ..schema::Block::default()
    }
}

/// The least and the greatest number of blocks, 0 for no limit. Terraform refuses a schema with
/// limits that it cannot check: those of maps and groups, and an optional single block with a
/// maximum. `Body::complete` checks them all.
fn limits(block: &Block) -> (i64, i64) {
    match block.nesting {
        Nesting::List | Nesting::Set => (number(block.min), block.max.map_or(0, number)),
        Nesting::Single if block.min > 0 => (1, 1),
        Nesting::Single | Nesting::Group | Nesting::Map => (0, 0),
    }
}

/// Sorted by name, as providers written in Go send them.
fn attributes(attributes: &[Attribute]) -> Vec<schema::Attribute> {
    let mut all: Vec<_> = attributes.iter().map(attribute).collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

fn attribute(attribute: &Attribute) -> schema::Attribute {
    let (ty, nested) = match &attribute.ty {
        AttributeType::Plain(ty) => (type_json(ty), None),
        AttributeType::Nested(nesting, inner) => {
            let nested = schema::Object {
                attributes: attributes(inner),
                nesting: match nesting {
                    // For attributes Terraform knows no object that is always there.
                    Nesting::Single | Nesting::Group => object::NestingMode::Single,
                    Nesting::List => object::NestingMode::List,
                    Nesting::Set => object::NestingMode::Set,
                    Nesting::Map => object::NestingMode::Map,
                } as i32,
                ..schema::Object::default()
            };
            (Vec::new(), Some(nested))
        }
    };
    schema::Attribute {
        name: attribute.name.clone(),
        r#type: ty,
        nested_type: nested,
        description: attribute.description.text.clone(),
        description_kind: kind(&attribute.description),
        required: attribute.presence == Presence::Required,
        optional: attribute.presence.is_optional(),
        // A default is a value that the user did not give, which Terraform allows only there.
        computed: attribute.presence.is_computed() || attribute.default.is_some(),
        sensitive: attribute.is_sensitive,
        write_only: attribute.is_write_only,
        deprecated: attribute.deprecation.is_some(),
        deprecation_message: attribute.deprecation.clone().unwrap_or_default(),
    }
}

/// What identifies a resource.
pub(crate) fn identity(attributes: &[Attribute]) -> proto::ResourceIdentitySchema {
    let attributes = attributes.iter().map(|attribute| IdentityAttribute {
        name: attribute.name.clone(),
        r#type: type_json(&attribute.implied_type()),
        required_for_import: attribute.presence == Presence::Required,
        optional_for_import: attribute.presence.is_optional(),
        description: attribute.description.text.clone(),
    });
    proto::ResourceIdentitySchema {
        version: 0,
        identity_attributes: attributes.collect(),
    }
}

/// A function. Terraform has no optional parameters: all that is declared must be given, except
/// for what is variadic.
pub(crate) fn function(function: &Function) -> proto::Function {
    proto::Function {
        parameters: function.parameters.iter().map(parameter).collect(),
        variadic_parameter: function.variadic.as_ref().map(parameter),
        r#return: Some(proto::function::Return {
            r#type: type_json(&function.returns),
        }),
        summary: function.summary.clone(),
        description: function.description.text.clone(),
        description_kind: kind(&function.description),
        deprecation_message: function.deprecation.clone().unwrap_or_default(),
    }
}

fn parameter(parameter: &Parameter) -> proto::function::Parameter {
    proto::function::Parameter {
        name: parameter.name.clone(),
        r#type: type_json(&parameter.ty),
        allow_null_value: parameter.allows_null,
        allow_unknown_values: parameter.allows_unknown,
        description: parameter.description.text.clone(),
        description_kind: kind(&parameter.description),
    }
}

fn kind(description: &Description) -> i32 {
    match description.is_markdown {
        true => StringKind::Markdown as i32,
        false => StringKind::Plain as i32,
    }
}

fn type_json(ty: &Type) -> Vec<u8> {
    ty.to_json().into_bytes()
}

fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_every_nesting_reach_terraform() {
        let inner = || Body::new([Attribute::new("a", Type::Bool)]);
        let all = [
            (
                Nesting::Single,
                nested_block::NestingMode::Single,
                1,
                (1, 1),
            ),
            (Nesting::Group, nested_block::NestingMode::Group, 1, (0, 0)),
            (Nesting::List, nested_block::NestingMode::List, 3, (1, 3)),
            (Nesting::Set, nested_block::NestingMode::Set, 3, (1, 3)),
            (Nesting::Map, nested_block::NestingMode::Map, 3, (0, 0)),
        ];
        for (nesting, expected, max, limits) in all {
            let block = Block::new("b", nesting, inner()).between(1, max);
            let body = Body::default().with_block(block);
            let told = of(&Schema::new(2, body));
            assert_eq!(told.version, 2);
            let nested = told.block.unwrap().block_types.remove(0);
            assert_eq!(nested.nesting(), expected);
            assert_eq!((nested.min_items, nested.max_items), limits);
            assert_eq!(nested.block.unwrap().attributes[0].name, "a");
        }
        let optional = Block::new("b", Nesting::Single, inner()).between(0, 1);
        assert_eq!(limits(&optional), (0, 0));
    }

    #[test]
    fn attributes_say_who_gives_them_a_value() {
        let flags = |attribute: Attribute| {
            let told = super::attribute(&attribute);
            (told.required, told.optional, told.computed)
        };
        let new = || Attribute::new("a", Type::String);
        assert_eq!(flags(new()), (false, true, false));
        assert_eq!(flags(new().required()), (true, false, false));
        assert_eq!(flags(new().computed()), (false, false, true));
        assert_eq!(flags(new().computed_unless_given()), (false, true, true));
        assert_eq!(flags(new().with_default("x".into())), (false, true, true));
    }

    #[test]
    fn attributes_are_sorted_and_nested_ones_have_no_type() {
        let inner = [
            Attribute::new("y", Type::Number),
            Attribute::new("x", Type::Bool),
        ];
        let body = Body::new([
            Attribute::nested("b", Nesting::Map, inner).about(Description::markdown("`b`")),
            Attribute::new("a", Type::list(Type::String)).deprecated("Use b."),
        ]);
        let told = block(&body).attributes;
        assert_eq!((told[0].name.as_str(), told[0].deprecated), ("a", true));
        assert_eq!(told[0].r#type, br#"["list","string"]"#);
        assert_eq!(told[1].description_kind(), StringKind::Markdown);
        assert!(told[1].r#type.is_empty());
        let nested = told[1].nested_type.as_ref().unwrap();
        assert_eq!(nested.nesting(), object::NestingMode::Map);
        assert_eq!(nested.attributes[0].name, "x");
    }
}
