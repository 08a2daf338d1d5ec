import type { Log } from '#core/telemetry/telemetry.ts';

/** A log without output, for commands that run without a daemon and print their own results. */
export const SILENT_LOG: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => SILENT_LOG,
};
