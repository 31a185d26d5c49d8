//! Making, changing and taking away a resource.

use tenon_protocols::denobridge::{
    Create, CreateParams, Delete, DeleteParams, Update, UpdateParams,
};
use tenon_values::{Type, Value};

use super::import::identity;
use super::{effective_props, id, named, write_only};
use crate::bridge::{self, Bridge};
use crate::diagnostic::{self, Diagnostics};
use crate::private::Private;
use crate::proto::tfplugin6::Diagnostic;
use crate::proto::tfplugin6::apply_resource_change::{Request, Response};
use crate::schema::{RESOURCE, RESOURCE_SHAPE, check_name};
use crate::scripts::Task;
use crate::wire;

pub(crate) async fn apply(bridge: &Bridge, request: Request) -> Response {
    let mut diagnostics = Diagnostics::new();
    let applied = Apply::of(bridge, &request, &mut diagnostics).await;
    let mut response = Response::default();
    match applied {
        Ok(applied) => {
            match wire::encode(&applied.state, &RESOURCE_SHAPE.ty) {
                Ok(state) => response.new_state = Some(state),
                Err(error) => diagnostics.push(error),
            }
            response.private = applied.private.to_bytes();
            response.new_identity = match applied.state.is_null() {
                true => None,
                false => { request.planned_identity }
                    .filter(|given| given.identity_data.is_some())
                    .or_else(|| identity(&applied.state)),
            };
        }
        Err(error) => {
            // Nothing is known to have changed.
            response.new_state = request.prior_state;
            response.private = request.planned_private;
            response.new_identity = request.planned_identity;
            diagnostics.push(error);
        }
    }
    response.diagnostics = diagnostics;
    response
}

/// What there is after a change.
struct Apply {
    state: Value,
    private: Private,
}

impl Apply {
    async fn of(
        bridge: &Bridge,
        request: &Request,
        diagnostics: &mut Diagnostics,
    ) -> Result<Apply, Diagnostic> {
        check_name(&request.type_name, RESOURCE)?;
        let ty = &RESOURCE_SHAPE.ty;
        let prior = wire::decode(request.prior_state.as_ref(), ty)?;
        let planned = wire::decode(request.planned_state.as_ref(), ty)?;
        let config = wire::decode(request.config.as_ref(), ty)?;
        let private = Private::read(&request.planned_private)?;
        bridge.hide(&wire::part(&config, "write_only_props"));
        bridge.hide(&wire::part(&prior, "sensitive_state"));
        if planned.is_null() {
            let deleted = Apply::delete(bridge, &prior, private, diagnostics).await;
            for one in diagnostics {
                *one = named(std::mem::take(one), &prior);
            }
            return deleted.map_err(|error| named(error, &prior));
        }
        let planned = wire::with(&planned, [("write_only_props", Value::NULL)]);
        match prior.is_null() {
            true => Apply::create(bridge, &config, &planned, diagnostics).await,
            false => Apply::update(bridge, &config, &prior, &planned, private, diagnostics).await,
        }
    }

    async fn create(
        bridge: &Bridge,
        config: &Value,
        planned: &Value,
        diagnostics: &mut Diagnostics,
    ) -> Result<Apply, Diagnostic> {
        let launch = bridge.launch(planned)?;
        let places = bridge.places(planned);
        let params = CreateParams {
            props: bridge::to_json(&effective_props(planned))?,
            write_only_props: bridge::to_optional_json(&wire::part(config, "write_only_props"))?,
        };
        let task = Task::new(Create, "create resource");
        let answer = bridge.scripts.call(&launch, task, params).await;
        let answer = answer.map_err(|failure| failure.show(&places))?;
        bridge.hide_json(answer.sensitive_state.as_ref());
        diagnostics.extend(places.show_all(answer.diagnostics));
        let has_failed = diagnostic::has_errors(diagnostics);
        if has_failed && answer.id.is_none() {
            return Ok(Apply {
                state: Value::null(RESOURCE_SHAPE.ty.clone()),
                private: Private::default(),
            });
        }
        if answer.id.is_none() {
            diagnostics.push(diagnostic::warning(
                "Resource without id",
                format!(
                    "{} answered create without an id, so the id is empty: two such resources \
                     cannot be told apart.",
                    launch.name
                ),
            ));
        }
        let results = Results {
            state: answer.state,
            sensitive_state: answer.sensitive_state,
        };
        // With an error beside it, Terraform keeps the resource and marks it as tainted: what was
        // made in part is not lost.
        let state = results.into_state(planned, &Value::NULL, diagnostics);
        let version = known_or(
            &wire::part(&state, "write_only_props_version"),
            Value::from(1),
        );
        let state = wire::with(
            &state,
            [
                ("id", Value::from(answer.id.unwrap_or_default().as_str())),
                ("write_only_props_version", version),
            ],
        );
        let mut private = Private::default();
        write_only::remember(config, &mut private);
        Ok(Apply { state, private })
    }

    async fn update(
        bridge: &Bridge,
        config: &Value,
        prior: &Value,
        planned: &Value,
        mut private: Private,
        diagnostics: &mut Diagnostics,
    ) -> Result<Apply, Diagnostic> {
        let launch = bridge.launch(planned)?;
        let places = bridge.places(planned);
        let params = UpdateParams {
            id: id(prior),
            next_props: bridge::to_json(&effective_props(planned))?,
            next_write_only_props: bridge::to_optional_json(&wire::part(
                config,
                "write_only_props",
            ))?,
            current_props: bridge::to_json(&effective_props(prior))?,
            current_state: bridge::to_json(&wire::part(prior, "state"))?,
            current_sensitive_state: bridge::to_optional_json(&wire::part(
                prior,
                "sensitive_state",
            ))?,
        };
        let task = Task::new(Update, "update resource");
        let answer = bridge.scripts.call(&launch, task, params).await;
        let answer = answer.map_err(|failure| failure.show(&places))?;
        bridge.hide_json(answer.sensitive_state.as_ref());
        diagnostics.extend(places.show_all(answer.diagnostics));
        if diagnostic::has_errors(diagnostics) {
            return Ok(Apply {
                state: prior.clone(),
                private,
            });
        }
        let results = Results {
            state: answer.state,
            sensitive_state: answer.sensitive_state,
        };
        let state = results.into_state(planned, prior, diagnostics);
        let counted = write_only::counted(config, prior, &private);
        let version = known_or(&wire::part(&state, "write_only_props_version"), counted);
        let state = wire::with(
            &state,
            [
                ("id", wire::part(prior, "id")),
                ("write_only_props_version", version),
            ],
        );
        write_only::remember(config, &mut private);
        Ok(Apply { state, private })
    }

    async fn delete(
        bridge: &Bridge,
        prior: &Value,
        private: Private,
        diagnostics: &mut Diagnostics,
    ) -> Result<Apply, Diagnostic> {
        let launch = bridge.launch_of_state(prior)?;
        let places = bridge.places(prior).in_words();
        let params = DeleteParams {
            id: id(prior),
            props: bridge::to_json(&effective_props(prior))?,
            state: bridge::to_json(&wire::part(prior, "state"))?,
            sensitive_state: bridge::to_optional_json(&wire::part(prior, "sensitive_state"))?,
        };
        let task = Task::new(Delete, "delete resource");
        let answer = bridge.scripts.call(&launch, task, params).await;
        let answer = answer.map_err(|failure| failure.show(&places))?;
        let answer = answer.unwrap_or_default();
        let is_done = answer.is_done();
        diagnostics.extend(places.show_all(answer.diagnostics));
        if !is_done && !diagnostic::has_errors(diagnostics) {
            diagnostics.push(diagnostic::error(
                "Failed to delete resource",
                format!(
                    "{} did not answer {{\"done\": true}}, so the resource may still be there.",
                    launch.name
                ),
            ));
        }
        match diagnostic::has_errors(diagnostics) {
            true => Ok(Apply {
                state: prior.clone(),
                private,
            }),
            false => Ok(Apply {
                state: Value::null(RESOURCE_SHAPE.ty.clone()),
                private: Private::default(),
            }),
        }
    }
}

/// What a script gives back about a resource.
struct Results {
    state: Option<tenon_protocols::Json>,
    sensitive_state: Option<tenon_protocols::Json>,
}

impl Results {
    /// The planned block with them. What cannot be a value is an error beside the rest, which is
    /// not to be lost: the script has done its work.
    fn into_state(self, planned: &Value, prior: &Value, diagnostics: &mut Diagnostics) -> Value {
        let mut value = |sent: Option<tenon_protocols::Json>, before: &str, name: &str| {
            let value = bridge::from_json(sent.as_ref(), &wire::part(prior, before), name);
            value.unwrap_or_else(|error| {
                diagnostics.push(error);
                Value::NULL
            })
        };
        let state = value(self.state, "state", "state");
        let sensitive_state = value(self.sensitive_state, "sensitive_state", "sensitiveState");
        let modified = known_or(&wire::part(planned, "modified_props"), Value::NULL);
        wire::with(
            planned,
            [
                ("state", state),
                ("sensitive_state", sensitive_state),
                ("modified_props", modified),
            ],
        )
    }
}

fn known_or(value: &Value, other: Value) -> Value {
    match value.is_known() {
        true => value.clone(),
        false if other.is_known() => other,
        false => Value::null(Type::Number),
    }
}
