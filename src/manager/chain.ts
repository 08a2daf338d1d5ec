import { reason, type Reason } from '#core/messages/reasons.ts';
import type { ChainLink } from '#core/messages/role-titles.ts';
import type { Model } from '#models/model.ts';
import { ROLE_NAMES, type RoleName } from '#models/roles.ts';
import { byShare } from './capable.ts';
import { CHAINS } from './chains.ts';
import { quotationUnwanted } from './last-resort.ts';
import { modelKey } from './model-key.ts';
import { ownModels } from './own-models.ts';
import { routedLike } from './routed-like.ts';
import { ofRole, ofServer } from './rules/of-role.ts';
import type { Situation } from './rules/rule.ts';

/** A model in its place, and as what it stands there. */
export interface Placed {
  readonly model: Model;
  readonly role?: RoleName;
  readonly reason: Reason;
}

/**
 * Who is asked after the winner: of each link of the class's chain the first that can, then the other models of the same
 * parts, and a quotation last. Who holds all of the request comes before whom it must be shortened for, who can search
 * before who cannot, where a search is wanted, and of those it must be shortened for who holds more of it.
 */
export function chainAfter(
  winner: Placed,
  situation: Situation,
  wantsSearch: 'yes' | 'no',
): readonly Placed[] {
  const { classified, world } = situation;
  const chain = CHAINS[classified.class];
  const taken = new Set([modelKey(winner.model)]);
  const rest: Placed[] = [];
  const isAble = ({ model }: Placed) =>
    model.provider !== 'local' && situation.judge(model).is === 'able';
  const isNew = (placed: Placed) => isAble(placed) && !taken.has(modelKey(placed.model));
  const take = (placed: Placed | undefined) => {
    if (!placed || taken.has(modelKey(placed.model))) return;
    taken.add(modelKey(placed.model));
    rest.push(placed);
  };
  const others: Placed[] = [];
  for (const link of chain) {
    const next = reason('next_in_chain', { class: classified.class, link });
    const inPlace = linked(link, chain, winner.model, situation, next);
    // The other models of a part come later; who has no parts gives its next.
    if (!isRole(link)) take(inPlace.find(isNew));
    else {
      take(inPlace.find(isAble));
      if (inPlace.length < 2) continue;
      const another = reason('other_model_of_role', { role: link });
      others.push(...inPlace.map((placed) => ({ ...placed, reason: another })));
    }
  }
  others.filter(isAble).forEach(take);
  const rank = ({ model }: Placed) => {
    const verdict = situation.judge(model);
    const isShort = verdict.is === 'able' && verdict.fits === 'shortened';
    const isBlind = wantsSearch === 'yes' && world.canSearch(model) === 'no';
    return (isShort ? 2 : 0) + (isBlind ? 1 : 0);
  };
  const cost = ({ model }: Placed) => {
    const verdict = situation.judge(model);
    if (situation.facts.prefer !== 'cost' || verdict.is !== 'able') return 0;
    return verdict.maxCostMicroUsd ?? Infinity;
  };
  const inOrder = rest.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      byShare(situation.judge(a.model), situation.judge(b.model)) ||
      (cost(a) < cost(b) ? -1 : cost(a) > cost(b) ? 1 : 0),
  );
  return [...inOrder, ...quotation(situation)];
}

/** Whether anybody beside the winner and a quotation could be asked: the same links, without their order. */
export function hasOthers(winner: Placed, situation: Situation): boolean {
  const chain = CHAINS[situation.classified.class];
  const key = modelKey(winner.model);
  const isOther = (model: Model) => situation.judge(model).is === 'able' && modelKey(model) !== key;
  return chain.some((link) => modelsOf(link, chain, winner.model, situation).some(isOther));
}

function linked(
  link: ChainLink,
  chain: readonly ChainLink[],
  winner: Model,
  situation: Situation,
  why: Reason,
): readonly Placed[] {
  if (isRole(link)) {
    return ofRole(situation, link).map(({ model }) => ({ model, role: link, reason: why }));
  }
  const models = link === 'custom' ? ofServer(situation) : modelsOf(link, chain, winner, situation);
  return models.map((model) => ({ model, reason: why }));
}

function modelsOf(
  link: ChainLink,
  chain: readonly ChainLink[],
  winner: Model,
  situation: Situation,
): readonly Model[] {
  const { world } = situation;
  if (isRole(link)) return world.roles[link];
  if (link === 'custom') return ownModels(world);
  if (link !== 'openrouter') return world.fallbacks?.get(link) ?? [];
  const firsts = chain.flatMap((each) => (isRole(each) ? world.roles[each].slice(0, 1) : []));
  return routedLike(situation, [winner, ...firsts]);
}

/** At the end, where one is welcome. */
function quotation(situation: Situation): readonly Placed[] {
  const { facts, world } = situation;
  if (quotationUnwanted(facts, world) !== undefined) return [];
  if (situation.judge(world.local).is !== 'able') return [];
  return [{ model: world.local, reason: reason('quotation_last') }];
}

function isRole(link: ChainLink): link is RoleName {
  return (ROLE_NAMES as readonly string[]).includes(link);
}
