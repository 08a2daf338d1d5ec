import { createServer } from 'node:net';
import { CallError } from '#core/call-error.ts';
import { listeningHost } from '../bind-policy.ts';
import { VERSION } from '../version.ts';
import { failed, type Examine } from './check.ts';

export const daemon: Examine = ({ daemon: state, readiness }) => {
  const check = { id: 'daemon', title: 'Daemon' } as const;
  switch (state.is) {
    case 'absent':
      return [{ ...check, status: 'off', detail: 'not running', fix: 'exai serve' }];
    case 'between':
      return [
        { ...check, status: 'warn', detail: 'just starting or stopping', fix: 'exai status' },
      ];
    case 'running': {
      const { url, version } = state.record;
      if (!readiness?.ready) {
        const detail = `at ${url}, not ready: ${readiness?.reason}`;
        return [{ ...check, status: 'fail', detail, fix: 'exai logs' }];
      }
      if (version !== VERSION) {
        const detail = `at ${url}, version ${version}, while this is ${VERSION}`;
        return [{ ...check, status: 'warn', detail, fix: 'exai stop && exai serve' }];
      }
      return [{ ...check, status: 'ok', detail: `ready at ${url}` }];
    }
  }
};

/** Whether the daemon may listen where it is told to, and would get its port. */
export const port: Examine = async ({ daemon: state, loaded }) => {
  if (state.is !== 'absent' || loaded instanceof CallError) return [];
  const { host, port: wanted } = loaded.config;
  const check = { id: 'port', title: 'Port' } as const;
  let outcome: string;
  try {
    outcome = await tryPort(listeningHost(loaded.config), wanted);
  } catch (thrown) {
    return [failed(check, thrown)];
  }
  if (outcome === 'free') {
    return [{ ...check, status: 'ok', detail: `${wanted} on ${host} is free` }];
  }
  return [
    {
      ...check,
      status: 'fail',
      detail: `${wanted} on ${host} cannot be used (${outcome})`,
      fix: 'exai serve --port 0 takes any free one; EXAI_PORT=N sets another.',
    },
  ];
};

function tryPort(host: string, wanted: number): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(CallError.from(error).message));
    server.listen({ host, port: wanted }, () => server.close(() => resolve('free')));
  });
}
