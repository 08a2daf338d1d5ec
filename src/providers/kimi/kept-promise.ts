import { CallError } from '#core/call-error.ts';
import type { ChatRequest } from '#core/chat.ts';
import type { Model } from '#models/model.ts';
import { createDemandedCall, type Demand } from '../wire/demanded-call.ts';
import type { ChatPlan, Ended, Round } from '../wire/round.ts';
import { createSchemaAnswer, type SchemaAnswer } from '../wire/schema-answer.ts';

/** What an answer is held to, and looked at for: that a field was taken does not mean that it was obeyed. */
export interface KeptPromise extends Pick<ChatPlan, 'mend'> {
  /** Whether text waits until it was looked at. */
  readonly hold: 'text' | undefined;
  /** For a system message, where the vendor does not enforce it. */
  readonly instruction: string | undefined;
  readonly next: (ended: Ended) => Round | undefined;
}

/**
 * A tool that must be called, or JSON of some shape. The schema that Kimi is given is wider than the caller's where its flavour cannot
 * say more, so the caller's is what counts. An answer that is streamed has been told when it is over and can only be found wrong;
 * every other is asked for again.
 */
export function keptPromise(
  { responseFormat: format, delivery }: ChatRequest,
  demand: Demand | undefined,
  model: Model,
): KeptPromise {
  const about = { provider: 'kimi', title: 'Kimi', model: model.id } as const;
  const call = demand && createDemandedCall(demand, about);
  if (!format)
    return { hold: call && 'text', instruction: undefined, next: (ended) => call?.next(ended) };
  const isEnforced = format.type === 'json' ? model.json !== 'none' : model.json === 'schema';
  const answer = createSchemaAnswer(format, about);
  if (isEnforced && delivery === 'stream' && !call) {
    const next = (ended: Ended) => refuseWrong(ended, answer, model);
    const mend = (ended: Ended) => answer.mend(ended);
    return { hold: undefined, instruction: undefined, next, mend };
  }
  return {
    hold: 'text',
    instruction: isEnforced ? undefined : answer.instruction,
    next: (ended) => call?.next(ended) ?? answer.next(ended),
    mend: (ended) => answer.mend(ended),
  };
}

function refuseWrong({ turn, end }: Ended, answer: SchemaAnswer, model: Model): undefined {
  if (end.is === 'failed' || end.reason !== 'stop') return;
  const judged = answer.judge(turn.text);
  if (judged.is === 'fitting') return;
  const { path, problem } = judged.violation;
  throw new CallError(
    'bad_response',
    `The answer of Kimi does not fit the schema: ${path} ${problem}.`,
    {
      provider: 'kimi',
      model: model.id,
      fix: 'Ask again without streaming: then an answer that does not fit is mended.',
      dueTo: 'request',
    },
  );
}
