//! `action` blocks.

use tenon_hcl::{Attribute, Block, Body, Diagnostic, Problems, Shape};
use tenon_values::Value;

use super::module::{depends_on, repeat};
use crate::reading::model::{Action, ProviderChoice, Retry};

const ACTION: Shape<2> = Shape::new("an action", ["type", "name"])
    .any_attributes()
    .blocks(&["lifecycle", "retry"]);
const RETRY: Shape<0> = Shape::new("`retry`", [])
    .required(&["attempts"])
    .optional(&["delay", "backoff", "max_delay", "on"]);
const LIFECYCLE: Shape<0> = Shape::new("`lifecycle`", []).blocks(&["teardown"]);
const TEARDOWN: Shape<0> = Shape::new("`teardown`", []).any_attributes();

/// What an action's attributes cannot be called, because they mean something to Tenon.
const META: [&str; 7] = [
    "provider",
    "depends_on",
    "for_each",
    "count",
    "timeout",
    "retry",
    "idempotent",
];

pub(super) fn actions(body: &Body, problems: &mut Problems) -> Vec<Action> {
    let blocks = body.blocks_of("action");
    let actions: Vec<Action> = { blocks }
        .filter_map(|block| action(block, problems))
        .collect();
    let names = actions.iter().map(|action| [&action.kind, &action.name]);
    problems.refuse_same("the action", names);
    actions
}

fn action(block: &Block, problems: &mut Problems) -> Option<Action> {
    let labels = problems.block(block, &ACTION);
    let body = &block.body;
    let provider = body
        .attribute("provider")
        .and_then(|attribute| provider_choice(attribute, problems));
    if let Some(retry) = body.attribute("retry") {
        let diagnostic = Diagnostic::error("`retry` is a block")
            .at(retry.name.place())
            .help("write `retry { attempts = 3 }`");
        problems.note(diagnostic);
    }
    let retry = problems
        .only_block(body, "retry")
        .and_then(|block| self::retry(block, problems));
    let teardown = problems
        .only_block(body, "lifecycle")
        .and_then(|block| lifecycle(block, problems));
    let repeat = repeat(body, problems);
    let depends_on = depends_on(body, problems);
    let [kind, name] = labels?;
    Some(Action {
        kind: kind.clone(),
        name: name.clone(),
        provider,
        attributes: own_attributes(body),
        repeat,
        depends_on,
        timeout: body
            .attribute("timeout")
            .map(|timeout| timeout.value.clone()),
        retry,
        idempotent: { body.attribute("idempotent") }.map(|idempotent| idempotent.value.clone()),
        teardown,
        place: block.header(),
    })
}

/// Those that are the provider's business.
fn own_attributes(body: &Body) -> Vec<Attribute> {
    let is_own = |attribute: &&Attribute| !META.contains(&attribute.name.text());
    body.attributes.iter().filter(is_own).cloned().collect()
}

/// `name`, `name.alias`, or either in quotes.
fn provider_choice(attribute: &Attribute, problems: &mut Problems) -> Option<ProviderChoice> {
    let expression = &attribute.value;
    let quoted = expression.as_literal().and_then(Value::as_str);
    let chosen = match (quoted, expression.as_reference()) {
        (Some(text), _) => {
            let (name, alias) = text
                .split_once('.')
                .map_or((text, None), |(name, alias)| (name, Some(alias.to_owned())));
            Some((name.to_owned(), alias))
        }
        (None, Some(reference)) => match reference.steps.as_slice() {
            [] => Some((reference.root.to_owned(), None)),
            [alias] => Some((reference.root.to_owned(), Some((*alias).to_owned()))),
            _ => None,
        },
        (None, None) => None,
    };
    let Some((name, alias)) = chosen else {
        let diagnostic = Diagnostic::error("this is not the name of a provider")
            .at(expression.place())
            .help("write `provider = name` or `provider = name.alias`");
        problems.note(diagnostic);
        return None;
    };
    Some(ProviderChoice {
        name,
        alias,
        place: expression.place(),
    })
}

fn retry(block: &Block, problems: &mut Problems) -> Option<Retry> {
    problems.block(block, &RETRY);
    let value = |name| {
        let attribute = block.body.attribute(name);
        attribute.map(|attribute| attribute.value.clone())
    };
    Some(Retry {
        attempts: value("attempts")?,
        delay: value("delay"),
        backoff: value("backoff"),
        max_delay: value("max_delay"),
        on: value("on"),
    })
}

fn lifecycle(block: &Block, problems: &mut Problems) -> Option<Vec<Attribute>> {
    problems.block(block, &LIFECYCLE);
    let teardown = problems.only_block(&block.body, "teardown")?;
    problems.block(teardown, &TEARDOWN);
    Some(teardown.body.attributes.clone())
}
