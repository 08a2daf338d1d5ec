import { codedError } from '#core/errors/coded-error.ts';
import { transportOf } from '#core/hub/upstream-config.ts';
import type { JsonObject } from '#core/json/json.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Random } from '#core/random.ts';
import type { Clock } from '#core/time/clock.ts';
import { programEnv } from '#programs/program-env.ts';
import type { ConnectUpstream } from '../lifecycle/create-upstream.ts';
import { openLinkConnection } from './link-connection.ts';
import type { LinkHandlers } from './message-link.ts';
import { openStdioLink } from './stdio-link.ts';

export interface UpstreamConnectOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The environment of the daemon, of which programs inherit a few variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where programs run that have no `cwd`. */
  readonly folder: string;
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

/** What the hub can do for servers. Pass-through of input requests adds to it. */
const CAPABILITIES: JsonObject = {};

/** Connects to servers: programs, WebSockets, and HTTP by the SDK, which is loaded on demand. */
export function createConnect(options: UpstreamConnectOptions): ConnectUpstream {
  const { clock, random } = options;
  const newMark = () => Buffer.from(random(16)).toString('hex');
  return async (about, handlers) => {
    const { server, config, knownEra, maxMessageBytes, onStderr } = about;
    const { protocol, startTimeoutMs: timeoutMs } = config;
    const common = { server, protocol, knownEra, capabilities: CAPABILITIES, timeoutMs };
    switch (transportOf(config)) {
      case 'stdio': {
        const open = (link: LinkHandlers) => {
          const { command, args, cwd } = config;
          const env = programEnv(options.env, INHERITED, config.env);
          const program = { command, args, cwd: cwd === '' ? options.folder : cwd, env };
          return openStdioLink(
            { server, ...program, maxMessageBytes, newMark, clock, onStderr },
            link,
          );
        };
        return openLinkConnection({ ...common, maxMessageBytes, clock, open }, handlers);
      }
      case 'ws':
      case 'http':
      case 'sse':
      case 'bundled':
      case undefined:
        throw codedError('not_configured', reason('server_settings_unclear', { server }));
    }
  };
}
