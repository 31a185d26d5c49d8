//! Random scenarios: blocks of all kinds that need each other in all ways, as text, and what has to
//! come of them.

use std::collections::BTreeSet;
use std::fmt::Write;

use proptest::prelude::*;

/// Pairs of addresses: the first needs the second.
pub(super) type Edges = BTreeSet<(String, String)>;

/// What stands in a scenario for something to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Action,
    ForEach,
    Count,
    Component,
}

/// How one block says that it needs another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    Reference,
    DependsOn,
    /// By a local value that uses another, which uses the block.
    Locals,
}

/// A block that needs others, by their numbers.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) needs: Vec<(usize, Way)>,
}

/// Blocks, which are called `n0`, `n1` and so on.
#[derive(Clone, Debug)]
pub(super) struct Web(pub(super) Vec<Block>);

/// The component of all those that are one: its second action waits for its first.
pub(super) const PART: &str = r#"
component "part" {
  variable "needs" {}
  action "item" "second" {
    name = action.item.first.id
  }
  action "item" "first" {
    name  = "first"
    extra = var.needs
  }
  output "id" {
    value = action.item.second.id
  }
}
"#;

fn way() -> impl Strategy<Value = Way> {
    prop_oneof![
        Just(Way::Reference),
        Just(Way::DependsOn),
        Just(Way::Locals)
    ]
}

/// Webs in which a block needs only those with lower numbers.
pub(super) fn webs(kinds: Vec<Kind>) -> impl Strategy<Value = Web> {
    let blocks = prop::collection::vec(prop::sample::select(kinds), 1..9);
    blocks.prop_flat_map(|kinds| {
        let pairs = kinds.len() * (kinds.len() - 1) / 2;
        let ways = prop::collection::vec(prop::option::weighted(0.35, way()), pairs);
        ways.prop_map(move |ways| {
            let mut ways = ways.into_iter();
            let block = |(number, kind): (usize, &Kind)| Block {
                kind: *kind,
                needs: (0..number)
                    .filter_map(|other| Some((other, ways.next()??)))
                    .collect(),
            };
            Web(kinds.iter().enumerate().map(block).collect())
        })
    })
}

/// A web with an order of its blocks in the text, which is no order in which they can be done.
pub(super) fn shuffled(web: Web) -> impl Strategy<Value = (Web, Vec<usize>)> {
    let order: Vec<usize> = (0..web.0.len()).collect();
    (Just(web), Just(order).prop_shuffle())
}

/// A web in which some blocks need each other, in the way of their numbers here.
pub(super) fn tangled(web: Web) -> impl Strategy<Value = Web> {
    let numbers: Vec<usize> = (0..web.0.len()).collect();
    let most = numbers.len();
    let around = prop::sample::subsequence(numbers, 1..=most).prop_shuffle();
    let ways = prop::collection::vec(way(), most);
    (Just(web), around, ways).prop_map(|(mut web, around, ways)| {
        let next = around.iter().cycle().skip(1);
        for ((from, to), way) in around.iter().zip(next).zip(ways) {
            web.0[*from].needs.push((*to, way));
        }
        web
    })
}

impl Web {
    /// As a scenario, with its blocks in this order.
    pub(super) fn text(&self, order: &[usize]) -> String {
        let mut text = "scenario \"web\" {\n  required_providers {\n    \
                        shop = { source = \"builtin/shop\" }\n  }\n"
            .to_owned();
        for number in order {
            self.write_block(*number, &mut text)
                .expect("a string takes it");
        }
        text.push_str("}\n");
        text
    }

    fn write_block(&self, number: usize, text: &mut String) -> std::fmt::Result {
        let block = &self.0[number];
        let (mut used, mut waited) = (Vec::new(), Vec::new());
        for (index, (other, way)) in block.needs.iter().enumerate() {
            match way {
                Way::Reference => used.push(self.output(*other)),
                Way::DependsOn => waited.push(self.address(*other)),
                Way::Locals => {
                    let (name, output) = (format!("l{number}_{index}"), self.output(*other));
                    writeln!(
                        text,
                        "  locals {{\n    {name} = {{ through = local.{name}_inner }}"
                    )?;
                    writeln!(text, "    {name}_inner = \"of ${{{output}}}\"\n  }}")?;
                    used.push(format!("local.{name}.through"));
                }
            }
        }
        let (used, waited) = (used.join(", "), waited.join(", "));
        match block.kind {
            Kind::Component => {
                writeln!(text, "  component \"part\" \"n{number}\" {{")?;
                writeln!(text, "    source = \"part.hcl\"")?;
                writeln!(text, "    inputs = {{ needs = [{used}] }}")?;
            }
            kind => {
                writeln!(text, "  action \"item\" \"n{number}\" {{")?;
                match kind {
                    Kind::ForEach => writeln!(text, "    for_each = toset([\"a\", \"b\"])")?,
                    Kind::Count => writeln!(text, "    count = 2")?,
                    _ => {}
                }
                writeln!(text, "    name  = \"n{number}\"\n    extra = [{used}]")?;
            }
        }
        writeln!(text, "    depends_on = [{waited}]\n  }}")
    }

    /// How `depends_on` names a block.
    fn address(&self, number: usize) -> String {
        match self.0[number].kind {
            Kind::Component => format!("component.part.n{number}"),
            _ => format!("action.item.n{number}"),
        }
    }

    /// An expression for what comes of a block.
    fn output(&self, number: usize) -> String {
        let address = self.address(number);
        match self.0[number].kind {
            Kind::ForEach => format!("{address}[\"b\"].id"),
            Kind::Count => format!("[for one in {address} : one.id][1]"),
            _ => format!("{address}.id"),
        }
    }

    /// The actions of a block; those of a component are its first and its second.
    pub(super) fn actions(&self, number: usize) -> Vec<String> {
        let address = self.address(number);
        match self.0[number].kind {
            Kind::Action => vec![address],
            Kind::ForEach => vec![format!("{address}[\"a\"]"), format!("{address}[\"b\"]")],
            Kind::Count => vec![format!("{address}[0]"), format!("{address}[1]")],
            Kind::Component => ["first", "second"]
                .map(|name| format!("{address}.action.item.{name}"))
                .to_vec(),
        }
    }

    /// All that is needed directly: by actions, by groups of them and by components.
    pub(super) fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        for (number, block) in self.0.iter().enumerate() {
            let (address, actions) = (self.address(number), self.actions(number));
            if block.kind != Kind::Action {
                edges.extend(actions.iter().map(|one| (address.clone(), one.clone())));
            }
            if block.kind == Kind::Component {
                edges.insert((actions[1].clone(), actions[0].clone()));
            }
            for (other, way) in &block.needs {
                let is_all = block.kind != Kind::Component || matches!(way, Way::DependsOn);
                let needing = if is_all { &actions[..] } else { &actions[..1] };
                let other = self.address(*other);
                edges.extend(needing.iter().map(|one| (one.clone(), other.clone())));
                if is_all && block.kind == Kind::Component {
                    edges.insert((address.clone(), other));
                }
            }
        }
        edges
    }
}

/// With all that is needed by way of others.
pub(super) fn closure(edges: &Edges) -> Edges {
    let mut all = edges.clone();
    loop {
        let further: Vec<(String, String)> = all
            .iter()
            .flat_map(|(from, middle)| {
                let begin = (middle.clone(), String::new());
                let onward = edges
                    .range(begin..)
                    .take_while(move |(one, _)| one == middle);
                onward.map(|(_, to)| (from.clone(), to.clone()))
            })
            .collect();
        let before = all.len();
        all.extend(further);
        if all.len() == before {
            return all;
        }
    }
}
