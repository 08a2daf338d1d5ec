import type { Continuation } from '#core/threads.ts';
import type { ToolResult } from '#core/tools/tool.ts';
import { throughWrapper, wrappedCallText } from '../shared/wrapped-call.ts';
import { consolidate } from './consolidate.ts';
import type { StepDecision } from './decide-step.ts';
import type { Hold } from './definition.ts';
import { mergeFindings } from './findings.ts';
import { joinParagraphs, numberedList, pluralize, renderFindings, withTitle } from './format.ts';
import { nextStepCall } from './next-call.ts';
import {
  earlyEnd,
  fileReferences,
  progressOf,
  renderNote,
  stepContent,
  workSummary,
  type TakenStep,
} from './step-content.ts';

/** What the caller has to do next, before the step is saved. */
interface StepInstructions {
  readonly status: string;
  readonly actions: readonly string[];
  /** The whole text. */
  readonly text: string;
  /** The short text beside `required_actions`. */
  readonly nextSteps: string;
  /** Whether the next call has more steps after it. */
  readonly hasMore: boolean;
  readonly instead: Hold['arguments'] | undefined;
}

/** The caller continues and calls again. */
export function pauseInstructions(taken: TakenStep): StepInstructions {
  const { definition, args, state } = taken;
  const actions = definition.actions({ args, state });
  const next = args.step_number + 1;
  const then = `then call ${describeNextStep(taken, next)}; look before you call.`;
  return {
    status: `pause_for_${definition.stem}`,
    actions,
    text: textOf(taken, `Do the following, ${then}`, actions),
    nextSteps: `Do what required_actions say, ${then}`,
    hasMore: next < state.totalSteps,
    instead: undefined,
  };
}

function describeNextStep({ definition, caller }: TakenStep, number: number): string {
  const { via, continuationId } = caller;
  if (via === undefined)
    return `${definition.name} with step_number ${number} and this continuation_id`;
  const args = { step_number: number, continuation_id: continuationId };
  const call = wrappedCallText({ tool: definition.name, arguments: args }, via);
  return `${call}, with the other arguments of a step`;
}

/** Instructions for a caller that has to do something first. */
export function holdInstructions(taken: TakenStep, hold: Hold): StepInstructions {
  const { status, actions, note } = hold;
  return {
    status,
    actions,
    text: textOf(taken, note, actions),
    nextSteps: note,
    hasMore: taken.args.next_step_required,
    instead: hold.arguments,
  };
}

function textOf(taken: TakenStep, sentence: string, actions: readonly string[]): string {
  const { args, state, gathered } = taken;
  return joinParagraphs([
    `Step ${args.step_number} of ${state.totalSteps} is saved. ${sentence}`,
    numberedList(actions),
    gathered.text ?? '',
    renderNote(taken),
  ]);
}

export function pauseAnswer(
  taken: TakenStep,
  instructions: StepInstructions,
  continuation: Continuation,
): ToolResult {
  const { definition, args, state } = taken;
  const { status, actions, text, nextSteps, hasMore, instead } = instructions;
  const { stem } = definition;
  return {
    status,
    text,
    content: {
      ...stepContent(taken, { status, nextStepRequired: true }),
      [`${stem}_required`]: true,
      required_actions: actions,
      next_steps: nextSteps,
      [`${stem}_status`]: progressOf(state),
      file_context: fileReferences(taken),
      next_call: throughWrapper(
        nextStepCall(definition, args, {
          continuationId: continuation.id,
          totalSteps: state.totalSteps,
          hasMore,
          instead,
        }),
        taken.caller.via,
      ),
    },
    notices: taken.notices,
    continuation,
  };
}

/** The answer to the last step of a workflow without an expert. */
export function endAnswer(
  taken: TakenStep,
  { status, skipped, because, early }: Extract<StepDecision, { is: 'end' }>,
): Omit<ToolResult, 'continuation'> {
  const { definition, state, gathered } = taken;
  const findings = mergeFindings(consolidate(state).issues, []);
  const sentence =
    findings.length === 0
      ? 'Tell the user what was found.'
      : 'Tell the user what was found, and deal with the findings, the worst first.';
  const done = workSummary(taken);
  return {
    status,
    text: joinParagraphs([
      `${definition.title}: done after ${pluralize(state.steps.length, 'step')}. ${skipped?.reason ?? `No expert was asked: ${because}.`}`,
      withTitle('Findings', renderFindings(findings)),
      done.work_summary,
      gathered.text ?? '',
      renderNote(taken),
    ]),
    content: {
      ...stepContent(taken, { status, nextStepRequired: false }),
      [`${definition.stem}_complete`]: true,
      ...earlyEnd(taken, early),
      ...(skipped && { expert_analysis: skipped }),
      findings,
      [`complete_${definition.name}`]: done,
      next_steps: sentence,
    },
    notices: taken.notices,
  };
}
