import type { RequestClass } from '#core/llm/route.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { RoleLink } from '#core/messages/role-titles.ts';
import { PROVIDERS } from '#core/providers/list.ts';
import type { Model } from '#models/model.ts';
import { ROLE_NAMES, type RoleName } from '#models/roles.ts';
import { byShare, extractiveDisabled } from './eligibility.ts';
import type { SearchMode } from './plan.ts';
import {
  modelIdentity,
  openRouterEquivalents,
  topCustomModels,
  type RoutingContext,
} from './routing-context.ts';
import { customServerModels, roleCandidates } from './rules/role-candidates.ts';

/** Providers at the end of every chain. */
const LAST: readonly RoleLink[] = PROVIDERS.flatMap(({ id, fallbackModels }) =>
  fallbackModels ? [id] : [],
);

/**
 * The fallback chain of each request class; models that were tried already are skipped. Neighbours
 * are of different providers where possible, as failures of one provider come together. After these
 * come the other models of the same roles, and the extractive fallback last, if it is enabled.
 */
export const CHAINS: Readonly<Record<RequestClass, readonly RoleLink[]>> = {
  file_qa: [
    'kimiDefault',
    'glmQuality',
    'glmSpeed',
    'custom',
    'openrouter',
    'kimiQuality',
    'vision',
    ...LAST,
  ],
  long_context: [
    'kimiQuality',
    'glmQuality',
    'kimiDefault',
    'glmSpeed',
    'custom',
    'openrouter',
    ...LAST,
  ],
  web: ['glmSpeed', 'kimiDefault', 'glmQuality', 'openrouter', 'custom', ...LAST],
  chat: ['glmSpeed', 'kimiSpeed', 'glmQuality', 'custom', 'openrouter', ...LAST],
  code: ['kimiQuality', 'glmQuality', 'glmSpeed', 'custom', 'openrouter', ...LAST],
  agentic: ['glmQuality', 'kimiQuality', 'glmSpeed', 'custom', 'openrouter', ...LAST],
  vision: ['vision', 'kimiDefault', 'glmSpeed', 'openrouter', 'custom', ...LAST],
};

/** The chain of a request: that of its class, then the providers that the user has added. */
function chainOf({ classified, routing }: RoutingContext): readonly RoleLink[] {
  const chain = CHAINS[classified.class];
  const added = [...(routing.fallbacks?.keys() ?? [])].filter((id) => !chain.includes(id));
  return added.length === 0 ? chain : [...chain, ...added];
}

/** A model in the chain, with its role and the reason for its place. */
export interface ChainCandidate {
  readonly model: Model;
  readonly role?: RoleName;
  readonly reason: Reason;
}

/**
 * The fallbacks after the winner: the first eligible model of each link of the class's chain, then
 * the other models of the same roles, and the extractive fallback last. Models that hold the whole
 * request come before those that need it shortened, models with web search before those without if
 * it is requested, and among shortened ones those that hold more of it.
 */
export function buildFallbacks(
  winner: ChainCandidate,
  context: RoutingContext,
  search: SearchMode,
): readonly ChainCandidate[] {
  const { classified, routing } = context;
  const chain = chainOf(context);
  const taken = new Set([modelIdentity(winner.model)]);
  const rest: ChainCandidate[] = [];
  const isEligible = ({ model }: ChainCandidate) =>
    model.provider !== 'extractive' && context.checkEligibility(model).is === 'eligible';
  const isNew = (candidate: ChainCandidate) =>
    isEligible(candidate) && !taken.has(modelIdentity(candidate.model));
  const take = (candidate: ChainCandidate | undefined) => {
    if (!candidate || taken.has(modelIdentity(candidate.model))) return;
    taken.add(modelIdentity(candidate.model));
    rest.push(candidate);
  };
  const others: ChainCandidate[] = [];
  for (const link of chain) {
    const next = reason('next_in_chain', { class: classified.class, link });
    const candidates = candidatesOf(link, chain, winner.model, context, next);
    // The other models of a role come later; a link without roles gives its next model.
    if (!isRole(link)) take(candidates.find(isNew));
    else {
      take(candidates.find(isEligible));
      if (candidates.length < 2) continue;
      const another = reason('other_model_of_role', { role: link });
      others.push(...candidates.map((candidate) => ({ ...candidate, reason: another })));
    }
  }
  others.filter(isEligible).forEach(take);
  const rank = ({ model }: ChainCandidate) => {
    const verdict = context.checkEligibility(model);
    const isShort = verdict.is === 'eligible' && verdict.fits === 'shortened';
    const lacksSearch = search === 'provider' && !routing.canSearch(model);
    return (isShort ? 2 : 0) + (lacksSearch ? 1 : 0);
  };
  const cost = ({ model }: ChainCandidate) => {
    const verdict = context.checkEligibility(model);
    if (context.facts.prefer !== 'cost' || verdict.is !== 'eligible') return 0;
    return verdict.maxCostMicroUsd ?? Infinity;
  };
  const inOrder = rest.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      byShare(context.checkEligibility(a.model), context.checkEligibility(b.model)) ||
      (cost(a) < cost(b) ? -1 : cost(a) > cost(b) ? 1 : 0),
  );
  return [...inOrder, ...extractiveFallback(context)];
}

/**
 * Whether a model beside the winner and the extractive fallback is eligible. Checks the same links,
 * unordered.
 */
export function hasFallback(winner: ChainCandidate, context: RoutingContext): boolean {
  const chain = chainOf(context);
  const key = modelIdentity(winner.model);
  const isOther = (model: Model) =>
    context.checkEligibility(model).is === 'eligible' && modelIdentity(model) !== key;
  return chain.some((link) => modelsOf(link, chain, winner.model, context).some(isOther));
}

/** The same for a model of another provider: its queue and its account are separate. */
export function hasOtherProvider(winner: ChainCandidate, context: RoutingContext): boolean {
  const chain = chainOf(context);
  const isOther = (model: Model) =>
    model.provider !== winner.model.provider && context.checkEligibility(model).is === 'eligible';
  return chain.some((link) => modelsOf(link, chain, winner.model, context).some(isOther));
}

function candidatesOf(
  link: RoleLink,
  chain: readonly RoleLink[],
  winner: Model,
  context: RoutingContext,
  why: Reason,
): readonly ChainCandidate[] {
  if (isRole(link)) {
    return roleCandidates(context, link).map(({ model }) => ({ model, role: link, reason: why }));
  }
  const models =
    link === 'custom' ? customServerModels(context) : modelsOf(link, chain, winner, context);
  return models.map((model) => ({ model, reason: why }));
}

function modelsOf(
  link: RoleLink,
  chain: readonly RoleLink[],
  winner: Model,
  context: RoutingContext,
): readonly Model[] {
  const { routing } = context;
  if (isRole(link)) return routing.roles[link];
  if (link === 'custom') return topCustomModels(routing);
  if (link !== 'openrouter') return routing.fallbacks?.get(link) ?? [];
  if (routing.openrouterIs === 'not_configured') return [];
  const firsts = chain.flatMap((each) => (isRole(each) ? routing.roles[each].slice(0, 1) : []));
  return openRouterEquivalents(context, [winner, ...firsts]);
}

/** The extractive fallback at the end of the chain, if it is enabled. */
function extractiveFallback(context: RoutingContext): readonly ChainCandidate[] {
  const { facts, routing } = context;
  if (extractiveDisabled(facts, routing) !== undefined) return [];
  if (context.checkEligibility(routing.extractiveModel).is !== 'eligible') return [];
  return [{ model: routing.extractiveModel, reason: reason('quotation_last') }];
}

const ROLES: ReadonlySet<string> = new Set(ROLE_NAMES);

function isRole(link: RoleLink): link is RoleName {
  return ROLES.has(link);
}
