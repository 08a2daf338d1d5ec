import type { AskRequest } from '#core/ask.ts';
import type { AsksNobody } from '#core/tool.ts';
import { unread } from '../asking/given-files.ts';
import { decide, type Decision } from './decide.ts';
import type { WorkflowDefinition } from './definition.ts';
import { expertRequest } from './expert-request.ts';
import { withLasting } from './lasting-fields.ts';
import { advance } from './state.ts';
import { toGivenStep, type WorkflowArgs } from './step-fields.ts';

/** What the expert would be asked if this were the only step, or why nobody would; nothing is read for it. */
export function wouldAsk(
  definition: WorkflowDefinition,
  given: WorkflowArgs,
  locale: string,
): AskRequest | AsksNobody {
  const { step, totalSteps } = toGivenStep(definition, given, []);
  const state = advance(undefined, { step: { ...step, number: 1 }, totalSteps });
  const args = withLasting(definition, given, state.steps);
  const decision = decide(definition, args, state);
  if (decision.is !== 'expert' && !isForEarlierSteps(decision, args)) {
    return { asksNobody: whyNobody(decision) };
  }
  const files = [
    ...step.relevantFiles.map(unread),
    ...(definition.gather ? [unread(`[what ${definition.name} reads by itself]`)] : []),
  ];
  return expertRequest(definition, args, state, files, locale);
}

/** A last step may say nothing where those before it, which only the thread knows, said enough. */
function isForEarlierSteps(decision: Decision, args: WorkflowArgs): boolean {
  return args.step_number > 1 && decision.is === 'end' && decision.status === 'local_work_complete';
}

function whyNobody(decision: Exclude<Decision, { is: 'expert' }>): string {
  switch (decision.is) {
    case 'pause':
      return 'more steps are to come (next_step_required is true)';
    case 'hold':
      return `something has to be done first (${decision.hold.status})`;
    case 'end':
      return decision.because;
  }
}
