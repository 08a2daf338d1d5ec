import { decideAccess } from '#calls/access.ts';
import type { Caller } from '#core/calls/call.ts';
import type { Tool } from '#core/tools/tool.ts';
import { toolFacts } from '#manager/route/tool-sets.ts';
import { builtinTools } from '#tools/index.ts';
import type { ToolCatalogue } from '#tools/resources/tool-catalogue.ts';
import { TOOL_INDEX_URI, toolListResource, toolTemplate } from '#tools/resources/tool-resources.ts';
import { ALL_TOOLS_METHOD, describeTool } from '../all-tools.ts';
import { explainedOperation } from '../admin/explain-operation.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type ToolsContext = Pick<
  FeatureContext,
  | 'loaded'
  | 'clock'
  | 'registry'
  | 'content'
  | 'calls'
  | 'modelDirectory'
  | 'manager'
  | 'threads'
  | 'scannedWorkspace'
  | 'fileIntake'
  | 'onSettingsChange'
>;

/** The built-in tools that ask models or explain, and every tool of the registry as a resource. */
export function toolsFeature(context: ToolsContext): Feature {
  const { loaded, registry, content, calls } = context;
  const { config } = loaded;
  const catalogue: ToolCatalogue = {
    all: () => registry.all(),
    list: (caller) => calls.list(caller),
    decide: (caller, tool) => calls.decide(caller, tool),
  };
  const mayCall = (caller: Caller, tool: Tool) => decideAccess(caller, tool).verdict !== 'deny';
  registry.onChange(() => content.notifyUpdated(TOOL_INDEX_URI));
  const name = 'tools';
  const create = () =>
    builtinTools({
      ...context,
      catalogue,
      find(wanted, caller) {
        const tool = registry.find(wanted);
        return tool && mayCall(caller, tool) ? tool : undefined;
      },
      workspace: context.scannedWorkspace,
      locale: config.locale,
      operation: (wanted, caller) => explainedOperation(content, wanted, caller),
      toolFacts,
      suggest: (wanted, caller) => registry.suggest(wanted, (tool) => mayCall(caller, tool)),
    });
  context.onSettingsChange((now, before) => {
    if (now.config.locale !== before.config.locale) registry.put(name, create());
  });
  return {
    name,
    tools: create(),
    resources: [toolListResource(catalogue)],
    templates: [toolTemplate(catalogue)],
    adminMethods: {
      [ALL_TOOLS_METHOD]: async () => ({ tools: registry.all().map(describeTool) }),
    },
  };
}
