import type { Reason } from '#core/messages/reasons.ts';
import type { RouteFacts } from '#core/route.ts';
import type { Model } from '#models/model.ts';
import type { RoleName } from '#models/roles.ts';
import type { Verdict } from '../capable.ts';
import type { Classified } from '../classify.ts';
import type { RouteWorld } from '../route-world.ts';

/** A model that somebody named, as far as the name means one. */
export interface Named {
  readonly name: string;
  /** `caller`: with the request; `setting`: for all that name none; `thread`: by what was said before. */
  readonly by: 'caller' | 'setting' | 'thread';
  /** What the caller wrote, where the settings of the gateway say that it means this name. */
  readonly writtenAs?: string;
  readonly model?: Model;
}

/** All that rules look at. */
export interface Situation {
  readonly facts: RouteFacts;
  readonly world: RouteWorld;
  readonly classified: Classified;
  readonly named?: Named;
  readonly locked?: Named;
  /** The same for the same model, however often it is asked for. */
  readonly judge: (model: Model) => Verdict;
}

/** A model that a rule would have, and as what. */
export interface Wanted {
  readonly model: Model;
  readonly role?: RoleName;
  /** That it answers, and as what; goes on `…, so`. */
  readonly choice: Reason;
}

/** Whether a rule is about the request, and why. */
export interface Applies {
  readonly is: 'yes' | 'no';
  readonly reason: Reason;
}

export interface Rule {
  /** Its place in the list, from 1. */
  readonly number: number;
  readonly id: string;
  /** The condition, in words. */
  readonly when: string;
  /** Whom it chooses, in words. */
  readonly route: string;
  applies(situation: Situation): Applies;
  /** Best first. */
  wants(situation: Situation): readonly Wanted[];
}

export function yes(reason: Reason): Applies {
  return { is: 'yes', reason };
}

export function no(reason: Reason): Applies {
  return { is: 'no', reason };
}
