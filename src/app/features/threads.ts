import { threadListResource, threadTemplates } from '#tools/resources/thread-resources.ts';
import { completeThreads, createRecentThreads } from '#tools/prompts/completion.ts';
import { threads as threadsTool } from '#tools/threads/threads.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

/** Conversations, as a tool and as resources. */
export function threadsFeature(context: Pick<FeatureContext, 'threads' | 'clock'>): Feature {
  const tool = threadsTool(context);
  const complete = completeThreads(createRecentThreads(context));
  return {
    name: 'threads',
    tools: [tool],
    resources: [threadListResource(tool)],
    templates: threadTemplates(tool, complete),
  };
}
