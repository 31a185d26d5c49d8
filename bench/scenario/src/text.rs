//! Scenarios of any length.

use std::fmt::Write;
use std::path::Path;

/// Actions that one group of [`wide`] comes to.
const GROUP: usize = 10;

/// A scenario as people write them, in groups of ten actions: references, templates, params,
/// conditions, loops, functions, one block in eight repeated three times.
pub fn wide(actions: usize, provider: &Path) -> String {
    let mut text = head(provider);
    for group in 0..actions / GROUP {
        add_group(&mut text, group);
    }
    let last = (actions / GROUP).saturating_sub(1);
    let _ = write!(
        text,
        r#"
  output "last" {{
    value = action.bench_check.answers_{last}.answer
  }}
}}
"#
    );
    text
}

/// The same with two more actions that need each other. A plan finds that out after it has unfolded
/// and linked everything, and before it checks anything: so this shows how long the first half takes.
pub fn wide_with_a_cycle(actions: usize, provider: &Path) -> String {
    let mut text = wide(actions, provider);
    text.truncate(text.trim_end().len() - 1);
    text += r#"
  action "bench_check" "hen" {
    target = action.bench_check.egg.answer
  }

  action "bench_check" "egg" {
    target = action.bench_check.hen.answer
  }
}
"#;
    text
}

/// What a plan says to that.
pub const CYCLE: &str = "these depend on each other";

/// Actions each of which needs the one before, so that they run one after the other.
pub fn chain(actions: usize, provider: &Path) -> String {
    let mut text = head(provider);
    for step in 0..actions {
        let parent = match step {
            // As long as the others' parents, so that this one stands for all of them.
            0 => r#""${local.prefix}-first""#.to_owned(),
            _ => format!("action.bench_create.step_{:05}.id", step - 1),
        };
        let _ = write!(
            text,
            r#"
  action "bench_create" "step_{step:05}" {{
    name   = "${{local.prefix}}-{step:05}"
    region = var.region
    parent = {parent}
    labels = local.labels
  }}
"#
        );
    }
    text + "}\n"
}

fn head(provider: &Path) -> String {
    let provider = provider.display();
    format!(
        r#"scenario "bench" {{
  description = "A shop in several places"

  required_providers {{
    bench = {{ source = "exec:{provider}" }}
  }}

  variable "environment" {{
    type    = string
    default = "staging"
  }}

  variable "region" {{
    type    = string
    default = "eu-west-1"
  }}

  variable "size" {{
    type    = number
    default = 4
  }}

  locals {{
    prefix = "shop-${{var.environment}}"
    labels = {{
      environment = var.environment
      owner       = "shop"
    }}
    zones = {{
      a = "${{var.region}}a"
      b = "${{var.region}}b"
      c = "${{var.region}}c"
    }}
  }}
"#
    )
}

fn add_group(text: &mut String, group: usize) {
    let before = group.saturating_sub(1);
    let _ = write!(
        text,
        r#"
  action "bench_create" "network_{group}" {{
    name   = "${{local.prefix}}-network-{group}"
    region = var.region
    labels = local.labels
  }}

  action "bench_create" "database_{group}" {{
    name   = "${{local.prefix}}-database-{group}"
    region = local.zones["a"]
    parent = action.bench_create.network_{group}.id
    size   = var.size * 2 + {group} % 7
    labels = merge(local.labels, {{ tier = "data" }})

    lifecycle {{
      teardown {{
        name   = "delete"
        parent = self.id
      }}
    }}
  }}

  # One in each zone.
  action "bench_create" "machine_{group}" {{
    for_each = local.zones

    name   = "${{local.prefix}}-${{each.key}}-{group}"
    region = each.value
    parent = action.bench_create.network_{group}.id
    params = [for index in range(2) : format("disk-%02d", index)]
    labels = merge(local.labels, {{ zone = each.key }})
  }}

  action "bench_create" "balancer_{group}" {{
    name   = "${{local.prefix}}-balancer-{group}"
    parent = action.bench_create.network_{group}.id
    params = [for machine in values(action.bench_create.machine_{group}) : machine.address]
    size   = length(action.bench_create.machine_{group})
  }}

  action "bench_check" "reachable_{group}" {{
    depends_on = [action.bench_create.database_{group}]

    target   = action.bench_create.balancer_{group}.address
    expected = var.size > 2 ? "large" : "small"
    timeout  = "30s"

    retry {{
      attempts = 3
      delay    = "1s"
    }}
  }}

  action "bench_check" "connected_{group}" {{
    target = "postgres://shop@${{action.bench_create.database_{group}.address}}:5432/shop"
  }}

  action "bench_check" "routed_{group}" {{
    target   = action.bench_create.network_{before}.address
    expected = upper("${{var.environment}}-{group}")
  }}

  action "bench_check" "answers_{group}" {{
    target = jsonencode({{
      first    = action.bench_create.machine_{group}["a"].address
      balancer = action.bench_create.balancer_{group}.id
    }})
    expected = action.bench_check.reachable_{group}.answer
  }}
"#
    );
}
