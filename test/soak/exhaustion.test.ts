import { describe, expect } from 'vitest';
import { sendCrowd } from '../exhaustion/crowd.ts';
import { frameHead, upgrade } from '../exhaustion/frames.ts';
import { honestOverHttp, honestOverWs } from '../exhaustion/honest.ts';
import { TRIES } from '../exhaustion/tries.ts';
import { metricsOf, residentBytes, watchHealth } from '../exhaustion/witness.ts';
import { createHome } from '../e2e/exai.ts';
import { verifies } from '../verifies.ts';

const TOKEN = 'a-token-of-these-tests';
const MIB = 1024 * 1024;
const MAX_RECEIVE_BUFFER_BYTES = 256 * MIB;
const mib = (bytes: number) => `${Math.round(bytes / MIB)} MiB`;

const bearer = (token: string) => `Authorization: Bearer ${token}\r\n`;

/** How those come who try: the line of their token, and what they say in a hello. */
const COMERS = {
  'without a token': ['', ''],
  'with a wrong token': [bearer('wrong'), 'wrong'],
  'with a token': [bearer(TOKEN), TOKEN],
} as const;

verifies(
  'security:newcomers',
  'all but the last byte of sixty large frames, without a token, cost nothing to speak of',
  async () => {
    const { url } = await createHome().serve([], { env: { EXAI_TOKEN: TOKEN } });
    const before = await residentBytes(url, TOKEN);
    const witness = watchHealth(url, TOKEN);
    const filling = Buffer.alloc(32 * MIB - 1, 0x61);
    const crowd = await sendCrowd(url, {
      count: 60,
      act(socket) {
        socket.write(upgrade());
        socket.write(frameHead(1, 32 * MIB));
        socket.write(filling);
      },
    });
    expect(await honestOverWs(url, TOKEN)).toBe(true);
    await expect.poll(() => crowd.gone, { timeout: 60_000 }).toBe(60);
    await witness.stop();
    const after = await residentBytes(url, TOKEN);
    console.log(
      `large frames: ${mib(before)} before, ${mib(witness.peakBytes)} at most, ${mib(after)} after, /healthz within ${Math.round(witness.worstMs)} ms`,
    );
    expect(witness.peakBytes - before).toBeLessThan(64 * MIB);
    expect(witness.failures).toEqual([]);
  },
);

verifies(
  'security:newcomers',
  'thousands of silent WebSockets leave capacity for one that says hello',
  async () => {
    const { url } = await createHome().serve([], { env: { EXAI_TOKEN: TOKEN } });
    const witness = watchHealth(url, TOKEN);
    const act = (socket: { write(text: string): boolean }) => void socket.write(upgrade());
    const crowd = await sendCrowd(url, { count: 2300, act });
    for (let n = 0; n < 20; n++) expect(await honestOverWs(url, TOKEN)).toBe(true);
    const metrics = await metricsOf(url, TOKEN);
    const open = 2300 - crowd.gone;
    await crowd.leave();
    await witness.stop();
    console.log(
      `silent WebSockets: ${open} of 2300 open, ${mib(witness.peakBytes)} at most, /healthz within ${Math.round(witness.worstMs)} ms`,
    );
    expect(open).toBeLessThanOrEqual(256);
    expect(metrics).toMatch(/^exai_ws_dropped_total\{class="over_capacity"\} \d{4}/m);
    expect(witness.failures).toEqual([]);
  },
);

verifies(
  'security:unfinished',
  'thousands of half bodies leave room for a request that is complete',
  async () => {
    const { url } = await createHome().serve([], { env: { EXAI_AUTH_REQUIRE_TOKEN: 'false' } });
    const witness = watchHealth(url, '');
    const crowd = await sendCrowd(url, {
      count: 5000,
      act(socket) {
        socket.write(
          'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 4000000\r\n\r\n{"half":',
        );
      },
    });
    const statuses: number[] = [];
    for (let n = 0; n < 20; n++) statuses.push(await honestOverHttp(url, ''));
    const told = crowd.told.filter((words) => words.startsWith('HTTP/1.1 408'));
    await crowd.leave();
    await witness.stop();
    console.log(
      `half bodies: ${told.length} told 408, honest ${statuses.join(' ')}, ${mib(witness.peakBytes)} at most, /healthz within ${Math.round(witness.worstMs)} ms`,
    );
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
    expect(told.length).toBeGreaterThan(900);
    expect(witness.failures).toEqual([]);
  },
);

describe('whatever is tried', () => {
  verifies(
    'security:newcomers',
    'the daemon answers all along, and memory comes back',
    async () => {
      const { url } = await createHome().serve([], { env: { EXAI_TOKEN: TOKEN } });
      const before = await residentBytes(url, TOKEN);
      const failed: string[] = [];
      let tried = 0;
      for (const [comer, [authorization, token]] of Object.entries(COMERS)) {
        for (const each of TRIES) {
          const { name, count = 150, reading = 'read' } = each;
          const witness = watchHealth(url, TOKEN);
          const crowd = await sendCrowd(url, {
            count,
            reading,
            act: (socket) => each.act(socket, authorization, token),
          });
          const [overWs, overHttp] = await Promise.all([
            honestOverWs(url, TOKEN).catch(String),
            honestOverHttp(url, TOKEN).catch(String),
          ]);
          // A few more looks while everybody is still there.
          const seen = witness.answers;
          await expect
            .poll(() => witness.answers + witness.failures.length, { timeout: 60_000 })
            .toBeGreaterThan(seen + 5);
          await crowd.leave();
          await witness.stop();
          tried += 1;
          const words = `${name} ${comer}: ${mib(witness.peakBytes)}, /healthz within ${Math.round(witness.worstMs)} ms, ${crowd.gone} of ${count} gone`;
          console.log(words);
          if (overWs !== true || overHttp !== 200 || witness.failures.length > 0) {
            failed.push(`${words}: ${overWs} ${overHttp} ${witness.failures.join(' ')}`);
          }
        }
      }
      const metrics = await metricsOf(url, TOKEN);
      const after = await residentBytes(url, TOKEN);
      console.log(`${tried} tries: ${mib(before)} before, ${mib(after)} after`);
      expect(failed).toEqual([]);
      expect(tried).toBeGreaterThanOrEqual(105);
      expect(metrics).toMatch(/^exai_inbound_buffered_bytes 0$/m);
      // What the allocator keeps for the next time: what may arrive at once and the garbage of a
      // flood, in fragments.
      expect(after - before).toBeLessThan(4 * MAX_RECEIVE_BUFFER_BYTES);
    },
  );
});
