/** What MCP's conformance suite wants to find in a server, by the names and words that it looks for. Only for tests. */
import type { Prompt } from '#core/prompt.ts';
import type { Resource, ResourceTemplate } from '#core/resource.ts';
import type { Tool } from '#core/tool.ts';
import { contentTools } from './content.ts';
import { elicitationTools } from './elicitation.ts';
import { prompts } from './prompts.ts';
import { resources, templates } from './resources.ts';
import { roundTools } from './rounds.ts';
import { schemaTools } from './schema.ts';
import { subscriptionTools } from './subscriptions.ts';
import { talkingTools } from './talking.ts';
import { taskTools } from './tasks.ts';

export interface ConformanceWorld {
  /** Resolves after so long, or at once when the call is given up. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Has everybody who listens told that there is another list. */
  readonly toolsChanged: () => void;
  readonly promptsChanged: () => void;
}

export interface ConformanceKit {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

export function conformanceKit(world: ConformanceWorld): ConformanceKit {
  const tools = [
    ...contentTools,
    ...talkingTools(world),
    ...elicitationTools,
    ...roundTools,
    ...subscriptionTools(world),
    ...schemaTools,
    ...taskTools(world),
  ];
  return { tools, prompts, resources, templates };
}
