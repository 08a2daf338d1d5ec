import type { Log } from '#core/telemetry.ts';

/** For commands that work without a daemon: what matters of their work, they say themselves. */
export const SILENT: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => SILENT,
};
