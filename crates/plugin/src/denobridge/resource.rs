//! The calls of a resource.

use tenon_protocols::denobridge::{
    Create, CreateResult, Delete, Json, ModifyPlan, ModifyPlanParams, ModifyPlanResult, PlanType,
    Read, ReadResult, Update, UpdateResult,
};
use tenon_rpc::{Method, Payload, Reply, RpcError};
use tenon_schema::Attribute;
use tenon_values::convert::convert;
use tenon_values::{Type, Value};

use super::answers::{answer, failed, only};
use super::as_given::as_given;
use super::places::{Members, Places};
use super::secrets::{props, split, state, written};
use super::{decode, done, value};
use crate::parts::{Given, Part, Refusal, Shape};
use crate::plan::Verdict;
use crate::resource::AnyResource;
use crate::session::Session;
use crate::{Decision, Existing, Failure, Plan, Planned};

async fn the_resource(session: &Session, method: &str) -> Result<Part<dyn AnyResource>, RpcError> {
    let name = only(session, method, "resource", &session.offer.resources)?;
    let parts = session.parts().await.map_err(failed)?;
    Ok(parts.resources[name].clone())
}

pub(super) async fn create(session: &Session, params: Option<Payload>) -> Reply {
    let Part { shape, work } = the_resource(session, Create::NAME).await?;
    let params = decode::<Create>(params)?;
    let places = Places::new(&Members::PLAIN, &shape);
    let work = async {
        let secret = params.write_only_props.as_ref();
        let props = props(&params.props, secret, &shape.given)?;
        let created = work.create(props).await?;
        let (state, sensitive_state) = split(&created.data.value, &shape.returned)?;
        Ok(CreateResult {
            id: Some(created.id),
            state: Some(state),
            sensitive_state,
            diagnostics: places.all(created.data.diagnostics),
        })
    };
    answer(&places, work.await)
}

pub(super) async fn read(session: &Session, params: Option<Payload>) -> Reply {
    let Part { shape, work } = the_resource(session, Read::NAME).await?;
    let kind =
        &session.kinds.resources[only(session, Read::NAME, "resource", &session.offer.resources)?];
    let params = decode::<Read>(params)?;
    let places = Places::new(&Members::PLAIN, &shape);
    let work = async {
        let given = value(Given::Props, &params.props)?;
        let given = Some(given).filter(|props| !props.is_null());
        let Some(mut found) = work.read(params.id, given.clone()).await? else {
            return Ok(ReadResult {
                exists: Some(false),
                ..ReadResult::default()
            });
        };
        if let Some(given) = given {
            found.props = as_given(&found.props, &(kind.rewrite)(&given)?, &given);
        }
        let (state, sensitive_state) = split(&found.data.value, &shape.returned)?;
        Ok(ReadResult {
            exists: None,
            props: Some(written(&found.props, &shape.given)?),
            state: Some(state),
            sensitive_state,
            diagnostics: places.all(found.data.diagnostics),
        })
    };
    answer(&places, work.await)
}

pub(super) async fn update(session: &Session, params: Option<Payload>) -> Reply {
    let Part { shape, work } = the_resource(session, Update::NAME).await?;
    let params = decode::<Update>(params)?;
    let places = Places::new(&Members::CHANGE, &shape);
    let work = async {
        let secret = params.next_write_only_props.as_ref();
        let props = props(&params.next_props, secret, &shape.given)?;
        let secret = params.current_sensitive_state.as_ref();
        let existing = existing(
            params.id,
            &params.current_props,
            &params.current_state,
            secret,
            &shape,
        )?;
        let updated = work.update(existing, props).await?;
        let (state, sensitive_state) = split(&updated.value, &shape.returned)?;
        Ok(UpdateResult {
            state: Some(state),
            sensitive_state,
            diagnostics: places.all(updated.diagnostics),
        })
    };
    answer(&places, work.await)
}

pub(super) async fn delete(session: &Session, params: Option<Payload>) -> Reply {
    let Part { shape, work } = the_resource(session, Delete::NAME).await?;
    let params = decode::<Delete>(params)?;
    let places = Places::new(&Members::PLAIN, &shape);
    let work = async {
        let secret = params.sensitive_state.as_ref();
        let existing = existing(params.id, &params.props, &params.state, secret, &shape)?;
        let deleted = work.delete(existing).await?;
        Ok(done(places.all(deleted.diagnostics)))
    };
    answer(&places, work.await)
}

pub(super) async fn modify_plan(session: &Session, params: Option<Payload>) -> Reply {
    let Part { shape, work } = the_resource(session, ModifyPlan::NAME).await?;
    let params = decode::<ModifyPlan>(params)?;
    let places = Places::new(&Members::CHANGE, &shape);
    let work = async {
        let plan = plan(params, &shape)?;
        let change = change(&plan);
        let decision = work.modify_plan(plan).await?;
        decided(decision, change, &shape, &places)
    };
    answer(&places, work.await)
}

fn existing(
    id: String,
    props: &Json,
    plain: &Json,
    sensitive: Option<&Json>,
    shape: &Shape,
) -> Result<Existing<Value, Value>, Refusal> {
    let props = value(Given::Current, props)?;
    Ok(Existing {
        id,
        props: Some(props).filter(|props| !props.is_null()),
        state: state(plain, sensitive, &shape.returned)?,
    })
}

fn plan(params: ModifyPlanParams, shape: &Shape) -> Result<Plan<Value, Value>, Refusal> {
    let planned = || -> Result<Planned<Value>, Refusal> {
        let known = value(Given::Props, &params.next_props)?;
        // Each path begins with the member that it is in, which is always the same.
        let unknown = params
            .unknown_props
            .iter()
            .map(|path| path.get(1..).unwrap_or_default());
        Ok(Planned::new(
            unknown.fold(known, |value, path| with_unknown(&value, path)),
        ))
    };
    let existing = || {
        let id = params.id.clone().ok_or_else(|| {
            Failure::new("the params of modifyPlan have no id, but the resource exists")
        })?;
        let null = Json::null();
        let [props, state] = [&params.current_props, &params.current_state]
            .map(|json| json.as_ref().unwrap_or(&null));
        existing(
            id,
            props,
            state,
            params.current_sensitive_state.as_ref(),
            shape,
        )
    };
    Ok(match params.plan_type {
        PlanType::Create => Plan::Create(planned()?),
        PlanType::Update => Plan::Update(existing()?, planned()?),
        PlanType::Delete => Plan::Delete(existing()?),
    })
}

/// The value with what is at the path as unknown. What denobridge sends in its place is the empty
/// value of its type.
fn with_unknown(value: &Value, path: &[String]) -> Value {
    let Some((first, rest)) = path.split_first() else {
        return Value::unknown(Type::Dynamic);
    };
    if let Some(attributes) = value.attributes() {
        let each = attributes.iter().map(|(name, value)| match name == first {
            true => (name, with_unknown(value, rest)),
            false => (name, value.clone()),
        });
        return Value::object(each);
    }
    if let (Some(elements), Ok(index)) = (value.elements(), first.parse::<usize>()) {
        let each = elements
            .iter()
            .enumerate()
            .map(|(at, value)| match at == index {
                true => with_unknown(value, rest),
                false => value.clone(),
            });
        return Value::tuple(each.collect());
    }
    value.clone()
}

/// The props that the resource has, and those that it is to have, if it is updated.
fn change(plan: &Plan<Value, Value>) -> Option<(Value, Value)> {
    match plan {
        Plan::Update(existing, planned) => Some((existing.props.clone()?, planned.value.clone())),
        Plan::Create(_) | Plan::Delete(_) => None,
    }
}

/// Whether an attribute changes, or may change, that is marked with `#[replaces]`.
fn is_replaced(current: &Value, next: &Value, attributes: &[Attribute]) -> bool {
    let mut replacing = attributes.iter().filter(|attribute| attribute.replaces);
    replacing.any(|attribute| {
        let value = |props: &Value| {
            let given = props
                .attributes()
                .and_then(|all| all.get(&attribute.name).cloned());
            let given = given.filter(|value| !value.is_null());
            let value = given.or_else(|| attribute.default.clone())?;
            Some(convert(&value, &attribute.implied_type()).unwrap_or(value))
        };
        !next.is_known() || value(current) != value(next)
    })
}

fn decided(
    decision: Decision<Value>,
    change: Option<(Value, Value)>,
    shape: &Shape,
    places: &Places<'_>,
) -> Result<ModifyPlanResult, Refusal> {
    let mut result = ModifyPlanResult {
        diagnostics: places.all(decision.diagnostics),
        ..ModifyPlanResult::default()
    };
    let is_replaced = |modified: Option<&Value>| {
        let change = change.as_ref();
        change.is_some_and(|(current, next)| {
            is_replaced(current, modified.unwrap_or(next), &shape.given)
        })
    };
    match decision.verdict {
        Verdict::Keep if is_replaced(None) => result.requires_replacement = Some(true),
        // Hosts that see it stop reading there, and would miss the diagnostics.
        Verdict::Keep => result.no_changes = result.diagnostics.is_empty().then_some(true),
        Verdict::Replace => result.requires_replacement = Some(true),
        Verdict::Modify(props) => {
            result.requires_replacement = is_replaced(Some(&props)).then_some(true);
            result.modified_props = Some(written(&props, &shape.given)?);
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attributes, attributes};

    attributes! {
        struct Props {
            name: String,
        }
    }

    fn planned(params: &str) -> Plan<Props, ()> {
        let params = serde_json::from_str(params).unwrap();
        let plan = plan(params, &Shape::default()).ok().unwrap();
        plan.read().ok().unwrap()
    }

    #[test]
    fn known_props_can_be_read_while_others_are_unknown() {
        let Plan::Create(planned) = planned(
            r#"{"planType":"create",
                "nextProps":{"name":"a","tags":{"owner":"","team":"red"},"list":[1,0]},
                "unknownProps":[["nextProps","tags","owner"],["nextProps","list","1"]]}"#,
        ) else {
            panic!("it is to be created");
        };
        assert!(planned.props.is_none());
        let text = |path: &[&str]| planned.get::<String>(path).unwrap();
        assert_eq!(text(&["name"]).as_deref(), Some("a"));
        assert_eq!(text(&["tags", "team"]).as_deref(), Some("red"));
        assert_eq!(planned.get::<u8>(&["list", "0"]).unwrap(), Some(1));
        for unknown in [&["tags", "owner"][..], &["tags"], &["list", "1", "deeper"]] {
            assert_eq!(text(unknown), None, "{unknown:?}");
        }
        assert_eq!(
            planned.get::<Option<String>>(&["name", "nothing"]).unwrap(),
            Some(None)
        );
        let failure = planned.get::<u8>(&["name"]).unwrap_err();
        let place = failure.diagnostics[0].prop_path.as_deref();
        assert_eq!(place, Some(&["name".to_owned()][..]));
    }

    #[test]
    fn props_that_are_wholly_known_are_typed() {
        let Plan::Update(existing, planned) = planned(
            r#"{"planType":"update","id":"7","nextProps":{"name":"b"},"currentProps":{"name":"a"}}"#,
        ) else {
            panic!("it is to be updated");
        };
        assert_eq!(existing.id, "7");
        assert_eq!(existing.props.map(|props| props.name).as_deref(), Some("a"));
        assert_eq!(planned.props.map(|props| props.name).as_deref(), Some("b"));
        let plan = self::planned(r#"{"planType":"delete","id":"7","nextProps":null}"#);
        assert!(matches!(plan, Plan::Delete(existing) if existing.props.is_none()));
    }

    #[test]
    fn unknown_props_have_no_known_parts() {
        let Plan::Create(planned) =
            planned(r#"{"planType":"create","nextProps":{},"unknownProps":[["nextProps"]]}"#)
        else {
            panic!("it is to be created");
        };
        assert_eq!(planned.get::<String>(&["name"]).unwrap(), None);
    }

    #[test]
    fn diagnostics_are_not_hidden_behind_no_changes() {
        let shape = Shape::default();
        let places = Places::new(&Members::CHANGE, &shape);
        let warning = crate::Diagnostic::warning("old", "");
        let told = decided(Decision::keep().diagnostic(warning), None, &shape, &places);
        let told = told.ok().unwrap();
        assert_eq!((told.no_changes, told.diagnostics.len()), (None, 1));
        let kept = decided(Decision::keep(), None, &shape, &places);
        assert_eq!(kept.ok().unwrap().no_changes, Some(true));
    }

    attributes! {
        struct Disk {
            #[replaces]
            size: u64 = 5,
            label: Option<String>,
        }
    }

    #[test]
    fn a_change_of_a_replacing_attribute_replaces() {
        let shape = Shape {
            given: Disk::attributes(),
            ..Shape::default()
        };
        let places = Places::new(&Members::CHANGE, &shape);
        let decide = |current: &str, next: &str, decision| {
            let params = format!(
                r#"{{"planType":"update","id":"7","currentProps":{current},"nextProps":{next}}}"#
            );
            let plan = plan(serde_json::from_str(&params).unwrap(), &shape).ok();
            let decided = decided(decision, change(&plan.unwrap()), &shape, &places);
            let decided = decided.ok().unwrap();
            (decided.requires_replacement, decided.no_changes)
        };
        let (replaced, kept) = ((Some(true), None), (None, Some(true)));
        for (current, next, expected) in [
            (r#"{"size":1}"#, r#"{"size":2}"#, replaced),
            (r#"{"size":1}"#, r#"{}"#, replaced),
            (r#"{"size":1}"#, r#"{"size":1,"label":"x"}"#, kept),
            (r#"{"size":1}"#, r#"{"size":"1"}"#, kept),
            (r#"{"size":5}"#, r#"{"size":null}"#, kept),
            (
                r#"{"size":1}"#,
                r#"{"size":0},"unknownProps":[["nextProps","size"]]"#,
                replaced,
            ),
            (
                r#"{"size":1}"#,
                r#"{},"unknownProps":[["nextProps"]]"#,
                replaced,
            ),
            ("null", r#"{"size":2}"#, kept),
        ] {
            let decided = decide(current, next, Decision::keep());
            assert_eq!(decided, expected, "{current} {next}");
        }
        let modified = |size: u64| Decision::modify(Value::object([("size", Value::from(size))]));
        assert_eq!(
            decide(r#"{"size":1}"#, r#"{"size":2}"#, modified(1)),
            (None, None)
        );
        assert_eq!(
            decide(r#"{"size":1}"#, r#"{"size":1}"#, modified(2)),
            (Some(true), None)
        );
    }
}
