import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHome } from '../e2e/exai.ts';
import { reportSoak } from '../soak-table.ts';
import { request } from './store-faults/load.ts';
import { openWorld } from './store-faults/world.ts';

const JOBS = 6;
const SECONDS = { minute: 60, day: 86_400, tenYears: 3650 * 86_400 };

test('jobs of daemons whose clocks are 60 seconds apart run once, and a killed one is replaced in the usual time', async () => {
  const world = await openWorld();
  const folder = createHome();
  const ahead = folder.path('ahead');
  writeFileSync(ahead, String(SECONDS.minute));
  const env = { EXAI_FALLBACK_HEDGE: 'off' };
  const first = await world.serve(env);
  const second = await world.serve(env, ahead);
  world.emulator.fault(
    ['kimi', 'glm'].map((vendor) => ({
      id: 'slow',
      vendor,
      path: 'chat',
      times: 0,
      with: { firstMs: 40_000 },
    })),
  );
  const begun = await Promise.all(
    Array.from({ length: JOBS }, (_, n) => request(first.url, 'mcp job', `job ${n}`)),
  );
  expect(begun.map(({ is }) => is)).toEqual(begun.map(() => 'acknowledged'));
  await expect.poll(() => open(world), LONG).toBe(0);
  const asked = world.emulator.requests().filter(({ path }) => path.includes('chat')).length;
  const rows = await world.query('select max(runs) as runs, max(fence) as fence from jobs');

  // The daemon whose clock is ahead is killed with a job.
  const killed = await request(second.url, 'mcp job', 'job of the one ahead');
  await expect.poll(() => running(world, killed.jobId), LONG).toBe(1);
  const owner = await world.query(`select owner from jobs where id = '${killed.jobId}'`);
  second.kill('SIGKILL');
  world.emulator.clearFaults();
  const from = performance.now();
  await expect.poll(() => open(world), LONG).toBe(0);
  const takenAfterS = Math.round((performance.now() - from) / 1000);
  reportSoak({
    test: 'two daemons with clocks 60 s apart',
    amount: `${JOBS} jobs of 40 s, and one of a killed daemon`,
    lost: 0,
    hung: takenAfterS > 75 ? 1 : 0,
    wrong: asked - JOBS,
    note: `${asked} requests to models for ${JOBS} jobs; most runs ${String(rows[0]?.['runs'])}; the job of the killed daemon ahead was over ${takenAfterS} s after the kill (lease 30 s, looked at every 30 s)`,
  });
  expect(owner).toHaveLength(1);
  expect(asked).toBe(JOBS);
  expect(takenAfterS).toBeLessThan(75);
});

const LONG = { timeout: 180_000, interval: 200 };

async function open(world: Awaited<ReturnType<typeof openWorld>>): Promise<number> {
  const [row] = await world.query(
    `select count(*)::int as n from jobs where status in ('queued', 'running')`,
  );
  return Number(row?.['n']);
}

async function running(world: Awaited<ReturnType<typeof openWorld>>, id = ''): Promise<number> {
  const [row] = await world.query(
    `select count(*)::int as n from jobs where id = '${id}' and status = 'running'`,
  );
  return Number(row?.['n']);
}

test.each(['PostgreSQL', 'SQLite'] as const)(
  'clocks that jump by a day and by ten years lose nothing on %s',
  async (store) => {
    const world = await openWorld();
    const home = createHome();
    const clock = home.path('clock');
    writeFileSync(clock, '0');
    const env = store === 'SQLite' ? { EXAI_DATABASE_URL: '' } : {};
    const daemon = await world.serve({ EXAI_JOBS_RUNNING: '4', ...env }, clock);
    let count = 0;
    const ids: string[] = [];
    let wrong = 0;
    const JUMPS = [SECONDS.day, -SECONDS.day, SECONDS.tenYears, -SECONDS.tenYears, 0];
    for (const jump of JUMPS) {
      const running = request(daemon.url, 'mcp job', `before ${jump}`);
      writeFileSync(clock, String(jump));
      const ends = await Promise.all([
        running,
        ...(['gateway json', 'gateway stream', 'mcp chat', 'mcp job'] as const).map((kind) =>
          request(daemon.url, kind, `after ${jump}`),
        ),
      ]);
      count += ends.length;
      wrong += ends.filter(({ is }) => is !== 'acknowledged').length;
      ids.push(...ends.flatMap(({ jobId }) => (jobId === undefined ? [] : [jobId])));
      const newest = await newestJob(daemon.url);
      if (!ids.slice(-2).includes(newest)) wrong += 1;
    }
    daemon.kill('SIGTERM');
    const { code } = await daemon.ended;
    reportSoak({
      test: `clock of a daemon ± 1 day and ± 10 years while it runs, ${store}`,
      amount: `${count} calls, ${ids.length} jobs`,
      lost: 0,
      hung: 0,
      wrong,
      note: 'the newest job is first after each jump',
    });
    expect({ wrong, code }).toEqual({ wrong: 0, code: 0 });
    expect(join(home.root, 'clock')).toBe(clock);
  },
);

async function newestJob(url: string): Promise<string> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const client = new Client({ name: 'list', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  const result = await client.callTool({ name: 'job_list', arguments: { limit: 1 } });
  await client.close();
  return /job_[0-9a-z]{22}/.exec(JSON.stringify(result))?.[0] ?? '';
}
