//! `tenon plan`.

use super::scenario;
use crate::args::{GraphForm, PlanArgs};
use crate::exit::Failure;
use crate::output::{self, plan};

pub(crate) async fn run(args: PlanArgs) -> Result<(), Failure> {
    let file = scenario::open(&args.file, args.json)?;
    let chosen = scenario::choose(&file, args.scenario.scenario.as_deref())?;
    let launcher = scenario::launcher(&args.file, None)?;
    let variables = &args.scenario.variables;
    let plan = scenario::plan(&chosen, variables, None, &launcher, args.json).await?;
    match args.graph {
        Some(GraphForm::Dot) => output::data(plan.to_dot().trim_end()),
        Some(GraphForm::Mermaid) => output::data(plan.to_mermaid().trim_end()),
        None if args.json => plan::json(&plan),
        None => plan::text(&plan),
    }
}
