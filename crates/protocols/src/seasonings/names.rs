//! The names of methods, and their aliases.

use std::borrow::Cow;

/// The hooks, without the level.
pub(super) const HOOKS: [&str; 15] = [
    "prePlan",
    "postPlan",
    "preApply",
    "postApply",
    "preRefresh",
    "postRefresh",
    "initStageStart",
    "initStageCompleted",
    "initStageFailed",
    "planStageStart",
    "planStageCompleted",
    "planStageFailed",
    "applyStageStart",
    "applyStageCompleted",
    "applyStageFailed",
];

/// The name of a method as it is sent: with a slash. Dotted names (`functions.call`), `hooks` for
/// `middleware`, hooks without a level, hooks in kebab case (`post-plan`, `plan-stage-complete`) and
/// `initialize` are aliases. Other names stay as they are.
pub fn canonical(name: &str) -> Cow<'_, str> {
    if name == "initialize" {
        return Cow::Borrowed("init");
    }
    match name.split_once(['/', '.']) {
        Some(("hooks" | "middleware", hook)) => {
            let hook = self::hook(hook).map_or(hook, |known| known);
            Cow::Owned(format!("middleware/{hook}"))
        }
        Some((level @ ("storage" | "functions" | "resources"), method)) => {
            Cow::Owned(format!("{level}/{method}"))
        }
        Some(_) => Cow::Borrowed(name),
        None => match hook(name) {
            Some(hook) => Cow::Owned(format!("middleware/{hook}")),
            None => Cow::Borrowed(name),
        },
    }
}

/// The hook that is meant by a name in camel case or kebab case.
fn hook(name: &str) -> Option<&'static str> {
    let mut camel = String::with_capacity(name.len());
    for (index, word) in name.split('-').enumerate() {
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if index > 0 => camel.push(first.to_ascii_uppercase()),
            Some(first) => camel.push(first),
            None => return None,
        }
        camel.push_str(letters.as_str());
    }
    let is_meant = |known: &&&str| {
        let known = **known;
        let short = { known.strip_suffix("Completed") }.map(|stage| format!("{stage}Complete"));
        let short = short.or_else(|| {
            let stage = known.strip_suffix("Failed")?;
            Some(format!("{stage}Fail"))
        });
        camel == known || short.is_some_and(|short| camel == short)
    };
    HOOKS.iter().find(is_meant).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_have_one_canonical_name() {
        for (alias, name) in [
            ("init", "init"),
            ("initialize", "init"),
            ("functions/call", "functions/call"),
            ("functions.getSchema", "functions/getSchema"),
            ("resources.planChange", "resources/planChange"),
            ("storage.list", "storage/list"),
            ("hooks.postPlan", "middleware/postPlan"),
            ("middleware/postPlan", "middleware/postPlan"),
            ("post-plan", "middleware/postPlan"),
            ("preRefresh", "middleware/preRefresh"),
            ("plan-stage-complete", "middleware/planStageCompleted"),
            ("middleware/apply-stage-fail", "middleware/applyStageFailed"),
            ("init-stage-start", "middleware/initStageStart"),
            ("hooks.laterHook", "middleware/laterHook"),
            ("$/cancel", "$/cancel"),
            ("ping", "ping"),
            ("later-method", "later-method"),
        ] {
            assert_eq!(canonical(alias), name, "{alias}");
        }
    }
}
