import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

const NOBODY = 65534;
const TOKEN = 'a-token-that-nobody-else-may-see';
const INITIALIZE = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
})}\n`;
const PERMISSION_EXIT = 5;

/**
 * Makes a home as another user would leave it; the second way needs root, who runs the tests in CI.
 */
const WAYS: readonly (readonly [string, (root: string) => void])[] = [
  ['can write', (root) => chmodSync(root, 0o777)],
  ...(process.getuid?.() === 0
    ? ([['owns', (root: string) => chownSync(root, NOBODY, NOBODY)]] as const)
    : []),
];

/** A home with somebody else's listener on its socket and a provider of theirs in its `.env`. */
async function preparedHome() {
  const home = createHome();
  const heard: string[] = [];
  const hear = createServer((socket) => {
    heard.push('a connection');
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => heard.push(bytes.toString('utf8')));
  });
  const provider = createServer((socket) => {
    heard.push('a connection to the provider');
    socket.destroy();
  });
  await new Promise<void>((resolve) => hear.listen(home.path('daemon.sock'), resolve));
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as { port: number };
  writeFileSync(home.path('.env'), `KIMI_API_URL=http://127.0.0.1:${port}/v1\n`, { mode: 0o600 });
  chmodSync(home.path('daemon.sock'), 0o600);
  const close = () => {
    hear.close();
    provider.close();
  };
  return { ...home, heard, close };
}

for (const [how, give] of WAYS) {
  const env = {
    EXAI_TOKEN: TOKEN,
    KIMI_API_KEY: 'sk-a-real-key-00000000',
    EXAI_AUTOSTART: 'false',
  };

  verifies(
    'security:foreign-home',
    `no command reads or connects to a home that another user ${how}`,
    async () => {
      const { root, exai, heard, close } = await preparedHome();
      give(root);
      const commands = [
        ['ask', 'What is a monad?'],
        ['status'],
        ['doctor'],
        ['call', 'status'],
        ['keys', 'test', 'kimi'],
        ['keys', 'list'],
        ['serve', '--port', '0'],
        ['stop'],
        ['stdio', '--url', 'ws://127.0.0.1:9'],
      ];
      for (const command of commands) {
        const { code, stdout, stderr } = await exai(command, { env });
        expect([command, code, stdout]).toEqual([command, PERMISSION_EXIT, '']);
        expect(stderr).toContain(root);
        expect(stderr).toMatch(/chmod go-w|folder that belongs to you/);
      }
      expect(heard).toEqual([]);
      close();
    },
  );

  verifies(
    'security:foreign-home',
    `the shim tells its client of a home that another user ${how}, and connects to nobody`,
    async () => {
      const { root, exai, heard, close } = await preparedHome();
      give(root);
      const { stdout, stderr } = await exai(['stdio'], { env, input: INITIALIZE });
      expect(JSON.parse(stdout)).toMatchObject({ id: 1, error: { code: -31051 } });
      expect(stdout).toContain(root);
      expect(stderr).toMatch(/set EXAI_HOME to a folder that belongs to you/i);
      expect(heard).toEqual([]);
      close();
    },
  );
}

test('commands that need no home run all the same', async () => {
  const { root, exai } = createHome();
  chmodSync(root, 0o777);
  expect(await exai(['version'])).toMatchObject({ code: 0, stderr: '' });
  expect(await exai(['help', 'ask'])).toMatchObject({ code: 0, stderr: '' });
});
