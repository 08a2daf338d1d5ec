import { isDeepStrictEqual } from 'node:util';
import type { AskAnswer, AskContext, AskReport, AskRequest } from '#core/llm/ask.ts';
import { wholeAnswer, wordsOf } from './answer-text.ts';
import type { AskWatchOptions } from './ask-watch.ts';
import { markLost } from './hedge-watch.ts';
import { attemptsOf, isOfKey, seenAs } from './key-attempts.ts';
import type { Simulation } from './simulation.ts';

/** One asking of a model, from `ask` to its end. */
export interface WatchedAsk {
  readonly name: string;
  readonly request: AskRequest;
  readonly by: AskContext;
  readonly startedAt: number;
  readonly frozenBeforeMs: number;
  told: string;
  /** Whether part of a tool call was told. */
  hasToldCalls: boolean;
  report: AskReport | undefined;
  state: 'open' | 'over';
}

/** What is reported is what the vendors were asked, in this order. */
export function checkAttempts(
  { name, request, report, by }: WatchedAsk,
  { simulation, book, keysOf }: Pick<AskWatchOptions, 'simulation' | 'book' | 'keysOf'>,
): void {
  if (!report) return;
  const models = new Set(report.attempts.map(({ provider, model }) => `${provider}/${model}`));
  if (request.fallback === 'none' && models.size > 1)
    simulation.violate(
      'fallback',
      `${name} wants one model, and ${[...models].join(' ')} were asked`,
    );
  const told = report.attempts.map(
    ({ provider, model, outcome }) => `${provider}/${model} ${outcome}`,
  );
  const attempts = attemptsOf(book.ofAsk(name).filter(({ kind }) => kind === 'answer'));
  for (const { provider, outcome, keysTried } of attempts)
    if (isOfKey(outcome) && keysTried < keysOf(provider) && !by.signal.aborted)
      simulation.violate('keys', `${name} fails at ${provider} with ${keysTried} of its keys`);
  const lost = markLost(report, attempts, by);
  const real = attempts.map((attempt, index) => {
    const { provider, model, outcome } = attempt;
    const toldOutcome = lost.get(attempt);
    if (toldOutcome !== undefined) return `${provider}/${model} ${toldOutcome}`;
    const seen = outcome === 'ok' ? seenAs(attempt, report.attempts[index]?.outcome) : outcome;
    return `${provider}/${model} ${seen}`;
  });
  if (!isDeepStrictEqual(withoutUploads(told, real, request), real))
    simulation.violate(
      'attempts',
      `${name} tells of [${told.join(', ')}], and it was [${real.join(', ')}]`,
    );
}

/** The answer is the one that its vendors gave, or its beginning. */
export function checkAnswer(
  { name, request, told }: WatchedAsk,
  answer: AskAnswer,
  hears: boolean,
  simulation: Simulation,
): void {
  const { text, finish, provider, seams } = answer;
  if (hears && told !== text)
    simulation.violate('text', `${name} is told "${told}", and the answer is "${text}"`);
  // It quotes what was given.
  if (provider === 'extractive') return;
  const limit = request.maxOutputTokens;
  // Simulated vendors finish their calls, and what they say before, whatever the limit.
  if (limit !== undefined && !request.tools && wordsOf(text).length > limit)
    simulation.violate('limits', `${name} may have ${limit} words, and got "${text}"`);
  const whole = wholeAnswer(name, request.responseFormat ? 'json' : 'text');
  const mayBeEmpty = finish === 'tool_calls' || (finish === 'length' && limit !== undefined);
  const isBegun = whole.startsWith(text) && (text !== '' || mayBeEmpty);
  const isRight = finish === 'stop' ? text === whole : isBegun;
  if (!isRight)
    simulation.violate('text', `${name} is answered (${finish}) "${text}", not "${whole}"`);
  const ends = seams.map(({ at }) => at);
  if (ends.some((at, index) => at <= (ends[index - 1] ?? 0) || at >= text.length))
    simulation.violate('text', `${name} has seams at ${ends.join(' ')} of ${text.length}`);
}

/** What is told, without failed uploads and recognitions of its documents, which are no chats. */
function withoutUploads(
  told: readonly string[],
  real: readonly string[],
  { files = [] }: AskRequest,
): readonly string[] {
  if (!files.some(({ document }) => document)) return told;
  let next = 0;
  return told.filter((attempt) => {
    const isReal = attempt === real[next];
    if (isReal) next += 1;
    return isReal || !/^(?:kimi|glm|custom|openrouter)\//.test(attempt) || attempt.endsWith(' ok');
  });
}
