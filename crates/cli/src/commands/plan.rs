//! `tenon plan`.

use super::{record, scenario};
use crate::args::{GraphForm, PlanArgs};
use crate::exit::Failure;
use crate::output::{self, diagnostics, plan};

pub(crate) async fn run(args: PlanArgs) -> Result<(), Failure> {
    let key = record::key(&args.key)?;
    let environment = scenario::environment(&args.environment, None)?;
    let file = scenario::open(&args.file, args.json).await;
    let file = file.map_err(|refusal| refusal.tell(args.json))?;
    let name = args.scenario.scenario.as_deref();
    let mut plans = Vec::new();
    let mut failure = None;
    for chosen in scenario::select(&file, name, &args.tags)? {
        let launcher = scenario::launcher(&args.file, None, environment.clone())?;
        match scenario::plan(&chosen, &args.scenario.variables, None, &launcher).await {
            Ok(plan) => plans.push(plan),
            Err(refusal) => {
                let told = refusal.tell(args.json);
                failure.get_or_insert(told);
            }
        }
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    for (index, plan) in plans.iter().enumerate() {
        let warnings = match key {
            Some(_) => Vec::new(),
            None => plan.needed_secrets(),
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
