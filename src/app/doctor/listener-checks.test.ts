import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '#config/load/load.ts';
import { systemClock } from '../system.ts';
import type { CheckContext } from './check.ts';
import { checkPort } from './listener-checks.ts';

/** A port that answers as the daemon of another home, or as another program. */
async function takenPort(answer: object): Promise<number> {
  const server = createServer((_request, response) => response.end(JSON.stringify(answer)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** The check of a home without a daemon; it uses nothing else of the context. */
function runCheck(port: number, setBy: 'default' | 'user') {
  const env = { EXAI_HOME: '/nowhere', ...(setBy === 'user' && { EXAI_PORT: String(port) }) };
  const loaded = loadConfig({ env });
  return checkPort({
    daemon: { is: 'absent' },
    loaded: { ...loaded, config: { ...loaded.config, port } },
    home: loaded.home,
    system: { clock: systemClock },
  } as CheckContext);
}

const EXAI = { status: 'ok', version: '0.2.0', instance: 'other' };

test('where another EX-AI has the default port, the daemon works on a free one', async () => {
  const port = await takenPort(EXAI);
  expect(await runCheck(port, 'default')).toMatchObject([
    { id: 'port', status: 'warn', fix: expect.stringContaining('exai config set port') as string },
  ]);
});

test('where another EX-AI has the port of the settings, the daemon cannot start', async () => {
  const port = await takenPort(EXAI);
  expect(await runCheck(port, 'user')).toMatchObject([{ id: 'port', status: 'fail' }]);
});

test('another program on the default port is a failure: clients may send it their token', async () => {
  const port = await takenPort({});
  expect(await runCheck(port, 'default')).toMatchObject([{ id: 'port', status: 'fail' }]);
});
