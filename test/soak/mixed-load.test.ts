import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { createHome } from '../e2e/exai.ts';
import { eventually } from '../eventually.ts';
import { reportSoak } from '../soak-table.ts';
import { verifies } from '../verifies.ts';
import { readHeld, writeProbe, type Held } from './mixed-load/held.ts';
import { createMixedClient, type RequestEnd } from './mixed-load/requests.ts';

/** EXAI_SOAK_MINUTES makes it shorter. */
const MINUTES = Number(process.env['EXAI_SOAK_MINUTES'] ?? 10);
const MINUTE_MS = 60_000;
/** The heap, pools and caches grow to their working size first. */
const WARM_UP_SHARE = 0.2;
const CLIENTS = 16;
const SESSION_IDLE_MS = 10_000;
const SETTLE_MS = 15_000;
const MEMORY_SHARE = 1.2;
/** Connections to vendors that are kept open, and their timers. */
const SPARE = 12;
const SPARE_MB = 4;

verifies(
  'stalls:returns',
  'after mixed load with random disconnects, memory, descriptors, timers, sessions and permits are as before',
  async () => {
    const emulator = await startEmulator({ pace: { chunkMs: 5 } });
    onTestFinished(() => emulator.close());
    const home = createHome();
    const timersFile = home.path('timers');
    writeProbe(home.path('probe.cjs'), timersFile);
    const daemon = await home.serve([], {
      env: {
        NODE_OPTIONS: `--max-old-space-size=192 --max-semi-space-size=4 --require ${home.path('probe.cjs')}`,
        KIMI_API_URL: `${emulator.url}/kimi/v1`,
        KIMI_API_KEY: 'sk-emulated-kimi-0001',
        GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
        GLM_API_KEY: 'emulated.secret0002',
        EXAI_LISTENER_SESSION_IDLE_MS: String(SESSION_IDLE_MS),
      },
    });
    const ends: Record<RequestEnd, number> = { answered: 0, refused: 0, left: 0 };
    await load(daemon.url, MINUTES * WARM_UP_SHARE, ends);
    const before = await settled(() => readHeld(daemon, timersFile));
    await load(daemon.url, MINUTES, ends);
    const after = await settled(() => readHeld(daemon, timersFile));

    const asked = ends.answered + ends.refused + ends.left;
    const note = `before ${describe(before)}; after ${describe(after)}`;
    console.log(`${asked} requests: ${JSON.stringify(ends)}; ${note}`);
    const lost = after.sessions + after.connections + after.permits + after.waiting;
    const amount = `${MINUTES} minutes, ${asked} requests, ${ends.left} disconnects`;
    reportSoak({ test: 'mixed load, random disconnects', amount, lost, hung: 0, wrong: 0, note });

    expect(ends.answered).toBeGreaterThan(asked / 3);
    const { sessions, connections, permits, waiting, bufferedBytes } = after;
    expect({ sessions, connections, permits, waiting, bufferedBytes }).toEqual({
      sessions: 0,
      connections: 0,
      permits: 0,
      waiting: 0,
      bufferedBytes: 0,
    });
    expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + SPARE);
    expect(after.timers).toBeLessThanOrEqual(before.timers + SPARE);
    expect(after.residentMb).toBeLessThan(before.residentMb * MEMORY_SHARE);
    expect(after.heapMb).toBeLessThan(before.heapMb * MEMORY_SHARE);
    expect(after.buffersMb).toBeLessThanOrEqual(before.buffersMb + SPARE_MB);
    daemon.kill('SIGTERM');
    expect((await daemon.ended).code).toBe(0);
  },
);

async function load(url: string, minutes: number, ends: Record<RequestEnd, number>): Promise<void> {
  const until = performance.now() + minutes * MINUTE_MS;
  let state = 7;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const clients = Array.from({ length: CLIENTS }, async () => {
    const client = createMixedClient(url, random);
    while (performance.now() < until) ends[await client.next()] += 1;
  });
  await Promise.all(clients);
}

/** What is held once nothing is under way; after 90 seconds what is held then. */
async function settled(read: () => Promise<Held>): Promise<Held> {
  await eventually(async () => {
    const { sessions, connections, permits, waiting } = await read();
    return sessions + connections + permits + waiting === 0;
  });
  // Jobs, idle connections and garbage.
  await pause(SETTLE_MS);
  return read();
}

function describe(held: Held): string {
  return Object.entries(held)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}
