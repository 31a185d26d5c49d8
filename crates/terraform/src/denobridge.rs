//! The provider: each of Terraform's calls, and what answers it.

use std::io;
use std::time::Duration;

use tenon_protocols::denobridge::provider;
use tenon_schema::Offer;
use tenon_tfplugin::*;
use tenon_values::Value;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::bridge::Bridge;
use crate::schema::{self, ACTION_SCHEMA, DATA_SOURCE_SCHEMA, EPHEMERAL_SCHEMA};
use crate::settings::Settings;
use crate::{action, data_source, deno, ephemeral, function, resource, validation};

/// How long everything may take when the provider ends. Terraform kills it after two seconds.
const END: Duration = Duration::from_millis(1500);

/// How much of that closing ephemeral resources may take.
const CLOSE: Duration = Duration::from_secs(1);

/// The provider `denobridge`.
pub struct Denobridge {
    bridge: Bridge,
}

/// Who it is.
pub fn identity() -> Identity {
    Identity {
        name: provider::NAME.to_owned(),
        address: provider::ADDRESS.to_owned(),
        version: provider::VERSION.to_owned(),
        about: "\
The Terraform and OpenTofu provider \"denobridge\", whose resources, data sources, ephemeral
resources, actions and functions are scripts. `tenon provider install` puts it where
`terraform init` finds it."
            .to_owned(),
    }
}

impl Denobridge {
    /// A provider that has not been configured yet.
    ///
    /// # Errors
    /// This process may open too few files.
    pub fn new() -> io::Result<Denobridge> {
        tenon_rpc::check_descriptors()?;
        Ok(Denobridge {
            bridge: Bridge::new(),
        })
    }
}

impl Provider for Denobridge {
    async fn offer(&self) -> Result<Offer, Diagnostics> {
        Ok(schema::offer())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            plans_destroy: true,
            moves_states: true,
            generates_config: true,
        }
    }

    async fn validate_provider(&self, config: Value) -> Diagnostics {
        let settings = Settings::of(&config, "");
        settings.err().into_iter().collect()
    }

    async fn configure(&self, request: ConfigureRequest) -> Diagnostics {
        match Settings::of(&request.config, &request.terraform_version) {
            Ok(settings) => {
                let warning = deno::check_version(&settings).await;
                self.bridge.configure(settings);
                warning.into_iter().collect()
            }
            Err(error) => vec![error],
        }
    }

    async fn validate_resource(&self, request: ConfigRequest) -> Diagnostics {
        resource::validate(&request)
    }

    async fn plan(&self, request: PlanRequest) -> Result<PlanResponse, Diagnostics> {
        resource::plan(&self.bridge, request).await
    }

    async fn apply(&self, request: ApplyRequest) -> Result<ApplyResponse, Diagnostics> {
        resource::apply(&self.bridge, request).await
    }

    async fn read(&self, request: ReadRequest) -> Result<ReadResponse, Diagnostics> {
        resource::read(&self.bridge, request).await
    }

    async fn import(&self, request: ImportRequest) -> Result<ImportResponse, Diagnostics> {
        resource::import(request)
    }

    async fn move_state(&self, request: MoveRequest) -> Result<MoveResponse, Diagnostics> {
        resource::move_state(request)
    }

    async fn generate_config(&self, _: String, state: Value) -> Result<Value, Diagnostics> {
        Ok(resource::generate_config(&state))
    }

    async fn validate_data_source(&self, request: ConfigRequest) -> Diagnostics {
        validation::block(&request.config, &DATA_SOURCE_SCHEMA)
    }

    async fn read_data(&self, request: ReadDataRequest) -> Result<ReadDataResponse, Diagnostics> {
        data_source::read(&self.bridge, &request.config).await
    }

    async fn validate_ephemeral(&self, request: ConfigRequest) -> Diagnostics {
        validation::block(&request.config, &EPHEMERAL_SCHEMA)
    }

    async fn open(&self, request: OpenRequest) -> Result<OpenResponse, Diagnostics> {
        ephemeral::open(&self.bridge, &request.config).await
    }

    async fn renew(&self, request: RenewRequest) -> Result<RenewResponse, Diagnostics> {
        Ok(ephemeral::renew(&self.bridge, &request.private).await?)
    }

    async fn close(&self, request: CloseRequest) -> Diagnostics {
        let closed = ephemeral::close(&self.bridge, &request.private).await;
        closed.unwrap_or_else(Diagnostics::from)
    }

    async fn call(&self, _: String, arguments: Vec<Value>) -> Result<Value, FunctionError> {
        function::call(&self.bridge, &arguments).await
    }

    async fn validate_action(&self, request: ConfigRequest) -> Diagnostics {
        validation::block(&request.config, &ACTION_SCHEMA)
    }

    async fn plan_action(&self, request: ConfigRequest) -> Result<PlanActionResponse, Diagnostics> {
        Ok(PlanActionResponse {
            diagnostics: self.validate_action(request).await,
            deferred: None,
        })
    }

    async fn invoke(&self, request: ConfigRequest, progress: mpsc::Sender<String>) -> Diagnostics {
        action::invoke(&self.bridge, &request.config, progress).await
    }

    fn stop(&self) {
        self.bridge.scripts.interrupt();
    }

    async fn end(&self) {
        let deadline = Instant::now() + END;
        self.bridge.scripts.interrupt();
        ephemeral::close_all(&self.bridge, CLOSE).await;
        let left = deadline.saturating_duration_since(Instant::now());
        self.bridge.scripts.end(left).await;
    }
}
