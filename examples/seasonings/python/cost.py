#!/usr/bin/env python3
"""Estimates what planned resources cost, and refuses a plan that is over the budget.

    plugin "cost" {
      command = ["python3", "cost.py"]
      config  = { budget = 100 }
    }
    hooks = ["cost"]
"""

from seasonings import serve

PRICES = {"small": 5, "large": 80}
config = {"budget": 100}


def monthly(resource):
    """What a resource costs per month; 0 if its size is not known yet."""
    after = resource["after"]
    wanted = after.get("input") if isinstance(after, dict) else None
    return PRICES.get(wanted.get("size"), 0) if isinstance(wanted, dict) else 0


def post_plan(params):
    cost = monthly(params)
    result = {"status": "success", "metadata": {"monthly": cost}}
    if cost > 50:
        result = {**result, "status": "warning", "message": f"{params['address']} costs ${cost} per month"}
    return result


def plan_stage_completed(params):
    total, budget = sum(map(monthly, params["resources"])), config["budget"]
    if total > budget:
        return {"status": "fail", "message": f"the plan costs ${total} per month, and the budget is ${budget}"}
    return {"status": "success", "message": f"the plan costs ${total} per month"}


hooks = {"middleware/postPlan": post_plan, "middleware/planStageCompleted": plan_stage_completed}
serve("cost", "1.0.0", hooks, configure=config.update)
