//! `tenon plan`.

use super::scenario::{self, Refusal};
use super::{hints, record};
use crate::args::{GraphForm, PlanArgs};
use crate::exit::Failure;
use crate::output::{self, diagnostics, plan};

pub(crate) async fn run(args: PlanArgs) -> Result<(), Failure> {
    let key = record::key(&args.key)?;
    let environment = scenario::environment(&args.environment, None)?;
    let launcher = scenario::launcher(&args.file, None, environment)?;
    let choice = scenario::choice(&args.scenario, &args.tags);
    let inputs = scenario::inputs(&args.scenario.variables);
    let prepared = tenon_scenario::prepare(&args.file, &choice, &inputs, &launcher).await;
    let prepared = prepared.map_err(|error| Refusal::from(error).print(args.json))?;
    diagnostics(&prepared.file.warnings, args.json);
    let mut plans = Vec::new();
    let mut failure = None;
    for one in prepared.scenarios {
        match one.plan {
            Ok(plan) => plans.push(plan),
            Err(error) => {
                let failed = Refusal::from(error).print(args.json);
                failure.get_or_insert(failed);
            }
        }
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    for (index, plan) in plans.iter().enumerate() {
        let warnings = match key {
            Some(_) => Vec::new(),
            None => plan.needed_secrets(hints::ADVICE),
        };
        if !args.json {
            diagnostics(&warnings, false);
        }
        if index > 0 && args.graph.is_none() && !args.json {
            output::data("")?;
        }
        match args.graph {
            Some(GraphForm::Dot) => output::data(plan.to_dot().trim_end()),
            Some(GraphForm::Mermaid) => output::data(plan.to_mermaid().trim_end()),
            None if args.json => plan::json(plan, &warnings),
            None => plan::text(plan),
        }?;
    }
    Ok(())
}
