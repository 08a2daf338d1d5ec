// What an outage costs those who ask, over real connections: before the breaker opens, and from then on.
import { resolve } from 'node:path';
import { openManager } from '#app/manager/open-manager.ts';
import { openOutside } from '#app/outside/outside.ts';
import { SILENT } from '#app/outside/silent-log.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import { Config } from '#config/config.schema.ts';
import type { AskReport, Manager } from '#core/ask.ts';
import type { Store } from '#core/stores/store.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { startSubject } from '../mcp-call/subject.ts';
import { median, type BenchRow } from '../report.ts';
import { askedBy } from './asked-by.ts';

const WARM_UP_ASKS = 500;
const ASKS = 400;
/** In the window when the outage begins. */
const GOOD_ASKS = 10;
const MOST_ASKS_TO_OPEN = 200;
const GOAL_RATIO = 1.5;
const FIRST_TOKEN_MS = 1000;
/** So long that no probe falls into what is measured. */
const REST_MS = 3_600_000;

const OUTAGES = {
  'connections are reset': { id: 'F5.reset' },
  'it answers 503': { id: 'F4.503' },
  [`it is silent (patience ${FIRST_TOKEN_MS} ms)`]: { id: 'F5.silent' },
  'it answers 429 with "Retry-After: 60"': { id: 'F1', with: { seconds: 60 } },
} as const;

export async function outageRows(): Promise<BenchRow[]> {
  const vendors = await startSubject([resolve('bench/manager/built/vendors.js')]);
  const url = `http://127.0.0.1:${vendors.port}`;
  try {
    const rows: BenchRow[] = [];
    for (const [what, fault] of Object.entries(OUTAGES)) {
      await control(url, 'POST', '/_reset');
      rows.push(...(await rowsOf(what, url, fault)));
    }
    return rows;
  } finally {
    await vendors.stop();
  }
}

async function healthyMs(url: string): Promise<number> {
  const subject = await openSubject(url);
  try {
    await medianOf(subject.manager, WARM_UP_ASKS, 'glm');
    return await medianOf(subject.manager, ASKS, 'glm');
  } finally {
    await subject.close();
  }
}

async function rowsOf(what: string, url: string, fault: object): Promise<BenchRow[]> {
  const healthy = await healthyMs(url);
  // Anew, because every success of the last minute makes it later that a breaker opens.
  const subject = await openSubject(url);
  const { manager } = subject;
  try {
    await medianOf(manager, GOOD_ASKS, 'glm');
    await control(url, 'POST', '/_faults', { ...fault, vendor: 'glm', path: 'chat', times: 0 });
    const before = await untilLeftAlone(manager);
    await medianOf(manager, WARM_UP_ASKS, 'kimi');
    const after = await medianOf(manager, ASKS, 'kimi');
    const ratio = after / healthy;
    const count = before.length;
    return [
      { what: `the first vendor is well: an ask`, value: healthy, unit: 'ms' },
      {
        what: `${what}: an ask while the breakers open (${count}, the longest ${Math.max(...before).toFixed(0)} ms)`,
        value: before.reduce((sum, ms) => sum + ms, 0) / count,
        unit: 'ms',
        ratio: before.reduce((sum, ms) => sum + ms, 0) / count / healthy,
      },
      {
        what: `${what}: an ask from then on`,
        value: after,
        unit: 'ms',
        ratio,
        goal: `≤ ${GOAL_RATIO} × with the first vendor well`,
        ok: ratio <= GOAL_RATIO,
      },
    ];
  } finally {
    await subject.close();
  }
}

/** How long each ask took until nobody who fails was asked any more. */
async function untilLeftAlone(manager: Manager): Promise<readonly number[]> {
  const taken: number[] = [];
  while (taken.length < MOST_ASKS_TO_OPEN) {
    const { ms, report } = await ask(manager);
    if (report.attempts.length === 1) return taken;
    taken.push(ms);
  }
  throw new Error(`after ${MOST_ASKS_TO_OPEN} asks the vendor that fails is still asked`);
}

async function medianOf(manager: Manager, asks: number, answeredBy: string): Promise<number> {
  const taken: number[] = [];
  while (taken.length < asks) {
    const { ms, report } = await ask(manager);
    if (report.provider !== answeredBy || report.attempts.length > 1) {
      throw new Error(`not ${answeredBy} alone was asked: ${JSON.stringify(report.attempts)}`);
    }
    taken.push(ms);
  }
  return median(taken);
}

async function ask(manager: Manager): Promise<{ readonly ms: number; readonly report: AskReport }> {
  const startedAt = performance.now();
  const { text, report } = await manager.ask(
    { messages: [{ role: 'user', content: 'Say exactly: The lamp is lit.' }] },
    askedBy(),
  );
  const ms = performance.now() - startedAt;
  if (text !== 'The lamp is lit.') throw new Error(`the answer is ${JSON.stringify(text)}`);
  return { ms, report };
}

async function openSubject(url: string): Promise<{ manager: Manager; close(): Promise<void> }> {
  const config = Config.parse({
    providers: {
      kimi: { apiKey: 'sk-bench-0123456789', baseUrl: `${url}/kimi/v1` },
      glm: { apiKey: 'bench0123456789.secret', baseUrl: `${url}/glm/api/paas/v4` },
    },
    patience: { firstTokenMs: FIRST_TOKEN_MS },
    breaker: { coolOffMs: REST_MS, maxCoolOffMs: REST_MS },
  });
  const shared = { config, clock: systemClock, random: systemRandom };
  const outside = await openOutside({ ...shared, settings: NOWHERE.settings, log: SILENT });
  const managing = await openManager({
    ...shared,
    outside,
    store: NOWHERE,
    telemetry: { log: SILENT, crumbs: SILENT, metrics: createMetrics() },
  });
  return {
    manager: managing.manager,
    async close() {
      await managing.close();
      await outside.close();
    },
  };
}

/** A store that keeps nothing. */
const NOWHERE = {
  breakers: { save: async () => undefined, all: async () => [] },
  calls: { spend: async () => undefined },
  usage: { totals: async () => [] },
  settings: { get: async () => undefined, set: async () => undefined },
  clients: {},
} as unknown as Store;

async function control(url: string, method: string, path: string, body?: object): Promise<void> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
}
