import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { sendCrowd } from '../exhaustion/crowd.ts';
import { frame, frameHead, upgrade } from '../exhaustion/frames.ts';
import { honestOverHttp, honestOverWs } from '../exhaustion/honest.ts';
import { metricsOf } from '../exhaustion/witness.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

const TOKEN = 'a-token-of-this-test';
const MIB = 1024 * 1024;
/** Codes of close frames, as they stand in what is told. */
const TOO_LARGE = '\u0003\u00F1';
const TRY_AGAIN = '\u0003\u00F5';

verifies(
  'security:newcomers',
  'large frames without a token are refused by their head, and a client calls meanwhile',
  async () => {
    const { url } = await createHome().serve([], { env: { EXAI_TOKEN: TOKEN } });
    const crowd = await sendCrowd(url, {
      count: 60,
      act: (socket) =>
        void socket.write(
          Buffer.concat([Buffer.from(upgrade()), frameHead(1, 32 * MIB), Buffer.alloc(MIB, 0x61)]),
        ),
    });
    expect(await honestOverWs(url, TOKEN)).toBe(true);
    await expect
      .poll(() => crowd.told.filter((words) => words.includes(TOO_LARGE)).length, PATIENT)
      .toBe(60);
    await expect.poll(() => crowd.gone, PATIENT).toBe(60);
    const metrics = await metricsOf(url, TOKEN);
    expect(metrics).toMatch(/^exai_ws_dropped_total\{class="too_large"\} 60$/m);
    expect(metrics).toMatch(/^exai_ws_pending_handshakes 0$/m);
  },
);

verifies(
  'security:newcomers',
  'silent WebSockets without a token do not keep out one that says hello',
  async () => {
    const { url } = await createHome().serve([], { env: { EXAI_TOKEN: TOKEN } });
    const crowd = await sendCrowd(url, {
      count: 300,
      act: (socket) => void socket.write(upgrade()),
    });
    expect(await honestOverWs(url, TOKEN)).toBe(true);
    await expect
      .poll(() => crowd.told.filter((words) => words.includes(TRY_AGAIN)).length, PATIENT)
      .toBeGreaterThanOrEqual(44);
    await crowd.leave();
  },
);

verifies('security:newcomers', 'who said hello may send a large frame', async () => {
  const { url } = await createHome().serve([], { env: { EXAI_TOKEN: TOKEN } });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  let told = '';
  socket.on('data', (data) => (told += String(data)));
  socket.write(upgrade());
  const large = JSON.stringify({ op: 'ping', text: 'x'.repeat(4 * MIB) });
  const hello = JSON.stringify({ op: 'hello', token: TOKEN });
  socket.write(Buffer.concat([frame(1, hello), frame(1, large)]));
  while (!told.includes('"pong"')) await once(socket, 'data');
  expect(told).toContain('"ok":true');
});

verifies(
  'security:unfinished',
  'half bodies on all connections give way to a request that is complete',
  async () => {
    const env = { EXAI_AUTH_REQUIRE_TOKEN: 'false', EXAI_LIMITS_CONNECTIONS: '50' };
    const { url } = await createHome().serve([], { env });
    const half = { act: (socket: Socket) => void socket.write(HALF) };
    // One place is left to look through.
    const crowd = await sendCrowd(url, { count: 99, ...half });
    await expect
      .poll(() => metricsOf(url, ''), PATIENT)
      .toMatch(/^exai_inbound_buffered_bytes 405504$/m);
    const isTold = (words: string) => words.startsWith('HTTP/1.1 408');
    const more = await sendCrowd(url, { count: 1, ...half });
    await expect
      .poll(async () => {
        const next = await sendCrowd(url, { count: 1, ...half });
        const status = await honestOverHttp(url, '').catch(String);
        await next.leave();
        return [status, crowd.told.some(isTold)];
      }, PATIENT)
      .toEqual([200, true]);
    await Promise.all([crowd.leave(), more.leave()]);
    expect(await metricsOf(url, '')).toMatch(/^exai_http_evicted_total\{reason="slow_request"\}/m);
  },
);

verifies(
  'security:newcomers',
  'a wrong token is refused before the body has come, wherever it is posted',
  async () => {
    const { url } = await createHome().serve([], { env: { EXAI_TOKEN: TOKEN } });
    const { hostname, port } = new URL(url);
    for (const path of [
      '/mcp',
      '/messages',
      '/v1/chat/completions',
      '/v1/messages',
      '/v1/embeddings',
    ]) {
      const socket = connect(Number(port), hostname);
      onTestFinished(() => void socket.destroy());
      const head = HEAD.replace('/mcp', path);
      socket.write(`${head}authorization: Bearer wrong\r\ncontent-length: 4000000\r\n\r\n{"half":`);
      const [data] = (await once(socket, 'data')) as [Buffer];
      expect([path, String(data).slice(0, 12)]).toEqual([path, 'HTTP/1.1 401']);
      await once(socket.resume(), 'close');
    }
    expect(await metricsOf(url, TOKEN)).toMatch(/^exai_inbound_buffered_bytes 0$/m);
  },
);

const HEAD =
  'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n';
const HALF = `${HEAD}content-length: 4000000\r\n\r\n{"half":`;
/** Less than the time after which a request that does not arrive is refused anyway. */
const PATIENT = { timeout: 30_000 };
