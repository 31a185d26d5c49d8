//! What providers may do, as their processes are held to it.

use std::path::Path;

use tenon_hcl::Diagnostic;
use tenon_host::Permissions;

use crate::reading::model::{ProviderPermissions, RequiredProvider};

impl RequiredProvider {
    /// Checks whether the provider can be held to its permissions when it is started in a folder. The
    /// start would fail for the same reasons, but could not tell where the permissions are written.
    ///
    /// # Errors
    /// Something that is allowed does not exist, or a permission cannot be enforced.
    pub(crate) fn check_permissions(&self, folder: &Path) -> Result<(), Diagnostic> {
        let (Some(permissions), Some(place)) = (self.source.permissions(), &self.permissions_place)
        else {
            return Ok(());
        };
        permissions.enforced().check(folder).map_err(|error| {
            let summary = format!(
                "the provider {:?}: its permissions cannot be enforced: {}",
                self.name.text(),
                error.problem
            );
            Diagnostic::error(summary)
                .at(place.clone())
                .help(error.hint)
        })
    }
}

impl ProviderPermissions {
    /// The same for the process. They were checked when the scenario was read; those of a record that
    /// was changed by hand may not be valid, and then allow nothing.
    pub(crate) fn enforced(&self) -> Permissions {
        let allow = self.allow.iter().map(String::as_str);
        let deny = self.deny.iter().map(String::as_str);
        Permissions::of_words(allow, deny).unwrap_or_default()
    }
}
