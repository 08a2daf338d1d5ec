import type { ReadTexts } from '#core/workspace.ts';
import type { ToolAnswer, ToolContext } from '#core/tool.ts';
import { inThread } from '../asking/in-thread.ts';
import { answerTurn, lockOf } from '../asking/turns.ts';
import { askExpert } from './ask-expert.ts';
import { expertRequest } from './expert-request.ts';
import { tellExpert } from './expert-told.ts';
import { keepAnswer, keepStep, type OpenStep } from './keep-step.ts';

/** The last step, and what an expert makes of it. The files are read when the step is safe. */
export async function judgeStep(
  step: OpenStep,
  early: string | undefined,
  locale: string,
  context: ToolContext,
  readFiles: () => Promise<ReadTexts>,
): Promise<ToolAnswer> {
  const { taken, thread, said } = step;
  const { definition, args, state, gathered } = taken;
  const kept = await keepStep(step, state, undefined);
  const read = await readFiles();
  const material = [...read.texts, ...gathered.texts];
  const request = expertRequest(definition, args, state, material, locale);
  // Its own steps are in the findings already.
  const steps = new Set(said);
  const history = thread.history.filter((_, place) => !steps.has(place));
  const outcome = await askExpert(inThread(request, { history, model: thread.model }), context);
  const { answer, isOver } = tellExpert(
    {
      ...taken,
      notices: [...taken.notices, ...read.notices],
      early,
      continuationId: kept.id,
      filesRead: read.texts.length,
    },
    outcome,
  );
  if (outcome.is === 'failed') return { ...answer, continuation: kept };
  const turn = answerTurn(definition.name, answer.text, outcome.answer);
  const continuation = await keepAnswer(
    step,
    turn,
    lockOf(outcome.answer),
    isOver ? 'over' : 'open',
  );
  return { ...answer, continuation };
}
