import { expect } from 'vitest';
import { forAll } from '../fuzz-http/for-all.ts';
import { leftOver, NOTHING, readGauges } from '../fuzz-http/gauges.ts';
import { holdModernStreams, holdStreams } from '../fuzz-http/hold-streams.ts';
import { killUnderClients, missingRows } from '../fuzz-http/kill-http.ts';
import { createMcpHttp } from '../fuzz-http/mcp-http.ts';
import { resumeRounds } from '../fuzz-http/resume-rounds.ts';
import { openStream } from '../fuzz-http/stream-socket.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

const SEED = Number(process.env['EXAI_FUZZ_SEED'] ?? 1);
const STREAMS = 200;
const ROUNDS = 120;
const CLIENTS = 60;

verifies(
  'http:resume',
  'of two hundred streams half are dropped, and each hears of every change once and in order',
  async () => {
    const daemon = await createHome().serve(['--conformance']);
    const before = await readGauges(daemon);
    const held = await holdStreams(daemon, { streams: STREAMS, seed: SEED, drops: 2 });
    expect(held.faults).toEqual([]);
    expect(held.open).toMatchObject({ sessions: STREAMS, connections: STREAMS });
    await expect.poll(() => leftOver(daemon, before)).toEqual(NOTHING);
    const grown = held.open.residentBytes - before.residentBytes;
    console.log(`streams: ${Math.round(grown / STREAMS / 1024)} KiB each`);
  },
);

verifies(
  'http:streamable',
  'streams of the stateless era are freed as soon as they are dropped',
  async () => {
    const daemon = await createHome().serve(['--conformance']);
    const before = await readGauges(daemon);
    const held = await holdModernStreams(daemon, { streams: STREAMS, seed: SEED });
    expect(held.faults).toEqual([]);
    expect(held.open).toMatchObject({ sessions: 0, connections: STREAMS });
    expect(held.halved).toMatchObject({ sessions: 0, connections: STREAMS / 2 });
    await expect.poll(() => leftOver(daemon, before)).toEqual(NOTHING);
  },
);

verifies(
  'http:resume',
  'calls whose connections break at any byte are answered once and miss no step',
  async () => {
    const daemon = await createHome().serve(['--conformance']);
    const before = await readGauges(daemon);
    const http = createMcpHttp(daemon);
    const { faults, cuts, askedAgain } = await resumeRounds(http, { rounds: ROUNDS, seed: SEED });
    http.close();
    console.log(
      `seed ${SEED}: ${ROUNDS} calls, cut ${cuts} times, asked again ${askedAgain} times`,
    );
    expect(faults).toEqual([]);
    await expect.poll(() => leftOver(daemon, before)).toEqual(NOTHING);
  },
);

verifies(
  'http:resume',
  'answers that nobody came back for do not push out the one just cut',
  async () => {
    const daemon = await createHome().serve(['--conformance']);
    const http = createMcpHttp(daemon);
    const session = await http.openSession();
    const cutCall = async (id: number, cutAfterBytes: number) => {
      let last: string | undefined;
      const params = { name: 'test_tool_with_logging', arguments: {} };
      const stream = openStream(
        http.url,
        {
          method: 'POST',
          headers: {
            accept: 'application/json, text/event-stream',
            'content-type': 'application/json',
            'mcp-session-id': session,
          },
          body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
        },
        { onEvent: (event) => (last = event.id ?? last), cutAfterBytes },
      );
      await stream.over;
      return { last, bytes: stream.bytes() };
    };
    await forAll(
      Array.from({ length: 300 }, (_, n) => n),
      (n) => cutCall(n, 20),
    );
    const { bytes } = await cutCall(1000, Number.POSITIVE_INFINITY);
    const { last = '' } = await cutCall(1001, bytes - 20);
    await cutCall(1002, Number.POSITIVE_INFINITY);
    const again = { 'mcp-session-id': session, 'last-event-id': last };
    const resumed = await http.send('GET', again);
    expect([resumed.status, resumed.body.includes('"id":1001,"result"')]).toEqual([200, true]);
    http.close();
  },
);

verifies(
  'http:sessions',
  'after a kill clients are told that their sessions are gone, and nothing they were told is lost',
  async () => {
    const { serve, exai, root } = createHome();
    const { acknowledged, told, strange } = await killUnderClients({
      serve: () => serve(['--conformance']),
      clients: CLIENTS,
      kills: 1,
      answersBetween: 300,
    });
    expect(strange).toEqual([]);
    // All but those that had none yet.
    expect(told[0]).toBeGreaterThan(CLIENTS / 2);
    expect(await missingRows(root, acknowledged)).toEqual([]);
    expect((await exai(['audit', 'verify'])).code).toBe(0);
  },
);
