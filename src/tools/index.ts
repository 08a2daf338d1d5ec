import type { Ops } from '#core/ops.ts';
import type { Tool } from '#core/tool.ts';
import { activity } from './activity.ts';
import { health } from './health.ts';
import { status } from './status.ts';
import { version } from './version.ts';

/** Every tool that is built in. */
export function builtinTools(ops: Ops): readonly Tool[] {
  return [activity(ops), health(ops), status(ops), version(ops)];
}
