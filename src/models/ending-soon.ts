import { daysBetween } from './days.ts';
import type { Catalogue, Model } from './model.ts';

export interface Ending {
  readonly model: Model;
  readonly until: string;
  /** Negative when the day is past and the model is still called live. */
  readonly daysLeft: number;
}

/** The live models whose announced end is near or past, the nearest first. */
export function endingSoon(
  catalogue: Pick<Catalogue, 'models'>,
  today: string,
  days = 30,
): readonly Ending[] {
  return catalogue.models
    .flatMap((model) => {
      if (model.state !== 'live' || model.until === undefined) return [];
      const daysLeft = daysBetween(today, model.until);
      return daysLeft <= days ? [{ model, until: model.until, daysLeft }] : [];
    })
    .toSorted((a, b) => a.daysLeft - b.daysLeft);
}
