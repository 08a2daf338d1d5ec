import { join } from 'node:path';
import { decide } from '#calls/decide.ts';
import { userFolder } from '#config/home.ts';
import type { Caller } from '#core/call.ts';
import type { Tool } from '#core/tool.ts';
import { createWorkspace } from '#files/create-workspace.ts';
import { toolFacts } from '#manager/tool-sets.ts';
import { builtinTools } from '#tools/index.ts';
import type { Catalogue } from '#tools/materials/catalogue.ts';
import { toolDefinition } from '#tools/materials/tool-definition.ts';
import { TOOL_INDEX_URI, toolIndex } from '#tools/materials/tool-index.ts';
import { ALL_TOOLS_METHOD, describeTool } from '../all-tools.ts';
import { explainedOperation } from '../explain-operation.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type ToolsContext = Pick<
  FeatureContext,
  'loaded' | 'clock' | 'registry' | 'library' | 'calls' | 'desk' | 'manager' | 'threads'
>;

/** The built-in tools that ask models or explain, and every tool of the registry as a resource. */
export function toolsFeature(context: ToolsContext): Feature {
  const { loaded, clock, registry, library, calls } = context;
  const { config, home, sources } = loaded;
  const catalogue: Catalogue = {
    all: () => registry.all(),
    list: (caller) => calls.list(caller),
    decide: (caller, tool) => calls.decide(caller, tool),
  };
  const mayCall = (caller: Caller, tool: Tool) => decide(caller, tool).verdict !== 'deny';
  registry.onChange(() => library.touch(TOOL_INDEX_URI));
  return {
    name: 'tools',
    tools: builtinTools({
      ...context,
      catalogue,
      find(name, caller) {
        const tool = registry.find(name);
        return tool && mayCall(caller, tool) ? tool : undefined;
      },
      workspace: createWorkspace({
        clock,
        allowedDirs: config.allowedDirs,
        privateDirs: [home.root],
        userFolder: userFolder(sources.env),
        surroundings: sources.env,
        scratchDir: join(home.cacheDir, 'git'),
      }),
      locale: config.locale,
      operation: (name, caller) => explainedOperation(library, name, caller),
      toolFacts,
      suggest: (name, caller) => registry.suggest(name, (tool) => mayCall(caller, tool)),
    }),
    resources: [toolIndex(catalogue)],
    templates: [toolDefinition(catalogue)],
    adminMethods: {
      [ALL_TOOLS_METHOD]: async () => ({ tools: registry.all().map(describeTool) }),
    },
  };
}
