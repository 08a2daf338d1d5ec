import { createServer } from 'node:net';
import type { LoadedConfig } from '#config/load/load.ts';
import type { Config } from '#config/schema/config.schema.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import { bareAddress, listeningHost, needsToken } from '../listeners/bind-policy.ts';
import { checkReachable } from '../listeners/listeners.ts';
import { otherPortFix, plaintextWarning, portTakenWarning } from '../listeners/listen-warnings.ts';
import { daemonUrl } from '../listeners/daemon-url.ts';
import { inspectTakenPort } from '../listeners/port-holder.ts';
import { loadTls } from '../listeners/tls-files.ts';
import { failedCheck, type Check, type RunCheck } from './check.ts';

const PORT_CHECK = { id: 'port', title: 'Port' } as const;
const OTHER_PORT = 'EXAI_PORT=0 exai start takes any free one; EXAI_PORT=N sets another.';

/** Checks that the expected port belongs to the daemon and to no other program. */
export const checkPort: RunCheck = async ({ daemon: state, loaded, home, system }) => {
  const { clock } = system;
  if (state.is === 'running') return ofRunning(state.record, clock);
  if (state.is !== 'absent' || loaded instanceof CallError) return [];
  try {
    checkReachable(loaded.config.port, home.socketFile);
    return [await ofSettings(loaded, clock)];
  } catch (thrown) {
    return [failedCheck(PORT_CHECK, thrown)];
  }
};

type Running = Parameters<RunCheck>[0]['daemon'] & { is: 'running' };

async function ofRunning(
  { portTaken, url }: Running['record'],
  clock: Clock,
): Promise<readonly Check[]> {
  if (url === undefined)
    return [{ ...PORT_CHECK, status: 'off', detail: 'off; socket file alone' }];
  if (!portTaken) return [];
  const { port: wanted } = portTaken;
  if ((await tryPort('127.0.0.1', wanted)) === 'free') {
    const detail = `${wanted} is free again, while the daemon listens at ${url}`;
    return [{ ...PORT_CHECK, status: 'warn', detail, fix: 'exai restart' }];
  }
  // Another program may have taken it.
  const now = await inspectTakenPort(wanted, clock);
  const taken = now.holder || now.exaiVersion !== undefined ? now : portTaken;
  const { message, fix } = portTakenWarning(taken, url);
  // Clients over stdio and the socket file are not affected.
  const status = taken.exaiVersion === undefined ? 'fail' : 'warn';
  return [{ ...PORT_CHECK, status, detail: message, fix }];
}

async function ofSettings(
  { config, origins }: Pick<LoadedConfig, 'config' | 'origins'>,
  clock: Clock,
): Promise<Check> {
  const { host, port: wanted } = config;
  if (wanted === 'off') return { ...PORT_CHECK, status: 'off', detail: 'off; socket file alone' };
  const outcome = await tryPort(listeningHost(config), wanted);
  if (outcome === 'free')
    return { ...PORT_CHECK, status: 'ok', detail: `${wanted} on ${host} is free` };
  if (outcome !== 'taken') {
    const detail = `${wanted} on ${host} cannot be used (${outcome.message})`;
    return { ...PORT_CHECK, status: 'fail', detail, fix: OTHER_PORT };
  }
  const taken = await inspectTakenPort(wanted, clock);
  const { message, fix } = portTakenWarning(taken, undefined);
  const isDefault = (origins.get('port')?.kind ?? 'default') === 'default';
  if (isDefault && taken.exaiVersion !== undefined) {
    const detail = `${message} The daemon of this home will listen on a free one.`;
    return { ...PORT_CHECK, status: 'warn', detail, fix: otherPortFix(wanted) };
  }
  return { ...PORT_CHECK, status: 'fail', detail: message, fix };
}

function tryPort(host: string, wanted: number): Promise<'free' | 'taken' | CallError> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'EADDRINUSE' ? 'taken' : CallError.from(error)),
    );
    server.listen({ host, port: wanted }, () => server.close(() => resolve('free')));
  });
}

const TLS_CHECK = { id: 'tls', title: 'Encryption' } as const;
const DAY_MS = 86_400_000;
const SOON_MS = 14 * DAY_MS;

/** Checks that remote traffic is encrypted and the certificate is valid. */
export const checkTls: RunCheck = ({ daemon: state, loaded, system }) => {
  if (loaded instanceof CallError || loaded.config.port === 'off') return [];
  const { config } = loaded;
  try {
    const found = loadTls(config.tls, system.clock.now());
    if (found) return [certificateCheck(found, system.clock.now())];
  } catch (thrown) {
    return [failedCheck(TLS_CHECK, thrown)];
  }
  return plaintextWarning(state.is === 'running' ? state.record : planned(config)).map(
    ({ message, fix }) => ({ ...TLS_CHECK, status: 'warn', detail: message, fix }),
  );
};

function planned(config: Config) {
  const { host, port } = config;
  return port === 'off' ? {} : { host: bareAddress(host), url: daemonUrl({ host, port }) };
}

function certificateCheck(
  { names, validToMs }: { readonly names: readonly string[]; readonly validToMs: number },
  nowMs: number,
): Check {
  const until = new Date(validToMs).toISOString().slice(0, 10);
  const whom = names.length === 0 ? '' : ` for ${names.slice(0, 5).join(', ')}`;
  const detail = `certificate${whom}, valid until ${until}`;
  if (validToMs - nowMs > SOON_MS) return { ...TLS_CHECK, status: 'ok', detail };
  return { ...TLS_CHECK, status: 'warn', detail, fix: 'Renew the certificate of tls.cert.' };
}

/**
 * Reports who can use the daemon over TCP. The unix socket, and so every command and `exai stdio`,
 * needs no token.
 */
export const checkToken: RunCheck = ({ loaded }) => {
  if (loaded instanceof CallError) return [];
  const check = { id: 'token', title: 'Token' } as const;
  const { config } = loaded;
  // A non-loopback address without a token: the port check reports it.
  if (config.token === '' && !config.auth.requireToken && needsToken(config)) return [];
  if (needsToken(config)) {
    const detail =
      config.token === ''
        ? 'will be generated at the first start; TCP clients need it'
        : 'TCP clients need it; exai token show';
    return [{ ...check, status: 'ok', detail }];
  }
  const whose =
    process.platform === 'linux' ? 'every program of your user' : 'every program on this machine';
  return [
    {
      ...check,
      status: 'warn',
      detail: `not required, as auth.requireToken is off: ${whose} can use this daemon, your keys and conversations`,
      fix: 'Set auth.requireToken to true, then: exai restart',
    },
  ];
};
