import { expect } from 'vitest';
import { createHome } from '../e2e/exai.ts';
import { dialUnix, dialWs, fuzzTransport } from '../fuzz-transports.ts';
import { get } from '../http-get.ts';
import { verifies } from '../verifies.ts';

const MESSAGES = 200_000;
const WARM_UP = 300_000;

verifies(
  'door:fuzz',
  'two hundred thousand messages made of anything leave memory as it was',
  async () => {
    const { serve, exai, path } = createHome();
    const daemon = await serve();
    const ws = dialWs(daemon.url);
    const unix = dialUnix(path('daemon.sock'));
    const run = async (messages: number, seed: number) => [
      await fuzzTransport(ws, 'exai', messages / 3, seed),
      await fuzzTransport(ws, 'mcp', messages / 3, seed + 1),
      await fuzzTransport(unix, 'mcp', messages / 3, seed + 2),
    ];
    // The heap grows to its working size first; what it grows by after that is a leak.
    await run(WARM_UP, 10);
    const before = await residentBytes(daemon.url);
    const outcomes = await run(MESSAGES, 20);
    const after = await residentBytes(daemon.url);
    console.log(
      `fuzzed transports: ${before / 1e6} MB after warming up, ${after / 1e6} MB after`,
      outcomes,
    );
    for (const { strange } of outcomes) expect(strange).toEqual([]);
    expect(after).toBeLessThan(before * 1.1);
    daemon.kill('SIGTERM');
    expect((await daemon.ended).code).toBe(0);
    expect((await exai(['audit', 'verify'])).code).toBe(0);
  },
);

async function residentBytes(url: string): Promise<number> {
  const { body } = await get(`${url}/metrics`);
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(body)?.[1]);
}
