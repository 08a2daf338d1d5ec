import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import { probeChallenge } from './probe-challenge.ts';

const NETWORK = { httpProxy: '', httpsProxy: '', noProxy: '', extraCa: '' };

async function silentServer(first: string) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    if (first !== '') socket.write(first);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/mcp`, sockets };
}

verifies('login:attacks', 'a server that does not answer ends the begin of a login', async () => {
  for (const [first, outcome] of [
    ['', 'server_not_reached'],
    ['HTTP/1.1 401 No\r\nwww-authenticate: Bearer scope="a"\r\ncontent-length: 99\r\n\r\n', 'a'],
  ] as const) {
    const { url, sockets } = await silentServer(first);
    const clock = createFakeClock();
    const probing = probeChallenge('notes', { url, headers: {} } as unknown as UpstreamConfig, {
      network: async () => NETWORK,
      clock,
      random: (bytes) => new Uint8Array(bytes),
    }).then(
      (challenge) => challenge?.scope,
      (thrown: { readonly reason?: { readonly code: string } }) => thrown.reason?.code,
    );
    await expect.poll(() => sockets.length).toBe(1);
    clock.advance(20_000);
    expect(await probing).toBe(outcome);
    expect(clock.waiting).toBe(0);
  }
});
