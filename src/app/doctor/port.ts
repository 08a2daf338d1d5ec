import { createServer } from 'node:net';
import type { Config } from '#config/config.schema.ts';
import { CallError } from '#core/call-error.ts';
import { listeningHost } from '../bind-policy.ts';
import { checkWayIn } from '../doors.ts';
import { portTakenWarning } from '../listening-words.ts';
import { findPortHolder } from '../port-holder.ts';
import { failed, type Check, type Examine } from './check.ts';

const CHECK = { id: 'port', title: 'Port' } as const;
const OTHER_PORT = 'exai serve --port 0 takes any free one; EXAI_PORT=N sets another.';

/** Whether clients find the daemon, and nobody else, at the port that they expect. */
export const port: Examine = async ({ daemon: state, loaded, home }) => {
  if (state.is === 'running') return ofRunning(state.record);
  if (state.is !== 'absent' || loaded instanceof CallError) return [];
  try {
    checkWayIn(loaded.config.port, home.socketFile);
    return [await ofSettings(loaded.config)];
  } catch (thrown) {
    return [failed(CHECK, thrown)];
  }
};

type Running = Parameters<Examine>[0]['daemon'] & { is: 'running' };

async function ofRunning({ portTaken, url }: Running['record']): Promise<readonly Check[]> {
  if (url === undefined) return [{ ...CHECK, status: 'off', detail: 'off; socket file alone' }];
  if (!portTaken) return [];
  const { port: wanted } = portTaken;
  if ((await tryPort('127.0.0.1', wanted)) === 'free') {
    const detail = `${wanted} is free again, while the daemon listens at ${url}`;
    return [{ ...CHECK, status: 'warn', detail, fix: 'exai stop && exai serve' }];
  }
  // Another program may have it by now.
  const holder = await findPortHolder(wanted);
  const taken = holder ? { port: wanted, holder } : portTaken;
  const { message, fix } = portTakenWarning(taken, url);
  return [{ ...CHECK, status: 'fail', detail: message, fix }];
}

async function ofSettings(config: Config): Promise<Check> {
  const { host, port: wanted } = config;
  if (wanted === 'off') return { ...CHECK, status: 'off', detail: 'off; socket file alone' };
  const outcome = await tryPort(listeningHost(config), wanted);
  if (outcome === 'free') return { ...CHECK, status: 'ok', detail: `${wanted} on ${host} is free` };
  if (outcome !== 'taken') {
    const detail = `${wanted} on ${host} cannot be used (${outcome.message})`;
    return { ...CHECK, status: 'fail', detail, fix: OTHER_PORT };
  }
  const holder = await findPortHolder(wanted);
  const { message, fix } = portTakenWarning({ port: wanted, ...(holder && { holder }) }, undefined);
  return { ...CHECK, status: 'fail', detail: message, fix };
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
