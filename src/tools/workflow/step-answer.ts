import type { Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { titled } from './words.ts';
import type { Gathered, WorkflowDefinition } from './definition.ts';
import type { WorkflowArgs } from './step-fields.ts';
import type { WorkflowState } from './state.ts';

/** A step that was taken, on its way to an answer. */
export interface TakenStep {
  readonly definition: WorkflowDefinition;
  readonly args: WorkflowArgs;
  readonly state: WorkflowState;
  /** Folders of its caller, as far as they are known: files in the first are told by their names in it. */
  readonly roots: readonly string[];
  readonly gathered: Gathered;
  /** What its caller should know beside the answer. */
  readonly notices: readonly Notice[];
}

/** The notices as a part of the text. */
export function noteOf({ notices }: Pick<TakenStep, 'notices'>): string {
  return titled('Note', notices.map(baseRenderer.notice).join('\n'));
}

/** What every answer to a step holds. */
export function stepContent(
  { args, state, gathered, notices }: TakenStep,
  status: string,
  more: 'yes' | 'no',
) {
  return {
    // First, so that no fact can take the place of what the engine says.
    ...gathered.facts,
    status,
    step_number: args.step_number,
    total_steps: state.totalSteps,
    next_step_required: more === 'yes',
    ...(notices.length > 0 && { notices: notices.map(baseRenderer.notice) }),
  };
}

export function earlyEnd({ args, state }: TakenStep, because: string | undefined) {
  if (because === undefined) return {};
  const { step_number } = args;
  return { early_termination: { step_number, total_steps: state.totalSteps, because } };
}
