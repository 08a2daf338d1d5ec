// What an outage costs those who ask, over real connections: before the breaker opens, and from
// then on.
import { resolve } from 'node:path';
import { openManager } from '#app/manager/open-manager.ts';
import { openUpstreams } from '#app/providers/upstreams.ts';
import { SILENT_LOG } from '#app/providers/silent-log.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import { Config } from '#config/schema/config.schema.ts';
import type { AskReport, Manager } from '#core/llm/ask.ts';
import type { Store } from '#core/stores/store.ts';
import { createMetrics } from '#telemetry/metrics/metrics.ts';
import { startSubject, type Subject } from '../mcp-call/subject.ts';
import { median, type BenchRow } from '../report.ts';
import { askedBy } from './ask-context.ts';

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
  const all: Subject[] = [];
  const start = async () => {
    const vendors = await startSubject([resolve('bench/manager/built/vendors.js')]);
    all.push(vendors);
    return `http://127.0.0.1:${vendors.port}`;
  };
  try {
    const urls = { well: await start(), failing: await start() };
    const rows: BenchRow[] = [];
    for (const [what, fault] of Object.entries(OUTAGES)) {
      rows.push(...(await rowsOf(what, fault, urls)));
    }
    return rows;
  } finally {
    for (const vendors of all) await vendors.stop();
  }
}

interface Urls {
  readonly well: string;
  readonly failing: string;
}

async function rowsOf(what: string, fault: object, urls: Urls): Promise<BenchRow[]> {
  await control(urls.failing, 'POST', '/_reset');
  const well = await openAsking(urls.well);
  const failing = await openAsking(urls.failing);
  try {
    for (let n = 0; n < GOOD_ASKS; n += 1) await askOf(failing.manager, 'glm');
    const planned = { ...fault, vendor: 'glm', path: 'chat', times: 0 };
    await control(urls.failing, 'POST', '/_faults', planned);
    const before = await untilLeftAlone(failing.manager);
    const ms = await compare(well.manager, failing.manager);
    const beforeMs = before.reduce((sum, each) => sum + each, 0) / before.length;
    const longest = Math.max(...before).toFixed(0);
    const ratio = ms.failing / ms.well;
    return [
      { what: 'the first vendor is well: an ask', value: ms.well, unit: 'ms' },
      {
        what: `${what}: an ask while the breakers open (${before.length}, the longest ${longest} ms)`,
        value: beforeMs,
        unit: 'ms',
        ratio: beforeMs / ms.well,
      },
      {
        what: `${what}: an ask from then on`,
        value: ms.failing,
        unit: 'ms',
        ratio,
        goal: `≤ ${GOAL_RATIO} × with the first vendor well`,
        ok: ratio <= GOAL_RATIO,
      },
    ];
  } finally {
    await well.close();
    await failing.close();
  }
}

/** In turn, so that a busy moment of the machine falls on both alike. */
async function compare(
  well: Manager,
  failing: Manager,
): Promise<Readonly<Record<keyof Urls, number>>> {
  const taken = { well: [] as number[], failing: [] as number[] };
  for (let n = -WARM_UP_ASKS; n < ASKS; n += 1) {
    const wellMs = await askOf(well, 'glm');
    const failingMs = await askOf(failing, 'kimi');
    if (n < 0) continue;
    taken.well.push(wellMs);
    taken.failing.push(failingMs);
  }
  return { well: median(taken.well), failing: median(taken.failing) };
}

/** How long it took; throws when somebody else was asked, too. */
async function askOf(manager: Manager, provider: string): Promise<number> {
  const { ms, report } = await ask(manager);
  if (report.provider === provider && report.attempts.length === 1) return ms;
  throw new Error(`not ${provider} alone was asked: ${JSON.stringify(report.attempts)}`);
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

async function openAsking(url: string): Promise<{ manager: Manager; close(): Promise<void> }> {
  const config = Config.parse({
    providers: {
      kimi: { apiKey: 'sk-bench-0123456789', baseUrl: `${url}/kimi/v1` },
      glm: { apiKey: 'bench0123456789.secret', baseUrl: `${url}/glm/api/paas/v4` },
    },
    timeouts: { firstTokenMs: FIRST_TOKEN_MS },
    breaker: { coolOffMs: REST_MS, maxCoolOffMs: REST_MS },
  });
  const shared = { config, clock: systemClock, random: systemRandom };
  const outside = await openUpstreams({ ...shared, settings: NOWHERE.settings, log: SILENT_LOG });
  const managing = await openManager({
    ...shared,
    upstreams: outside,
    store: NOWHERE,
    telemetry: { log: SILENT_LOG, crumbs: SILENT_LOG, metrics: createMetrics() },
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
