import { CallError } from '#core/errors/call-error.ts';
import { lazy } from '#core/lazy.ts';
import type { Intent } from '#core/llm/ask.ts';
import type {
  Candidate,
  ExcludedCandidate,
  RouteFacts,
  RoutePlan,
  RuleTrial,
} from '#core/llm/route.ts';
import { groupModels, type ModelGroup } from '#core/messages/model-groups.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/text/text.ts';
import type { Model } from '#models/model.ts';
import {
  buildFallbacks,
  hasFallback,
  hasOtherProvider,
  type ChainCandidate,
} from './fallback-chain.ts';
import { UNSURE_BELOW, type Classified } from '../classify/request-class.ts';
import { errorReason, errorSummary } from '../error-reason.ts';
import { LazyPlan } from './lazy-plan.ts';
import { requestedEffort, resolveThinking, thinkingNotices } from './thinking.ts';
import { noCandidateError, requestedModelError } from './no-candidate.ts';
import { resolveRequestedModels } from './requested-models.ts';
import {
  createRoutingContext,
  excludedModels,
  modelIdentity,
  type PlanningContext,
  type RequestedModel,
  type RoutingContext,
} from './routing-context.ts';
import type { RoutingState } from './routing-state.ts';
import { RULES } from './rules/index.ts';
import { explicitModel } from './rules/requested-model.ts';
import type { Rule, RuleCandidate } from './rules/rule.ts';

/** A candidate with its catalogue entry. */
export interface PlannedModel extends Candidate {
  readonly entry: Model;
}

export interface AskPlan extends RoutePlan {
  readonly first: PlannedModel;
  readonly candidates: readonly PlannedModel[];
  /** Whether there is a candidate beside the first and the extractive fallback. */
  readonly hasFallback: boolean;
  /** Whether there is one of another provider than the first. */
  readonly hasOtherProvider: boolean;
  /** Whether the name of the first is in no list, so that it may be a typo. */
  readonly isNameOnTrust: boolean;
  /** Models whose breakers are open, tried by force when all candidates have failed. */
  readonly coolingDown: readonly PlannedModel[];
}

/** A plan, or the error why there is none. */
export type PlanResult =
  | { readonly is: 'planned'; readonly plan: AskPlan }
  | {
      readonly is: 'no_candidate';
      readonly error: CallError;
      readonly tried: readonly RuleTrial[];
      readonly leftOut: readonly ExcludedCandidate[];
    };

const MAX_SHOWN_CHARS = 80;

/**
 * The plan of a request: which models are tried, in which order, and why. The first rule that finds
 * an eligible model wins, then the fallback chain of the class follows. Pure: the same facts and
 * routing state give the same plan.
 */
export function makePlan(facts: RouteFacts, routing: RoutingState, intent?: Intent): PlanResult {
  const planned = planBy(facts, routing, intent);
  if (planned.is === 'planned' && !planned.plan.first.isLastResort) return planned;
  // Breakers may be the only obstacle: then a call is forced through one of them.
  const forced = planBy(facts, { ...routing, openBreakers: 'forced' }, intent);
  return forced.is === 'planned' && !forced.plan.first.isLastResort ? forced : planned;
}

function planBy(facts: RouteFacts, routing: RoutingState, intent: Intent | undefined): PlanResult {
  const names = resolveRequestedModels(facts, routing);
  if (names instanceof CallError) return unknownName(names);
  const { notices: nameNotices, named } = names;
  const context = createRoutingContext(facts, routing, intent, names);
  const { tried, match } = evaluateRules(RULES, context);
  const refused = refusedName(context);
  const search = requestedSearch(facts, context.classified, intent);
  const first = match && toCandidate(match.candidate, context, search);
  if (!first || refused || wouldMislead(match.candidate, context)) {
    const error = refused ?? noCandidateError(context);
    return { is: 'no_candidate', error, tried, leftOut: excludedModels(context) };
  }
  const { candidate: winner } = match;
  const isAlone = facts.fallback === 'none' || winner.model.provider === 'extractive';
  // Lazy: most requests are answered by the first candidate.
  const candidates = lazy(() => {
    const chain = isAlone ? [] : buildFallbacks(winner, context, search);
    return [first, ...chain.flatMap((candidate) => toCandidate(candidate, context, search) ?? [])];
  });
  const coolingDown = lazy(() => {
    if (isAlone || routing.openBreakers === 'forced') return [];
    return modelsInCoolDown(
      candidates(),
      planBy(facts, { ...routing, openBreakers: 'forced' }, intent),
    );
  });
  const leftOut = lazy(() => excludedModels(context));
  const hasOther = !isAlone && hasFallback(winner, context);
  const { class: requestClass, confidence, reason: why } = context.classified;
  const known = {
    class: requestClass,
    confidence,
    rule: match.rule.id,
    reasons: [
      winner.reason,
      ...aliasOfAuto(facts),
      ...missed(tried),
      reason('classified', { class: requestClass, confidence, reason: why }),
      ...classifierAsked(intent, search),
    ],
    tried,
    first,
    hasFallback: hasOther,
    hasOtherProvider: hasOther && hasOtherProvider(winner, context),
    isNameOnTrust: named?.isOnTrust === true && named.model === winner.model,
    notices: [
      ...nameNotices,
      ...roleNotices(winner, routing),
      ...planNotices(context, winner.model, search),
    ],
  };
  return { is: 'planned', plan: new LazyPlan(known, { candidates, coolingDown, leftOut }) };
}

/** The candidates that only an open breaker excluded. */
function modelsInCoolDown(
  usual: readonly PlannedModel[],
  forced: PlanResult,
): readonly PlannedModel[] {
  if (forced.is !== 'planned') return [];
  const known = new Set(usual.map(({ entry }) => modelIdentity(entry)));
  return forced.plan.candidates.filter(
    ({ entry, isLastResort }) => !isLastResort && !known.has(modelIdentity(entry)),
  );
}

/** Problems with the model names configured for the winner's role. */
function roleNotices(
  { role }: ChainCandidate,
  { roleNotices: all }: RoutingState,
): readonly Notice[] {
  return (role && all?.[role]) ?? [];
}

/** The reason for an alias of `auto`; an alias of a model is reported by the rule that chose it. */
function aliasOfAuto({ namedAs, model }: RouteFacts): readonly Reason[] {
  if (namedAs === undefined || model !== undefined) return [];
  const writtenAs = oneLine(namedAs, MAX_SHOWN_CHARS);
  return [reason('name_mapped', { writtenAs, model: 'auto' })];
}

/** Reports that a classifier model was asked, and its result. */
function classifierAsked(intent: Intent | undefined, search: SearchMode): readonly Reason[] {
  if (intent?.by !== 'model' || !Number.isFinite(intent.confidence)) return [];
  const { model, class: requestClass, confidence } = intent;
  return [
    reason('classifier_asked', {
      ...(model !== undefined && { model }),
      class: requestClass,
      confidence,
      searches: search === 'provider',
    }),
  ];
}

function unknownName(error: CallError): PlanResult {
  const { number, id, when } = explicitModel;
  const tried: readonly RuleTrial[] = [
    { number, id, when, verdict: 'nobody_left', reason: errorReason(error) },
  ];
  return { is: 'no_candidate', error, tried, leftOut: [] };
}

/**
 * The error when the requested model is ineligible: only without fallback, or when the caller
 * prefers to shorten the prompt itself instead of another model.
 */
function refusedName({ facts, named, checkEligibility }: PlanningContext): CallError | undefined {
  if (named?.by !== 'caller' || !named.model) return undefined;
  const verdict = checkEligibility(named.model);
  if (verdict.is === 'eligible') return undefined;
  const isTooLong = facts.context === 'whole' && verdict.kind === 'window';
  if (facts.fallback !== 'none' && !isTooLong) return undefined;
  return requestedModelError({ model: named.model, verdict }, facts);
}

/**
 * Whether the extractive fallback would mislead instead of an answer: for a question that no
 * window holds, and when fallback is off.
 */
function wouldMislead(
  { model }: ChainCandidate,
  { facts, named, excluded }: PlanningContext,
): boolean {
  if (model.provider !== 'extractive' || named?.model?.provider === 'extractive') return false;
  return facts.fallback === 'none' || excluded().some(({ verdict }) => verdict.kind === 'window');
}

/** The rules that applied but found no eligible model. */
function missed(tried: readonly RuleTrial[]): readonly Reason[] {
  return tried.flatMap(({ number, id, verdict, reason: why }) =>
    verdict === 'nobody_left'
      ? [reason('rule_found_no_model', { number, rule: id, reason: why })]
      : [],
  );
}

/** A chain candidate with all parameters of its request. */
function toCandidate(
  { model, role, reason: place }: ChainCandidate,
  { facts, routing, classified, checkEligibility }: RoutingContext,
  search: SearchMode,
): PlannedModel | undefined {
  const verdict = checkEligibility(model);
  if (verdict.is !== 'eligible') return undefined;
  const isLastResort = model.provider === 'extractive';
  const searches = search === 'provider' && !isLastResort && routing.canSearch(model);
  const thinking = resolveThinking(model, requestedEffort(facts, classified.class, role));
  const remarks: Reason[] = [];
  if (verdict.health === 'half_open') remarks.push(reason('recovering'));
  if (verdict.health === 'open') remarks.push(reason('cool_down_ignored'));
  if (verdict.fits === 'shortened') remarks.push(reason('context_shortened'));
  if (search === 'provider' && !searches && !isLastResort) remarks.push(reason('without_search'));
  return {
    provider: model.provider,
    model: model.id,
    reason: place,
    remarks,
    search: searches ? 'provider' : 'none',
    roomTokens: verdict.roomTokens,
    isLastResort,
    entry: model,
    ...(thinking && { thinking }),
    ...(verdict.maxCostMicroUsd !== undefined && { maxCostMicroUsd: verdict.maxCostMicroUsd }),
  };
}

/** Whether a request is sent with the provider's web search. */
export type SearchMode = Candidate['search'];

/** Web search as requested, or as the question needs it. */
function requestedSearch(
  { search, fresh }: RouteFacts,
  classified: Classified,
  intent: Intent | undefined,
): SearchMode {
  if (search !== 'auto') return search === 'on' ? 'provider' : 'none';
  if (classified.class === 'web') return 'provider';
  if (intent?.by === 'model' && intent.confidence >= UNSURE_BELOW)
    return intent.needsWebSearch ? 'provider' : 'none';
  return fresh?.strength === 'strong' ? 'provider' : 'none';
}

interface RuleMatch {
  readonly rule: Rule;
  readonly candidate: ChainCandidate;
}

/** Evaluates the rules in order, until one applies and finds an eligible model. */
function evaluateRules(
  rules: readonly Rule[],
  context: RoutingContext,
): { readonly tried: readonly RuleTrial[]; readonly match?: RuleMatch } {
  const tried: RuleTrial[] = [];
  for (const rule of rules) {
    const { number, id, when } = rule;
    const applicability = rule.applies(context);
    if (!applicability.applies) {
      tried.push({ number, id, when, verdict: 'does_not_apply', reason: applicability.reason });
      continue;
    }
    const proposed = rule.candidates(context);
    const winner = proposed.find(({ model }) => context.checkEligibility(model).is === 'eligible');
    if (!winner) {
      const models = ineligibleOf(proposed, context);
      const why = reason('rule_without_model', { applies: applicability.reason, models });
      tried.push({ number, id, when, verdict: 'nobody_left', reason: why });
      continue;
    }
    const { model, role, choice } = winner;
    const passedOver = ineligibleOf(proposed.slice(0, proposed.indexOf(winner)), context);
    const why = reason('rule_chose', { applies: applicability.reason, choice, passedOver });
    tried.push({ number, id, when, verdict: 'wins', reason: why });
    const chosen = reason('chosen_by_rule', { number, rule: id, reason: why });
    const candidate = { model, ...(role && { role }), reason: chosen };
    return { tried, match: { rule, candidate } };
  }
  return { tried };
}

/** The ineligible ones, grouped by reason. */
function ineligibleOf(
  proposed: readonly RuleCandidate[],
  { checkEligibility }: RoutingContext,
): readonly ModelGroup[] {
  if (proposed.length === 0) return [];
  return groupModels(
    proposed.flatMap(({ model }) => {
      const verdict = checkEligibility(model);
      if (verdict.is !== 'ineligible') return [];
      return [{ provider: model.provider, model: model.id, reason: verdict.reason }];
    }),
  );
}

/** Notices about the plan for the caller. */
function planNotices(
  context: PlanningContext,
  winner: Model,
  search: SearchMode,
): readonly Notice[] {
  const { facts, routing, named, locked, checkEligibility } = context;
  const { budget } = routing;
  const isSpent = budget !== undefined && budget.leftMicroUsd <= 0;
  const isExtractive = winner.provider === 'extractive';
  const lacksSearch = search === 'provider' && !isExtractive && !routing.canSearch(winner);
  // A requested model overrides the model of the thread.
  const isMoot = named?.model !== undefined && checkEligibility(named.model).is === 'eligible';
  return [
    ...passedOver(named, context, winner),
    ...(isMoot ? [] : passedOver(locked, context, winner)),
    ...(isExtractive ? extractiveNotice(context) : []),
    ...(isSpent ? [notice('only_free_models', { spending: budget.reason })] : []),
    ...(lacksSearch ? [notice('model_cannot_search', { model: winner.id })] : []),
    ...thinkingNotices(facts, winner),
  ];
}

/** Reports that another model answers than the requested one. */
function passedOver(
  named: RequestedModel | undefined,
  { checkEligibility }: RoutingContext,
  winner: Model,
): readonly Notice[] {
  if (!named?.model) return [];
  const verdict = checkEligibility(named.model);
  if (verdict.is === 'eligible') return [];
  const { reason } = verdict;
  return [notice('model_passed_over', { model: named.model.id, reason, instead: winner.id })];
}

function extractiveNotice(context: PlanningContext): readonly Notice[] {
  if (context.named?.model?.provider === 'extractive') return [];
  const error = errorSummary(noCandidateError(context));
  return [notice('quoted_instead', { error })];
}
