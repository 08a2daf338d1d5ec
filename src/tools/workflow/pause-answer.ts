import type { Continuation } from '#core/threads.ts';
import type { ToolAnswer } from '#core/tool.ts';
import type { Hold } from './definition.ts';
import { goOn } from './next-call.ts';
import { stepContent, type TakenStep } from './step-answer.ts';
import { numbered, paragraphs, titled } from './words.ts';
import { filesByName, progressOf } from './work-done.ts';

/** The caller works on and comes back. */
export function pauseAnswer(taken: TakenStep, continuation: Continuation): ToolAnswer {
  const { definition, args, state } = taken;
  const actions = definition.actions({ args, state });
  const next = args.step_number + 1;
  const sentence = `Do what required_actions say, then call ${definition.name} with step_number ${next} and this continuation_id; look before you call.`;
  return answer(taken, continuation, {
    status: `pause_for_${definition.stem}`,
    actions,
    sentence,
    more: next < state.totalSteps ? 'yes' : 'no',
    instead: undefined,
  });
}

/** Something has to be done before it can go on or end. */
export function holdAnswer(taken: TakenStep, hold: Hold, continuation: Continuation): ToolAnswer {
  return answer(taken, continuation, {
    status: hold.status,
    actions: hold.actions,
    sentence: hold.note,
    more: taken.args.next_step_required ? 'yes' : 'no',
    instead: hold.arguments,
  });
}

interface Telling {
  readonly status: string;
  readonly actions: readonly string[];
  readonly sentence: string;
  /** Of the call that comes next. */
  readonly more: 'yes' | 'no';
  readonly instead: Hold['arguments'] | undefined;
}

function answer(taken: TakenStep, { id, ...rest }: Continuation, telling: Telling): ToolAnswer {
  const { definition, args, state, notices } = taken;
  const { status, actions, sentence, more, instead } = telling;
  const { stem } = definition;
  return {
    status,
    text: paragraphs([
      `Step ${args.step_number} of ${state.totalSteps} is kept. ${sentence}`,
      numbered(actions),
      titled('Note', notices.join('\n')),
    ]),
    content: {
      ...stepContent(taken, status, 'yes'),
      [`${stem}_required`]: true,
      required_actions: actions,
      next_steps: sentence,
      [`${stem}_status`]: progressOf(state),
      file_context: filesByName(state),
      next_call: goOn(definition, args, {
        continuationId: id,
        totalSteps: state.totalSteps,
        more,
        instead,
      }),
    },
    continuation: { id, ...rest },
  };
}
