import type { Manager } from '#core/ask.ts';
import type { Clock } from '#core/clock.ts';
import type { Ops } from '#core/ops.ts';
import type { Tool } from '#core/tool.ts';
import type { ModelDesk } from '#models/desk.ts';
import type { Threads } from '#core/threads.ts';
import type { Workspace } from '#core/workspace.ts';
import { activity } from './activity.ts';
import { challenge } from './challenge.ts';
import { chat } from './chat.ts';
import { consensus } from './consensus/consensus.ts';
import { jobTools } from './jobs/tools.ts';
import type { JobToolDeps } from './jobs/deps.ts';
import { apilookup } from './apilookup.ts';
import { glmPayloadPreview } from './glm-payload-preview.ts';
import { health } from './health.ts';
import { kimiIntentAnalysis } from './kimi-intent-analysis.ts';
import { listmodels } from './listmodels.ts';
import { planner } from './planner.ts';
import { providerCapabilities } from './provider-capabilities.ts';
import { route, type RouteDeps } from './route.ts';
import { status } from './status.ts';
import { threads } from './threads.ts';
import { toolHelp, type ToolHelpDeps } from './tool-help.ts';
import { version } from './version.ts';
import { defineWorkflow } from './workflow/define-workflow.ts';
import { WORKFLOWS } from './workflow/definitions/index.ts';

export interface BuiltinDeps extends Omit<RouteDeps, 'manager'>, Omit<JobToolDeps, 'clock'> {
  readonly ops: Ops;
  readonly desk: ModelDesk;
  readonly manager: Pick<Manager, 'explain' | 'classify'>;
  readonly catalogue: ToolHelpDeps['catalogue'];
  readonly threads: Threads;
  readonly workspace: Workspace;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Of the settings; may be empty. */
  readonly locale: string;
}

/** Every tool that is built in. */
export function builtinTools(deps: BuiltinDeps): readonly Tool[] {
  const { ops, desk, manager } = deps;
  return [
    activity(ops),
    apilookup(deps),
    challenge,
    chat(deps),
    consensus(deps),
    glmPayloadPreview(deps),
    health(ops),
    kimiIntentAnalysis(manager),
    listmodels(desk),
    planner(deps),
    providerCapabilities(desk),
    route(deps),
    status(ops),
    threads(deps),
    toolHelp(deps),
    version(ops),
    ...jobTools(deps),
    ...WORKFLOWS.map((definition) => defineWorkflow(definition, deps)),
  ];
}
