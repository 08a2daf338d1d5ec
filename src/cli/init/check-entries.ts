import { daemonState } from '#app/daemon/daemon-state.ts';
import { stopDaemon } from '#app/daemon/stop-daemon.ts';
import { countTools, type McpServerProgram } from '#app/mcp-server-check/count-tools.ts';
import { withTimeout } from '#app/with-timeout.ts';
import { variable } from '#config/environment.ts';
import type { Home } from '#config/home/home.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import type { InitClient } from './client-definition.ts';
import { INIT_CLIENTS } from './clients.ts';
import { SETTINGS_FORMATS } from './edit-settings.ts';
import type { LaunchCommand } from './launch-command.ts';
import type { EntryCheck, InitOutcome } from './outcome.ts';
import type { PathContext } from './paths.ts';
import { readSettingsFile } from './settings-file.ts';
import { settingsError } from './settings-syntax-error.ts';
import { userPath } from './user-path.ts';

/** The fields that the entries of our clients have; opencode has its own names. */
interface WrittenEntry {
  readonly command?: string | readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface EntryCheckContext {
  readonly machine: PathContext;
  readonly home: Home;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The token of the daemon, read when it runs. */
  readonly token: () => string;
}

/** A daemon has 20 seconds to start, and the shim waits for it. */
const ANSWER_WITHIN_MS = 30_000;
/** A daemon without other clients has nothing to finish. */
const STOP_WITHIN_MS = 10_000;

/**
 * The variables that clients hand on to servers: what the SDKs of MCP and Codex pass. Some clients
 * pass everything that they have, but none can be relied on to have a setting of this shell.
 */
const PASSED: Readonly<Record<PathContext['platform'], readonly string[]>> = {
  linux: ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'],
  darwin: ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'],
  win32: [
    'APPDATA',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMFILES',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'USERNAME',
    'USERPROFILE',
  ],
};

/** The PATH of a program that is started from the desktop, without a profile. */
const DESKTOP_PATH = {
  linux: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  darwin: '/usr/bin:/bin:/usr/sbin:/sbin',
} as const;

/**
 * Starts the entry of every client that is connected now, as that client would, and adds what came
 * of it. Entries that are started in the same way are started once. A daemon that was started by
 * this is stopped: it has only the settings of a client, and none of this shell.
 */
export async function checkEntries(
  outcomes: readonly InitOutcome[],
  context: EntryCheckContext,
): Promise<InitOutcome[]> {
  const wasAbsent = daemonState(context.home).is === 'absent';
  const known = new Map<string, EntryCheck>();
  const checked: InitOutcome[] = [];
  try {
    for (const outcome of outcomes) checked.push(await checkOutcome(outcome, context, known));
  } finally {
    if (wasAbsent && known.size > 0) await stopStartedDaemon(context);
  }
  return checked;
}

async function checkOutcome(
  outcome: InitOutcome,
  context: EntryCheckContext,
  known: Map<string, EntryCheck>,
): Promise<InitOutcome> {
  const client = INIT_CLIENTS.find(({ id }) => id === outcome.client);
  const { file, written, state } = outcome;
  if (!client || file === undefined || !(written || state === 'connected')) return outcome;
  if (context.signal.aborted) return outcome;
  try {
    const server = serverOf(client, readEntry(client, file), context.machine);
    const key = JSON.stringify(server);
    const check = known.get(key) ?? (await startEntry(server, context));
    known.set(key, check);
    // A check that the user cancelled says nothing about the entry.
    if (check.is === 'failed' && check.error.class === 'cancelled') return outcome;
    return { ...outcome, check };
  } catch (thrown) {
    return { ...outcome, check: { is: 'failed', error: settingsError(thrown, file) } };
  }
}

async function startEntry(
  server: McpServerProgram,
  context: EntryCheckContext,
): Promise<EntryCheck> {
  const { clock, signal } = context;
  try {
    const tools = await countTools(server, { timeoutMs: ANSWER_WITHIN_MS, clock, signal });
    return { is: 'answers', tools };
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class === 'internal') throw thrown;
    return { is: 'failed', error };
  }
}

/** The command in the settings of a client, read as the client reads it. */
function readEntry(client: InitClient, file: string): LaunchCommand {
  const format = SETTINGS_FORMATS[client.format];
  const text = readSettingsFile(file)?.text ?? '';
  const path = client.keyPath((each) => format.at(text, each));
  const entry = Object(format.at(text, path)) as WrittenEntry;
  const [command = '', ...args] = [entry.command ?? [], entry.args ?? []].flat();
  return { command, args, env: entry.environment ?? entry.env ?? {} };
}

/** How a client starts a server: the entry, in the environment that the client hands on. */
export function serverOf(
  client: Pick<InitClient, 'startedFrom'>,
  { command, args, env = {} }: LaunchCommand,
  machine: PathContext,
): McpServerProgram {
  const passed: Record<string, string> = {};
  for (const name of PASSED[machine.platform]) {
    const value = variable(machine.env, name);
    if (value !== undefined) passed[name] = value;
  }
  const PATH = clientPath(client, machine);
  return { command, args, env: { ...passed, PATH, ...env }, cwd: machine.home };
}

function clientPath({ startedFrom }: Pick<InitClient, 'startedFrom'>, machine: PathContext) {
  if (startedFrom === 'shell' || machine.platform === 'win32') return userPath(machine);
  return DESKTOP_PATH[machine.platform];
}

async function stopStartedDaemon({ home, clock, token }: EntryCheckContext): Promise<void> {
  try {
    if (daemonState(home).is !== 'running') return;
    const stopped = stopDaemon(home, clock, token(), () => undefined);
    await withTimeout(clock, STOP_WITHIN_MS, stopped);
  } catch (thrown) {
    // It runs on, as it would after a client had started it.
    if (!(thrown instanceof CallError)) throw thrown;
  }
}
