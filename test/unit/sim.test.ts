import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { CALM } from '../sim/asking-plan.ts';
import { FAULTS } from '../sim/faults.ts';
import type { Plan, PlannedAct } from '../sim/plan.ts';
import { PLANTS, type PlantName } from '../sim/plants.ts';
import { caseCount, sampled } from '../thorough.ts';
import { verifies } from '../verifies.ts';
import { planOfSeed, runSeed, shrink } from '../sim/run-seed.ts';
import { CASES, type CaseName } from '../sim/cases.ts';
import { runPlan, type SimResult } from '../sim/run-plan.ts';
import { describeFailure, runSeeds } from '../sim/run-seeds.ts';

const WORLDS = caseCount(60, 1000);

const JOB_CASES = [
  'jobs of one daemon',
  'jobs of two daemons',
  'calls handed off too late',
] as const;

const MISHAPS: readonly PlannedAct[] = [
  { is: 'crash', downMs: 30 },
  { is: 'drain', downMs: 30 },
  { is: 'freeze', ms: 40_000, end: 'thaw' },
  { is: 'freeze', ms: 2000, end: 'kill' },
  { is: 'disk-full', ms: 700 },
  { is: 'disk-hang', ms: 12_000, end: 'lost' },
  { is: 'disk-hang', ms: 12_000, end: 'kept' },
];

describe('the simulated daemon', () => {
  afterAll(() => traces.clear());

  verifies('sim:seeds', `${WORLDS} simulations keep every invariant`, async () => {
    const { failedSeed, calls } = await runSeeds(1, WORLDS);
    expect(failedSeed === undefined ? '' : await describeFailure(failedSeed)).toBe('');
    expect(calls).toBeGreaterThan(5 * WORLDS);
  });

  test.each(sampled(Object.keys(PLANTS) as PlantName[], 6))(
    'the planted bug %s is found within 200 simulations',
    async (plant) => {
      const { failedSeed } = await runSeeds(1, 200, plant);
      expect(failedSeed).toBeDefined();
    },
  );

  verifies('sim:seeds', 'a seed goes the same way each time', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const [first, second] = [
        await runSeed(seed, undefined, 'traced'),
        await runSeed(seed, undefined, 'traced'),
      ];
      expect(second).toEqual(first);
      expect(first.trace.length).toBeGreaterThan(0);
    }
  });

  verifies(
    'sim:seeds',
    'a seed goes the same way alone, after other simulations, after one that broke, and when nobody looks',
    async () => {
      const seeds = [7, 61, 353, 1213, 12_257];
      const alone: string[] = [];
      for (const seed of seeds) {
        // Whatever modules remember, these know nothing yet.
        vi.resetModules();
        const fresh = await import('../sim/run-seed.ts');
        expect(fresh.runSeed).not.toBe(runSeed);
        alone.push(digestOf(await fresh.runSeed(seed, undefined, 'traced')));
      }
      await runSeeds(1, 50);
      const { failedSeed } = await runSeeds(1, 200, 'doubled-answer');
      expect(failedSeed).toBeDefined();
      for (const [at, seed] of seeds.entries()) {
        const after = await runSeed(seed, undefined, 'traced');
        expect([seed, digestOf(after)]).toEqual([seed, alone[at]]);
        expect(await runSeed(seed)).toEqual({ ...after, trace: [] });
      }
    },
  );

  verifies(
    'sim:seeds',
    'a failing seed is shown with few of its actions, its trace and the command that replays it',
    async () => {
      const { failedSeed = 0 } = await runSeeds(1, 200, 'doubled-answer');
      const plan = await shrink(failedSeed, 'doubled-answer');
      expect(plan.actions.length).toBeLessThan(planOfSeed(failedSeed).actions.length);
      const words = await describeFailure(failedSeed, 'doubled-answer');
      const { violation } = await runSeed(failedSeed, 'doubled-answer');
      expect(words).toContain(`breaks "answers" at ${violation?.atMs} ms: ${violation?.words}.`);
      expect(words).toContain('With these alone it breaks at ');
      expect(words).toContain(`npm run sim -- --seed ${failedSeed} --plant doubled-answer`);
      expect(words.split('\n').length).toBeLessThan(150);
    },
  );

  const violationsOf = async (name: CaseName) => {
    const seeds = [1, 2, 3, 4, 5];
    const run = (seed: number) => runPlan({ seed, plan: CASES[name], tracing: 'untraced' });
    const found: (string | undefined)[] = [];
    for (const seed of seeds) found.push((await run(seed)).violation?.words);
    return found.filter((words) => words !== undefined);
  };

  verifies('mcp:rounds', 'a tool sees no answers to what was not asked', async () => {
    expect(await violationsOf('a tool sees no answers to what was not asked')).toEqual([]);
  });

  verifies('sim:rounds', 'a yes does not count that came before the question', async () => {
    expect(await violationsOf('a yes does not count that came before the question')).toEqual([]);
  });

  /**
   * Of a case of which one thing goes wrong after each of its events, in turn: every sixth in the
   * everyday suite.
   */
  const brokenBy = async (name: CaseName, act: PlannedAct) => {
    const about = { seed: 1, plan: CASES[name], tracing: 'untraced' } as const;
    const { events, violation: whole } = await runPlan(about);
    const found = whole ? [whole.words] : [];
    const steps = Array.from({ length: events }, (_, at) => at + 1);
    for (const step of sampled(steps, 6)) {
      const { violation } = await runPlan({ ...about, fault: { step, act } });
      if (violation) found.push(`after event ${step}: ${violation.words}`);
    }
    expect(events).toBeGreaterThan(70);
    return found;
  };

  for (const name of JOB_CASES)
    for (const act of MISHAPS)
      verifies(
        'sim:jobs',
        `${name}: none is lost or ends twice, whenever this happens: ${JSON.stringify(act)}`,
        async () => {
          expect(await brokenBy(name, act)).toEqual([]);
        },
      );

  verifies(
    'sim:jobs',
    'jobs are made in it by every transport, and end in every way that there is',
    async () => {
      const isOne = ({ jobs, clients }: Plan) =>
        jobs.clients.length > 0 || clients.some(({ follows }) => follows === 'tasks');
      expect(await unseenOf(JOB_SIGNS, isOne)).toEqual([]);
    },
  );

  verifies('sim:http', 'clients over HTTP, and those that are asked, take part in it', async () => {
    const seen = { streams: 0, resumed: 0, asked: 0, again: 0, gone: 0, refused: 0 };
    for (let seed = 1; seed <= 60; seed++) {
      const trace = await traceOf(seed);
      const count = (part: string | RegExp) => trace.filter((line) => line.match(part)).length;
      seen.streams += count('← a stream');
      seen.resumed += count(/→ GET \S+ \d+-\d+$/);
      seen.asked += count('elicitation/create');
      seen.again += count(/→ .*"requestState":"/);
      seen.gone += count('Session not found');
      seen.refused += count('This requestState is invalid');
    }
    for (const [what, times] of Object.entries(seen))
      expect([what, times > 0]).toEqual([what, true]);
  });

  verifies('sim:asks', 'models are asked in it, and fail in every way that there is', async () => {
    expect(await unseenOf(SIGNS, ({ asking }) => asking !== CALM)).toEqual([]);
  });

  verifies(
    'sim:gateway',
    'clients of other APIs take part in it, and their answers end in every way that there is',
    async () => {
      expect(await unseenOf(GATEWAY_SIGNS, ({ gateway }) => gateway.clients.length > 0)).toEqual(
        [],
      );
    },
  );
});

/** Of everything that happened, and when. */
function digestOf(result: SimResult): string {
  return createHash('sha256').update(JSON.stringify(result)).digest('hex');
}

const traces = new Map<number, Promise<readonly string[]>>();

/** Of each seed once: several tests look for something in the same simulations. */
function traceOf(seed: number): Promise<readonly string[]> {
  const known = traces.get(seed);
  if (known) return known;
  const running = runSeed(seed, undefined, 'traced').then(({ trace }) => trace);
  traces.set(seed, running);
  return running;
}

/** Of these signs, those that no trace of some hundred simulations shows. */
async function unseenOf(
  signs: Readonly<Record<string, RegExp>>,
  isOne: (plan: Plan) => boolean,
): Promise<readonly string[]> {
  let unseen = Object.entries(signs);
  for (let seed = 1; seed <= 400 && unseen.length > 0; seed++) {
    if (!isOne(planOfSeed(seed))) continue;
    const text = (await traceOf(seed)).join('\n');
    unseen = unseen.filter(([, sign]) => !sign.test(text));
  }
  return unseen.map(([what]) => what);
}

const GATEWAY_SIGNS: Readonly<Record<string, RegExp>> = {
  'an answer as JSON': /g\d: ← 200 /,
  'a stream of OpenAI': /g\d: ← "data: .*chat\.completion\.chunk/,
  'a stream of Anthropic': /g\d: ← "event: message_start/,
  'a whole answer': /g\d: g\d-\d+ ended, whole/,
  'a failure within a stream': /g\d: ← .*(data: \{\\"error|event: error)/,
  'an answer that broke off for good': /g\d: g\d-\d+ ended, failed interrupted/,
  'somebody who hung up': /g\d: POST is cut/,
  'somebody who did not read': /does not read its answer/,
  'an unknown key': /g\d: ← 401 /,
  'a key that was taken away': /The key was revoked/,
  'a bad request': /g\d: ← 400 /,
  'no room': /g\d: ← 503 .*Too many calls/,
  'a daemon that stopped': /The daemon stopped before/,
  'signs of life': /event: ping|still here/,
  'another who went on': /g\d: ← .*\\"seams\\":\[/,
  thoughts: /g\d: ← .*(thinking_delta|reasoning_content)/,
  'a call of a tool for OpenAI': /g\d: ← .*tool_calls\\":\[/,
  'a call of a tool for Anthropic': /g\d: ← .*input_json_delta/,
  'several answers to one question': /choices\\":\[\{\\"index\\":1/,
};

const JOB_SIGNS: Readonly<Record<string, RegExp>> = {
  'a call that is handed off': /disk: has .*adopt job_/,
  'one that waits in the queue': /disk: has .*enqueue job_/,
  'a heartbeat': /disk: has .*heartbeat job_/,
  'one that is given back': /disk: has .*release job_/,
  'a daemon that takes up what another left': /job_\w+ is running(?:.|\n)*job_\w+ is queued/,
  'one that is done': /job_\w+ is done/,
  'one that fails': /job_\w+ is failed tool_error/,
  'one that was cut off': /job_\w+ is failed interrupted/,
  'one whose time is over': /job_\w+ is failed timeout/,
  'one whose client may no longer come in': /job_\w+ is failed auth/,
  'one that is cancelled': /job_\w+ is cancelled/,
  'one that was over when it was cancelled': /job_\w+ is already_over/,
  'one that asks': /job_\w+ is input_required/,
  'an answer to it': /disk: has .*answer job_/,
  'a refusal of a full disk': /disk: refuses .*job_/,
  'a client that gave up': /"is":"give-up"/,
  'one that says so': /Request timed out/,
  'one that is content with the background': /"exai\/background":true/,
  'frames of EXAI': /call_tool_res.*running as background job/,
  'a task': /"resultType":"task"/,
  'a task that is over': /"status":"completed"/,
  'a task that asks': /"status":"input_required"/,
  'what a task was answered': /"method":"tasks\/update"/,
  'a task that is cancelled': /"method":"tasks\/cancel"/,
  'news of a task': /notifications\/tasks\\?"/,
  'the tool for results': /"name":"job_result"/,
  'the tool for cancelling': /"name":"job_cancel"/,
  'somebody who asks for what is not theirs': /(?:There is|You have) no job job_/,
};

const FAULT_SIGNS = Object.fromEntries(
  Object.keys(FAULTS).map((fault) => [fault, new RegExp(`: \\w+, ${fault} for `)]),
);

/** What must be seen in the traces of some hundred simulations. */
const SIGNS: Readonly<Record<string, RegExp>> = {
  ...FAULT_SIGNS,
  'somebody else answered': / is answered by .* after [2-9] attempts/,
  'an answer was gone on with': / [1-9] seams$/m,
  'what was given was quoted': / is answered by extractive/,
  'a side question': / \(aside\)$/m,
  'money was spent': / failed: budget /,
  'the time was over': / failed: timeout /,
  'nobody was left': / failed: exhausted_fallback_chain /,
  'a model rested': /breaker: \w+\/\S+ open /,
  'an account rested': /breaker: \w+ open /,
  'a probe': /breaker: \S+ half_open/,
  'it came back': /breaker: \S+ closed/,
};
