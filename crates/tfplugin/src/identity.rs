//! Who the provider is.

/// Who the provider is: the names that Terraform, its users and its log know it by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The name in configurations. The program is called `terraform-provider-NAME`.
    pub name: String,
    /// Where registries have it: `NAMESPACE/NAME`.
    pub address: String,
    /// The version that `--version` prints unless the name of the program has one.
    pub version: String,
    /// What `--help` says about it: a paragraph, without a line break at its end.
    pub about: String,
}

impl Identity {
    /// The name of the program.
    pub fn program(&self) -> String {
        format!("terraform-provider-{}", self.name)
    }

    /// What the names of sockets and of their folders begin with.
    pub(crate) fn socket_prefix(&self) -> String {
        format!("{}-", self.name)
    }

    /// The environment variable that sets how much of this provider alone is logged.
    pub(crate) fn log_variable(&self) -> String {
        let name = self.name.to_ascii_uppercase().replace('-', "_");
        format!("TF_LOG_PROVIDER_{name}")
    }
}

#[cfg(test)]
pub(crate) fn for_tests() -> Identity {
    Identity {
        name: "pan-try".to_owned(),
        address: "somebody/pan-try".to_owned(),
        version: "1.2.3".to_owned(),
        about: "A provider for tests.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_follows_from_one() {
        let identity = for_tests();
        assert_eq!(identity.program(), "terraform-provider-pan-try");
        assert_eq!(identity.socket_prefix(), "pan-try-");
        assert_eq!(identity.log_variable(), "TF_LOG_PROVIDER_PAN_TRY");
    }
}
