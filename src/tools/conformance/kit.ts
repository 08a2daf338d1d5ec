/**
 * The fixtures that MCP's conformance suite expects of a server, with the names and texts it looks
 * for. Only for tests.
 */
import type { Prompt } from '#core/tools/prompt.ts';
import type { Resource, ResourceTemplate } from '#core/tools/resource.ts';
import type { Tool } from '#core/tools/tool.ts';
import { contentTools, schemaTools } from './content.ts';
import { elicitationTools, roundTools } from './input-required.ts';
import { prompts } from './prompts.ts';
import { resources, templates } from './resources.ts';
import { progressTools, subscriptionTools } from './notifications.ts';
import { taskTools } from './tasks.ts';

export interface ConformanceDeps {
  /** Resolves after the time, or at once when the call is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Notifies subscribers of a changed list. */
  readonly toolsChanged: () => void;
  readonly promptsChanged: () => void;
}

export interface ConformanceKit {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

export function conformanceKit(world: ConformanceDeps): ConformanceKit {
  const tools = [
    ...contentTools,
    ...progressTools(world),
    ...elicitationTools,
    ...roundTools,
    ...subscriptionTools(world),
    ...schemaTools,
    ...taskTools(world),
  ];
  return { tools, prompts, resources, templates };
}
