import { threadList } from '#tools/materials/thread-list.ts';
import { threadStories } from '#tools/materials/thread-story.ts';
import { completeThreads } from '#tools/prompts/complete-threads.ts';
import { createRecentThreads } from '#tools/prompts/recent-threads.ts';
import { threads as threadsTool } from '#tools/threads.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

/** Conversations, as a tool and as resources. */
export function threadsFeature(context: Pick<FeatureContext, 'threads' | 'clock'>): Feature {
  const tool = threadsTool(context);
  const complete = completeThreads(createRecentThreads(context));
  return {
    name: 'threads',
    tools: [tool],
    resources: [threadList(tool)],
    templates: threadStories(tool, complete),
  };
}
