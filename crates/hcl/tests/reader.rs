//! Another language than that of scenarios, read with the same reader: plugins and what they may do.

use std::collections::BTreeMap;

use tenon_hcl::{Block, Body, Diagnostic, Problems, Shape, Source, Style, parse};

const FILE: Shape<0> = Shape::new("a plugin file", [])
    .blocks(&["plugin"])
    .misplaced(&[("scenario", "this is a scenario: run it with `tenon run`")]);
const PLUGIN: Shape<1> = Shape::new("a plugin", ["name"])
    .required(&["command"])
    .optional(&["description", "restart", "limits"])
    .blocks(&["permissions"]);
const PERMISSIONS: Shape<0> = Shape::new("`permissions`", []).optional(&["allow", "deny"]);

#[derive(Debug, PartialEq)]
struct Plugin {
    command: Vec<String>,
    description: Option<String>,
    restarts: bool,
    allow: Vec<String>,
}

fn plugins(text: &str) -> Result<BTreeMap<String, Plugin>, Vec<Diagnostic>> {
    let body = parse(&Source::new("tenon.hcl", text))?;
    let mut problems = Problems::default();
    problems.file(&body, &FILE);
    let mut found = Vec::new();
    for block in body.blocks_of("plugin") {
        found.extend(plugin(block, &mut problems));
    }
    problems.refuse_same("the plugin", found.iter().map(|(name, _)| [name]));
    match problems.has_errors() {
        true => Err(problems.0),
        false => {
            let named = |(name, plugin): (tenon_hcl::Name, _)| (name.text().to_owned(), plugin);
            Ok(found.into_iter().map(named).collect())
        }
    }
}

fn plugin(block: &Block, problems: &mut Problems) -> Option<(tenon_hcl::Name, Plugin)> {
    let labels = problems.block(block, &PLUGIN);
    let body = &block.body;
    let command = texts(body, "command", problems);
    let allow = match problems.only_block(body, "permissions") {
        Some(block) => {
            problems.block(block, &PERMISSIONS);
            texts(&block.body, "allow", problems)
        }
        None => Vec::new(),
    };
    if let Some(limits) = body.attribute("limits") {
        let form = "write `limits = { memory = \"512MiB\" }`";
        let entries = problems.object(&limits.value, "`limits` is an object", form)?;
        problems.refuse_other_entries(&entries, "`limits`", &["memory"], form);
    }
    let plugin = Plugin {
        command,
        description: problems.optional_text(body, "description"),
        restarts: problems.flag(body, "restart"),
        allow,
    };
    Some((labels?[0].clone(), plugin))
}

fn texts(body: &Body, name: &str, problems: &mut Problems) -> Vec<String> {
    let Some(attribute) = body.attribute(name) else {
        return Vec::new();
    };
    let wrong = format!("`{name}` is a list of texts");
    let form = format!("write `{name} = [\"...\"]`");
    let elements = problems.list(&attribute.value, &wrong, &form);
    let elements = elements.unwrap_or_default().into_iter();
    elements
        .filter_map(|element| problems.text(&element, "an element"))
        .collect()
}

#[test]
fn blocks_are_read_into_what_they_mean() {
    let plugins = plugins(
        r#"
        plugin "shop" {
          command     = ["python3", "${"shop"}.py"]
          description = upper("sells")
          restart     = true
          permissions {
            allow = ["read=./data"]
          }
        }

        plugin "clock" {
          command = ["./clock"]
        }
        "#,
    );
    let plugins = plugins.unwrap();
    let shop = Plugin {
        command: vec!["python3".into(), "shop.py".into()],
        description: Some("SELLS".into()),
        restarts: true,
        allow: vec!["read=./data".into()],
    };
    assert_eq!(plugins.keys().collect::<Vec<_>>(), ["clock", "shop"]);
    assert_eq!(plugins["shop"], shop);
    assert!(!plugins["clock"].restarts && plugins["clock"].allow.is_empty());
}

#[test]
fn every_mistake_is_reported_with_its_place() {
    let errors = plugins(
        r#"version = 1

plugin "shop" {
  comand  = ["python3", "shop.py"]
  restart = "perhaps"
  limits  = { memry = "1GiB" }
  permissions {
    alow = ["read=./data"]
  }
  permissions {}
}

plugin "clock" "wall" {
  command = "./clock"
}

plugin "1st" {
  command = [null, var.command]
  permissions = ["read=./data"]
  environment {}
}

plugin "shop" {
  command = ["./shop"]
}

plugn "lamp" {}

scenario "shop" {}
"#,
    );
    let errors = errors.unwrap_err();
    let shown: Vec<String> = { errors.iter() }
        .map(|error| error.render(Style::Plain))
        .collect();
    insta::assert_snapshot!(shown.join("\n\n"));
}

/// Null is as if an attribute were not there; a secret cannot be one of these, and is not lost in silence.
#[test]
fn a_flag_or_a_text_that_is_a_secret_is_an_error() {
    let of = |description: &str, restart: &str| {
        plugins(&format!(
            "plugin \"shop\" {{\n  command = []\n  description = {description}\n  restart = {restart}\n}}\n"
        ))
    };
    let shop = of("null", "null").unwrap().remove("shop").unwrap();
    assert!(!shop.restarts && shop.description.is_none());
    let errors = of("sensitive(\"sells\")", "sensitive(true)").unwrap_err();
    let shown: Vec<&str> = errors.iter().map(|error| &*error.summary).collect();
    assert_eq!(
        shown,
        [
            "`description` cannot be a secret",
            "`restart` cannot be a secret"
        ]
    );
}
