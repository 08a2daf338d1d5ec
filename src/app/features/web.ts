import { webTools } from '#tools/web/index.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type WebContext = Pick<FeatureContext, 'web' | 'webPages' | 'clock' | 'loaded'>;

/** The tools that search the web and read its pages. */
export function webFeature(context: WebContext): Feature {
  const searchTool = () => context.loaded.config.tools.webSearch;
  return { name: 'web', tools: webTools({ ...context, searchTool }) };
}
