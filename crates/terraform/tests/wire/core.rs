//! Terraform's part: what it proposes, and the rules that it checks every plan and every result against.
//!
//! Each test of plans and applies uses it, so that none of them passes with an answer that Terraform would
//! report as a bug of the provider.

use serde_json::Value as Json;
use tenon_tfplugin::proto::tfplugin6::schema::Attribute;
use tenon_tfplugin::proto::tfplugin6::{
    Diagnostic, ResourceIdentityData, apply_resource_change, plan_resource_change, read_resource,
};
use tenon_values::Value;

use crate::blocks::{RESOURCE, Shapes, part, place, shown};
use crate::stage::Stage;

pub(crate) struct Core {
    pub(crate) stage: Stage,
    pub(crate) shapes: Shapes,
}

/// The stored state of a resource.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) state: Value,
    pub(crate) private: Vec<u8>,
    pub(crate) identity: Option<ResourceIdentityData>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A planned action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Nothing,
    Create,
    Update,
    Replace,
    Delete,
}

/// A plan with everything that is needed to apply it.
pub(crate) struct Planned {
    pub(crate) action: Action,
    pub(crate) state: Value,
    pub(crate) diagnostics: Vec<Diagnostic>,
    prior: Held,
    config: Value,
    private: Vec<u8>,
    identity: Option<ResourceIdentityData>,
}

impl Planned {
    /// The same plan once everything in its configuration is known.
    pub(crate) fn with_config(self, config: &Value) -> Planned {
        let state = &self.state;
        let known = { config.attributes().expect("a block").iter() }.map(|(name, value)| {
            let planned = part(state, name);
            let value = if value.is_null() { &planned } else { value };
            (name, value.clone())
        });
        Planned {
            state: Value::object(known),
            config: config.clone(),
            ..self
        }
    }
}

impl Core {
    /// Starts a provider whose puppet has these orders.
    pub(crate) async fn new(orders: Json) -> Core {
        let stage = Stage::new(orders).await;
        let shapes = Shapes::of(&stage).await;
        Core { stage, shapes }
    }

    /// The state of a resource that does not exist.
    pub(crate) fn nothing(&self) -> Held {
        Held {
            state: Value::null(self.shapes.resource.ty.clone()),
            private: Vec::new(),
            identity: None,
            diagnostics: Vec::new(),
        }
    }

    /// The configuration of a resource of the puppet.
    pub(crate) fn config(&self, given: &[(&str, Value)]) -> Value {
        let path = [("path", Value::from(self.stage.puppet().as_str()))];
        self.shapes.resource.block(&[&path, given].concat())
    }

    /// What Terraform proposes: the configuration, with the prior values of computed attributes.
    fn proposed(&self, prior: &Value, config: &Value) -> Value {
        if config.is_null() {
            return config.clone();
        }
        let attributes = &self.shapes.resource.attributes;
        Value::object(attributes.iter().map(|attribute| {
            let configured = part(config, &attribute.name);
            let is_kept = configured.is_null() && attribute.computed && !prior.is_null();
            let value = match is_kept {
                true => part(prior, &attribute.name),
                false => configured,
            };
            (attribute.name.as_str(), value)
        }))
    }

    /// Plans the change of a resource to a configuration, which is null for a deletion.
    pub(crate) async fn plan(&self, prior: &Held, config: &Value) -> Planned {
        let shape = &self.shapes.resource;
        let request = plan_resource_change::Request {
            type_name: RESOURCE.to_owned(),
            prior_state: shape.encode(&prior.state),
            proposed_new_state: shape.encode(&self.proposed(&prior.state, config)),
            config: shape.encode(config),
            prior_private: prior.private.clone(),
            prior_identity: prior.identity.clone(),
            ..plan_resource_change::Request::default()
        };
        let response = self.stage.client().plan_resource_change(request).await;
        let response = response.unwrap().into_inner();
        let state = shape.decode(response.planned_state.as_ref());
        let replaces = response.requires_replace.iter().any(|path| {
            assert_eq!(place(path), " at .props", "the one path it may be");
            !prior.state.is_null() && part(&state, "props") != part(&prior.state, "props")
        });
        if !has_errors(&response.diagnostics) {
            assert!(!response.legacy_type_system && response.deferred.is_none());
            assert_eq!(state.is_null(), config.is_null());
            self.check_plan(&prior.state, config, &state);
        }
        Planned {
            action: match (prior.state.is_null(), config.is_null()) {
                (true, _) => Action::Create,
                (false, true) => Action::Delete,
                _ if state == prior.state => Action::Nothing,
                _ if replaces => Action::Replace,
                _ => Action::Update,
            },
            state,
            diagnostics: response.diagnostics,
            prior: prior.clone(),
            config: config.clone(),
            private: response.planned_private,
            identity: response.planned_identity,
        }
    }

    /// "Provider produced invalid plan".
    fn check_plan(&self, prior: &Value, config: &Value, planned: &Value) {
        if planned.is_null() {
            return;
        }
        for attribute in &self.shapes.resource.attributes {
            let name = &attribute.name;
            let (config, planned) = (part(config, name), part(planned, name));
            let before = (!prior.is_null()).then(|| part(prior, name));
            assert!(!attribute.write_only || planned.is_null(), "{name} is kept");
            let is_as_before = !config.is_null() && before.is_some_and(|before| before == planned);
            let is_free = attribute.computed && config.is_null();
            assert!(
                attribute.write_only || planned == config || is_as_before || is_free,
                "{name}: {planned} instead of {config}"
            );
        }
    }

    /// Applies a plan, and checks that the known values of the plan are kept.
    pub(crate) async fn apply(&self, planned: &Planned) -> Held {
        let shape = &self.shapes.resource;
        let request = apply_resource_change::Request {
            type_name: RESOURCE.to_owned(),
            prior_state: shape.encode(&planned.prior.state),
            planned_state: shape.encode(&planned.state),
            config: shape.encode(&planned.config),
            planned_private: planned.private.clone(),
            planned_identity: planned.identity.clone(),
            ..apply_resource_change::Request::default()
        };
        let response = self.stage.client().apply_resource_change(request).await;
        let response = response.unwrap().into_inner();
        let state = shape.decode(response.new_state.as_ref());
        assert!(!response.legacy_type_system);
        if !has_errors(&response.diagnostics) {
            assert_eq!(state.is_null(), planned.state.is_null());
            for attribute in &shape.attributes {
                check_result(attribute, &planned.state, &state);
            }
        }
        // The state is saved with errors or without.
        assert!(state.is_wholly_known(), "{state}");
        assert!(state.is_null() || part(&state, "write_only_props").is_null());
        Held {
            state,
            private: response.private,
            identity: response.new_identity,
            diagnostics: response.diagnostics,
        }
    }

    /// Plans and applies, without diagnostics.
    pub(crate) async fn change(&self, prior: &Held, config: &Value) -> Held {
        let planned = self.plan(prior, config).await;
        assert_eq!(shown(&planned.diagnostics), Vec::<String>::new());
        let held = self.apply(&planned).await;
        assert_eq!(shown(&held.diagnostics), Vec::<String>::new());
        held
    }

    /// Reads a resource.
    pub(crate) async fn read(&self, held: &Held) -> Held {
        let shape = &self.shapes.resource;
        let request = read_resource::Request {
            type_name: RESOURCE.to_owned(),
            current_state: shape.encode(&held.state),
            private: held.private.clone(),
            current_identity: held.identity.clone(),
            ..read_resource::Request::default()
        };
        let response = self.stage.client().read_resource(request).await;
        let response = response.unwrap().into_inner();
        let state = shape.decode(response.new_state.as_ref());
        assert!(state.is_wholly_known());
        assert!(state.is_null() || part(&state, "write_only_props").is_null());
        assert!(response.deferred.is_none());
        Held {
            state,
            private: response.private,
            identity: response.new_identity,
            diagnostics: response.diagnostics,
        }
    }
}

/// "Provider produced inconsistent result after apply".
fn check_result(attribute: &Attribute, planned: &Value, state: &Value) {
    if state.is_null() {
        return;
    }
    let name = &attribute.name;
    let (planned, state) = (part(planned, name), part(state, name));
    assert!(
        planned.could_be(&state),
        "{name}: {state} instead of {planned}"
    );
    // If everything was known, even the type must be the same.
    assert!(!planned.is_wholly_known() || planned == state, "{name}");
}

pub(crate) fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|one| one.severity == 1)
}
