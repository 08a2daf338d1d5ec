import { chmodSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { createHome, finished } from './exai.ts';
import { startShim } from './shim-client.ts';

const HELLO = { exai: 'hello', kind: 'shim', version: '99.0.0', cwd: '/', settings: {} };

/**
 * Says hello and asks for the end over the socket file; gives what came back, until it was closed
 * or draining.
 */
async function askToStop(socketFile: string, token: string | undefined): Promise<string[]> {
  const socket = connect(socketFile);
  const lines = createInterface({ input: socket });
  const heard: string[] = [];
  socket.write(`${JSON.stringify({ ...HELLO, token })}\n`);
  for await (const line of lines) {
    if (line === '') continue;
    const { exai } = JSON.parse(line) as { exai: string };
    heard.push(exai);
    if (exai === 'welcome') socket.write('{"exai":"drain"}\n');
    if (exai === 'draining') break;
  }
  socket.destroy();
  return heard;
}

verifies(
  'security:owner-stops',
  'a token that may do nothing but read does not stop the daemon, and the owner does',
  async () => {
    const { exai, serve, path } = createHome();
    const daemon = await serve();
    const added = await exai(['access', 'add', 'reader', '--scope', 'read:*', '--json']);
    const { token } = JSON.parse(added.stdout) as { token: string };
    expect(await askToStop(path('daemon.sock'), token)).toEqual(['welcome', 'refused']);
    expect(await exai(['status'])).toMatchObject({ code: 0 });
    expect(await askToStop(path('daemon.sock'), undefined)).toEqual(['welcome', 'draining']);
    expect(await daemon.ended).toMatchObject({ code: 0 });
  },
);

verifies(
  'security:owner-stops',
  'a shim with the token of a client works with an older daemon and says which version runs',
  async () => {
    const { root, path } = createHome();
    const heard: string[] = [];
    const older = createServer((socket) => {
      socket.on('error', () => undefined);
      createInterface({ input: socket }).on('line', (line) => {
        const message = JSON.parse(line) as { exai?: string; method?: string; id?: number };
        heard.push(message.exai ?? message.method ?? '');
        if (message.exai === 'hello') {
          const about = { version: '0.0.1', instance: 'older', replay: [], notices: [] };
          socket.write(`${JSON.stringify({ exai: 'welcome', ...about })}\n`);
        } else if (message.id !== undefined) {
          socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} })}\n`);
        }
      });
    });
    await new Promise<void>((resolve) => older.listen(path('daemon.sock'), resolve));
    chmodSync(path('daemon.sock'), 0o600);
    const shim = startShim(root, { env: { EXAI_TOKEN: 'the-token-of-a-client' } });
    const ended = finished(shim.child);
    expect(await shim.initialize()).toMatchObject({ result: {} });
    await shim.end();
    expect((await ended).stderr).toContain('The daemon is of version 0.0.1 and this program of');
    expect(heard).toContain('initialize');
    expect(heard).not.toContain('drain');
    older.close();
  },
);
