import { runToolLoop } from '#agent/loop.ts';
import { isCallable } from '#calls/access.ts';
import type { Caller } from '#core/calls/call.ts';
import { sleep } from '#core/time/clock.ts';
import type { Tool } from '#core/tools/tool.ts';
import { toolFacts } from '#manager/route/tool-sets.ts';
import { builtinTools } from '#tools/index.ts';
import type { ToolCatalogue } from '#tools/resources/tool-catalogue.ts';
import type { ToolLoopDeps } from '#tools/shared/tool-loop.ts';
import { createLearntWords } from '#tools/search/learnt-words.ts';
import { createRanking } from '#tools/search/ranking/create-ranking.ts';
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
  | 'access'
  | 'calls'
  | 'modelDirectory'
  | 'manager'
  | 'threads'
  | 'scannedWorkspace'
  | 'fileIntake'
  | 'fileIndex'
  | 'checkSentTexts'
  | 'onSettingsChange'
  | 'onCallEnded'
  | 'serverNotes'
  | 'store'
>;

/** More than any conversation takes. */
const MAX_RANKED = 128;

/** The built-in tools that ask models or explain, and every tool of the registry as a resource. */
export function toolsFeature(context: ToolsContext): Feature {
  const { loaded, registry, content, access, calls } = context;
  const { config } = loaded;
  const catalogue: ToolCatalogue = {
    all: () => registry.all(),
    list: (caller) => calls.list(caller),
    decide: (caller, tool) => calls.decide(caller, tool),
  };
  const mayCall = (caller: Caller, tool: Tool) => access.decide(caller, tool).verdict !== 'deny';
  registry.onChange(() => content.notifyUpdated(TOOL_INDEX_URI));
  const usableBy = (caller: Caller, tool: Tool | undefined) =>
    tool && !tool.quarantine && isCallable(access.decide(caller, tool)) ? tool : undefined;
  const ranking = createRanking(() => sleep(context.clock, 0));
  const learnt = createLearntWords({
    isOn: () => loaded.config.tools.learnFromUse,
    settings: context.store.settings,
    clock: context.clock,
  });
  context.onCallEnded(({ principal, tool, status }) => {
    if (status === 'success') learnt.called(principal, tool);
  });
  const toolLoop: ToolLoopDeps = {
    runToolLoop,
    clock: context.clock,
    modelDirectory: context.modelDirectory,
    prepareRanking: () => ranking.prepare(registry.all()),
    rankTools(tools, query) {
      const byName = new Map(tools.map((tool) => [tool.name, tool]));
      const options = { limit: MAX_RANKED, accepts: (wanted: string) => byName.has(wanted) };
      return ranking
        .rank(registry.all(), query, options)
        .flatMap((found) => byName.get(found.name) ?? []);
    },
    toolsOf: (caller) => ({
      find: (wanted) => usableBy(caller, registry.find(wanted)),
      all: () => registry.all().filter((tool) => usableBy(caller, tool)),
      quarantineOf(wanted) {
        const tool = registry.find(wanted);
        return tool && mayCall(caller, tool) ? tool.quarantine : undefined;
      },
    }),
  };
  const name = 'tools';
  const create = () =>
    builtinTools({
      ...context,
      catalogue,
      ranking,
      learnt,
      serverNote: (server) => context.serverNotes.of(server),
      unavailableServers: (caller) => context.serverNotes.unavailable(caller),
      explainUnknown: (wanted, caller) => registry.explainUnknown(wanted, caller),
      startingServers: (caller) => context.serverNotes.starting(caller),
      find(wanted, caller) {
        const tool = registry.find(wanted);
        return tool && mayCall(caller, tool) ? tool : undefined;
      },
      workspace: context.scannedWorkspace,
      locale: config.locale,
      toolLoop,
      operation: (wanted, caller) => explainedOperation(context, wanted, caller),
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
    drain: () => learnt.close(),
    adminMethods: {
      [ALL_TOOLS_METHOD]: async () => ({ tools: registry.all().map(describeTool) }),
    },
  };
}
