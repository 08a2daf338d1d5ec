import { CallError } from '#core/errors/call-error.ts';
import type { AskReport, AskRequest } from '#core/llm/ask.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Clock } from '#core/time/clock.ts';
import { remainingMs } from '#core/time/deadline.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import { panelistError } from '../shared/panelist-error.ts';
import type { ConsensusCheckpoint } from './checkpoint.ts';
import { readOpinion } from './opinion.ts';
import type { Panelist } from './panel.ts';
import {
  firstRequest,
  secondRequest,
  shortenedNotices,
  type PanelQuestion,
  type RequestLimits,
} from './requests.ts';
import {
  lastAnswer,
  noAnswersError,
  tallyPositions,
  type ConsensusOutcome,
  type PanelistReply,
  type PanelistResult,
} from './result.ts';
import { chargedMicroUsd, costShare, isEnoughTime, roundTimeoutMs } from './allocation.ts';

interface ConsensusOptions {
  readonly question: PanelQuestion;
  readonly panelists: readonly Panelist[];
  readonly rounds: 1 | 2;
  readonly quorum: number;
  readonly perModelMs: number;
  /** For all requests together. */
  readonly maxCostMicroUsd: number | undefined;
}

interface ConsensusRun {
  readonly outcome: ConsensusOutcome;
  readonly notices: readonly Notice[];
}

type Context = Pick<ToolContext, 'ask' | 'progress' | 'signal' | 'deadline'>;

interface RunContext {
  readonly context: Context;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly checkpoint: ConsensusCheckpoint;
}

/** Runs all rounds. Throws when the call was cancelled or no model answered. */
export async function runConsensus(
  options: ConsensusOptions,
  context: RunContext,
): Promise<ConsensusRun> {
  const first = await firstRound(options, context);
  if (first.every((each) => !lastAnswer(each))) throw noAnswersError(first);
  const { results, notices } =
    options.rounds === 1
      ? { results: first, notices: [] }
      : await secondRound(options, first, context);
  const answered = results.filter(lastAnswer);
  const cut = answered.filter((each) => lastAnswer(each)?.answer.finish === 'length');
  return {
    outcome: {
      results,
      tally: tallyPositions(results),
      quorum: { needed: options.quorum, answered: answered.length },
      rounds: results.some(({ second }) => second) ? 2 : 1,
    },
    notices: [
      ...notices,
      ...cut.map(({ panelist }) => notice('panel_answer_cut', { model: panelist.label })),
    ],
  };
}

async function firstRound(
  options: ConsensusOptions,
  { context, clock, checkpoint }: RunContext,
): Promise<readonly PanelistResult[]> {
  const { question, panelists, rounds, perModelMs } = options;
  const left = remainingMs(context.deadline, clock);
  const share = shareOf(
    roundTimeoutMs(perModelMs, left, rounds),
    options.maxCostMicroUsd,
    panelists.length * rounds,
  );
  const total = panelists.length * rounds;
  context.progress({ note: `${panelists.length} models are asked at once.`, done: 0, total });
  const asked = panelists.map((panelist) => ({
    panelist,
    request: firstRequest(question, panelist, share),
  }));
  const replies = await askRound(
    asked,
    { round: 1, before: 0, total },
    { context, clock, checkpoint, perModelMs },
  );
  return panelists.flatMap((panelist, at) => {
    const reply = replies[at];
    return reply ? [{ panelist, first: reply }] : [];
  });
}

/** Asks every panelist that answered again; the others are not asked a second time. */
async function secondRound(
  options: ConsensusOptions,
  results: readonly PanelistResult[],
  { context, clock, checkpoint }: RunContext,
): Promise<{ readonly results: readonly PanelistResult[]; readonly notices: readonly Notice[] }> {
  const { question, panelists, perModelMs, maxCostMicroUsd } = options;
  const known = results.flatMap(({ panelist, first }) =>
    first.is === 'answered'
      ? [{ panelist, opinion: first.opinion, ownAnswer: first.answer.text }]
      : [],
  );
  if (known.length < 2) {
    return { results, notices: [notice('second_round_skipped', { reason: 'one_answer' })] };
  }
  const timeMs = roundTimeoutMs(perModelMs, remainingMs(context.deadline, clock), 1);
  if (!isEnoughTime(timeMs)) {
    return { results, notices: [notice('second_round_skipped', { reason: 'no_time' })] };
  }
  const spent = sharesSpent(options, results);
  const rest = maxCostMicroUsd === undefined ? undefined : maxCostMicroUsd - spent;
  const share = shareOf(timeMs, rest, known.length);
  const asked = known.map(({ panelist, ownAnswer }) => {
    const others = known.filter((each) => each.panelist !== panelist);
    return { panelist, request: secondRequest(question, panelist, share, ownAnswer, others) };
  });
  context.progress({ note: `${asked.length} models see the answers of the others.` });
  const place = {
    round: 2,
    before: panelists.length,
    total: panelists.length + asked.length,
  } as const;
  const replies = await askRound(asked, place, { context, clock, checkpoint, perModelMs });
  const byVoice = new Map(asked.map(({ panelist }, at) => [panelist, replies[at]]));
  return {
    results: results.map((each) => {
      const second = byVoice.get(each.panelist);
      return second ? { ...each, second } : each;
    }),
    notices: known.flatMap(shortenedNotices),
  };
}

function sharesSpent(
  { panelists, rounds, maxCostMicroUsd = 0 }: ConsensusOptions,
  results: readonly PanelistResult[],
): number {
  const share = costShare(maxCostMicroUsd, panelists.length * rounds);
  return results.reduce((sum, { first }) => sum + chargedMicroUsd(first, share), 0);
}

function shareOf(
  timeoutMs: number,
  limitMicroUsd: number | undefined,
  questions: number,
): RequestLimits {
  return {
    timeoutMs,
    ...(limitMicroUsd !== undefined && { maxCostMicroUsd: costShare(limitMicroUsd, questions) }),
  };
}

interface RoundQuestion {
  readonly panelist: Panelist;
  readonly request: AskRequest;
}

interface RoundDeps {
  readonly context: Pick<ToolContext, 'ask' | 'progress' | 'signal'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly checkpoint: ConsensusCheckpoint;
  /** The timeout per model from the arguments. */
  readonly perModelMs: number;
}

/**
 * Position of a round in the whole call: replies received before it, and replies expected in total.
 */
interface RoundPlace {
  readonly round: 1 | 2;
  readonly before: number;
  readonly total: number;
}

/**
 * Asks all panelists in parallel and reports progress per reply. Throws only when the call was
 * cancelled.
 */
async function askRound(
  questions: readonly RoundQuestion[],
  { round, before, total }: RoundPlace,
  deps: RoundDeps,
): Promise<readonly PanelistReply[]> {
  const { context } = deps;
  let done = before;
  const replies = await Promise.all(
    questions.map(async ({ panelist, request }) => {
      const reply =
        deps.checkpoint.find(round, panelist.label) ?? (await askOne(panelist, request, deps));
      deps.checkpoint.save(round, panelist.label, reply);
      done += 1;
      context.progress({ note: `${panelist.label}: ${noteOf(reply)}`, done, total });
      return reply;
    }),
  );
  context.signal.throwIfAborted();
  return replies;
}

async function askOne(
  { label }: Panelist,
  request: AskRequest,
  { context, clock, perModelMs }: RoundDeps,
): Promise<PanelistReply> {
  const startedAt = clock.monotonic();
  let report: AskReport | undefined;
  const took = () => ({
    elapsedMs: Math.round(clock.monotonic() - startedAt),
    ...(report && { report }),
  });
  try {
    const answer = await context.ask(request, {
      onNote: (note) => context.progress({ note: `${label}: ${note}` }),
      onReport: (reported) => void (report = reported),
    });
    const opinion = readOpinion(answer.text);
    if (opinion) return { is: 'answered', answer, opinion, ...took() };
    const { provider, model } = answer;
    const error = new CallError('empty_response', 'The model returned an empty response.', {
      provider,
      model,
    });
    return { is: 'failed', error, ...took() };
  } catch (thrown) {
    const error = panelistError(CallError.from(thrown));
    if (error.class === 'cancelled' || context.signal.aborted) throw error;
    const time = took();
    const { timeoutMs = Infinity } = request;
    const reworded = asOwnTimeout(error, { elapsedMs: time.elapsedMs, timeoutMs, perModelMs });
    return { is: 'failed', error: reworded, ...time };
  }
}

function noteOf(reply: PanelistReply): string {
  if (reply.is === 'failed') return `no answer (${reply.error.class}).`;
  const { position } = reply.opinion;
  return position === 'unclear' ? 'answered.' : `answered: ${position}.`;
}

interface TimeTaken {
  readonly elapsedMs: number;
  /** Time limit of this request. */
  readonly timeoutMs: number;
  /**
   * The timeout per model from the arguments; larger than `timeoutMs` if the call has less time
   * left.
   */
  readonly perModelMs: number;
}

/** Tolerance between timers and the clock. */
const EARLY_MS = 10;

/**
 * Rewords a timeout of one request, because the call itself has time left. Other errors stay
 * unchanged.
 */
function asOwnTimeout(error: CallError, taken: TimeTaken): CallError {
  const { elapsedMs, timeoutMs, perModelMs } = taken;
  if (elapsedMs < timeoutMs - EARLY_MS || error.class !== 'timeout') return error;
  const seconds = Math.round(timeoutMs / 100) / 10;
  const whose =
    timeoutMs < perModelMs ? ', its part of the time of the call.' : ' (per_model_seconds).';
  return new CallError('timeout', `It did not answer within ${seconds} s${whose}`, {
    cause: error,
  });
}
