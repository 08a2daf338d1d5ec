import { daemonState } from '#app/daemon/daemon-state.ts';
import { RELOAD_METHOD, RESTART_COMMAND, type ReloadAnswer } from '#app/settings/reload-answer.ts';
import { keepAlive } from '#app/system.ts';
import { homePaths } from '#config/home/home.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Io } from './io.ts';
import { runWithDaemon } from './run-with-daemon.ts';

/** What became of the settings in the running daemon, for --json and for texts. */
export type ReloadOutcome =
  | { readonly is: 'no_daemon' }
  | ({ readonly is: 'reloaded' } & ReloadAnswer)
  /** The daemon keeps the settings it has. */
  | { readonly is: 'refused'; readonly error: CallError };

const TIMEOUT_MS = 30_000;

/** Has the running daemon load its settings again; `paths` are those that the caller changed. */
export async function reloadDaemon(
  io: Pick<Io, 'env' | 'stderr'>,
  paths: readonly string[] = [],
): Promise<ReloadOutcome> {
  const { is: state } = daemonState(homePaths(io.env));
  if (state === 'absent') return { is: 'no_daemon' };
  try {
    const answer = await keepAlive(
      runWithDaemon(
        io,
        ({ request }) => request(RELOAD_METHOD, { paths }, { timeoutMs: TIMEOUT_MS }),
        { autostart: 'off', noticeOutput: 'skip' },
      ),
    );
    return { is: 'reloaded', ...(answer as ReloadAnswer) };
  } catch (thrown) {
    const error = CallError.from(thrown);
    // One that starts reads the settings again when it can be reached, and one that stops needs none.
    if (state === 'between' && error.class === 'network') return { is: 'no_daemon' };
    return { is: 'refused', error };
  }
}

/** The outcome as JSON data. */
export function reloadJson(outcome: ReloadOutcome): object {
  return outcome.is === 'refused' ? { is: 'refused', error: outcome.error.toJSON() } : outcome;
}

/** A setting that a command has changed, and the file that it wrote. */
export interface WrittenSetting {
  readonly path: string;
  readonly in: 'config.json' | '.env';
}

/** What a user who changed a setting has to know. */
export function describeReload(outcome: ReloadOutcome, written: WrittenSetting): readonly string[] {
  switch (outcome.is) {
    case 'no_daemon':
      return ['No daemon runs; the next one starts with it.'];
    case 'refused': {
      const { message, fix } = outcome.error;
      return [
        `The running daemon keeps its settings: ${message}`,
        ...(fix === undefined ? [] : [`fix: ${fix}`]),
      ];
    }
    case 'reloaded':
      return [describeEffect(outcome, written)];
  }
}

function describeEffect(
  { applied, restart, overridden }: ReloadAnswer,
  { path, in: file }: WrittenSetting,
): string {
  if (applied.includes(path)) return 'It is in effect in the running daemon.';
  if (restart.some((each) => each.path === path)) return `Restart needed: ${RESTART_COMMAND}`;
  const by = overridden.find(
    (each) => each.path === path && !(file === '.env' && each.source === 'dotenv'),
  )?.by;
  return by === undefined
    ? 'The running daemon has the same value already.'
    : `The running daemon has another value, from ${by}.`;
}
