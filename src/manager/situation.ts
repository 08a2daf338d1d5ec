import type { Intent } from '#core/ask.ts';
import type { LeftOut, RouteFacts } from '#core/route.ts';
import type { Model } from '#models/model.ts';
import { ROLE_NAMES } from '#models/roles.ts';
import { judge, type Unable, type Verdict } from './capable.ts';
import { settleClass } from './classify.ts';
import { quotationUnwanted } from './last-resort.ts';
import { modelKey } from './model-key.ts';
import { ownModels } from './own-models.ts';
import type { RouteWorld } from './route-world.ts';
import type { Named, Situation } from './rules/rule.ts';

/** A model that is out, and why. */
export interface Out {
  readonly model: Model;
  readonly verdict: Unable;
}

export interface OpenSituation extends Situation {
  /** Everybody who was looked at and is out, in the order they were looked at. */
  readonly out: () => readonly Out[];
}

export interface NamedModels {
  readonly named?: Named;
  readonly locked?: Named;
}

/** Everybody who cannot is out before any rule is tried. */
export function openSituation(
  facts: RouteFacts,
  world: RouteWorld,
  intent: Intent | undefined,
  names: NamedModels,
): OpenSituation {
  const seen = new Map<string, { readonly model: Model; readonly verdict: Verdict }>();
  // Rules ask for the same few objects again and again: their names are put together once.
  const known = new Map<Model, Verdict>();
  const look = (model: Model): Verdict => {
    const before = known.get(model);
    if (before) return before;
    const key = modelKey(model);
    const verdict = seen.get(key)?.verdict ?? judge(model, facts, world);
    if (!seen.has(key)) seen.set(key, { model, verdict });
    known.set(model, verdict);
    return verdict;
  };
  for (const named of [names.named, names.locked]) if (named?.model) look(named.model);
  for (const role of ROLE_NAMES) if (role !== 'manager') world.roles[role].forEach(look);
  ownModels(world).forEach(look);
  look(world.local);
  return {
    facts,
    world,
    ...names,
    classified: settleClass(facts, intent),
    judge: look,
    out: () =>
      [...seen.values()].flatMap(({ model, verdict }) =>
        verdict.is === 'unable' ? [{ model, verdict }] : [],
      ),
  };
}

/** For people and `explain`; a quotation that nobody wants is named, too. */
export function leftOut(situation: OpenSituation): readonly LeftOut[] {
  const { facts, world, named } = situation;
  const told = situation.out().map(({ model, verdict }) => entry(model, verdict.because));
  const unwanted = quotationUnwanted(facts, world);
  const isNamed = named?.model?.provider === 'local';
  if (unwanted === undefined || isNamed || situation.judge(world.local).is !== 'able') return told;
  return [...told, entry(world.local, unwanted)];
}

function entry({ provider, id }: Model, because: string): LeftOut {
  return { provider, model: id, because };
}
