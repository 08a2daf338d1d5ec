import { withDaemon } from '#client/daemon-client.ts';
import { connectToDaemon } from '#client/connect-to-daemon.ts';
import type { ChangedSetting } from '#config/load/changed-settings.ts';
import type { Environment } from '#config/environment.ts';
import type { Home } from '#config/home/home.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { SentNotice } from '#core/messages/notices-wire.ts';
import { VERSION } from '#core/version.ts';
import type { KeyTest } from '../admin/test-keys.ts';
import type { DaemonState } from '../daemon/daemon-state.ts';
import { loadWebSocket } from '../daemon/load-web-socket.ts';
import type { Readiness } from '../daemon/readiness.ts';
import type { System } from '../system.ts';

/** One line of `exai doctor`. `off`: not configured, and nothing else depends on it. */
export interface Check {
  readonly id: string;
  readonly title: string;
  readonly status: 'ok' | 'warn' | 'fail' | 'off';
  readonly detail: string;
  /** The command or sentence that fixes it. */
  readonly fix?: string;
  /** The one command to run next, where `fix` says more than that. */
  readonly next?: string;
  /** Of a provider with a warning: one of its models can still answer. */
  readonly answers?: 'yes';
}

/** The line of a failed check, with the fix of its error. */
export function failedCheck(check: Pick<Check, 'id' | 'title'>, thrown: unknown): Check {
  const { message, fix } = CallError.from(thrown);
  return { ...check, status: 'fail', detail: message, ...(fix !== undefined && { fix }) };
}

/** The input of all checks. */
export interface CheckContext {
  readonly env: Environment;
  readonly system: System;
  readonly home: Home;
  /** Default: the file of the home. */
  readonly configFile: string;
  /** The configuration, or the error of loading it; checks that need it are then silent. */
  readonly loaded: LoadedConfig | CallError;
  readonly daemon: DaemonState;
  /** Undefined if no daemon runs. */
  readonly readiness: Readiness | undefined;
  /**
   * The notices of a running daemon, including those about the settings of this shell; requested
   * once.
   */
  readonly notices: () => Promise<readonly SentNotice[]>;
  /** The answers of all providers to whether they accept their keys; requested once. */
  readonly keyTests: () => Promise<readonly KeyTest[]>;
  /** Settings that were changed since the running daemon loaded them; requested once. */
  readonly changed: () => Promise<readonly ChangedSetting[]>;
}

export type RunCheck = (context: CheckContext) => readonly Check[] | Promise<readonly Check[]>;

const ANSWER_WITHIN_MS = 3000;

export type Question = (method: string, params: Record<string, unknown>) => Promise<unknown>;

/**
 * Sends a request to the running daemon as its owner; undefined if that is impossible without
 * changing something.
 */
export async function requestFromDaemon<T>(
  context: Pick<CheckContext, 'daemon' | 'readiness' | 'home' | 'env' | 'system'>,
  work: (ask: Question) => Promise<T>,
): Promise<T | undefined> {
  const { daemon: state, readiness, home, env, system } = context;
  // A daemon of another version would be asked to stop, and nothing may change here.
  if (state.is !== 'running' || !readiness?.ready || state.record.version !== VERSION) {
    return undefined;
  }
  const reach = () =>
    connectToDaemon({
      home,
      kind: 'cli',
      version: VERSION,
      cwd: home.root,
      env,
      clock: system.clock,
      autostart: 'off',
      loadWebSocket,
    });
  return withDaemon(reach, system.clock, (client) =>
    work((method, params) => client.request(method, params, { timeoutMs: ANSWER_WITHIN_MS })),
  );
}
