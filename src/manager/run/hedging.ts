import { remainingMs } from '#core/time/deadline.ts';
import type { AcquireMode } from '#resilience/breaker-types.ts';
import type { PlannedModel } from '../route/plan.ts';
import { modelIdentity } from '../route/routing-context.ts';
import type { RunContext, RunDeps } from './run-plan.ts';
import { areCallsUsedUp, remainingCandidates, type RunState } from './run-state.ts';

/**
 * When another provider is asked beside one that is silent: `auto` where EX-AI chose the model and
 * there is money for both requests, `on` also where the caller named the model.
 */
export type HedgeMode = 'off' | 'auto' | 'on';

/** A request is silent for at least this long before another provider is asked beside it. */
export const LEAST_SILENCE_MS = 5000;
/** And for this many times the usual time to the first token. */
export const SILENCE_FACTOR = 2;
/** The share of the limit of the first token, where the usual time is not known. */
const UNKNOWN_SHARE = 0.25;
/** How soon another provider is looked for again, where no breaker lets a request through. */
export const HEDGE_AGAIN_MS = 500;
/** A hedge needs some time to answer. */
const FAIR_MS = 2000;
/** Providers that are asked beside the first at the same time. */
export const MAX_HEDGES = 2;
/** Silent requests of one attempt that are given up, so that their provider is asked again. */
export const MAX_GIVEN_UP = 2;
/** A request is given up after this many times the silence after which another provider was asked. */
export const GIVE_UP_FACTOR = 2;
/** Requests of one attempt, those that were refused before they were sent included. */
export const MAX_RACERS = 8;

/** The silence after which another provider is asked. */
export function hedgeAfterMs(
  usualMs: number | undefined,
  firstTokenLimitMs: number,
  leastMs = LEAST_SILENCE_MS,
): number {
  const usual =
    usualMs === undefined ? firstTokenLimitMs * UNKNOWN_SHARE : usualMs * SILENCE_FACTOR;
  return Math.max(leastMs, usual);
}

/** The rule of requests that name their model. */
const CALLERS_CHOICE = 'explicit-model';

/** Requests that are silent together need this share of the least silence each, at least. */
export const LEAST_SHARED_SHARE = 0.2;

/**
 * The silence after which another provider is asked, if so many requests to the same one are silent that
 * they make up the least silence together: a provider that sends nothing to any of them is silent as a
 * whole. Undefined where the least silence passes before that, or where the usual time is not known.
 */
export function sharedAfterMs(
  usualMs: number | undefined,
  leastMs = LEAST_SILENCE_MS,
): number | undefined {
  if (usualMs === undefined) return undefined;
  const after = Math.max(leastMs * LEAST_SHARED_SHARE, usualMs * SILENCE_FACTOR);
  return after < leastMs ? after : undefined;
}

/** Whether the attempts of this run may be hedged at all. */
export function mayHedge(
  { plan, request }: Pick<RunContext, 'plan' | 'request'>,
  { hedge = 'off' }: { readonly hedge?: HedgeMode | undefined },
): boolean {
  if (hedge === 'off' || request.fallback === 'none') return false;
  return hedge === 'on' || plan.rule !== CALLERS_CHOICE;
}

/** Which candidate is asked beside silent ones, and how its breaker is asked. */
export type HedgeChoice =
  | { readonly is: 'found'; readonly candidate: PlannedModel; readonly acquire: AcquireMode }
  /** The breakers of the others take no further call now. */
  | { readonly is: 'later' }
  | { readonly is: 'none' };

export interface SilentRequest {
  /** Estimated. */
  readonly promptTokens: number;
  /** The providers that are silent. */
  readonly providers: ReadonlySet<string>;
  /** What the requests that run may cost at most. */
  readonly promisedMicroUsd: number;
}

/**
 * The candidate to ask beside silent ones: the next of another provider that takes the same prompt
 * and is affordable. Where every other breaker is open, one of them may be wrong: its model is asked
 * by force, which the breaker allows to one request at a time.
 */
export function hedgeCandidate(
  { promptTokens, providers, promisedMicroUsd }: SilentRequest,
  state: RunState,
  run: RunContext,
  { breakers, budgets, clock }: Pick<RunDeps, 'breakers' | 'budgets' | 'clock'>,
): HedgeChoice {
  if (areCallsUsedUp(run) || remainingMs(run.deadline, clock) < FAIR_MS) return { is: 'none' };
  const { files, by, request, ledger } = run;
  const limitMicroUsd = request.maxCostMicroUsd ?? Infinity;
  const leftMicroUsd = Math.min(
    budgets.left(by.caller.principal)?.leftMicroUsd ?? Infinity,
    limitMicroUsd - ledger.totals().costMicroUsd - promisedMicroUsd,
  );
  const isSpare = (each: PlannedModel) =>
    !each.isLastResort &&
    !providers.has(each.provider) &&
    each.roomTokens >= promptTokens &&
    // Uploads would cost more than the hedge saves.
    (files?.isSupplied(each) ?? true) &&
    // An unknown price may be anything.
    (each.maxCostMicroUsd ?? Infinity) <= leftMicroUsd;
  const viewOf = ({ entry }: PlannedModel) =>
    breakers.look({ provider: entry.provider, model: entry.id });
  const spare = remainingCandidates(state).filter(isSpare);
  const usable = spare.find((each) => viewOf(each).is === 'closed');
  if (usable) return { is: 'found', candidate: usable, acquire: state.acquire };
  const all = new Map(
    [...spare, ...run.plan.coolingDown.filter(isSpare)].map((each) => [
      modelIdentity(each.entry),
      each,
    ]),
  );
  const [best] = [...all.values()]
    .map((candidate) => ({ candidate, view: viewOf(candidate) }))
    .filter(({ view }) => view.is !== 'open' || view.isForcible === true)
    .toSorted((a, b) => (a.view.retryInMs ?? 0) - (b.view.retryInMs ?? 0));
  if (best) return { is: 'found', candidate: best.candidate, acquire: 'forced' };
  return { is: all.size === 0 ? 'none' : 'later' };
}
