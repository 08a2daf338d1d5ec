import { toolPrompts } from '#tools/prompts/index.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type PromptsContext = Pick<FeatureContext, 'registry' | 'desk' | 'threads' | 'clock'>;

/** The prompts that start a listed tool. It follows the features whose tools have a prompt. */
export function promptsFeature({ registry, desk, threads, clock }: PromptsContext): Feature {
  const listed = registry.listed();
  return { name: 'prompts', prompts: toolPrompts({ listed, desk, threads, clock }) };
}
