import { reason, type Reason } from '#core/messages/reasons.ts';
import type { InlineMedia, RouteFacts } from '#core/route.ts';
import { isTextType } from '#core/text-type.ts';
import { fitsRule, inlineRule } from '#models/inline-media.ts';
import type { Model } from '#models/model.ts';
import { costOf } from '#models/price.ts';
import { quotationLacks } from './last-resort.ts';
import type { Health, RouteWorld } from './route-world.ts';

/** What stands in a model's way, by what could be done about it. */
export type Against =
  | 'set_up'
  | 'modality'
  | 'tools'
  | 'stops'
  | 'window'
  | 'budget'
  | 'price'
  | 'last_resort'
  | 'breaker';

export interface Unable {
  readonly is: 'unable';
  readonly against: Against;
  readonly reason: Reason;
  /** Until its breaker lets somebody through. */
  readonly retryInMs?: number;
}

export interface Able {
  readonly is: 'able';
  /** Whether all of the request fits its window, or some of it has to be summarised or left out. */
  readonly fits: 'whole' | 'shortened';
  /** How much of the request its window holds as it is, up to 1. */
  readonly share: number;
  readonly roomTokens: number;
  readonly maxCostMicroUsd?: number;
  readonly health: Health['is'];
}

export type Verdict = Able | Unable;

/** The answer's part of a window when nobody limits it; thoughts need room, too. */
const ANSWER_TOKENS = 16_384;
/** More of a window than this is never kept for the answer. */
const MAX_ANSWER_SHARE = 0.25;
const MAX_WANTED_SHARE = 0.5;

/**
 * Whether a model can be asked this at this moment. Its breaker comes last: who is out because of that alone could
 * answer, only not yet.
 */
export function judge(model: Model, facts: RouteFacts, world: RouteWorld): Verdict {
  const roomTokens = Math.max(0, model.contextTokens - answerTokens(model, facts));
  const correction = soundCorrection(world.correction(model));
  const real = (estimated: number) => Math.ceil(estimated * correction);
  const cost = boundOf(model, facts, Math.min(real(facts.tokens), roomTokens));
  const unable =
    setUpReason(model, world) ??
    quotationReason(model, facts, world) ??
    modalityReason(model, facts) ??
    toolsReason(model, facts) ??
    stopsReason(model, facts) ??
    windowReason(real(leastTokens(facts)), roomTokens) ??
    budgetReason(model, world) ??
    priceReason(cost, facts.maxCostMicroUsd);
  if (unable) return unable;
  const health = world.health(model);
  if (health.is === 'open') return breakerReason(health);
  return {
    is: 'able',
    fits: real(facts.tokens) <= roomTokens ? 'whole' : 'shortened',
    share: real(facts.tokens) <= roomTokens ? 1 : roomTokens / real(facts.tokens),
    roomTokens,
    ...(cost !== undefined && { maxCostMicroUsd: cost }),
    health: health.is,
  };
}

/** Who holds more of the request comes first. For sorting. */
export function byShare(a: Verdict, b: Verdict): number {
  return shareOf(b) - shareOf(a);
}

/** Who cannot be asked is not moved behind those who could: why they are out is told in their place. */
function shareOf(verdict: Verdict): number {
  return verdict.is === 'able' ? verdict.share : 1;
}

/** What cannot be left out. */
export function leastTokens({ tokens, files, questionTokens }: RouteFacts): number {
  return Math.min(tokens, questionTokens ?? Math.max(0, tokens - files.tokens));
}

/** Hostile or unlearned figures change nothing. */
function soundCorrection(correction: number): number {
  return Number.isFinite(correction) && correction > 0 ? correction : 1;
}

function answerTokens({ contextTokens, maxOutputTokens }: Model, facts: RouteFacts): number {
  const wanted = facts.maxOutputTokens;
  const [most, share] =
    wanted === undefined ? [ANSWER_TOKENS, MAX_ANSWER_SHARE] : [wanted, MAX_WANTED_SHARE];
  return Math.min(most, maxOutputTokens, Math.floor(contextTokens * share));
}

/** The most that one answer can cost; nothing where nobody named a price. One's own server sends no bills. */
function boundOf(model: Model, facts: RouteFacts, input: number): number | undefined {
  if (isFree(model)) return 0;
  const output = Math.min(facts.maxOutputTokens ?? Infinity, model.maxOutputTokens);
  const usage = { input, output, cached: 0, reasoning: 0, estimated: true };
  const { known, microUsd } = costOf(model, usage);
  return known ? microUsd : undefined;
}

function setUpReason(model: Model, world: RouteWorld): Unable | undefined {
  const obstacle = world.obstacle(model);
  return obstacle && unable('set_up', obstacle);
}

function quotationReason(
  { provider }: Model,
  facts: RouteFacts,
  world: RouteWorld,
): Unable | undefined {
  const lacks = provider === 'local' ? quotationLacks(facts, world) : undefined;
  return lacks && unable('last_resort', lacks);
}

const NO_IMAGES = reason('media_unsupported', { media: 'image' });
const NO_VIDEOS = reason('media_unsupported', { media: 'video' });
const NO_DOCUMENTS = reason('media_unsupported', { media: 'document' });

function modalityReason(model: Model, facts: RouteFacts): Unable | undefined {
  const { input, provider } = model;
  const { images, videos, files, inline = [] } = facts;
  // What a quotation may pass over is for the settings to say, but it cannot read what is no text.
  if (provider === 'local') {
    return inline.some(isNoText) ? unable('modality', NO_DOCUMENTS) : undefined;
  }
  if (images > 0 && !input.includes('image')) return unable('modality', NO_IMAGES);
  if (videos > 0 && !input.includes('video')) return unable('modality', NO_VIDEOS);
  if ((files.attached ?? 0) > 0 && !takesDocuments(model)) {
    return unable('modality', NO_DOCUMENTS);
  }
  for (const media of inline) {
    const rule = inlineRule(provider, media.kind);
    if (rule && !fitsRule(rule, media)) {
      return unable('modality', reason('media_limited', { takes: rule.takes }));
    }
  }
  return undefined;
}

/** OpenRouter reads documents itself, whichever model answers. */
function takesDocuments({ input, provider }: Model): boolean {
  return provider === 'openrouter' || input.includes('file');
}

function isNoText({ kind, mediaType }: InlineMedia): boolean {
  return kind === 'file' && !isTextType(mediaType);
}

function toolsReason({ tools, maxTools, provider }: Model, facts: RouteFacts): Unable | undefined {
  if (facts.tools === 0 || provider === 'local') return undefined;
  if (tools === 'no') return unable('tools', reason('tools_unsupported'));
  if (facts.tools <= maxTools) return undefined;
  return unable('tools', reason('too_many_tools', { max: maxTools, given: facts.tools }));
}

function stopsReason({ maxStops, provider }: Model, { stops = 0 }: RouteFacts): Unable | undefined {
  if (stops <= maxStops || provider === 'local') return undefined;
  return unable('stops', reason('too_many_stops', { max: maxStops, given: stops }));
}

function windowReason(least: number, roomTokens: number): Unable | undefined {
  if (least <= roomTokens) return undefined;
  return unable('window', reason('question_too_long', { tokens: least, roomTokens }));
}

function budgetReason(model: Model, world: RouteWorld): Unable | undefined {
  const { budget, whenSpent } = world;
  if (!budget || budget.leftMicroUsd > 0) return undefined;
  if (whenSpent === 'refuse') return unable('budget', budget.reason);
  if (isFree(model)) return undefined;
  return unable('budget', reason('model_costs_money', { spending: budget.reason }));
}

export function isFree({ provider, price }: Model): boolean {
  if (provider === 'local' || (provider === 'custom' && !price)) return true;
  return price !== undefined && price.input === 0 && price.cached === 0 && price.output === 0;
}

function priceReason(bound: number | undefined, limit: number | undefined): Unable | undefined {
  if (limit === undefined) return undefined;
  if (bound === undefined) return unable('price', reason('price_unknown'));
  if (bound <= limit) return undefined;
  return unable('price', reason('price_too_high', { maxMicroUsd: bound, limitMicroUsd: limit }));
}

function breakerReason({ reason: why, retryInMs }: Health): Unable {
  return {
    ...unable('breaker', why ?? reason('model_resting')),
    ...(retryInMs !== undefined && { retryInMs }),
  };
}

function unable(against: Against, why: Reason): Unable {
  return { is: 'unable', against, reason: why };
}
