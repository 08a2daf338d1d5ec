import { expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { createVendors } from '../../emulator/vendors.ts';
import { isErrorClass } from '#core/errors/error-class.ts';
import { withContinuations } from '../cases/ask-continuations.ts';
import { createHome } from '../e2e/exai.ts';
import { readGauges } from '../fuzz-http/gauges.ts';
import { SMALL_HEAP } from '../fuzz-http/least-bytes.ts';
import { failedTrials } from './ask-load/breaker-life.ts';
import { followCrumbs } from './ask-load/crumbs.ts';
import { describePhase, isGood } from './ask-load/figures.ts';
import { judgeProbes } from './ask-load/judge-probes.ts';
import { readStoredUsage } from './ask-load/stored-usage.ts';
import { IN_FLIGHT, openLoad } from './ask-load/load.ts';
import { outagesOf, type Outage } from './ask-load/outages.ts';
import { runPhase, type Phase } from './ask-load/phase.ts';
import { watchVendors } from './ask-load/seen.ts';

const MEGA = 1e6;
/** As models speak, only quicker. */
const PACE = { chunkMs: 3 };
const GOOD_SHARE = 0.999;
const WELL: Outage = { title: 'everybody well', faults: [], seconds: 25 };
const SECONDS = 25;

/** Ten times as quick as a daemon's own, so that an outage is longer than any of them. */
const SETTINGS = {
  ...SMALL_HEAP,
  EXAI_BREAKER_WINDOW_MS: '6000',
  EXAI_BREAKER_COOL_OFF_MS: '1000',
  EXAI_BREAKER_MAX_COOL_OFF_MS: '4000',
  EXAI_TIMEOUTS_FIRST_TOKEN_MS: '2000',
  EXAI_LOG_MAX_BYTES: '1073741824',
};

test('vendors that die, stall, flap and refuse under load are a footnote, and are asked again once they are well', async () => {
  const vendors = withContinuations(createVendors(), () => 'repeating');
  const emulator = await startEmulator({ vendors, pace: PACE });
  onTestFinished(() => emulator.close());
  const home = createHome();
  const daemon = await home.serve([], {
    env: {
      ...SETTINGS,
      KIMI_API_URL: `${emulator.url}/kimi/v1`,
      KIMI_API_KEY: 'sk-emulated-kimi-0001',
      GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
      GLM_API_KEY: 'emulated.secret0002',
      OPENROUTER_API_URL: `${emulator.url}/openrouter/api/v1`,
      OPENROUTER_API_KEY: 'sk-or-emulated-0003',
    },
  });
  const crumbs = followCrumbs(home.path('logs', 'attempts.jsonl'));
  const seeing = watchVendors(emulator);
  const harness = { emulator, crumbs, seeing, load: await openLoad(daemon.url) };

  const phases: Phase[] = [];
  const resident: number[] = [];
  for (const outage of [WELL, ...outagesOf('glm', SECONDS), ...outagesOf('kimi', SECONDS), WELL]) {
    const phase = await runPhase(outage, harness);
    phases.push(phase);
    resident.push((await readGauges(daemon)).residentBytes);
    console.log(`${describePhase(phase, crumbs)}; ${Math.round((resident.at(-1) ?? 0) / MEGA)} MB`);
  }

  const all = phases.flatMap(({ during, after }) => [...during, ...after]);
  const bad = all.filter((each) => !isGood(each));
  const reqIds = new Map(all.map(({ question, envelope }) => [question.number, envelope.req_id]));
  const probing = judgeProbes(crumbs, seeing.all, reqIds);
  const { faults, ...counts } = probing;
  const shown = await usageOf(home.exai);
  daemon.kill('SIGTERM');
  expect((await daemon.ended).code).toBe(0);
  const usage = readStoredUsage(home.path('data', 'exai.db'), all);
  console.log(
    `${all.length} asked, ${bad.length} not answered as they should be, in ${crumbs.attempts.length} attempts; ` +
      `breakers: ${JSON.stringify(counts)}; usage: ${usage.rows} rows, ${usage.estimated} estimated`,
  );
  for (const { envelope, told } of bad.slice(0, 20)) {
    console.log(JSON.stringify({ envelope, told }));
  }

  expect(all.length - bad.length).toBeGreaterThanOrEqual(all.length * GOOD_SHARE);
  // Whatever was told piece by piece is the answer: nothing twice, and nothing taken back.
  expect(all.filter((each) => isGood(each) && each.told !== each.question.answer)).toEqual([]);
  expect(bad.filter(({ envelope }) => !isErrorClass(envelope.error_class ?? ''))).toEqual([]);
  expect(faults).toEqual([]);
  expect(counts.mostStragglers).toBeLessThan(IN_FLIGHT);
  expect(phases.flatMap(({ unrecovered }) => unrecovered)).toEqual([]);
  expect(phases.flatMap((phase, n) => failedTrials(crumbs.changes, phase, phases[n + 1]))).toEqual(
    [],
  );
  expect([usage.faults, shown]).toEqual([[], usage.rows]);
  const half = Math.ceil(resident.length / 2);
  expect(Math.min(...resident.slice(half))).toBeLessThan(
    Math.min(...resident.slice(1, half)) * 1.2,
  );
});

/** As `exai usage` adds it up. */
async function usageOf(exai: ReturnType<typeof createHome>['exai']): Promise<number> {
  const { stdout, stderr } = await exai(['usage', '--by', 'tool', '--json']);
  expect(stderr).toBe('');
  const { total } = JSON.parse(stdout) as { total: { requests: number } };
  return total.requests;
}
