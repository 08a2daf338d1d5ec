import type { AskReport, AskRequest } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { ToolContext } from '#core/tool.ts';
import type { HeardBefore } from './heard-before.ts';
import { readOpinion } from './opinion.ts';
import type { Reply } from './reply.ts';
import { inItsTime } from './too-late.ts';
import type { Voice } from './voice.ts';

export interface RoundQuestion {
  readonly voice: Voice;
  readonly request: AskRequest;
}

export interface RoundDeps {
  readonly context: Pick<ToolContext, 'ask' | 'progress' | 'signal'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly before: HeardBefore;
  /** What the caller allows each of them. */
  readonly perModelMs: number;
}

/** Of all rounds: how many have been heard of before this one, and how many there are. */
export interface RoundPlace {
  readonly round: 1 | 2;
  readonly before: number;
  readonly total: number;
}

/** Asks all of them at once and tells of each as it comes. Throws when the call was cancelled, and for nothing else. */
export async function askRound(
  questions: readonly RoundQuestion[],
  { round, before, total }: RoundPlace,
  deps: RoundDeps,
): Promise<readonly Reply[]> {
  const { context } = deps;
  let done = before;
  const replies = await Promise.all(
    questions.map(async ({ voice, request }) => {
      const reply = deps.before.of(round, voice.label) ?? (await askOne(voice, request, deps));
      deps.before.add(round, voice.label, reply);
      done += 1;
      context.progress({ note: `${voice.label}: ${noteOf(reply)}`, done, total });
      return reply;
    }),
  );
  context.signal.throwIfAborted();
  return replies;
}

async function askOne(
  { label }: Voice,
  request: AskRequest,
  { context, clock, perModelMs }: RoundDeps,
): Promise<Reply> {
  const startedAt = clock.monotonic();
  let report: AskReport | undefined;
  const took = () => ({
    elapsedMs: Math.round(clock.monotonic() - startedAt),
    ...(report && { report }),
  });
  try {
    const answer = await context.ask(request, {
      onNote: (note) => context.progress({ note: `${label}: ${note}` }),
      onReport: (told) => void (report = told),
    });
    const opinion = readOpinion(answer.text);
    if (opinion) return { is: 'answered', answer, opinion, ...took() };
    const { provider, model } = answer;
    const error = new CallError('empty_response', 'It said nothing.', { provider, model });
    return { is: 'failed', error, ...took() };
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class === 'cancelled' || context.signal.aborted) throw error;
    const time = took();
    const { timeoutMs = Infinity } = request;
    const told = inItsTime(error, { elapsedMs: time.elapsedMs, timeoutMs, perModelMs });
    return { is: 'failed', error: told, ...time };
  }
}

function noteOf(reply: Reply): string {
  if (reply.is === 'failed') return `no answer (${reply.error.class}).`;
  const { position } = reply.opinion;
  return position === 'unclear' ? 'answered.' : `answered: ${position}.`;
}
