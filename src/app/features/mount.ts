import { CallError } from '#core/errors/call-error.ts';
import type { Engine } from '../engine.ts';
import type { Lifecycle } from '../daemon/lifecycle.ts';
import type { FeatureContext } from './context.ts';
import type { MountFeature } from './feature.ts';

/** Where features are added, and what stops them. */
export interface MountTarget {
  readonly addMethods: Engine['addMethods'];
  readonly addEndpoints: Engine['addEndpoints'];
  readonly lifecycle: Pick<Lifecycle, 'start'>;
}

/**
 * Adds features in order. The drain of each is a part of the lifecycle before anything else is
 * mounted, so that a feature that cannot start has those before it drained.
 */
export async function mountFeatures<Context extends Pick<FeatureContext, 'registry' | 'content'>>(
  features: readonly MountFeature<Context>[],
  context: Context,
  { addMethods, addEndpoints, lifecycle }: MountTarget,
): Promise<void> {
  const taken = new Set<string>();
  for (const mount of features) {
    const feature = await mount(context);
    const { name, tools, adminMethods = {}, endpoints = [], drain } = feature;
    if (drain) {
      await lifecycle.start(`${name} feature`, { start: () => undefined, stop: () => drain() });
    }
    const paths = endpoints.map(({ path }) => path);
    for (const own of [name, ...Object.keys(adminMethods), ...paths]) {
      if (taken.has(own)) throw new CallError('internal', `Two features have the name "${own}".`);
      taken.add(own);
    }
    if (tools) context.registry.put(name, tools);
    context.content.put(name, feature);
    addMethods(adminMethods);
    addEndpoints(endpoints);
  }
}
