import type { InlineMedia, RouteFacts } from '#core/llm/route.ts';
import { SCALABLE_TYPES } from '#core/llm/picture-supply.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { isTextMediaType } from '#core/text/text-media-type.ts';
import { fitsRule, inlineRule } from '#models/inline-media.ts';
import type { Model } from '#models/model.ts';
import { isFree, maxCostOf } from '../budget/max-cost.ts';
import type { ModelHealth, RoutingState } from './routing-state.ts';

/** Why a model is ineligible, grouped by what could be done about it. */
export type IneligibilityKind =
  | 'set_up'
  | 'modality'
  | 'tools'
  | 'window'
  | 'budget'
  | 'price'
  | 'last_resort'
  | 'breaker';

export interface Ineligible {
  readonly is: 'ineligible';
  readonly kind: IneligibilityKind;
  readonly reason: Reason;
  /** Time until its breaker admits a call. */
  readonly retryInMs?: number;
}

interface Eligible {
  readonly is: 'eligible';
  /** Whether the whole request fits its window, or some of it has to be summarised or dropped. */
  readonly fits: 'whole' | 'shortened';
  /** The share of the request that its window holds unchanged, up to 1. */
  readonly share: number;
  readonly roomTokens: number;
  readonly maxCostMicroUsd?: number;
  readonly health: ModelHealth['is'];
}

export type Eligibility = Eligible | Ineligible;

/** Tokens of a window reserved for the answer and its reasoning when the request sets no limit. */
const ANSWER_TOKENS = 16_384;
/** The largest share of a window reserved for the answer. */
const MAX_ANSWER_SHARE = 0.25;
const MAX_WANTED_SHARE = 0.5;

/**
 * Whether a model can take this request now. The breaker is checked last: a model excluded by that
 * alone could answer, only not yet.
 */
export function checkEligibility(
  model: Model,
  facts: RouteFacts,
  routing: RoutingState,
): Eligibility {
  // First, as most models of most users are not set up.
  const missing = setUpReason(model, routing);
  if (missing) return missing;
  const roomTokens = Math.max(0, model.contextTokens - answerTokens(model, facts));
  const correction = soundCorrection(routing.correction(model));
  const real = (estimated: number) => Math.ceil(estimated * correction);
  const cost = maxCostOf(model, Math.min(real(facts.tokens), roomTokens), facts.maxOutputTokens);
  const unable =
    extractiveReason(model, facts, routing) ??
    modalityReason(model, facts, routing) ??
    toolsReason(model, facts) ??
    windowReason(real(leastTokens(facts)), roomTokens) ??
    budgetReason(model, routing) ??
    priceReason(cost, facts.maxCostMicroUsd);
  if (unable) return unable;
  const health = routing.health(model);
  const isForced = routing.openBreakers === 'forced' && health.isForcible === true;
  if (health.is === 'open' && !isForced) return breakerReason(health);
  return {
    is: 'eligible',
    fits: real(facts.tokens) <= roomTokens ? 'whole' : 'shortened',
    share: real(facts.tokens) <= roomTokens ? 1 : roomTokens / real(facts.tokens),
    roomTokens,
    ...(cost !== undefined && { maxCostMicroUsd: cost }),
    health: health.is,
  };
}

/** Sorts models that hold more of the request first. */
export function byShare(a: Eligibility, b: Eligibility): number {
  return shareOf(b) - shareOf(a);
}

/** Ineligible models keep their place in the order, so that reports list them there. */
function shareOf(verdict: Eligibility): number {
  return verdict.is === 'eligible' ? verdict.share : 1;
}

/** Tokens of the parts that cannot be dropped. */
function leastTokens({ tokens, files, questionTokens }: RouteFacts): number {
  return Math.min(tokens, questionTokens ?? Math.max(0, tokens - files.tokens));
}

/** Invalid correction factors count as 1. */
function soundCorrection(correction: number): number {
  return Number.isFinite(correction) && correction > 0 ? correction : 1;
}

function answerTokens({ contextTokens, maxOutputTokens }: Model, facts: RouteFacts): number {
  const wanted = facts.maxOutputTokens;
  const [most, share] =
    wanted === undefined ? [ANSWER_TOKENS, MAX_ANSWER_SHARE] : [wanted, MAX_WANTED_SHARE];
  return Math.min(most, maxOutputTokens, Math.floor(contextTokens * share));
}

function setUpReason(model: Model, routing: RoutingState): Ineligible | undefined {
  const obstacle = routing.obstacle(model);
  return obstacle && ineligible('set_up', obstacle);
}

function extractiveReason(
  { provider }: Model,
  facts: RouteFacts,
  routing: RoutingState,
): Ineligible | undefined {
  const lacks = provider === 'extractive' ? extractiveUnsupported(facts, routing) : undefined;
  return lacks && ineligible('last_resort', lacks);
}

const NO_IMAGES = reason('media_unsupported', { media: 'image' });
const NO_VIDEOS = reason('media_unsupported', { media: 'video' });
const NO_DOCUMENTS = reason('media_unsupported', { media: 'document' });

function modalityReason(
  model: Model,
  facts: RouteFacts,
  { scaling }: Pick<RoutingState, 'scaling'>,
): Ineligible | undefined {
  const { input, provider } = model;
  const { images, videos, files, inline = [] } = facts;
  // Settings decide what the extractive fallback may ignore, but it can only read text.
  if (provider === 'extractive') {
    return inline.some(isNoText) ? ineligible('modality', NO_DOCUMENTS) : undefined;
  }
  if (images > 0 && !input.includes('image')) return ineligible('modality', NO_IMAGES);
  if (videos > 0 && !input.includes('video')) return ineligible('modality', NO_VIDEOS);
  if ((files.attached ?? 0) > 0 && !takesDocuments(model)) {
    return ineligible('modality', NO_DOCUMENTS);
  }
  for (const media of inline) {
    const rule = inlineRule(provider, media.kind);
    if (rule && !fitsRule(rule, media) && !(scaling === 'ready' && isScalable(media))) {
      return ineligible('modality', reason('media_limited', { takes: rule.takes }));
    }
  }
  return undefined;
}

/** Whether a picture is converted and scaled to the limits of a provider. */
export function isScalable({ kind, mediaType }: InlineMedia): boolean {
  return kind === 'image' && SCALABLE_TYPES.has(mediaType);
}

/** OpenRouter parses documents itself, for every model. */
function takesDocuments({ input, provider }: Model): boolean {
  return provider === 'openrouter' || input.includes('file');
}

function isNoText({ kind, mediaType }: InlineMedia): boolean {
  return kind === 'file' && !isTextMediaType(mediaType);
}

export function toolsReason(
  { tools, maxTools, provider }: Model,
  facts: RouteFacts,
): Ineligible | undefined {
  if (facts.tools === 0 || provider === 'extractive') return undefined;
  if (tools === 'no') return ineligible('tools', reason('tools_unsupported'));
  if (facts.tools <= maxTools) return undefined;
  return ineligible('tools', reason('too_many_tools', { max: maxTools, given: facts.tools }));
}

function windowReason(least: number, roomTokens: number): Ineligible | undefined {
  if (least <= roomTokens) return undefined;
  return ineligible('window', reason('question_too_long', { tokens: least, roomTokens }));
}

function budgetReason(model: Model, routing: RoutingState): Ineligible | undefined {
  const { budget, whenSpent } = routing;
  if (!budget || budget.leftMicroUsd > 0) return undefined;
  if (whenSpent === 'refuse') return ineligible('budget', budget.reason);
  if (isFree(model)) return undefined;
  return ineligible('budget', reason('model_costs_money', { spending: budget.reason }));
}

function priceReason(bound: number | undefined, limit: number | undefined): Ineligible | undefined {
  if (limit === undefined) return undefined;
  if (bound === undefined) return ineligible('price', reason('price_unknown'));
  if (bound <= limit) return undefined;
  return ineligible(
    'price',
    reason('price_too_high', { maxMicroUsd: bound, limitMicroUsd: limit }),
  );
}

function breakerReason({ reason: why, retryInMs }: ModelHealth): Ineligible {
  return {
    ...ineligible('breaker', why ?? reason('model_resting')),
    ...(retryInMs !== undefined && { retryInMs }),
  };
}

function ineligible(kind: IneligibilityKind, why: Reason): Ineligible {
  return { is: 'ineligible', kind, reason: why };
}

/** Why the extractive fallback cannot answer this request; undefined when it can, or has to. */
function extractiveUnsupported(facts: RouteFacts, routing: RoutingState): Reason | undefined {
  if (routing.extractiveFallback === 'always') return undefined;
  if (facts.tools > 0) return reason('quotation_unsuitable', { lacks: 'tools' });
  if (facts.format !== 'text') return reason('quotation_unsuitable', { lacks: 'json' });
  if (facts.images + facts.videos > 0) {
    return reason('quotation_unsuitable', { lacks: 'vision' });
  }
  return undefined;
}

/**
 * Why the extractive fallback is disabled at the end of the chain; undefined when it is enabled.
 */
export function extractiveDisabled(facts: RouteFacts, routing: RoutingState): Reason | undefined {
  if (facts.lastResort === 'none') return reason('quotation_unwanted', { by: 'caller' });
  return routing.extractiveFallback === 'never'
    ? reason('quotation_unwanted', { by: 'setting' })
    : undefined;
}
