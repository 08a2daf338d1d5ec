import { expect } from 'vitest';
import { createHome } from '../e2e/exai.ts';
import { fuzzHttp } from '../fuzz-http.ts';
import { leftOver, NOTHING, readGauges } from '../fuzz-http/gauges.ts';
import { leastBytes, SMALL_HEAP } from '../fuzz-http/least-bytes.ts';
import { startSlowSenders } from '../fuzz-http/slow-senders.ts';
import { verifies } from '../verifies.ts';

const SEED = Number(process.env['EXAI_FUZZ_SEED'] ?? 2000);
const CYCLES = 4;
const CONNECTIONS = 8000;
const WARM_UP = 24_000;
const SLOW_SENDERS = 500;
const TOKEN = 'a-token-of-this-test';
const MEGA = 1024 * 1024;
const SOON = { timeout: 100_000, interval: 500 };

verifies(
  'door:fuzz',
  'connections of anything by the thousand, beside slow senders, leave memory as it was',
  async () => {
    const home = createHome();
    const env = { ...SMALL_HEAP, EXAI_TOKEN: TOKEN, EXAI_LISTENER_SESSION_IDLE_MS: '2000' };
    const daemon = await home.serve(['--conformance'], { env });
    const { stdout } = await home.exai(['access', 'add', 'other', '--json'], { env });
    const { token: otherToken } = JSON.parse(stdout) as { token: string };
    const target = { url: daemon.url, pid: daemon.pid, token: TOKEN, otherToken };
    const before = await readGauges(target);
    const slow = startSlowSenders(daemon.url, SLOW_SENDERS, [
      'GET /healthz HTTP/1.1\r\nX-Slow: ',
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n`,
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{"jsonrpc":`,
    ]);

    await fuzzHttp(target, { connections: WARM_UP, seed: SEED - 1 });
    const { warm, last } = await leastBytes(target, CYCLES, async (n) => {
      const outcome = await fuzzHttp(target, { connections: CONNECTIONS, seed: SEED + n });
      expect(outcome.faults).toEqual([]);
      await expect.poll(async () => (await readGauges(target)).sessions, SOON).toBe(0);
    });
    console.log(`fuzzed HTTP: ${warm / MEGA} MiB warm, ${last / MEGA} after`);
    expect(last).toBeLessThan(warm * 1.1);
    expect(new Set(await slow.gone)).toEqual(new Set(['HTTP/1.1 408 Request Timeout']));
    await expect.poll(() => leftOver(target, before), SOON).toEqual(NOTHING);
    daemon.kill('SIGTERM');
    expect((await daemon.ended).code).toBe(0);
    expect((await home.exai(['audit', 'verify'], { env })).code).toBe(0);
  },
);
