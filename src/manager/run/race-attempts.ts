import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { VendorCalls } from '#core/llm/provider.ts';
import { anySignal, LightAbortController } from '#core/net/abort.ts';
import { modelTimeouts } from '#models/timeouts.ts';
import type { PlannedModel } from '../route/plan.ts';
import type { AttemptEnd } from './attempt.ts';
import { toBreakerFailure } from './breaker-failure.ts';
import { beforeCall } from './conclude-call.ts';
import { handleFailure } from './handle-outcome.ts';
import {
  GIVE_UP_FACTOR,
  HEDGE_AGAIN_MS,
  hedgeCandidate,
  MAX_GIVEN_UP,
  MAX_HEDGES,
  MAX_RACERS,
  type HedgeChoice,
} from './hedging.ts';
import type { AttemptPlace } from './ledger.ts';
import { newCandidate } from './new-candidate.ts';
import { prepareAttempt, releaseAttempt, type PreparedAttempt } from './prepare-attempt.ts';
import type { ProviderCallResult } from './provider-call.ts';
import type { RunContext, RunDeps } from './run-plan.ts';
import { promptUsage, reportLoser } from './report-loser.ts';
import { remainingAfter, remainingCandidates, type RunState } from './run-state.ts';
import type { SilentWait } from './silences.ts';
import { streamAttempt, type Entrant } from './stream-attempt.ts';
import { usualFirstTokenMs } from './usual-time.ts';
import { createSilenceWatch } from './watch-silence.ts';

/** An attempt that runs beside others. */
interface Racer {
  readonly prepared: PreparedAttempt;
  readonly candidate: PlannedModel;
  readonly conclude: ReturnType<typeof beforeCall>;
  readonly abort: LightAbortController;
  /** The number of the attempt; undefined while it is alone. */
  number: number | undefined;
  readonly startedAt: number;
  /** When its last request was sent; undefined while it waits for a slot. */
  sentAt: number | undefined;
  /** How long it had been silent when another was asked beside it. */
  silentMs: number | undefined;
  /** Its wait for its first word, as all asks see it. */
  wait: SilentWait | undefined;
  /** Whether it was cancelled so that another is asked, while no answer has begun. */
  isGivenUp: boolean;
  call: ProviderCallResult | undefined;
}

/**
 * Runs an attempt, and asks candidates of other providers beside it while it is silent. The first
 * word decides: the other attempts are cancelled, and counted like every attempt.
 */
export async function raceAttempts(
  first: PreparedAttempt,
  state: RunState,
  run: RunContext,
  deps: RunDeps,
): Promise<AttemptEnd> {
  const { clock } = deps;
  const racers: Racer[] = [];
  const settled = new Set<Racer>();
  let winner: Racer | undefined;
  let isHedgeDue = false;
  let wake: (() => void) | undefined;
  const notify = () => wake?.();
  const watch = createSilenceWatch({
    clock,
    silences: deps.silences,
    leastMs: deps.hedgeLeastMs,
    onDue: hedgeNow,
  });

  const running = () => racers.filter(({ call }) => call === undefined);

  function hedgeNow(): void {
    isHedgeDue = true;
    notify();
  }

  /** Whether one more may be asked: those that were refused before they were sent count little. */
  function mayAskMore(): boolean {
    const sent = racers.filter(({ sentAt, isGivenUp }) => sentAt !== undefined && !isGivenUp);
    const queued = running().filter(({ sentAt }) => sentAt === undefined);
    return sent.length + queued.length <= MAX_HEDGES && racers.length < MAX_RACERS;
  }

  /** Watches the newest attempt, from when it begins, and again from when its request is sent. */
  function watchNewest(racer: Racer, is: 'queued' | 'sent'): void {
    racer.wait?.end();
    if (winner || racers.at(-1) !== racer) return;
    const { prepared, candidate } = racer;
    const { firstTokenMs } = modelTimeouts(candidate.entry, candidate.thinking, deps.timeouts);
    const usualMs = usualFirstTokenMs(candidate, run.request, prepared.fitted.tokens, deps);
    const watched = { provider: candidate.provider, usualMs, firstTokenMs };
    const place = racers.length === 1 ? 'first' : 'beside';
    racer.wait = is === 'sent' ? watch.sent(watched) : watch.queued(watched, place);
  }

  function again(): void {
    if (!winner) watch.again(HEDGE_AGAIN_MS);
  }

  function claim(racer: Racer, entrant: Entrant): boolean {
    if (winner) return winner === racer;
    if (racer.abort.aborted) return false;
    winner = racer;
    watch.stop();
    for (const each of racers) each.wait?.end();
    for (const other of running()) if (other !== racer) other.abort.abort(CANCELLED);
    if (racers.at(-1) !== racer) entrant.onClaim?.();
    return true;
  }

  function start(prepared: PreparedAttempt): void {
    const { candidate } = prepared.candidateState;
    const abort = new LightAbortController();
    const racer: Racer = {
      prepared,
      candidate,
      conclude: beforeCall(prepared, state, run, deps),
      abort,
      number: racers.length === 0 ? undefined : run.by.nextAttempt(),
      startedAt: clock.monotonic(),
      sentAt: undefined,
      silentMs: undefined,
      wait: undefined,
      isGivenUp: false,
      call: undefined,
    };
    const either = anySignal(run.signal, abort);
    const vendorCalls = watchedCalls(run.vendorCalls, () => {
      racer.sentAt = clock.monotonic();
      watchNewest(racer, 'sent');
    });
    const entrant: Entrant = {
      claim: () => claim(racer, entrant),
      get hasLost() {
        return winner !== undefined && winner !== racer;
      },
      beside: running().length,
      onClaim: undefined,
    };
    racers.push(racer);
    watchNewest(racer, 'queued');
    const own = { ...run, signal: either.signal, vendorCalls };
    void streamAttempt(prepared, state, own, deps, entrant).then((call) => {
      either.dispose();
      racer.wait?.end();
      racer.call = racer.isGivenUp ? silentCall(racer, call) : call;
      notify();
    });
  }

  function choose(silent: readonly Racer[], left: RunState['left']): HedgeChoice {
    const silentRequest = {
      promptTokens: Math.max(...silent.map(({ prepared }) => prepared.fitted.tokens)),
      providers: new Set(silent.map(({ candidate }) => candidate.provider)),
      promisedMicroUsd: silent.reduce(
        (sum, { candidate }) => sum + (candidate.maxCostMicroUsd ?? Infinity),
        0,
      ),
    };
    return hedgeCandidate(silentRequest, { ...state, left }, run, deps);
  }

  /** Asks the next candidate of another provider, or gives up the first of several silent ones. */
  async function hedge(): Promise<void> {
    isHedgeDue = false;
    const silent = running();
    const choice = mayAskMore() ? choose(silent, remainingCandidates(state)) : NO_CHOICE;
    if (choice.is === 'none') {
      if (silent.length > 1 && !giveUpOldest(silent)) again();
      return;
    }
    silent.forEach(endProbe);
    if (choice.is === 'later') return again();
    const { candidate, acquire } = choice;
    const prepared = await prepareHedge(candidate, { ...state, acquire });
    if (!prepared) return again();
    // Meanwhile the silent one may have answered or failed.
    if (winner || running().length === 0) return releaseAttempt(prepared, 0);
    const [by] = running();
    state.left = remainingCandidates(state).filter((each) => each !== candidate);
    for (const racer of running()) {
      racer.number ??= run.by.nextAttempt();
      const now = clock.monotonic();
      racer.silentMs ??= now - (racer.sentAt ?? racer.startedAt);
    }
    if (by) reportHedge(by, candidate, state, run);
    start(prepared);
  }

  /**
   * Cancels the oldest of several silent requests, so that its provider gets another one: it may answer
   * again by now, and holds a slot for a request that it has lost.
   */
  function giveUpOldest(silent: readonly Racer[]): boolean {
    const oldest = silent.find(({ sentAt }) => sentAt !== undefined);
    const givenUp = racers.filter(({ isGivenUp }) => isGivenUp);
    if (oldest?.sentAt === undefined || oldest.isGivenUp || givenUp.length >= MAX_GIVEN_UP)
      return false;
    const silentMs = clock.monotonic() - oldest.sentAt;
    if (silentMs < (oldest.silentMs ?? Infinity) * GIVE_UP_FACTOR) return false;
    const others = silent.filter((racer) => racer !== oldest);
    if (choose(others, withLoser(oldest)).is === 'none') return false;
    oldest.isGivenUp = true;
    oldest.abort.abort(CANCELLED);
    return true;
  }

  /** The result of a request that was given up: its vendor may charge for the prompt. */
  function silentCall(racer: Racer, call: ProviderCallResult): ProviderCallResult {
    const { prepared, candidate } = racer;
    const { provider, id: model } = candidate.entry;
    const why = reason('silent_given_up', { silentMs: Math.round(call.elapsedMs) });
    const error = codedError('timeout', why, { provider, model });
    const { principal } = run.by.caller;
    prepared.permit.failure(toBreakerFailure(error, { principal, time: 'short' }));
    const usage = call.outcome.answer.usage ?? promptUsage(prepared.fitted.tokens);
    return { ...call, outcome: { is: 'failed', answer: { ...call.outcome.answer, usage }, error } };
  }

  /** A probe that is silent has failed: others need not wait for its end before they try again. */
  function endProbe({ candidate: { entry }, prepared }: Racer): void {
    const { is } = deps.breakers.look({ provider: entry.provider, model: entry.id });
    if (is !== 'closed') prepared.permit.failure({ class: 'timeout' });
  }

  /** The failures of the run do not include a refused hedge: its state is a copy. */
  async function prepareHedge(
    candidate: PlannedModel,
    copied: RunState,
  ): Promise<PreparedAttempt | undefined> {
    const scratch = { ...copied, failures: [], reasons: [], refused: [] };
    try {
      const preparation = await prepareAttempt(newCandidate(candidate), scratch, run, deps);
      return preparation.is === 'ready' ? preparation.attempt : undefined;
    } catch {
      return undefined;
    }
  }

  /** Handles the attempts that have ended while others still run. */
  function settleEnded(): void {
    for (const racer of racers) {
      const [other] = running();
      if (!other || !racer.call || settled.has(racer) || racer === winner) continue;
      settle(racer, racer.call, (winner ?? other).candidate);
      // Those that are left are silent.
      if (winner || (racer !== racers.at(-1) && !racer.isGivenUp)) continue;
      if (racer.sentAt === undefined) again();
      else isHedgeDue = true;
    }
  }

  /** Reports an attempt beside which another one answers, or still runs. */
  function settle(racer: Racer, call: ProviderCallResult, other: PlannedModel): void {
    settled.add(racer);
    const { prepared, candidate, abort, silentMs, isGivenUp } = racer;
    const place = placeOf(racer);
    if ((abort.aborted && !isGivenUp) || call.outcome.is === 'answered') {
      const wasSent = racer.sentAt !== undefined;
      const lost = { call, prepared, other, silentMs, place, wasSent };
      releaseAttempt(prepared, reportLoser(lost, run));
      state.left = withLoser(racer);
      return;
    }
    const { costMicroUsd } = racer.conclude(call);
    const { candidateState, permit } = prepared;
    const result = { call, candidateState, permit, place, beside: other };
    const step = handleFailure(call.outcome.error, result, state, run, deps);
    if (isGivenUp) state.left = withLoser(racer);
    else if (step.do === 'next') state.left = remainingAfter(state, candidate, step.skip);
    releaseAttempt(prepared, costMicroUsd);
  }

  /** A cancelled model may continue the answer of the other one, the silent one last. */
  function withLoser({ candidate, silentMs }: Racer): readonly PlannedModel[] {
    const left = remainingCandidates(state);
    if (silentMs === undefined) return [candidate, ...left];
    const isLast = ({ isLastResort }: PlannedModel) => isLastResort;
    return [...left.filter((each) => !isLast(each)), candidate, ...left.filter(isLast)];
  }

  function placeOf({ number, prepared }: Racer): AttemptPlace | undefined {
    return number === undefined ? undefined : { number, isHedge: prepared !== first };
  }

  try {
    start(first);
    while (running().length > 0) {
      settleEnded();
      // oxlint-disable-next-line no-await-in-loop -- one event after the other
      if (isHedgeDue && !winner && !run.signal.aborted) await hedge();
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    const last = winner ?? racers.findLast((racer) => !settled.has(racer));
    if (!last?.call) throw new CallError('internal', 'No attempt has ended.');
    for (const racer of racers)
      if (racer.call && racer !== last && !settled.has(racer))
        settle(racer, racer.call, last.candidate);
    settled.add(last);
    let costMicroUsd = 0;
    try {
      const ended = last.conclude(last.call, placeOf(last));
      ({ costMicroUsd } = ended);
      return { step: ended.handle(), candidateState: last.prepared.candidateState };
    } finally {
      releaseAttempt(last.prepared, costMicroUsd);
    }
  } finally {
    watch.stop();
    for (const racer of racers) {
      racer.wait?.end();
      if (settled.has(racer)) continue;
      racer.abort.abort(CANCELLED);
      releaseAttempt(racer.prepared, 0);
    }
  }
}

const NO_CHOICE: HedgeChoice = { is: 'none' };
const CANCELLED = new CallError('cancelled', 'Another model answered first.');

/** Counts requests, and notices when one is about to be sent. */
function watchedCalls(calls: VendorCalls, onSend: () => void): VendorCalls {
  return {
    max: calls.max,
    get left() {
      return calls.left;
    },
    count() {
      calls.count();
      onSend();
    },
  };
}

function reportHedge(
  { candidate: { provider, model }, silentMs = 0 }: Racer,
  next: PlannedModel,
  { reasons }: RunState,
  { listener }: RunContext,
): void {
  const why = reason('asked_beside', {
    provider,
    model,
    silentMs: Math.round(silentMs),
    next: { provider: next.provider, model: next.model },
  });
  reasons.push(why);
  listener.onNote?.(baseRenderer.reason(why));
}
