import type { Model } from '#models/model.ts';
import type { RouteWorld } from './route-world.ts';

/** A server may list thousands; who is not among the best of them is asked only by name. */
const MAX_MODELS = 8;

export function ownModels({ custom }: Pick<RouteWorld, 'custom'>): readonly Model[] {
  return custom.slice(0, MAX_MODELS);
}
