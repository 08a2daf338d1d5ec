import type { Manager } from '#core/ask.ts';
import type { Ops } from '#core/ops.ts';
import type { Tool } from '#core/tool.ts';
import type { ModelDesk } from '#models/desk.ts';
import { activity } from './activity.ts';
import { chat } from './chat.ts';
import { health } from './health.ts';
import { kimiIntentAnalysis } from './kimi-intent-analysis.ts';
import { listmodels } from './listmodels.ts';
import { providerCapabilities } from './provider-capabilities.ts';
import { route, type RouteDeps } from './route.ts';
import { status } from './status.ts';
import { version } from './version.ts';

export interface BuiltinDeps extends Omit<RouteDeps, 'manager'> {
  readonly ops: Ops;
  readonly desk: ModelDesk;
  readonly manager: Pick<Manager, 'explain' | 'classify'>;
}

/** Every tool that is built in. */
export function builtinTools(deps: BuiltinDeps): readonly Tool[] {
  const { ops, desk, manager } = deps;
  return [
    activity(ops),
    chat,
    health(ops),
    kimiIntentAnalysis(manager),
    listmodels(desk),
    providerCapabilities(desk),
    route(deps),
    status(ops),
    version(ops),
  ];
}
