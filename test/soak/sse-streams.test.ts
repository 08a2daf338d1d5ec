import { expect } from 'vitest';
import { createHome } from '../e2e/exai.ts';
import { leftOver, NOTHING, readGauges } from '../fuzz-http/gauges.ts';
import { holdModernStreams, holdStreams } from '../fuzz-http/hold-streams.ts';
import { killUnderClients, missingRows } from '../fuzz-http/kill-http.ts';
import { leastBytes, SMALL_HEAP } from '../fuzz-http/least-bytes.ts';
import { createMcpHttp } from '../fuzz-http/mcp-http.ts';
import { resumeRounds } from '../fuzz-http/resume-rounds.ts';
import { verifies } from '../verifies.ts';

const SEED = Number(process.env['EXAI_FUZZ_SEED'] ?? 1000);
const STREAMS = 1000;
const CYCLES = 8;
const ROUNDS = 1000;
const CLIENTS = 200;
const KILLS = 20;
const MEGA = 1024 * 1024;
const SOON = { timeout: 10_000, interval: 100 };

verifies(
  'http:resume',
  'a thousand streams held, dropped and resumed again and again leave memory as it was',
  async () => {
    const daemon = await createHome().serve(['--conformance'], { env: SMALL_HEAP });
    const first = await readGauges(daemon);
    const { warm, last } = await leastBytes(daemon, CYCLES, async (n) => {
      const held = await holdStreams(daemon, { streams: STREAMS, seed: SEED + n, drops: 4 });
      const modern = await holdModernStreams(daemon, { streams: STREAMS, seed: SEED + n });
      expect([...held.faults, ...modern.faults]).toEqual([]);
      expect(modern.halved.connections).toBe(STREAMS / 2);
      await expect.poll(() => leftOver(daemon, first), SOON).toEqual(NOTHING);
    });
    console.log(`streams: ${warm / MEGA} MiB warm, ${last / MEGA} after`);
    expect(last).toBeLessThan(warm * 1.1);
  },
);

verifies(
  'http:resume',
  'thousands of calls whose connections break at any byte are answered once and miss no step',
  async () => {
    const daemon = await createHome().serve(['--conformance'], { env: SMALL_HEAP });
    const http = createMcpHttp(daemon);
    let cuts = 0;
    const { warm, last } = await leastBytes(daemon, CYCLES, async (n) => {
      const outcome = await resumeRounds(http, { rounds: ROUNDS, seed: SEED + n });
      expect(outcome.faults).toEqual([]);
      cuts += outcome.cuts;
    });
    http.close();
    console.log(`calls cut ${cuts} times: ${warm / MEGA} MiB warm, ${last / MEGA} after`);
    expect(last).toBeLessThan(warm * 1.1);
    expect(await readGauges(daemon)).toMatchObject({ sessions: 0, connections: 0 });
  },
);

verifies('store:kill', `${KILLS} kills under ${CLIENTS} clients of HTTP lose nothing`, async () => {
  const { serve, exai, root } = createHome();
  const { acknowledged, told, strange } = await killUnderClients({
    serve: () => serve(['--conformance']),
    clients: CLIENTS,
    kills: KILLS,
    answersBetween: 2000,
  });
  console.log(`${acknowledged.length} acknowledged calls in ${KILLS} kills`);
  expect(strange).toEqual([]);
  // All but those that had none yet.
  expect(Math.min(...told)).toBeGreaterThan(CLIENTS / 2);
  expect(await missingRows(root, acknowledged)).toEqual([]);
  expect((await exai(['audit', 'verify'])).code).toBe(0);
});
