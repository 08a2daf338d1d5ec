import type { Ops } from '#core/ops.ts';
import type { Prompt } from '#core/prompt.ts';
import type { Resource, ResourceTemplate } from '#core/resource.ts';
import type { Threads } from '#core/threads.ts';
import { completeThreads } from '../prompts/complete-threads.ts';
import { toolPrompts, type PromptDeps } from '../prompts/index.ts';
import { createRecentThreads } from '../prompts/recent-threads.ts';
import { status } from '../status.ts';
import { threads } from '../threads.ts';
import type { Catalogue } from './catalogue.ts';
import { diagnose } from './diagnose.ts';
import { logsResource } from './logs.ts';
import { statusResource } from './status.ts';
import { threadList } from './thread-list.ts';
import { threadStories } from './thread-story.ts';
import { toolDefinition } from './tool-definition.ts';
import { toolIndex } from './tool-index.ts';
import { usageResource, type UsageDeps } from './usage.ts';

export interface BuiltinMaterials {
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

/** What tools keep and take, for those that show it. */
export interface KeptDeps extends PromptDeps, Pick<UsageDeps, 'usage'> {
  readonly threads: Threads;
  /** Of parts that have materials of their own. */
  readonly others?: readonly Partial<BuiltinMaterials>[];
}

/** Every prompt and resource that is built in. */
export function builtinMaterials(ops: Ops, catalogue: Catalogue, kept: KeptDeps): BuiltinMaterials {
  const own = {
    prompts: [diagnose],
    resources: [statusResource(status(ops)), toolIndex(catalogue)],
    templates: [toolDefinition(catalogue)],
  };
  const { usage, others = [] } = kept;
  const tool = threads(kept);
  const complete = completeThreads(createRecentThreads(kept));
  return {
    prompts: [
      ...own.prompts,
      ...toolPrompts(kept),
      ...others.flatMap(({ prompts = [] }) => prompts),
    ],
    resources: [
      ...own.resources,
      logsResource(ops),
      threadList(tool),
      usageResource({ ops, usage }),
      ...others.flatMap(({ resources = [] }) => resources),
    ],
    templates: [
      ...own.templates,
      ...threadStories(tool, complete),
      ...others.flatMap(({ templates = [] }) => templates),
    ],
  };
}
