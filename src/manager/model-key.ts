import type { Model } from '#models/model.ts';

/** What tells two models apart: two providers may have one of the same name. */
export function modelKey({ provider, id }: Pick<Model, 'provider' | 'id'>): string {
  return `${provider} ${id}`;
}
