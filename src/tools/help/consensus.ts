/** What `tool_help` says of consensus. */
export const CONSENSUS_HELP = `How it works: one call is the whole of it. All models are asked at once, each alone; nobody takes the place of one that fails, and nobody sums it up: that is for you.

Statuses:
- consensus_workflow_complete: as many answered as the quorum wants.
- consensus_incomplete: too few did; what there is are single opinions.
- error: nobody answered, or the arguments were wrong.

What comes back:
- responses: for each model its stance, status (success, timeout, error), verdict, position (agree, disagree, mixed, unclear), confidence (0 to 1), reasons and risks; error where it is missing; after a second round letter, changed, change and before.
- agreements and disagreements: who holds which position.
- quorum (needed, met, answered), rounds, next_steps.

What was asked and said is kept: continuation_id goes on with any tool. It takes an hour at most, for all rounds together; a caller that waits for less gets a job.`;
