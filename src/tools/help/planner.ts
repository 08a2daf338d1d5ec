/** What `tool_help` says of planner. */
export const PLANNER_HELP = `How it works: one call for each step. The plan is yours; no model is asked, and nothing is read.
- A plain step goes on with the plan, or with the branch that branch_id names.
- A revision (is_step_revision, revises_step_number) takes the place of an earlier step's text, and counts as a step itself.
- A branch begins with is_branch_point, branch_from_step and a new branch_id.

Statuses:
- pause_for_deep_thinking: in the first three steps of a plan of five or more. Do what required_actions says before the next step.
- pause_for_planning: the same, later on and in smaller plans.
- planning_complete: next_step_required was false. plan (a tree with its branches) and plan_text are the whole of it; a further step may still follow.

next_call is the next call, to be filled in; continuation_id goes on with the plan, also tomorrow. A step that is refused (validation) keeps nothing.`;
