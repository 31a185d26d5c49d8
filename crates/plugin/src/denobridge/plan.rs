//! Planned changes, while some of what is planned is not known yet.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tenon_protocols::denobridge::{Diagnostic, Json, ModifyPlanParams, ModifyPlanResult, PlanType};
use tenon_values::Value;

use super::resource::current;
use super::{Existing, Failure, wire};

/// What is about to happen to a resource.
#[derive(Debug)]
pub enum Plan<P, S> {
    /// It is made.
    Create(Planned<P>),
    /// It is changed. A resource that is replaced is planned twice: this, and then as a new one.
    Update(Existing<P, S>, Planned<P>),
    /// It is taken away.
    Delete(Existing<P, S>),
}

impl<P: DeserializeOwned, S: DeserializeOwned> Plan<P, S> {
    pub(super) fn read(params: ModifyPlanParams) -> Result<Plan<P, S>, Failure> {
        let planned = || Planned::read(&params.next_props, &params.unknown_props);
        let existing = || {
            let id = params.id.clone().ok_or_else(|| {
                Failure::new("the params of modifyPlan have no id, but the resource exists")
            })?;
            let [props, state] = [&params.current_props, &params.current_state]
                .map(|json| json.clone().unwrap_or_else(Json::null));
            current(id, &props, &state, params.current_sensitive_state.clone())
        };
        Ok(match params.plan_type {
            PlanType::Create => Plan::Create(planned()?),
            PlanType::Update => Plan::Update(existing()?, planned()?),
            PlanType::Delete => Plan::Delete(existing()?),
        })
    }
}

/// Props that a plan is to bring about. What comes out of other resources may not be known before
/// they are made; when the plan is carried out everything is, and the script is asked again.
pub struct Planned<P> {
    /// The props, once all of them are known.
    pub props: Option<P>,
    value: Value,
    unknown: Vec<Vec<String>>,
}

impl<P: DeserializeOwned> Planned<P> {
    fn read(json: &Json, unknown: &[Vec<String>]) -> Result<Planned<P>, Failure> {
        // Each path begins with the member that it is in, which is always the same.
        let unknown: Vec<_> = { unknown.iter() }
            .map(|path| path.iter().skip(1).cloned().collect())
            .collect();
        let props = match unknown.is_empty() {
            true => Some(wire::read(json, "nextProps")?),
            false => None,
        };
        let value = wire::read(json, "nextProps")?;
        Ok(Planned {
            props,
            value,
            unknown,
        })
    }
}

impl<P> Planned<P> {
    /// One of the props, by the names and places that lead to it, also while others are not known
    /// yet. `None` if something in it is not known itself. One that is not there is null: ask for an
    /// `Option` where that may be.
    ///
    /// # Errors
    /// It does not fit the type.
    pub fn get<T: DeserializeOwned>(&self, path: &[&str]) -> Result<Option<T>, Failure> {
        let is_along = |unknown: &Vec<String>| unknown.iter().zip(path).all(|(a, b)| a == b);
        if self.unknown.iter().any(is_along) {
            return Ok(None);
        }
        let found = path.iter().try_fold(&self.value, |value, step| {
            match (value.attributes(), value.elements()) {
                (Some(attributes), _) => attributes.get(step),
                (_, Some(elements)) => elements.get(step.parse::<usize>().ok()?),
                _ => None,
            }
        });
        let place: Vec<&str> = ["nextProps"]
            .into_iter()
            .chain(path.iter().copied())
            .collect();
        wire::read_value(found.unwrap_or(&Value::NULL), &place).map(Some)
    }
}

/// Whether all is known is all that it says: props belong to the author.
impl<P> fmt::Debug for Planned<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Planned")
            .field("unknown", &self.unknown)
            .finish_non_exhaustive()
    }
}

/// What is to become of a plan.
#[derive(Debug)]
pub struct Decision<P> {
    kind: Kind<P>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Debug)]
enum Kind<P> {
    Keep,
    Replace,
    Modify(P),
}

impl<P> Decision<P> {
    fn new(kind: Kind<P>) -> Decision<P> {
        Decision {
            kind,
            diagnostics: Vec::new(),
        }
    }

    /// It is fine as it is.
    pub fn keep() -> Decision<P> {
        Decision::new(Kind::Keep)
    }

    /// The resource cannot be changed so: it has to go and be made anew.
    pub fn replace() -> Decision<P> {
        Decision::new(Kind::Replace)
    }

    /// The props are to be these instead. If they are what the resource has already, nothing
    /// changes.
    pub fn modify(props: P) -> Decision<P> {
        Decision::new(Kind::Modify(props))
    }

    /// And what to tell the user. An error ends the plan.
    #[must_use]
    pub fn diagnostic(mut self, diagnostic: Diagnostic) -> Decision<P> {
        self.diagnostics.push(diagnostic);
        self
    }
}

impl<P: Serialize> Decision<P> {
    pub(super) fn write(self) -> Result<ModifyPlanResult, Failure> {
        let mut result = ModifyPlanResult {
            diagnostics: self.diagnostics,
            ..ModifyPlanResult::default()
        };
        match self.kind {
            // Hosts that see it stop reading there, and would miss the diagnostics.
            Kind::Keep => result.no_changes = result.diagnostics.is_empty().then_some(true),
            Kind::Replace => result.requires_replacement = Some(true),
            Kind::Modify(props) => {
                result.modified_props = Some(wire::write(&props, "modified props")?);
            }
        }
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize, serde::Serialize)]
    struct Props {
        name: String,
    }

    fn plan(params: &str) -> Plan<Props, ()> {
        Plan::read(serde_json::from_str(params).unwrap()).unwrap()
    }

    #[test]
    fn what_is_known_can_be_had_beside_what_is_not() {
        let Plan::Create(planned) = plan(
            r#"{"planType":"create",
                "nextProps":{"name":"a","tags":{"owner":"","team":"red"},"list":[1,0]},
                "unknownProps":[["nextProps","tags","owner"],["nextProps","list","1"]]}"#,
        ) else {
            panic!("it is to be made");
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
        assert!(format!("{failure:?}").contains("nextProps"), "{failure:?}");
    }

    #[test]
    fn what_is_all_known_is_typed() {
        let Plan::Update(existing, planned) = plan(
            r#"{"planType":"update","id":"7","nextProps":{"name":"b"},"currentProps":{"name":"a"}}"#,
        ) else {
            panic!("it is to be changed");
        };
        assert_eq!(existing.id, "7");
        assert_eq!(existing.props.map(|props| props.name).as_deref(), Some("a"));
        assert_eq!(planned.props.map(|props| props.name).as_deref(), Some("b"));
        let plan = plan(r#"{"planType":"delete","id":"7","nextProps":null}"#);
        assert!(matches!(plan, Plan::Delete(existing) if existing.props.is_none()));
    }

    #[test]
    fn an_unknown_whole_hides_every_part() {
        let Plan::Create(planned) =
            plan(r#"{"planType":"create","nextProps":{},"unknownProps":[["nextProps"]]}"#)
        else {
            panic!("it is to be made");
        };
        assert_eq!(planned.get::<String>(&["name"]).unwrap(), None);
    }

    #[test]
    fn diagnostics_are_not_hidden_behind_no_changes() {
        let told = Decision::<()>::keep().diagnostic(Diagnostic::warning("old", ""));
        let result = told.write().unwrap();
        assert_eq!((result.no_changes, result.diagnostics.len()), (None, 1));
        assert_eq!(
            Decision::<()>::keep().write().unwrap().no_changes,
            Some(true)
        );
    }
}
