import { webTools } from '#tools/web/index.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

/** The tools that search the web and read its pages. */
export function webFeature(context: Pick<FeatureContext, 'web' | 'webPages' | 'clock'>): Feature {
  return { name: 'web', tools: webTools(context) };
}
