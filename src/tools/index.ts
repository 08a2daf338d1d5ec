import type { Ops } from '#core/ops.ts';
import type { Tool } from '#core/tool.ts';
import type { ModelDesk } from '#models/desk.ts';
import { activity } from './activity.ts';
import { health } from './health.ts';
import { listmodels } from './listmodels.ts';
import { providerCapabilities } from './provider-capabilities.ts';
import { status } from './status.ts';
import { version } from './version.ts';

/** Every tool that is built in. */
export function builtinTools(ops: Ops, desk: ModelDesk): readonly Tool[] {
  return [
    activity(ops),
    health(ops),
    listmodels(desk),
    providerCapabilities(desk),
    status(ops),
    version(ops),
  ];
}
