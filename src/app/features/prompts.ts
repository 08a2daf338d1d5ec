import { toolPrompts } from '#tools/prompts/tool-prompts.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type PromptsContext = Pick<FeatureContext, 'registry' | 'modelDirectory' | 'threads' | 'clock'>;

/** The prompts that start a listed tool. It follows the features whose tools have a prompt. */
export function promptsFeature({
  registry,
  modelDirectory,
  threads,
  clock,
}: PromptsContext): Feature {
  const listed = registry.listed();
  return {
    name: 'prompts',
    prompts: toolPrompts({ listed, modelDirectory, threads, clock }),
  };
}
