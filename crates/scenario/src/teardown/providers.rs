//! The providers that a teardown needs, as the record has them.

use std::collections::BTreeMap;
use std::sync::Arc;

use tenon_hcl::{Place, Source};
use tenon_protocols::orchard::ProviderSchema;

use crate::event::Watch;
use crate::planning::declarations::Declaration;
use crate::providers::failure::ProviderFailure;
use crate::providers::launcher::Launcher;
use crate::providers::schema::Asked;
use crate::records::known::Given;
use crate::records::record::Record;
use crate::records::undo::ProviderRecord;
use crate::run::{RunError, tell_failures};

/// A provider with its program where it is now.
pub(super) fn at_home(provider: &ProviderRecord, given: &Given) -> ProviderRecord {
    let source = given.sources.get(&provider.name);
    ProviderRecord {
        source: source.unwrap_or(&provider.source).clone(),
        ..provider.clone()
    }
}

/// What each provider offers now.
pub(super) async fn schemas(
    providers: &[(usize, ProviderRecord)],
    launcher: &Launcher,
) -> Result<BTreeMap<usize, Arc<ProviderSchema>>, Vec<ProviderFailure>> {
    let asked: Vec<Asked<'_>> = { providers.iter() }
        .map(|(_, provider)| Asked {
            name: provider.label(),
            source: &provider.source,
            environment: &provider.env,
        })
        .collect();
    let answers = launcher.schemas(&asked).await?;
    let indexes = providers.iter().map(|(index, _)| *index);
    Ok(indexes.zip(answers).collect())
}

/// The error for providers that could not be asked or started.
pub(super) fn not_started(
    failures: Vec<ProviderFailure>,
    record: &Record,
    watch: Watch<'_>,
) -> RunError {
    let mut record = record.clone();
    record.provider_errors = tell_failures(&failures, watch);
    RunError::Providers(failures, Box::new(record))
}

/// The declaration of a provider in the record.
pub(super) fn declaration(
    provider: &ProviderRecord,
    schema: &Arc<ProviderSchema>,
    record: &Record,
) -> Declaration {
    let source = Source::new(record.path.display().to_string(), "");
    Declaration {
        name: provider.name.clone(),
        alias: provider.alias.clone(),
        source: provider.source.clone(),
        environment: provider.env.clone(),
        schema: schema.clone(),
        config: Vec::new(),
        place: Place::beginning(&source),
    }
}
