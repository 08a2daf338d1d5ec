import { reason, type Reason } from '#core/messages/reasons.ts';
import type { Model } from '#models/model.ts';
import type { RoleName } from '#models/roles.ts';
import { byShare } from '../capable.ts';
import { ownModels } from '../own-models.ts';
import type { Situation, Wanted } from './rule.ts';

/**
 * The models of a part: those that hold all of the request first, then who writes JSON where it is wanted, then who holds
 * more of it.
 */
export function ofRole(situation: Situation, role: RoleName): readonly Wanted[] {
  return preferred(situation, situation.world.roles[role]).map((model) => ({
    model,
    role,
    choice: reason('role_answers', { role, model: model.id }),
  }));
}

/** The same models of parts, with why they come before others. */
export function chosenFor(wanted: readonly Wanted[], why: (each: Wanted) => Reason): Wanted[] {
  return wanted.map((each) =>
    each.role
      ? {
          ...each,
          choice: reason('role_answers', { role: each.role, model: each.model.id, why: why(each) }),
        }
      : each,
  );
}

/** The models of the user's own server. */
export function ofServer(situation: Situation): readonly Model[] {
  return preferred(situation, ownModels(situation.world));
}

function preferred(situation: Situation, models: readonly Model[]): readonly Model[] {
  if (models.length < 2) return models;
  const wantsJson = situation.facts.format !== 'text';
  const rank = (model: Model) => {
    const verdict = situation.judge(model);
    const isShort = verdict.is === 'able' && verdict.fits === 'shortened';
    return (isShort ? 2 : 0) + (wantsJson && model.json === 'none' ? 1 : 0);
  };
  const { judge } = situation;
  return models.toSorted((a, b) => rank(a) - rank(b) || byShare(judge(a), judge(b)));
}

/** The first of them that can be asked. */
export function firstAble(situation: Situation, wanted: readonly Wanted[]): Wanted | undefined {
  return wanted.find(({ model }) => situation.judge(model).is === 'able');
}
