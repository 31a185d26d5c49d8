//! The provider: each of Terraform's calls, and what answers it.

use std::io;
use std::sync::Arc;

use tenon_protocols::seasonings::Manifest;
use tenon_protocols::seasonings::calls::{Kind, Validate};
use tenon_schema::Offer;
use tenon_tfplugin::*;
use tenon_values::Value;
use tokio::sync::OnceCell;

use crate::ephemeral::Opened;
use crate::offered::Offered;
use crate::plugin::{Kind as FailureKind, Plugin, Task};
use crate::{data_source, ephemeral, function, resource, show, tree};

/// A provider made from a plugin.
pub struct PackedProvider {
    plugin: Plugin,
    name: String,
    /// What the plugin offers: from the manifest, or asked for once.
    offered: OnceCell<Arc<Offered>>,
    opened: Opened,
}

impl PackedProvider {
    /// A provider that has not been configured yet. The plugin is not started.
    ///
    /// # Errors
    /// This process may open too few files, or the captured schema cannot be used.
    pub fn new(manifest: Manifest) -> io::Result<PackedProvider> {
        tenon_rpc::check_descriptors()?;
        let name = manifest.name.clone();
        let captured = match manifest.is_open {
            true => None,
            false => Some(manifest.schemas().offer().map_err(|error| {
                let text = format!("the captured schema of {name}: {error}; pack the plugin again");
                io::Error::other(text)
            })?),
        };
        let offered = match &captured {
            Some(offer) => OnceCell::new_with(Some(Arc::new(Offered::new(&name, offer.clone())))),
            None => OnceCell::new(),
        };
        Ok(PackedProvider {
            plugin: Plugin::new(manifest, captured),
            name,
            offered,
            opened: Opened::default(),
        })
    }

    async fn offered(&self) -> Result<&Offered, Diagnostics> {
        let ask = || async {
            let schemas = self.plugin.schemas().await.map_err(Diagnostics::from)?;
            let offer = schemas.offer().map_err(|error| {
                let detail = format!(
                    "The schema of the plugin {} is wrong: {error}.",
                    self.plugin.name()
                );
                Diagnostics::from(Diagnostic::error("Invalid schema of the plugin", detail))
            })?;
            Ok(Arc::new(Offered::new(&self.name, offer)))
        };
        self.offered
            .get_or_try_init(ask)
            .await
            .map(|offered| &**offered)
    }

    /// What the plugin says about a configuration.
    ///
    /// Before the provider is configured, it is not asked: `terraform validate`, and the validation that precedes
    /// every plan, would start it for that alone. A plan validates each instance again, and configures before.
    async fn validate(&self, what: &'static str, kind: Kind<'_>, config: &Value) -> Diagnostics {
        if !self.plugin.is_configured() {
            return Diagnostics::new();
        }
        self.ask_whether_valid(what, kind, config).await
    }

    async fn ask_whether_valid(
        &self,
        what: &'static str,
        kind: Kind<'_>,
        config: &Value,
    ) -> Diagnostics {
        tree::learn(&self.plugin.secrets, kind.body, config);
        let call = Validate { what, kind, config };
        let task = Task::without_config("validate the configuration");
        match self.plugin.call(&call, task).await {
            Ok(mut done) => {
                if what == "ephemeral" {
                    let name = format!("{}_{}", self.name, kind.name);
                    show::add_place(&mut done.diagnostics, &name, kind.body);
                }
                show::diagnostics(done.diagnostics, kind.body, &self.plugin.secrets)
            }
            Err(failure) if failure.kind == FailureKind::LeftOut => Diagnostics::new(),
            Err(failure) => failure.into(),
        }
    }
}

impl Provider for PackedProvider {
    async fn offer(&self) -> Result<Offer, Diagnostics> {
        Ok(self.offered().await?.for_terraform())
    }

    async fn configure(&self, request: ConfigureRequest) -> Diagnostics {
        let offered = match self.offered().await {
            Ok(offered) => offered,
            Err(errors) => return errors,
        };
        let body = &offered.plugin.config.body;
        let mut diagnostics = match body.attributes.is_empty() && body.blocks.is_empty() {
            // There is nothing to check.
            true => Diagnostics::new(),
            false => {
                self.ask_whether_valid("provider", Kind { name: "", body }, &request.config)
                    .await
            }
        };
        if has_errors(&diagnostics) {
            return diagnostics;
        }
        let config = tree::with_defaults(body, &request.config, &request.config);
        tree::learn(&self.plugin.secrets, body, &config);
        let offer = Arc::new(offered.plugin.clone());
        diagnostics.extend(match self.plugin.configure(offer, config).await {
            Ok(said) => show::diagnostics(said, body, &self.plugin.secrets),
            Err(failure) => failure.into(),
        });
        diagnostics
    }

    async fn validate_resource(&self, request: ConfigRequest) -> Diagnostics {
        let offered = match self.offered().await {
            Ok(offered) => offered,
            Err(errors) => return errors,
        };
        match offered.resource(&request.type_name) {
            Ok(kind) => self.validate("resource", kind, &request.config).await,
            Err(error) => error.into(),
        }
    }

    async fn validate_data_source(&self, request: ConfigRequest) -> Diagnostics {
        let offered = match self.offered().await {
            Ok(offered) => offered,
            Err(errors) => return errors,
        };
        match offered.data_source(&request.type_name) {
            Ok(kind) => self.validate("data", kind, &request.config).await,
            Err(error) => error.into(),
        }
    }

    async fn validate_ephemeral(&self, request: ConfigRequest) -> Diagnostics {
        let offered = match self.offered().await {
            Ok(offered) => offered,
            Err(errors) => return errors,
        };
        match offered.ephemeral(&request.type_name) {
            Ok(kind) => self.validate("ephemeral", kind, &request.config).await,
            Err(error) => error.into(),
        }
    }

    async fn upgrade(&self, request: UpgradeRequest) -> Result<Value, Diagnostics> {
        resource::upgrade(&self.plugin, self.offered().await?, request).await
    }

    async fn plan(&self, request: PlanRequest) -> Result<PlanResponse, Diagnostics> {
        resource::plan(&self.plugin, self.offered().await?, request).await
    }

    async fn apply(&self, request: ApplyRequest) -> Result<ApplyResponse, Diagnostics> {
        resource::apply(&self.plugin, self.offered().await?, request).await
    }

    async fn read(&self, request: ReadRequest) -> Result<ReadResponse, Diagnostics> {
        resource::read(&self.plugin, self.offered().await?, request).await
    }

    async fn import(&self, request: ImportRequest) -> Result<ImportResponse, Diagnostics> {
        resource::import(&self.plugin, self.offered().await?, request).await
    }

    async fn read_data(&self, request: ReadDataRequest) -> Result<ReadDataResponse, Diagnostics> {
        data_source::read(&self.plugin, self.offered().await?, request).await
    }

    async fn open(&self, request: OpenRequest) -> Result<OpenResponse, Diagnostics> {
        let offered = self.offered().await?;
        ephemeral::open(&self.plugin, offered, &self.opened, request).await
    }

    async fn renew(&self, request: RenewRequest) -> Result<RenewResponse, Diagnostics> {
        let offered = self.offered().await?;
        ephemeral::renew(&self.plugin, offered, &self.opened, request).await
    }

    async fn close(&self, request: CloseRequest) -> Diagnostics {
        let closed = async {
            let offered = self.offered().await?;
            ephemeral::close(&self.plugin, offered, &self.opened, request).await
        };
        closed.await.unwrap_or_else(|errors| errors)
    }

    async fn call(&self, name: String, arguments: Vec<Value>) -> Result<Value, FunctionError> {
        let offered = self.offered().await.map_err(|errors| {
            let texts = errors.into_iter().map(|error| error.detail);
            FunctionError::from(texts.collect::<Vec<_>>().join("\n"))
        })?;
        function::call(&self.plugin, offered, &name, arguments).await
    }

    fn stop(&self) {
        self.plugin.interrupt();
    }

    async fn end(&self) {
        self.plugin.end().await;
    }
}
