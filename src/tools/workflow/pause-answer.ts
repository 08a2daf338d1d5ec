import type { Continuation } from '#core/threads.ts';
import type { ToolAnswer } from '#core/tool.ts';
import type { Hold } from './definition.ts';
import { goOn } from './next-call.ts';
import { noteOf, stepContent, type TakenStep } from './step-answer.ts';
import { numbered, paragraphs } from './words.ts';
import { filesByName, progressOf } from './work-done.ts';

/** What the caller is told to do, before the thread has said how it goes on. */
export interface Telling {
  readonly status: string;
  readonly actions: readonly string[];
  /** All of it, for people. */
  readonly text: string;
  /** For programs, which have the actions by their name. */
  readonly nextSteps: string;
  /** Of the call that comes next. */
  readonly more: 'yes' | 'no';
  readonly instead: Hold['arguments'] | undefined;
}

/** The caller works on and comes back. */
export function tellPause(taken: TakenStep): Telling {
  const { definition, args, state } = taken;
  const actions = definition.actions({ args, state });
  const next = args.step_number + 1;
  const then = `then call ${definition.name} with step_number ${next} and this continuation_id; look before you call.`;
  return {
    status: `pause_for_${definition.stem}`,
    actions,
    text: textOf(taken, `Do the following, ${then}`, actions),
    nextSteps: `Do what required_actions say, ${then}`,
    more: next < state.totalSteps ? 'yes' : 'no',
    instead: undefined,
  };
}

/** Something has to be done before it can go on or end. */
export function tellHold(taken: TakenStep, hold: Hold): Telling {
  const { status, actions, note } = hold;
  return {
    status,
    actions,
    text: textOf(taken, note, actions),
    nextSteps: note,
    more: taken.args.next_step_required ? 'yes' : 'no',
    instead: hold.arguments,
  };
}

function textOf(taken: TakenStep, sentence: string, actions: readonly string[]): string {
  const { args, state, gathered } = taken;
  return paragraphs([
    `Step ${args.step_number} of ${state.totalSteps} is kept. ${sentence}`,
    numbered(actions),
    gathered.words ?? '',
    noteOf(taken),
  ]);
}

export function pauseAnswer(
  taken: TakenStep,
  telling: Telling,
  continuation: Continuation,
): ToolAnswer {
  const { definition, args, state } = taken;
  const { status, actions, text, nextSteps, more, instead } = telling;
  const { stem } = definition;
  return {
    status,
    text,
    content: {
      ...stepContent(taken, status, 'yes'),
      [`${stem}_required`]: true,
      required_actions: actions,
      next_steps: nextSteps,
      [`${stem}_status`]: progressOf(state),
      file_context: filesByName(taken),
      next_call: goOn(definition, args, {
        continuationId: continuation.id,
        totalSteps: state.totalSteps,
        more,
        instead,
      }),
    },
    notices: taken.notices,
    continuation,
  };
}
