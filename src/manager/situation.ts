import type { Intent } from '#core/ask.ts';
import type { Reason } from '#core/messages/reasons.ts';
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
  /** Everybody who is out: the usual ones, then whom rules and the chain looked at beside them. */
  readonly out: () => readonly Out[];
}

export interface NamedModels {
  readonly named?: Named;
  readonly locked?: Named;
}

/** Who can be asked is looked at when a rule wants to know it, and once. */
export function openSituation(
  facts: RouteFacts,
  world: RouteWorld,
  intent: Intent | undefined,
  names: NamedModels,
): OpenSituation {
  // Two objects may stand for one model; rules ask for the same few objects again and again.
  const seen = new Map<string, { readonly model: Model; readonly verdict: Verdict }>();
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
  return {
    facts,
    world,
    ...names,
    classified: settleClass(facts, intent),
    judge: look,
    out() {
      const everybody = new Map<string, Model>();
      for (const model of usual(names, world)) everybody.set(modelKey(model), model);
      for (const [key, { model }] of seen) everybody.set(key, model);
      return [...everybody.values()].flatMap((model) => {
        const verdict = look(model);
        return verdict.is === 'unable' ? [{ model, verdict }] : [];
      });
    },
  };
}

/** Those whom a reader of the plan expects to hear of, whether a rule asked for them or not. */
function usual({ named, locked }: NamedModels, world: RouteWorld): readonly Model[] {
  const byName = [named, locked].flatMap((each) => each?.model ?? []);
  const parts = ROLE_NAMES.flatMap((role) => (role === 'manager' ? [] : world.roles[role]));
  return [...byName, ...parts, ...ownModels(world), world.local];
}

/** For people and `explain`; a quotation that nobody wants is named, too. */
export function leftOut(situation: OpenSituation): readonly LeftOut[] {
  const { facts, world, named } = situation;
  const told = situation.out().map(({ model, verdict }) => entry(model, verdict.reason));
  const unwanted = quotationUnwanted(facts, world);
  const isNamed = named?.model?.provider === 'local';
  if (unwanted === undefined || isNamed || situation.judge(world.local).is !== 'able') return told;
  return [...told, entry(world.local, unwanted)];
}

function entry({ provider, id }: Model, reason: Reason): LeftOut {
  return { provider, model: id, reason };
}
