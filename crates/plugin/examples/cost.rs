//! Estimates what planned resources cost, and refuses a plan that is over the budget.
//!
//! ```hcl
//! plugin "cost" {
//!   command = ["target/debug/examples/cost"]
//!   config  = { budget = 100 }
//! }
//! hooks = ["cost"]
//! ```

use tenon_plugin::{Change, Plugin, ResourceHook, StageHook, Verdict, attributes};

attributes! {
    struct Config {
        /// What all resources together may cost per month, in dollars.
        budget: i64 = 100,
    }
}

/// What a resource costs per month; 0 if its size is not known yet.
fn monthly(change: &Change) -> i64 {
    let size = change.after_at(&["input", "size"]);
    match size.and_then(|size| size.as_str()) {
        Some("small") => 5,
        Some("large") => 80,
        _ => 0,
    }
}

fn main() -> std::process::ExitCode {
    Plugin::new("cost", "1.0.0")
        .configure(|config: Config| async move { Ok(config) })
        .resource_hook(ResourceHook::PostPlan, |_, change| async move {
            let cost = monthly(&change);
            let verdict = match cost > 50 {
                true => Verdict::warn(format!("{} costs ${cost} per month", change.address)),
                false => Verdict::pass(),
            };
            Ok(verdict.metadata("monthly", cost))
        })
        .stage_hook(StageHook::PlanCompleted, |config, plan| async move {
            let (total, budget) = (
                plan.resources.iter().map(monthly).sum::<i64>(),
                config.budget,
            );
            Ok(match total > budget {
                true => Verdict::fail(format!(
                    "the plan costs ${total} per month, and the budget is ${budget}"
                )),
                false => Verdict::pass(),
            })
        })
        .serve()
}
