import { baseRenderer } from '#core/messages/render.ts';
import type { ReadTexts } from '#core/workspace.ts';
import type { ToolAnswer, ToolContext } from '#core/tool.ts';
import { inThread } from '../asking/in-thread.ts';
import { answerTurn, lockOf } from '../asking/turns.ts';
import { askExpert } from './ask-expert.ts';
import { expertRequest } from './expert-request.ts';
import { seenFrom } from './file-names.ts';
import { tellExpert } from './expert-told.ts';
import { keepAnswer, keepStep, type KeptAnswer, type OpenStep } from './keep-step.ts';
import { paragraphs } from './words.ts';

/** The last step, and what an expert makes of it. The files are read when the step is safe. */
export async function judgeStep(
  step: OpenStep,
  early: string | undefined,
  locale: string,
  context: ToolContext,
  readFiles: () => Promise<ReadTexts>,
): Promise<ToolAnswer> {
  const { taken, thread, said } = step;
  const { definition, args, state, roots, gathered } = taken;
  const kept = await keepStep(step, state, undefined);
  const read = await readFiles();
  const material = [...read.texts, ...gathered.texts];
  const request = expertRequest(definition, args, seenFrom(state, roots), material, locale);
  // Its own steps are in the findings already.
  const history = thread.historyWithout(new Set(said));
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
  const answered = await keepAnswer(step, turn, lockOf(outcome.answer), isOver ? 'over' : 'open');
  return withNotices(answer, answered);
}

function withNotices(
  answer: Omit<ToolAnswer, 'continuation'>,
  { continuation, notices }: KeptAnswer,
): ToolAnswer {
  if (notices.length === 0) return { ...answer, ...(continuation && { continuation }) };
  const { detail, notices: before = [] } = answer;
  const sentences = notices.map(baseRenderer.notice);
  return {
    ...answer,
    text: paragraphs([answer.text, ...sentences.map((sentence) => `[${sentence}]`)]),
    detail: [...(detail === undefined ? [] : [detail]), ...sentences].join('\n'),
    notices: [...before, ...notices],
    ...(continuation && { continuation }),
  };
}
