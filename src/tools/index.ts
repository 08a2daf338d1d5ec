import type { FileIndex } from '#core/files/file-index.ts';
import type { CheckSentTexts } from '#core/files/sent-texts.ts';
import type { FileIntake } from '#core/files/file-intake.ts';
import type { Manager } from '#core/llm/ask.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Diagnostics } from '#core/diagnostics/diagnostics.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import type { Threads } from '#core/threads.ts';
import type { ReadableWorkspace } from '#core/workspace.ts';
import type { ToolLoopDeps } from './shared/tool-loop.ts';
import { activity } from './activity.ts';
import { challenge } from './challenge.ts';
import { chat } from './chat.ts';
import { consensus } from './consensus/consensus.ts';
import { apilookup } from './apilookup.ts';
import { describeImage } from './describe-image.ts';
import { fileChat } from './file-chat/file-chat.ts';
import { glmPayloadPreview } from './glm-payload-preview.ts';
import { health } from './health.ts';
import { kimiChatWithTools } from './kimi-chat-with-tools.ts';
import { kimiIntentAnalysis } from './kimi-intent-analysis.ts';
import { listmodels } from './listmodels.ts';
import { planner } from './planner/planner.ts';
import { providerCapabilities } from './provider-capabilities.ts';
import { route, type RouteDeps } from './route.ts';
import { searchFiles } from './search-files.ts';
import { status } from './status.ts';
import { readingWrapper, writingWrapper } from './search/call-tool.ts';
import type { ToolRanking } from './search/ranking/create-ranking.ts';
import { getToolSchemas } from './search/get-tool-schemas.ts';
import { multiExecuteTool } from './search/multi-execute-tool.ts';
import { searchTools, type SearchDeps } from './search/search-tools.ts';
import { version } from './version.ts';
import type { ToolCatalogue } from './resources/tool-catalogue.ts';
import { defineWorkflow } from './workflow/define-workflow.ts';
import { WORKFLOWS } from './workflow/definitions/index.ts';

export interface BuiltinDeps extends Omit<RouteDeps, 'manager'>, Omit<SearchDeps, 'ranking'> {
  readonly modelDirectory: ModelDirectory;
  readonly manager: Pick<Manager, 'explain' | 'classify'>;
  readonly catalogue: ToolCatalogue;
  readonly threads: Threads;
  readonly workspace: ReadableWorkspace;
  readonly fileIntake: FileIntake;
  readonly fileIndex: FileIndex;
  readonly checkSentTexts: CheckSentTexts;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly toolLoop: ToolLoopDeps;
  readonly ranking: ToolRanking;
  /** Preferred language as configured; may be empty. */
  readonly locale: string;
}

/** Creates the tools that ask models, and those that explain tools and routes. */
export function builtinTools(deps: BuiltinDeps): readonly Tool[] {
  return [
    apilookup(deps),
    readingWrapper,
    writingWrapper,
    challenge,
    chat(deps),
    consensus(deps),
    describeImage(deps),
    fileChat(deps),
    getToolSchemas(deps),
    glmPayloadPreview(deps),
    kimiChatWithTools(deps),
    kimiIntentAnalysis(deps.manager),
    multiExecuteTool,
    planner(deps),
    route(deps),
    searchFiles(deps),
    searchTools(deps),
    ...WORKFLOWS.map((definition) => defineWorkflow(definition, deps)),
  ];
}

/** Creates the tools that report the state of the daemon. */
export function opsTools(ops: Diagnostics): readonly Tool[] {
  return [activity(ops), health(ops), status(ops), version(ops)];
}

/** Creates the tools that list models and providers. */
export function modelTools(modelDirectory: ModelDirectory): readonly Tool[] {
  return [listmodels(modelDirectory), providerCapabilities(modelDirectory)];
}
