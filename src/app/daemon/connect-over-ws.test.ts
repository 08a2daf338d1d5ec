import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { connectToDaemon } from '#client/connect-to-daemon.ts';
import { prepareHome } from '#config/home/home.ts';
import { tempHome } from '#config/temp-home.fixture.ts';
import { writeDaemonFile } from './daemon-file.ts';
import { loadWebSocket } from './load-web-socket.ts';
import { reachRecorded } from './connect-over-ws.ts';
import { systemClock } from '../system.ts';

verifies(
  'security:owner-token',
  'nothing is sent to a program that has the port of a killed daemon',
  async () => {
    const it = tempHome();
    prepareHome(it.home);
    it.write('.env', 'EXAI_TOKEN=the-token-of-the-owner\n');
    let connections = 0;
    const squatter = createServer(() => (connections += 1));
    squatter.listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    onTestFinished(() => void squatter.close());
    const { port } = squatter.address() as AddressInfo;
    // The state after a kill: the lock is gone, the record remains.
    writeDaemonFile(it.home.daemonFile, {
      pid: 1,
      url: `http://127.0.0.1:${port}`,
      host: '127.0.0.1',
      port,
      version: '0.1.1',
      startedAt: '2026-11-16T00:00:00.000Z',
      node: process.version,
      instance: 'gone',
      pidNamespace: '',
      storedIn: 'SQLite',
    });
    const hello = { kind: 'cli', version: '0.1.1', cwd: '/', settings: {} } as const;
    const greeting = { hello, clock: systemClock, withinMs: 1000 };
    expect(await reachRecorded(greeting, { env: it.env, home: it.home })).toBeUndefined();
    expect(connections).toBe(0);
  },
);

test.each(['http://127.0.0.1:1', 'ws://127.0.0.1:1/#part', 'nonsense', 'file:///etc/passwd'])(
  'the url %s is refused',
  async (url) => {
    const { home, env } = tempHome();
    const client = { home, env, kind: 'cli', version: '1.0.0', cwd: home.root } as const;
    const reach = connectToDaemon({
      ...client,
      clock: systemClock,
      autostart: 'off',
      url,
      loadWebSocket,
    });
    await expect(reach).rejects.toMatchObject({ class: 'validation', field: 'url' });
  },
);
