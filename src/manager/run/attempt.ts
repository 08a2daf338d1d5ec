import { CallError } from '#core/call-error.ts';
import type { FinishReason, TokenUsage } from '#core/chat.ts';
import type { ChatAnswer } from '#core/collect-chat.ts';
import { remainingMs } from '#core/deadline.ts';
import type { Provider } from '#core/provider.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import type { BreakerPermit } from '#resilience/breaker-words.ts';
import { createSeam, type Seam } from '#resilience/overlap.ts';
import { retryDelayMs } from '#resilience/retry.ts';
import type { Fitted } from '../context/fitted.ts';
import type { Plan, PlannedModel } from '../plan.ts';
import { afterFailure, type NextStep } from './after-failure.ts';
import { askOnce, type Once } from './ask-once.ts';
import { continueFrom, type Continuation } from './continuation.ts';
import type { Run, RunDeps } from './run-plan.ts';
import { addCitations, addNotices, leftAfter, passOver, tell, type RunState } from './run-state.ts';
import { shareTime } from './time-share.ts';
import { writeChat } from './write-chat.ts';

/** Less than this is no fair chance for anybody. */
const FAIR_MS = 1000;

/** How often one candidate was asked, and with how much of a prompt. */
export interface Turn {
  readonly candidate: PlannedModel;
  tries: number;
  hasShrunk: boolean;
  /** The window as its vendor named it when it refused the prompt. */
  contextTokens: number | undefined;
}

export interface Answered {
  readonly do: 'answer';
  readonly candidate: PlannedModel;
  readonly answer: ChatAnswer;
  readonly finish: FinishReason;
  /** The whole of it, also where several wrote it. */
  readonly text: string;
}

/** Asks one candidate once: prompt, money and leave first, then the provider. Throws `budget` when the money is spent. */
export async function attempt(
  turn: Turn,
  state: RunState,
  run: Run,
  deps: RunDeps,
): Promise<Answered | NextStep> {
  const { candidate } = turn;
  const who = { provider: candidate.entry.provider, model: candidate.entry.id };
  const provider = deps.providers.get(who.provider);
  if (!provider) {
    passOver(
      state,
      new CallError('not_configured', `There is no provider "${who.provider}".`, who),
    );
    return { do: 'next', skip: 'provider' };
  }
  let fitted: Fitted;
  try {
    fitted = await run.fit(candidate, turn.contextTokens);
  } catch (thrown) {
    passOver(state, CallError.from(thrown, who));
    return run.signal.aborted ? { do: 'stop' } : { do: 'next', skip: 'model' };
  }
  const { signal, deadline } = run;
  // Of those whose price nobody knows one at a time is asked, where there is a limit.
  const maxCost = candidate.maxCostMicroUsd ?? Infinity;
  const { principal } = run.by.caller;
  const reservation = await deps.budgets.reserve(principal, maxCost, { deadline, signal });
  let costMicroUsd = 0;
  try {
    const acquired = deps.breakers.tryAcquire(who);
    if (acquired.is === 'refused') {
      const { because, retryInMs: retryAfterMs } = acquired;
      passOver(state, new CallError('breaker_open', because, { ...who, retryAfterMs }));
      return { do: 'next', skip: 'model' };
    }
    const once = await speak(provider, turn, fitted, state, run, deps);
    const usage = once.outcome.answer.usage ?? guessed(once, fitted.tokens);
    if (usage && !candidate.isLastResort) costMicroUsd = run.ledger.used(candidate.entry, usage);
    return conclude(once, turn, fitted, acquired.permit, state, run, deps);
  } finally {
    reservation.settle(costMicroUsd);
  }
}

/** The provider is asked, and what it says is told as it comes; what others said before is gone on with. */
async function speak(
  provider: Provider,
  { candidate }: Turn,
  fitted: Fitted,
  state: RunState,
  run: Run,
  { patience, clock }: RunDeps,
): Promise<Once> {
  const { request, listener, signal } = run;
  // Half an object is of no use to anybody, so it is told when it is whole.
  const tellsWords = request.responseFormat === undefined;
  const before = state.told;
  const { messages } = fitted;
  const conversation: Continuation =
    before === '' ? { messages } : continueFrom(messages, before, provider);
  const seam = before === '' ? undefined : seamOf(conversation, before);
  const about = { delivery: request.delivery ?? 'stream', othersLeft: othersIn(state) };
  const once = await askOnce({
    provider,
    request: writeChat(request, candidate, conversation, fitted.cacheKey),
    context: { ...shareTime(run.deadline, patience, about, clock), signal },
    clock,
    onEvent(event) {
      if (event.type === 'reasoning') listener.onReasoning?.(event.text);
      if (event.type === 'text' && tellsWords) {
        tell(state, listener, seam ? seam.add(event.text) : event.text);
      }
    },
  });
  // Of an answer that broke off, what is held back may be a repetition that was cut short; the next goes on without it.
  if (seam && once.outcome.is === 'answered') tell(state, listener, seam.end());
  if (seam && state.told.length > before.length) {
    const { provider: id, model } = candidate;
    const because = state.failures.at(-1)?.message ?? '';
    state.seams.push({ at: before.length, provider: id, model, because });
  }
  return once;
}

/** Whose vendor goes on from a prefix repeats nothing, so nothing that looks like it is left out. */
function seamOf({ continuation }: Continuation, before: string): Seam {
  return continuation === 'prefix' ? { add: (text) => text, end: () => '' } : createSeam(before);
}

/** What comes of it: the answer, or what to do next. */
function conclude(
  once: Once,
  turn: Turn,
  fitted: Fitted,
  permit: BreakerPermit,
  state: RunState,
  run: Run,
  deps: RunDeps,
): Answered | NextStep {
  const { candidate } = turn;
  const { entry: model } = candidate;
  const { outcome } = once;
  addCitations(state, outcome.answer.citations);
  if (outcome.is === 'answered') {
    permit.success();
    // What was cut for others, who did not answer, is there again.
    addNotices(state, [...fitted.notes, ...outcome.answer.notices]);
    deps.learn(candidate, once, fitted.tokens);
    run.ledger.attempted({ model, once, error: undefined, next: undefined });
    const { answer, finish } = outcome;
    if (state.told === '') tell(state, run.listener, answer.text);
    const text = state.told === '' ? answer.text : state.told;
    return { do: 'answer', candidate, answer, finish, text };
  }
  const { error } = outcome;
  if (error.class === 'empty_response' && state.told !== '')
    return complete(once, turn, permit, state, run);
  const leftMs = run.signal.aborted ? 0 : remainingMs(run.deadline, deps.clock);
  // With hardly any time it had no chance, which says nothing about it.
  const hadNoChance = error.class === 'timeout' && leftMs <= 0 && once.elapsedMs < FAIR_MS;
  const isTypo = error.class === 'not_found' && isNameOnTrust(run.plan, candidate);
  if (run.signal.aborted || hadNoChance || isTypo) permit.cancel();
  else permit.failure(error);
  if (outcome.answer.text.length > state.longest.length) state.longest = outcome.answer.text;
  state.failures.push(error);
  const step: NextStep = isTypo
    ? { do: 'stop' }
    : afterFailure({
        error,
        tries: turn.tries,
        hasShrunk: turn.hasShrunk,
        othersLeft: othersIn(state),
        reached: once.exchanges.some(({ status }) => status !== undefined) ? 'yes' : 'no',
        remainingMs: leftMs,
        delayMs: delayBefore(turn, error, deps),
      });
  const next = nextLabel(step, candidate, state);
  run.ledger.attempted({ model, once, error, next });
  const why = `${model.id} (${model.provider}) failed with ${error.class}`;
  const isAgain = step.do === 'retry' || step.do === 'shrink';
  const then = isAgain ? 'it was asked again' : `${next} was asked next`;
  state.because.push(next === undefined ? `${why}.` : `${why}; ${then}.`);
  if (next !== undefined) run.listener.onNote?.(`${why}; asking ${isAgain ? 'it again' : next}`);
  return step;
}

/** Asked to go on, it had nothing to add: what broke off was the end, and not the answer. */
function complete(
  once: Once,
  { candidate }: Turn,
  permit: BreakerPermit,
  state: RunState,
  { ledger }: Run,
): Answered {
  permit.success();
  ledger.attempted({ model: candidate.entry, once, error: undefined, next: undefined });
  const { answer } = once.outcome;
  return { do: 'answer', candidate, answer, finish: 'stop', text: state.told };
}

/** Nothing where its breaker rests for longer than that: it would only be refused. */
function delayBefore(
  { candidate: { entry }, tries }: Turn,
  error: CallError,
  { breakers, random }: RunDeps,
): number | undefined {
  const delayMs = retryDelayMs(error, tries - 1, random);
  const { is, retryInMs = 0 } = breakers.look({ provider: entry.provider, model: entry.id });
  return is === 'open' && retryInMs > (delayMs ?? 0) ? undefined : delayMs;
}

/** Named by the caller, and known to nobody but its vendor: when that does not know it either, nobody else is meant. */
function isNameOnTrust({ rule }: Plan, { entry }: PlannedModel): boolean {
  return rule === 'explicit-model' && entry.confidence === 'low';
}

function othersIn({ queue }: RunState): 'yes' | 'no' {
  return queue.some(({ isLastResort }) => !isLastResort) ? 'yes' : 'no';
}

function nextLabel(step: NextStep, candidate: PlannedModel, state: RunState): string | undefined {
  if (step.do === 'stop') return undefined;
  const next = step.do === 'next' ? leftAfter(state, candidate, step.skip)[0] : candidate;
  return next && `${next.provider}/${next.model}`;
}

/** What a broken answer used, where its vendor did not live to tell: some of it was written, so all was read. */
function guessed({ outcome: { answer } }: Once, promptTokens: number): TokenUsage | undefined {
  const { text, reasoning: thoughts, toolCalls } = answer;
  if (text === '' && thoughts === '' && toolCalls.length === 0) return undefined;
  const reasoning = estimateTokens(thoughts);
  const calls = toolCalls.map((call) => call.name + call.arguments).join(' ');
  const output = reasoning + estimateTokens(text) + estimateTokens(calls);
  return { input: promptTokens, output, cached: 0, reasoning, estimated: true };
}
