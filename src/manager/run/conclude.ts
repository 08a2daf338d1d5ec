import type { CallError } from '#core/call-error.ts';
import { remainingMs } from '#core/deadline.ts';
import { notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { NextAttempt } from '#core/messages/run-reasons.ts';
import type { BreakerPermit } from '#resilience/breaker-words.ts';
import { retryDelayMs } from '#resilience/retry.ts';
import type { Fitted } from '../context/fitted.ts';
import type { Plan, PlannedModel } from '../plan.ts';
import { afterFailure, type NextStep } from './after-failure.ts';
import type { Once } from './ask-once.ts';
import type { Answered, Turn } from './attempt.ts';
import { endsSentence } from './ends-sentence.ts';
import { failureFacts, type SeenBy } from './failure-facts.ts';
import type { Run, RunDeps } from './run-plan.ts';
import { addCitations, addNotices, leftAfter, othersIn, tell, type RunState } from './run-state.ts';

/** With less time than this nobody had a chance. */
const NO_CHANCE_MS = 1000;

/** An answer as it came, and what it came with. */
export interface Heard {
  readonly once: Once;
  readonly turn: Turn;
  readonly fitted: Fitted;
  readonly permit: BreakerPermit;
}

/** What comes of it: the answer, or what to do next. */
export function conclude(
  heard: Heard,
  state: RunState,
  run: Run,
  deps: RunDeps,
): Answered | NextStep {
  const { outcome } = heard.once;
  addCitations(state, outcome.answer.citations);
  if (outcome.is === 'failed') {
    return isAtItsEnd(outcome.error, state)
      ? complete(heard, state, run)
      : goOn(outcome.error, heard, state, run, deps);
  }
  const { once, turn, fitted, permit } = heard;
  const { candidate } = turn;
  permit.success();
  // What was cut for others, who did not answer, is there again.
  addNotices(state, [...fitted.notices, ...outcome.answer.notices]);
  deps.learn(candidate, once, fitted.tokens);
  run.ledger.attempted({ model: candidate.entry, once, error: undefined, next: undefined });
  const { answer, finish } = outcome;
  if (state.told === '') tell(state, run.listener, answer.text);
  const text = state.told === '' ? answer.text : state.told;
  return { do: 'answer', candidate, answer, finish, text };
}

/** Asked to go on with what looks finished, it had nothing to add: what broke off was the end, and not the answer. */
function isAtItsEnd(error: CallError, { told }: RunState): boolean {
  if (error.class !== 'empty_response') return false;
  const isInCode = told.split('```').length % 2 === 0;
  return endsSentence(told) && !isInCode;
}

function complete({ once, turn, fitted, permit }: Heard, state: RunState, run: Run): Answered {
  const { candidate } = turn;
  const { outcome } = once;
  // What it said was either nothing, or what was there already, which is an answer all the same.
  const error = outcome.is === 'failed' && outcome.answer.text === '' ? outcome.error : undefined;
  if (error) permit.cancel();
  else permit.success();
  run.ledger.attempted({ model: candidate.entry, once, error, next: undefined });
  const complete = notice('answer_looks_complete', { model: candidate.model });
  addNotices(state, [...fitted.notices, ...outcome.answer.notices, complete]);
  return { do: 'answer', candidate, answer: outcome.answer, finish: 'stop', text: state.told };
}

function goOn(
  error: CallError,
  { once, turn, permit }: Heard,
  state: RunState,
  run: Run,
  deps: RunDeps,
): NextStep {
  const { candidate } = turn;
  const { entry: model } = candidate;
  const leftMs = run.signal.aborted ? 0 : remainingMs(run.deadline, deps.clock);
  // With hardly any time it had no chance, which says nothing about it.
  const hadNoChance = error.class === 'timeout' && leftMs <= 0 && once.elapsedMs < NO_CHANCE_MS;
  const isTypo = error.class === 'not_found' && isNameOnTrust(run.plan, candidate);
  if (run.signal.aborted || hadNoChance || isTypo) permit.cancel();
  else permit.failure(failureFacts(error, seenBy(once, run, deps)));
  const { text } = once.outcome.answer;
  if (text.length > state.longest.length) state.longest = text;
  state.failures.push(error);
  // Another may answer, and then nobody would ever hear of it.
  if (error.class === 'internal') {
    const who = { provider: model.provider, model: model.id };
    deps.log.error('provider_broke', { req_id: run.by.reqId, ...who, cause: error.cause });
  }
  const isOver = isTypo || isBeyondMending(state, run) || isTooLongForNamed(error, run);
  const step: NextStep = isOver
    ? { do: 'stop' }
    : afterFailure({
        error,
        tries: turn.tries,
        hasShrunk: turn.hasShrunk || run.request.context === 'whole',
        othersLeft: othersIn(state),
        reached: once.exchanges.some(({ status }) => status !== undefined) ? 'yes' : 'no',
        remainingMs: leftMs,
        delayMs: delayBefore(turn, error, deps),
      });
  const next = nextOf(step, candidate, state);
  const label = next && `${next.provider}/${next.model}`;
  run.ledger.attempted({ model, once, error, next: label });
  tellOfStep(step, next, error, candidate, state, run);
  return step;
}

function seenBy({ elapsedMs }: Once, { request, by }: Run, { patience }: RunDeps): SeenBy {
  const isShort = request.timeoutMs !== undefined && elapsedMs < patience.firstTokenMs;
  const { principal } = by.caller;
  return { principal, stop: request.stop, time: isShort ? 'short' : 'usual' };
}

function tellOfStep(
  step: NextStep,
  next: PlannedModel | undefined,
  error: CallError,
  { entry }: PlannedModel,
  { reasons }: RunState,
  { listener }: Run,
): void {
  const { class: errorClass, message, reason: why } = error;
  const failed = {
    provider: entry.provider,
    model: entry.id,
    class: errorClass,
    // A limit of our own is no failure of theirs, and can be raised.
    ...(errorClass === 'over_capacity' && { limit: { message, ...(why && { reason: why }) } }),
  };
  if (!next) {
    reasons.push(reason('attempt_failed', failed));
    return;
  }
  const isAgain = step.do === 'retry' || step.do === 'shrink';
  const then: NextAttempt = isAgain ? 'again' : { provider: next.provider, model: next.model };
  reasons.push(reason('attempt_failed', { ...failed, next: then }));
  listener.onNote?.(baseRenderer.reason(reason('asking_next', { ...failed, next: then })));
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

/** Whoever named it would rather shorten the prompt than have it answered by another. */
function isTooLongForNamed({ class: errorClass }: CallError, { plan, request }: Run): boolean {
  const isWhole = request.context === 'whole' && plan.rule === 'explicit-model';
  return errorClass === 'context_length' && isWhole;
}

/** Its reader has what nobody may go on with: half a tool call, or words that are to be one model's alone. */
function isBeyondMending({ told, hasToldCalls }: RunState, { request }: Run): boolean {
  return hasToldCalls || (told !== '' && request.whenBroken === 'fail');
}

/** Named by the caller, and known to nobody but its vendor: when that does not know it either, nobody else is meant. */
function isNameOnTrust({ rule }: Plan, { entry }: PlannedModel): boolean {
  return rule === 'explicit-model' && entry.provider === 'openrouter' && entry.confidence === 'low';
}

function nextOf(
  step: NextStep,
  candidate: PlannedModel,
  state: RunState,
): PlannedModel | undefined {
  if (step.do === 'stop') return undefined;
  return step.do === 'next' ? leftAfter(state, candidate, step.skip)[0] : candidate;
}
