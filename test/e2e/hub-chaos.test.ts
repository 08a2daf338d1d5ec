import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { realClock, untilGone } from '../../src/programs/processes.fixture.ts';
import { eventually } from '../eventually.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';
import { storeIn } from './job-helpers.ts';
import { startShim, type ShimClient } from './shim-client.ts';
import { everythingOverStdio } from './upstream-servers.ts';

const CHAOS = fileURLToPath(new URL('../fixtures/chaos-server.mjs', import.meta.url));
const ENVELOPE = 'exai/envelope';

/** Of those whose calls do not end: the others have time enough on any machine. */
const QUICK = { callTimeoutMs: 3_000 };

function chaos(manner: string, more: object = {}) {
  return { command: process.execPath, args: [CHAOS, manner], callTimeoutMs: 60_000, ...more };
}

interface Outcome {
  readonly text: string;
  readonly reqId: string | undefined;
  readonly error: string | undefined;
}

interface EnvelopeJson {
  readonly req_id?: string;
  readonly error_class?: string;
}

async function call(client: ShimClient, name: string, args: object = {}): Promise<Outcome> {
  const { result, error } = await client.request('tools/call', { name, arguments: args });
  return error ? { text: error.message, reqId: undefined, error: 'rpc' } : readOutcome(result);
}

function readOutcome(result: unknown): Outcome {
  const { content = [], _meta = {} } = (result ?? {}) as {
    content?: { text?: string }[];
    _meta?: Record<string, EnvelopeJson | undefined>;
  };
  const envelope = _meta[ENVELOPE];
  return {
    text: content.map((block) => block.text ?? '').join('\n'),
    reqId: envelope?.req_id,
    error: envelope?.error_class,
  };
}

verifies('hub:chaos', 'programs that misbehave beside one that does not', async () => {
  const home = createHome();
  const mcpServers = {
    good: chaos('well'),
    everything: everythingOverStdio(),
    hangs: chaos('hangs', { startTimeoutMs: 2_000 }),
    floods: chaos('floods'),
    large: chaos('large'),
    lies: chaos('lies', QUICK),
    twice: chaos('twice'),
    changes: chaos('changes'),
    exits: chaos('exits'),
    asks: chaos('asks', QUICK),
  };
  writeFileSync(home.path('config.json'), JSON.stringify({ mcpServers }));
  const daemon = await home.serve();
  const client = startShim(home.root);
  await client.initialize();
  const isReady = async () => (await call(client, 'mcp__good__run', { n: 0 })).text === 'well 0';
  expect(await eventually(isReady)).toBe(true);
  const twice = () => call(client, 'mcp__twice__run');
  expect(await eventually(async () => (await twice()).text === 'first')).toBe(true);
  // Their calls end soon, so a call that has to wait for the start of a program ends otherwise.
  const lies = () => call(client, 'mcp__lies__run');
  expect(await eventually(async () => (await lies()).error === 'timeout')).toBe(true);
  const asks = async () =>
    /^(tool_error|timeout)$/.test((await call(client, 'mcp__asks__run')).error ?? '');
  expect(await eventually(asks)).toBe(true);

  for (let round = 0; round < 3; round++) {
    const good = Array.from({ length: 40 }, (_, n) => call(client, 'mcp__good__run', { n }));
    const named = async (server: string, args: object = {}) =>
      [server, await call(client, `mcp__${server}__run`, { ...args, round })] as const;
    const bad = ['floods', 'large', 'lies', 'twice', 'changes', 'exits', 'asks'];
    const outcomes = new Map(await Promise.all(bad.map((server) => named(server))));
    expect((await Promise.all(good)).map(({ text }) => text)).toEqual(
      good.map((_, n) => `well ${n}`),
    );
    expect(outcomes.get('floods')?.text).toBe('well ');
    expect(outcomes.get('changes')?.text).toBe('well ');
    expect(outcomes.get('twice')?.text).toBe('first');
    expect(outcomes.get('large')).toMatchObject({ error: 'too_large' });
    expect(outcomes.get('lies')).toMatchObject({ error: 'timeout' });
    // This client answers no questions, and the server goes on asking.
    expect(outcomes.get('asks')?.error).toMatch(/^(tool_error|timeout)$/);
    expect(outcomes.get('exits')?.error ?? 'network').toBe('network');
  }
  expect((await call(client, 'mcp__everything__get-sum', { a: 2, b: 40 })).text).toContain('42');
  expect(residentMb(daemon.pid)).toBeLessThan(600);
  const { stdout } = await home.exai(['servers', 'list', '--json']);
  const { servers } = JSON.parse(stdout) as { servers: { name: string; state: string }[] };
  const states = new Map(servers.map(({ name, state }) => [name, state]));
  expect([states.get('good'), states.get('everything')]).toEqual(['connected', 'connected']);
  expect(states.get('hangs')).toMatch(/^(waiting|starting)$/);
  await client.end();
});

function residentMb(pid: number | undefined): number {
  if (process.platform !== 'linux' || pid === undefined) return 0;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / 1e6;
}

verifies(
  'hub:orphans',
  'a daemon that is killed under load leaves no program, and every answered call in the audit log',
  async () => {
    const home = createHome();
    const pidFile = home.path('pids');
    const mcpServers = { good: chaos('well', { env: { PID_FILE: pidFile } }) };
    writeFileSync(home.path('config.json'), JSON.stringify({ mcpServers }));
    const answered: string[] = [];
    for (const enough of [40, 200]) {
      const daemon = await home.serve();
      const first = startShim(home.root, NO_START);
      const clients = [first, startShim(home.root, NO_START)];
      await Promise.all(clients.map((client) => client.initialize()));
      // A tool is unknown until its program was listed for the first time.
      const isReady = async () => (await call(first, 'mcp__good__run')).error === undefined;
      expect(await eventually(isReady)).toBe(true);
      for (const client of clients) for (let n = 0; n < 8; n++) void callOn(client, answered);
      await expect.poll(() => answered.length).toBeGreaterThan(enough);
      daemon.kill('SIGKILL');
      await daemon.ended;
      await untilGone(readFileSync(pidFile, 'utf8').trim().split('\n').map(Number));
      for (const client of clients) client.child.kill('SIGKILL');
    }
    const { rows, chains } = await storeIn({ home: home.root }, realClock, async (store) => ({
      rows: await store.calls.list({ limit: 1_000_000 }),
      ...(await store.verifyAudit()),
    }));
    const kept = new Set<string>(rows.map(({ reqId }) => reqId));
    expect(answered.filter((reqId) => !kept.has(reqId))).toEqual([]);
    expect(chains.map(({ fault }) => fault)).toEqual(chains.map(() => undefined));
  },
);

const NO_START = { env: { EXAI_AUTOSTART: 'off' } };

/** Calls one after the other until one is not answered. */
async function callOn(client: ShimClient, answered: string[]): Promise<void> {
  for (;;) {
    const { reqId, error } = await call(client, 'mcp__good__run', { n: answered.length });
    if (reqId === undefined || error !== undefined) return;
    answered.push(reqId);
  }
}
