import type { Catalogue, Model } from './model.ts';

interface RetiringModel {
  readonly model: Model;
  readonly until: string;
  /** Negative if the day is past and the model is still marked live. */
  readonly daysLeft: number;
}

/** Live models whose announced retirement is near or past, the nearest first. */
export function retiringSoon(
  catalogue: Pick<Catalogue, 'models'>,
  today: string,
  days = 30,
): readonly RetiringModel[] {
  return catalogue.models
    .flatMap((model) => {
      if (model.state !== 'live' || model.until === undefined) return [];
      const daysLeft = daysBetween(today, model.until);
      return daysLeft <= days ? [{ model, until: model.until, daysLeft }] : [];
    })
    .toSorted((a, b) => a.daysLeft - b.daysLeft);
}

const DAY_MS = 86_400_000;

/**
 * Days from one date to another, both `2026-11-15`; negative if the second is earlier, NaN for an
 * invalid date.
 */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}
