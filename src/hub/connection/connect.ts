import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { transportOf } from '#core/hub/upstream-config.ts';
import { reason } from '#core/messages/reasons.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { Random } from '#core/random.ts';
import type { Clock } from '#core/time/clock.ts';
import { createHttp, type NetworkSettings } from '#net/create-http.ts';
import { createOpenSocketTo } from '#net/open-socket-to.ts';
import { programEnv } from '#programs/program-env.ts';
import { connectionCapabilities } from '../input/server-request.ts';
import type { ConnectUpstream } from '../lifecycle/create-upstream.ts';
import { openSseLink } from './http/sse-link.ts';
import { openStreamableLink } from './http/streamable-link.ts';
import type { Logins } from '../login/create-logins.ts';
import { openLinkConnection } from './link-connection.ts';
import type { LinkHandlers, MessageLink } from './message-link.ts';
import { openStdioLink } from './stdio-link.ts';
import { openWebSocketLink } from './web-socket-link.ts';

export interface UpstreamConnectOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The environment of the daemon, of which programs inherit a few variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where programs run that have no `cwd`. */
  readonly folder: string;
  /** The settings of the network at this moment. */
  readonly network: () => Promise<NetworkSettings>;
  /** Absent: servers that want a token get only those of their settings. */
  readonly logins?: Pick<Logins, 'authorization'>;
}

/**
 * What programs inherit: where to find other programs, and the user's folder and locale. Keys and
 * settings of the daemon are not among them.
 */
export const INHERITED: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'LC_MESSAGES',
  // Windows cannot start programs without these.
  'SYSTEMROOT',
  'SystemRoot',
  'APPDATA',
  'LOCALAPPDATA',
  'USERPROFILE',
  'TEMP',
  'TMP',
  'PATHEXT',
];

/** Statuses with which servers of the 2024 transport answer a POST to the address of their stream. */
const NOT_STREAMABLE: ReadonlySet<number> = new Set([400, 404, 405]);

/** Connects to servers: programs, WebSockets and HTTP. */
export function createConnect(options: UpstreamConnectOptions): ConnectUpstream {
  const { clock, random, network } = options;
  const newMark = () => Buffer.from(random(16)).toString('hex');
  return async (about, handlers) => {
    const { server, config, knownEra, maxMessageBytes, onStderr } = about;
    const { signal: unwanted } = about;
    const { protocol, startTimeoutMs: timeoutMs, url } = config;
    const capabilities = connectionCapabilities(config, about.isShared);
    const common = { server, protocol, knownEra, capabilities, timeoutMs, signal: unwanted };
    const transport = transportOf(config);
    const headers = lowerCase(config.headers);
    const authorization = options.logins?.authorization(server, config, about.principal);
    const limits = { server, maxMessageBytes, newMark, ...(authorization && { authorization }) };

    /** Opens a link within the time that a server has to introduce itself. */
    const inTime = async (
      open: (signal: LightAbortController) => Promise<MessageLink>,
    ): Promise<MessageLink> => {
      const signal = new LightAbortController();
      const late = codedError('timeout', reason('server_start_timeout', { server, timeoutMs }));
      const timer = clock.after(timeoutMs, () => signal.abort(late));
      const leave = () => signal.abort(unwanted.reason);
      if (unwanted.aborted) leave();
      unwanted.addEventListener('abort', leave, { once: true });
      return open(signal).finally(() => {
        timer.stop();
        unwanted.removeEventListener('abort', leave);
      });
    };
    const over = (open: (link: LinkHandlers) => Promise<MessageLink>) =>
      openLinkConnection({ ...common, maxMessageBytes, clock, open }, handlers);
    const http = async () =>
      createHttp({
        network: await network(),
        guard: 'configured',
        clock,
        maxConnections: config.maxConcurrent + STREAMS,
      });
    const overSse = () =>
      over((link) =>
        inTime(async (signal) =>
          openSseLink({ ...limits, url, headers, http: await http(), signal }, link),
        ),
      );

    switch (transport) {
      case 'stdio':
        return over((link) => {
          const { command, args, cwd } = config;
          const env = programEnv(options.env, INHERITED, config.env);
          const program = { command, args, cwd: cwd === '' ? options.folder : cwd, env };
          return openStdioLink({ ...limits, ...program, clock, onStderr }, link);
        });
      case 'ws':
        return over((link) =>
          inTime(async (signal) => {
            const dial = createOpenSocketTo(await network());
            return openWebSocketLink({ ...limits, url, headers, dial, clock, signal }, link);
          }),
        );
      case 'http':
        try {
          return await over(async (link) =>
            openStreamableLink({ ...limits, url, headers, http: await http(), clock }, link),
          );
        } catch (thrown) {
          if (!isNotStreamable(thrown)) throw thrown;
          return overSse().catch(() => {
            throw thrown;
          });
        }
      case 'sse':
        return overSse();
      case 'bundled':
      case undefined:
        throw codedError('not_configured', reason('server_settings_unclear', { server }));
    }
  };
}

/** Connections beside those of calls: the server's own stream, subscriptions, resumed streams. */
const STREAMS = 4;

/** Whether the address may be that of the older transport, of which nothing else is known. */
function isNotStreamable(thrown: unknown): boolean {
  const because = CallError.from(thrown).reason;
  return because?.code === 'server_http_status' && NOT_STREAMABLE.has(because.params.status);
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
