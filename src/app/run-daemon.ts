import { setFlagsFromString } from 'node:v8';
import type { LoadedConfig } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import { ERROR_POLICY } from '#core/error-class.ts';
import { bounded } from './bounded.ts';
import type { DaemonRecord } from './daemon-file.ts';
import { startDaemon, type DaemonOptions } from './start-daemon.ts';
import { listenForStop } from './stop-requests.ts';
import type { System } from './system.ts';
import type { Telemetry } from './telemetry.ts';

const LAST_WORDS_MS = 2000;

/**
 * What a call leaves behind lives for milliseconds. The engine takes some of it for things that stay, and its threads for collecting it cost
 * more than they save: without both a chat of the gateway takes a fifth less of the processor.
 */
const MEMORY_FLAGS = ['--no-allocation-site-pretenuring', '--no-parallel-scavenge'];

/** The daemon as the work of this process: from its start until a signal has stopped it. */
export async function runDaemon(
  loaded: LoadedConfig,
  system: System,
  onReady: (record: DaemonRecord) => void,
  options?: DaemonOptions,
): Promise<void> {
  MEMORY_FLAGS.forEach(setFlagsFromString);
  const requests = listenForStop();
  const daemon = await startDaemon(loaded, system, options);
  // Rejections that nobody handles arrive here too.
  process.on('uncaughtException', (error) => void endOnBug(error, daemon.telemetry, system));
  onReady(daemon.record);
  await daemon.stop(await Promise.race([requests.first, daemon.stopRequested]));
  requests.stopListening();
}

/** A bug nobody caught leaves unknown state behind: write it down and go. Lock and store heal at the next start. */
async function endOnBug(error: unknown, telemetry: Telemetry, system: System): Promise<void> {
  telemetry.log.error('uncaught', { error });
  // The log redacts; a terminal would not.
  system.warn(`${CallError.from(error).message} Show it with: exai logs`);
  await bounded(system.clock, LAST_WORDS_MS, telemetry.flush());
  process.exit(ERROR_POLICY.internal.exit);
}
