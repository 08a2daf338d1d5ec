import { expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { createHome } from '../e2e/exai.ts';
import { reportSoak } from '../soak-table.ts';
import { get } from '../http-get.ts';
import { chatThrough, type ChatEnd } from './flapping/chat-through.ts';
import { startFlapping } from './flapping/start-flapping.ts';

/** EXAI_SOAK_MINUTES makes it shorter. */
const SECONDS = Math.min(300, 60 * Number(process.env['EXAI_SOAK_MINUTES'] ?? 5));
const IN_FLIGHT = 20;
const DEADLINE_MS = 60_000;
const PAUSE_MS = 500;
const GOOD_SHARE = 0.999;
const PACE = { chunkMs: 10 };

type TimedEnd = ChatEnd & { readonly second: number; readonly ms: number };

interface Figures {
  readonly asked: number;
  readonly failed: Readonly<Record<string, number>>;
  readonly wrong: number;
  readonly longestMs: number;
  /** Seconds in which fewer of the requests that ended were answered than wanted. */
  readonly badSeconds: number;
  /** Seconds in which nothing was answered, and the longest row of them. */
  readonly deadSeconds: number;
  readonly longestGapS: number;
  /** Requests to models, and how many of them were asked beside a silent one. */
  readonly attempts: number;
  readonly hedges: number;
}

test('while two vendors fail and fall silent in turn, every request is answered in time', async () => {
  const emulator = await startEmulator({ pace: PACE });
  onTestFinished(() => emulator.close());
  const daemon = await createHome().serve([], {
    env: {
      KIMI_API_URL: `${emulator.url}/kimi/v1`,
      KIMI_API_KEY: 'sk-emulated-kimi-0001',
      GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
      GLM_API_KEY: 'emulated.secret0002',
      EXAI_GATEWAY_TIMEOUT_MS: String(DEADLINE_MS),
      EXAI_LIMITS_KIMI: String(IN_FLIGHT),
      EXAI_LIMITS_GLM: String(IN_FLIGHT),
    },
  });
  const flapping = startFlapping(emulator, 7);
  const startedAt = performance.now();
  const seconds = () => Math.floor((performance.now() - startedAt) / 1000);
  const answeredIn = new Set<number>();
  const ends: TimedEnd[] = [];
  let number = 0;

  async function runClient(): Promise<void> {
    while (seconds() < SECONDS) {
      number += 1;
      const text = `Answer ${number}: the lamp is lit at dusk and put out at dawn.`;
      const from = performance.now();
      const end = await chatThrough(daemon.url, text, number % 2 === 0 ? 'stream' : 'json');
      ends.push({ ...end, second: seconds(), ms: performance.now() - from });
      if (end.is === 'answered') answeredIn.add(seconds());
      else await new Promise<void>((resolve) => void setTimeout(resolve, PAUSE_MS));
    }
  }

  await Promise.all(Array.from({ length: IN_FLIGHT }, runClient));
  flapping.stop();
  const { body: metrics } = await get(`${daemon.url}/metrics`);
  const figures = figuresOf(ends, answeredIn, metrics);
  const failed = Object.values(figures.failed).reduce((sum, count) => sum + count, 0);
  const late = ends.filter(({ ms }) => ms > DEADLINE_MS + 1000).length;
  reportSoak({
    test: 'two vendors fail and fall silent in turn, 20 in flight',
    amount: `${figures.asked} requests in ${SECONDS} s`,
    lost: failed,
    hung: late,
    wrong: figures.wrong,
    note: JSON.stringify(figures),
  });
  expect(figures.badSeconds).toBe(0);
  expect(figures.wrong).toBe(0);
  expect(1 - failed / figures.asked).toBeGreaterThanOrEqual(GOOD_SHARE);
  expect(figures.longestMs).toBeLessThan(DEADLINE_MS + 1000);
});

function figuresOf(
  ends: readonly TimedEnd[],
  answeredIn: ReadonlySet<number>,
  metrics: string,
): Figures {
  const failed: Record<string, number> = {};
  for (const end of ends) if (end.is === 'failed') failed[end.class] = (failed[end.class] ?? 0) + 1;
  const bySecond = new Map<number, TimedEnd[]>();
  for (const end of ends) bySecond.set(end.second, [...(bySecond.get(end.second) ?? []), end]);
  const isBad = (each: readonly TimedEnd[]) =>
    each.filter(({ is }) => is === 'answered').length < GOOD_SHARE * each.length;
  let deadSeconds = 0;
  let longestGapS = 0;
  for (let second = 1, gap = 0; second < SECONDS; second += 1) {
    gap = answeredIn.has(second) ? 0 : gap + 1;
    if (gap > 0) deadSeconds += 1;
    longestGapS = Math.max(longestGapS, gap);
  }
  return {
    asked: ends.length,
    failed,
    wrong: ends.filter(({ is }) => is === 'wrong').length,
    longestMs: Math.round(Math.max(...ends.map(({ ms }) => ms))),
    badSeconds: [...bySecond.values()].filter(isBad).length,
    deadSeconds,
    longestGapS,
    attempts: sumOf(metrics, 'exai_attempts_total'),
    hedges: sumOf(metrics, 'exai_hedges_total'),
  };
}

function sumOf(metrics: string, name: string): number {
  return metrics
    .split('\n')
    .filter((line) => line.startsWith(name))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
