//! What a provider does.

use tenon_schema::Offer;
use tenon_values::Value;
use tokio::sync::mpsc;

use crate::diagnostic::Diagnostics;
use crate::requests::{
    ApplyRequest, ApplyResponse, CloseRequest, ConfigRequest, ConfigureRequest, FunctionError,
    ImportRequest, ImportResponse, MoveRequest, MoveResponse, OpenRequest, OpenResponse,
    PlanActionResponse, PlanRequest, PlanResponse, ReadDataRequest, ReadDataResponse, ReadRequest,
    ReadResponse, RenewRequest, RenewResponse, UpgradeRequest,
};
use crate::unsupported;

/// A Terraform provider, which [`run`](crate::run) serves.
///
/// Before a method is called, the type's name has been looked up in the [`Offer`], and every value
/// has been decoded by its schema. What is returned is checked and encoded in the same way. A panic
/// is reported as an error of that call.
///
/// A method that returns `Err` leaves everything as it was: Terraform gets the errors together with
/// the state from before the call. To have a state saved although something failed, return `Ok` with
/// the state and the errors in `diagnostics`.
///
/// What a provider does not offer it need not implement: such calls fail with "Not supported".
/// Terraform calls several methods in parallel.
pub trait Provider: Send + Sync + 'static {
    /// What the provider has, by the type names that configurations use. Asked for once, before
    /// anything else: Terraform starts a provider up to five times for a command, and wants this
    /// each time.
    fn offer(&self) -> impl Future<Output = Result<Offer, Diagnostics>> + Send;

    /// Which of Terraform's optional calls the provider wants.
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    /// Checks the configuration of the provider. Parts of it may be unknown.
    fn validate_provider(&self, _config: Value) -> impl Future<Output = Diagnostics> + Send {
        async { Diagnostics::new() }
    }

    /// Configures the provider. Parts of the configuration may be unknown. Functions are called
    /// without it, and so are validation and upgrades.
    fn configure(&self, _: ConfigureRequest) -> impl Future<Output = Diagnostics> + Send {
        async { Diagnostics::new() }
    }

    /// Checks the configuration of a resource. Parts of it may be unknown.
    fn validate_resource(&self, _: ConfigRequest) -> impl Future<Output = Diagnostics> + Send {
        async { Diagnostics::new() }
    }

    /// Checks the configuration of a data source. Parts of it may be unknown.
    fn validate_data_source(&self, _: ConfigRequest) -> impl Future<Output = Diagnostics> + Send {
        async { Diagnostics::new() }
    }

    /// Checks the configuration of an ephemeral resource. Parts of it may be unknown.
    fn validate_ephemeral(&self, _: ConfigRequest) -> impl Future<Output = Diagnostics> + Send {
        async { Diagnostics::new() }
    }

    /// Checks the configuration of an action. Parts of it may be unknown.
    fn validate_action(&self, _: ConfigRequest) -> impl Future<Output = Diagnostics> + Send {
        async { Diagnostics::new() }
    }

    /// Makes a state of the current version out of an older one. States of the current version do
    /// not come here.
    fn upgrade(
        &self,
        _: UpgradeRequest,
    ) -> impl Future<Output = Result<Value, Diagnostics>> + Send {
        async { Err(unsupported::call("upgrade states of older versions")) }
    }

    /// Says what a change will do.
    fn plan(
        &self,
        _: PlanRequest,
    ) -> impl Future<Output = Result<PlanResponse, Diagnostics>> + Send {
        async { Err(unsupported::call("plan changes of resources")) }
    }

    /// Creates, updates or deletes a resource.
    fn apply(
        &self,
        _: ApplyRequest,
    ) -> impl Future<Output = Result<ApplyResponse, Diagnostics>> + Send {
        async { Err(unsupported::call("change resources")) }
    }

    /// Reads how a resource is now.
    fn read(
        &self,
        _: ReadRequest,
    ) -> impl Future<Output = Result<ReadResponse, Diagnostics>> + Send {
        async { Err(unsupported::call("read resources")) }
    }

    /// Finds a resource that exists already. It is read next, so its state may have gaps.
    fn import(
        &self,
        _: ImportRequest,
    ) -> impl Future<Output = Result<ImportResponse, Diagnostics>> + Send {
        async { Err(unsupported::call("import resources")) }
    }

    /// Takes over the state of a resource of another type or provider. Called only if
    /// [`Capabilities::moves_states`] is set.
    fn move_state(
        &self,
        _: MoveRequest,
    ) -> impl Future<Output = Result<MoveResponse, Diagnostics>> + Send {
        async { Err(unsupported::call("take over resources of other types")) }
    }

    /// The configuration that would make a resource what it is. Called only if
    /// [`Capabilities::generates_config`] is set.
    fn generate_config(
        &self,
        _type_name: String,
        _state: Value,
    ) -> impl Future<Output = Result<Value, Diagnostics>> + Send {
        async { Err(unsupported::call("generate configurations")) }
    }

    /// Reads a data source.
    fn read_data(
        &self,
        _: ReadDataRequest,
    ) -> impl Future<Output = Result<ReadDataResponse, Diagnostics>> + Send {
        async { Err(unsupported::call("read data sources")) }
    }

    /// Opens an ephemeral resource.
    fn open(
        &self,
        _: OpenRequest,
    ) -> impl Future<Output = Result<OpenResponse, Diagnostics>> + Send {
        async { Err(unsupported::call("open ephemeral resources")) }
    }

    /// Renews an ephemeral resource that is open.
    fn renew(
        &self,
        _: RenewRequest,
    ) -> impl Future<Output = Result<RenewResponse, Diagnostics>> + Send {
        async { Err(unsupported::call("renew ephemeral resources")) }
    }

    /// Closes an ephemeral resource. There is nothing to do by default.
    fn close(&self, _: CloseRequest) -> impl Future<Output = Diagnostics> + Send {
        async { Diagnostics::new() }
    }

    /// Calls a function. Arguments of a variadic parameter follow the others. Terraform compares:
    /// equal arguments must give equal results.
    fn call(
        &self,
        _name: String,
        _arguments: Vec<Value>,
    ) -> impl Future<Output = Result<Value, FunctionError>> + Send {
        async { Err(FunctionError::from("this provider has no functions")) }
    }

    /// Says whether an action can be invoked. Parts of its configuration may be unknown.
    fn plan_action(
        &self,
        _: ConfigRequest,
    ) -> impl Future<Output = Result<PlanActionResponse, Diagnostics>> + Send {
        async { Ok(PlanActionResponse::default()) }
    }

    /// Runs an action. Terraform shows each text sent to `progress` as a line.
    fn invoke(
        &self,
        _: ConfigRequest,
        _progress: mpsc::Sender<String>,
    ) -> impl Future<Output = Diagnostics> + Send {
        async { unsupported::call("run actions") }
    }

    /// Terraform was interrupted, usually by Ctrl-C. It waits for the calls in progress, which
    /// should end soon.
    fn stop(&self) {}

    /// The process ends. Given up after 1.7 seconds.
    fn end(&self) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// Which of Terraform's optional calls a provider wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// [`Provider::plan`] is called for deletions, too.
    pub plans_destroy: bool,
    /// [`Provider::move_state`] is called for `moved` blocks.
    pub moves_states: bool,
    /// [`Provider::generate_config`] is called for `-generate-config-out`.
    pub generates_config: bool,
}
