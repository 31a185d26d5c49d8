//! Creating, updating and deleting a resource.

use tenon_protocols::denobridge::{
    Create, CreateParams, Delete, DeleteParams, Update, UpdateParams,
};
use tenon_tfplugin::{
    ApplyRequest, ApplyResponse, Diagnostic, Diagnostics, Private, block, has_errors,
};
use tenon_values::{Type, Value};

use super::import::current_identity;
use super::{effective_props, id, named, write_only};
use crate::bridge::{self, Bridge};
use crate::schema::RESOURCE_SCHEMA;
use crate::scripts::Task;

pub(crate) async fn apply(
    bridge: &Bridge,
    request: ApplyRequest,
) -> Result<ApplyResponse, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    match Apply::of(bridge, &request, &mut diagnostics).await {
        Ok(applied) => Ok(ApplyResponse {
            private: Some(applied.private.to_bytes()),
            identity: current_identity(request.identity.as_ref(), &applied.state),
            diagnostics,
            ..ApplyResponse::new(applied.state)
        }),
        Err(error) => {
            diagnostics.push(error);
            Err(diagnostics)
        }
    }
}

/// What there is after a change.
struct Apply {
    state: Value,
    private: Private,
}

impl Apply {
    async fn of(
        bridge: &Bridge,
        request: &ApplyRequest,
        diagnostics: &mut Diagnostics,
    ) -> Result<Apply, Diagnostic> {
        let ApplyRequest {
            prior,
            planned,
            config,
            ..
        } = request;
        let private = Private::read(&request.private)?;
        bridge.hide(&block::part(config, "write_only_props"));
        bridge.hide(&block::part(prior, "sensitive_state"));
        if planned.is_null() {
            let deleted = Apply::delete(bridge, prior, private, diagnostics).await;
            for one in diagnostics {
                *one = named(std::mem::take(one), prior);
            }
            return deleted.map_err(|error| named(error, prior));
        }
        let planned = block::with(planned, [("write_only_props", Value::NULL)]);
        match prior.is_null() {
            true => Apply::create(bridge, config, &planned, diagnostics).await,
            false => Apply::update(bridge, config, prior, &planned, private, diagnostics).await,
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
            write_only_props: bridge::to_optional_json(&block::part(config, "write_only_props"))?,
        };
        let task = Task::new(Create, "create resource");
        let answer = bridge.scripts.call(&launch, task, params).await;
        let answer = answer.map_err(|failure| failure.show(&places))?;
        bridge.hide_json(answer.sensitive_state.as_ref());
        diagnostics.extend(places.show_all(answer.diagnostics));
        let has_failed = has_errors(diagnostics);
        if has_failed && answer.id.is_none() {
            return Ok(Apply {
                state: Value::null(RESOURCE_SCHEMA.implied_type()),
                private: Private::default(),
            });
        }
        if answer.id.is_none() {
            diagnostics.push(Diagnostic::warning(
                "Resource without id",
                format!(
                    "{} answered create without an id, so the id is empty. The script cannot \
                     distinguish resources with an empty id.",
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
            &block::part(&state, "write_only_props_version"),
            Value::from(1),
        );
        let state = block::with(
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
            next_write_only_props: bridge::to_optional_json(&block::part(
                config,
                "write_only_props",
            ))?,
            current_props: bridge::to_json(&effective_props(prior))?,
            current_state: bridge::to_json(&block::part(prior, "state"))?,
            current_sensitive_state: bridge::to_optional_json(&block::part(
                prior,
                "sensitive_state",
            ))?,
        };
        let task = Task::new(Update, "update resource");
        let answer = bridge.scripts.call(&launch, task, params).await;
        let answer = answer.map_err(|failure| failure.show(&places))?;
        bridge.hide_json(answer.sensitive_state.as_ref());
        diagnostics.extend(places.show_all(answer.diagnostics));
        if has_errors(diagnostics) {
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
        let version = known_or(&block::part(&state, "write_only_props_version"), counted);
        let state = block::with(
            &state,
            [
                ("id", block::part(prior, "id")),
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
            state: bridge::to_json(&block::part(prior, "state"))?,
            sensitive_state: bridge::to_optional_json(&block::part(prior, "sensitive_state"))?,
        };
        let task = Task::new(Delete, "delete resource");
        let answer = bridge.scripts.call(&launch, task, params).await;
        let answer = answer.map_err(|failure| failure.show(&places))?;
        let answer = answer.unwrap_or_default();
        let is_done = answer.is_done();
        diagnostics.extend(places.show_all(answer.diagnostics));
        if !is_done && !has_errors(diagnostics) {
            diagnostics.push(Diagnostic::error(
                "Failed to delete resource",
                format!(
                    "{} did not answer {{\"done\": true}}, so the resource may still exist.",
                    launch.name
                ),
            ));
        }
        match has_errors(diagnostics) {
            true => Ok(Apply {
                state: prior.clone(),
                private,
            }),
            false => Ok(Apply {
                state: Value::null(RESOURCE_SCHEMA.implied_type()),
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
            let value = bridge::from_json(sent.as_ref(), &block::part(prior, before), name);
            value.unwrap_or_else(|error| {
                diagnostics.push(error);
                Value::NULL
            })
        };
        let state = value(self.state, "state", "state");
        let sensitive_state = value(self.sensitive_state, "sensitive_state", "sensitiveState");
        let modified = known_or(&block::part(planned, "modified_props"), Value::NULL);
        block::with(
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
