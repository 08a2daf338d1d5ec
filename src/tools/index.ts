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
import { apilookup } from './apilookup.ts';
import { glmPayloadPreview } from './glm-payload-preview.ts';
import { health } from './health.ts';
import { kimiIntentAnalysis } from './kimi-intent-analysis.ts';
import { listmodels } from './listmodels.ts';
import { planner } from './planner.ts';
import { providerCapabilities } from './provider-capabilities.ts';
import { route, type RouteDeps } from './route.ts';
import { status } from './status.ts';
import { toolHelp, type ToolHelpDeps } from './tool-help.ts';
import { version } from './version.ts';
import { defineWorkflow } from './workflow/define-workflow.ts';
import { WORKFLOWS } from './workflow/definitions/index.ts';

export interface BuiltinDeps extends Omit<RouteDeps, 'manager'> {
  readonly desk: ModelDesk;
  readonly manager: Pick<Manager, 'explain' | 'classify'>;
  readonly catalogue: ToolHelpDeps['catalogue'];
  readonly threads: Threads;
  readonly workspace: Workspace;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Of the settings; may be empty. */
  readonly locale: string;
}

/** The tools that ask models, and those that explain tools and routes. */
export function builtinTools(deps: BuiltinDeps): readonly Tool[] {
  return [
    apilookup(deps),
    challenge,
    chat(deps),
    consensus(deps),
    glmPayloadPreview(deps),
    kimiIntentAnalysis(deps.manager),
    planner(deps),
    route(deps),
    toolHelp(deps),
    ...WORKFLOWS.map((definition) => defineWorkflow(definition, deps)),
  ];
}

/** The tools that report the state of the daemon. */
export function opsTools(ops: Ops): readonly Tool[] {
  return [activity(ops), health(ops), status(ops), version(ops)];
}

/** The tools that list models and providers. */
export function modelTools(desk: ModelDesk): readonly Tool[] {
  return [listmodels(desk), providerCapabilities(desk)];
}
