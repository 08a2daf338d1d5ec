import { fetchReadiness, daemonState, type DaemonState } from '#app/daemon/daemon-state.ts';
import { needsToken } from '#app/listeners/bind-policy.ts';
import { daemonUrl, reachableUrl } from '#app/listeners/daemon-url.ts';
import { autostartOf } from '#client/connect-to-daemon.ts';
import type { Home } from '#config/home/home.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { CallError, type ErrorJson } from '#core/errors/call-error.ts';
import { GATEWAY_OPERATIONS } from '#core/llm/gateway.ts';
import type { Clock } from '#core/time/clock.ts';
import { readCallResult } from '../call-result.ts';
import { escapeControls } from '../format/escape-controls.ts';
import type { Io } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

/** The address of the gateway, current or planned. */
export interface GatewayLocation {
  /** Without a path: `http://127.0.0.1:8765`. */
  readonly url: string;
  readonly daemon: DaemonState['is'];
  readonly needsKey: boolean;
}

/** Reads the address from the running daemon; without one, from the settings. */
export async function locateGateway(
  { config, home }: Pick<LoadedConfig, 'config' | 'home'>,
  clock: Clock,
): Promise<GatewayLocation> {
  const state = daemonState(home);
  const isTokenConfigured = needsToken(config);
  if (state.is !== 'running') {
    const { port } = config;
    if (port === 'off') throw noTcpError();
    if (port === 0) throw unknownPortError();
    return { url: plannedUrl(config, port), daemon: state.is, needsKey: isTokenConfigured };
  }
  const { url } = state.record;
  if (url === undefined) throw noTcpError();
  if (state.record.gateway === 'off') throw gatewayDisabledError();
  // The settings may have changed since the daemon started. It reports its store only to callers
  // that need no token.
  const { ready, store } = await fetchReadiness(state.record, { home, token: '', clock });
  const needsKey = ready ? store === undefined : isTokenConfigured;
  return { url: reachableUrl(url), daemon: state.is, needsKey };
}

export function gatewayDisabledError(): CallError {
  return new CallError('not_configured', 'The gateway is switched off by gateway.enabled.', {
    field: 'gateway.enabled',
    fix: 'Set gateway.enabled to true, then: exai restart',
  });
}

/**
 * The URL by the settings of `tls`. The host name of the certificate is known once the daemon runs.
 */
function plannedUrl({ host, tls }: LoadedConfig['config'], port: number): string {
  return daemonUrl({ host, port }, tls.cert === '' ? 'http' : 'https');
}

function noTcpError(): CallError {
  return new CallError('not_configured', 'The gateway needs TCP; EXAI_PORT is off.', {
    field: 'port',
    fix: 'Set EXAI_PORT to a number, such as 8765, then: exai restart',
  });
}

function unknownPortError(): CallError {
  return new CallError(
    'not_found',
    'No daemon is running, and with port 0 its address is not known yet.',
    { field: 'port', fix: 'exai start' },
  );
}

interface StartOptions {
  /** `--no-start` */
  readonly start: 'if_need_be' | 'never';
  /** `--config`: a daemon that is started from here would not read that file. */
  readonly settings: 'own' | 'of_another_file';
}

/** Starts the daemon, because a tool that finds no gateway hangs without a message. */
export async function startDaemonForTool(
  io: Pick<Io, 'env' | 'stderr'>,
  home: Home,
  { start, settings }: StartOptions,
): Promise<void> {
  const isOff = start === 'never' || settings !== 'own' || autostartOf(io.env) === 'off';
  if (isOff || daemonState(home).is === 'running') return;
  await runWithDaemon(io, async () => undefined, { noticeOutput: 'skip' });
}

const MODEL = /^[\w./:@[\]-]{1,200}$/;
const ANSWER_WITHIN_MS = 5000;

export function readGatewayModel(name = 'auto'): string {
  if (MODEL.test(name)) return name;
  throw new CallError('bad_request', '--model takes the name of a model, without spaces.', {
    field: '--model',
    fix: 'auto, or a name of: exai models',
  });
}

/**
 * Throws for a model that the gateway would reject. The running daemon is asked, because it knows
 * the models and the aliases of `gateway.aliases`.
 */
export async function checkGatewayModel(
  model: string,
  io: Pick<Io, 'env' | 'stderr'>,
): Promise<void> {
  const unknown = unknownModelMessage(await explainModel(model, io));
  if (unknown === undefined) return;
  throw new CallError('not_found', escapeControls(unknown), {
    field: '--model',
    fix: `Give auto, or a name of: exai models. To give this one a meaning, set gateway.aliases: ${model}=auto`,
  });
}

function explainModel(model: string, io: Pick<Io, 'env' | 'stderr'>): Promise<unknown> {
  const args = { tool: GATEWAY_OPERATIONS.chat, args: { model, prompt: 'Hello' } };
  return callIfPossible({ name: 'route', arguments: args }, io);
}

/** The context window of a model; undefined for `auto`, for an alias and where it is unknown. */
export async function readContextTokens(
  model: string,
  io: Pick<Io, 'env' | 'stderr'>,
): Promise<number | undefined> {
  if (model === 'auto') return undefined;
  const result = await callIfPossible({ name: 'listmodels', arguments: { model } }, io);
  const { envelope } = readCallResult(result);
  const { content } = (envelope ?? {}) as {
    content?: { models?: readonly { context_tokens?: unknown }[] };
  };
  const tokens = content?.models?.[0]?.context_tokens;
  return typeof tokens === 'number' && tokens > 0 ? tokens : undefined;
}

/**
 * The result of a tool of the running daemon; undefined if it fails. The printed lines are right
 * without it, and the gateway reports an unknown model itself.
 */
async function callIfPossible(
  call: { readonly name: string; readonly arguments: object },
  io: Pick<Io, 'env' | 'stderr'>,
): Promise<unknown> {
  try {
    return await runWithDaemon(
      io,
      (client) => client.request('tools/call', call, { timeoutMs: ANSWER_WITHIN_MS }),
      { noticeOutput: 'skip', autostart: 'off' },
    );
  } catch {
    return undefined;
  }
}

/** The message for an unknown model. A model that is only unavailable now is not an error. */
export function unknownModelMessage(result: unknown): string | undefined {
  const { envelope } = readCallResult(result);
  const { content } = (envelope ?? {}) as { content?: { error?: Partial<ErrorJson> } };
  const { class: errorClass, field, message } = content?.error ?? {};
  return errorClass === 'not_found' && field === 'model' ? message : undefined;
}
