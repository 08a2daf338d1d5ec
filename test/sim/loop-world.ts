import { runToolLoop } from '../../src/agent/loop.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Json } from '#core/json/json.ts';
import type { AskAnswer, AskListener, AskReport, AskRequest } from '#core/llm/ask.ts';
import type { LoopStep, LoopToolResult, ToolLoopResult } from '#core/llm/tool-loop.ts';
import { LightAbortController } from '#core/net/abort.ts';
import { openLoopJournal } from '#tools/shared/loop-journal.ts';
import { createFakeClock } from '../fake-clock.ts';
import { createLoopModel, type LoopModel } from './loop-model.ts';
import { createLoopTools, type LoopTools } from './loop-tools.ts';
import { createLoopWatch } from './loop-watch.ts';
import { createRandom } from './random.ts';

/** Known bugs that the watch has to find. */
export const LOOP_PLANTS = [
  'begun calls are forgotten',
  'writing calls run together',
  'tools cost nothing',
  'answers are forgotten',
] as const;
export type LoopPlant = (typeof LOOP_PLANTS)[number];

export interface LoopSimResult {
  readonly violations: readonly string[];
  readonly end: string;
  readonly calls: number;
  readonly crashes: number;
}

const CRASHED = new CallError('interrupted', 'The daemon was killed.');
const CANCELLED = new CallError('cancelled', 'The client cancelled.');
const STEP_MS = 250;
const MAX_RUNS = 4;
/** How late a loop may settle: what its last ask takes is over by the deadline. */
const GRACE_MS = 1_000;

/**
 * A tool loop with a model, tools, a client and a machine that misbehave as the seed says. The daemon
 * is killed at random moments, and the loop is run again from what was stored by then.
 */
export async function runLoopSeed(seed: number, plant?: LoopPlant): Promise<LoopSimResult> {
  const random = createRandom(seed);
  const clock = createFakeClock();
  const watch = createLoopWatch();
  const deadline = { at: clock.monotonic() + random.pick([5_000, 60_000, 300_000]) };
  const limits = {
    maxRounds: random.pick([1, 3, 8]),
    maxCalls: random.pick([4, 64]),
    toolTimeoutMs: random.pick([2_000, 60_000]),
    maxResultChars: random.pick([200, 40_000]),
  };
  const maxCostMicroUsd = random.chance(0.4) ? random.between(1_000, 40_000) : undefined;
  const tools = createLoopTools(random.fork('tools'), { clock, watch, limits });
  const model = createLoopModel(random.fork('model'), { clock, deadline, names: tools.names });
  const cancelAtMs = random.chance(0.15) ? random.between(0, 60_000) : Infinity;
  const crashAtMs = Array.from({ length: MAX_RUNS - 1 }, () =>
    random.chance(0.4) ? random.between(1, 30_000) : Infinity,
  );
  let stored: Json | undefined;
  let crashes = 0;

  for (let run = 0; ; run += 1) {
    const startedAt = clock.monotonic();
    const signal = new LightAbortController();
    watch.begins(stored);
    let isDead = false;
    const settled = settle(
      start({
        plant,
        model,
        tools,
        watch,
        limits,
        clock,
        deadline,
        signal,
        maxCostMicroUsd,
        stored,
        store(state) {
          if (!isDead) stored = state;
        },
        isLate: () => random.chance(0.5),
        isLive: () => !isDead,
      }),
    );
    const crashMs = crashAtMs[run] ?? Infinity;
    let outcome: Settled | undefined;
    void settled.then((value) => (outcome = value));
    for (;;) {
      await idle();
      if (outcome) break;
      const ranMs = clock.monotonic() - startedAt;
      if (ranMs >= crashMs) {
        // Nothing that it does from now on counts.
        isDead = true;
        watch.dies();
        signal.abort(CRASHED);
        break;
      }
      if (clock.monotonic() >= cancelAtMs) signal.abort(CANCELLED);
      if (clock.monotonic() > deadline.at + GRACE_MS) {
        watch.violate('late', 'The loop has not ended by its deadline');
        signal.abort(CRASHED);
        return { ...watch.result(), end: 'late', crashes };
      }
      clock.advance(STEP_MS);
    }
    if (!outcome) {
      crashes += 1;
      await idle();
      // A job whose time is over is not run again.
      if (clock.monotonic() < deadline.at) continue;
      return { ...watch.result(), end: 'crashed', crashes };
    }
    watch.ends(outcome.result);
    if (outcome.error && outcome.error !== CANCELLED && !model.failed(outcome.error)) {
      watch.violate('error', `It rejects with ${CallError.from(outcome.error).message}`);
    }
    clock.advance(120_000);
    await idle();
    return { ...watch.result(), end: outcome.result?.end ?? 'rejected', crashes };
  }
}

interface Settled {
  readonly result?: ToolLoopResult;
  readonly error?: unknown;
}

function settle(running: Promise<ToolLoopResult>): Promise<Settled> {
  return running.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
}

/** Everything that can go on without time has gone on. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

interface StartOptions {
  readonly plant: LoopPlant | undefined;
  readonly model: LoopModel;
  readonly tools: LoopTools;
  readonly watch: ReturnType<typeof createLoopWatch>;
  readonly limits: Readonly<Record<string, number>>;
  readonly clock: ReturnType<typeof createFakeClock>;
  readonly deadline: { readonly at: number };
  readonly signal: LightAbortController;
  readonly maxCostMicroUsd: number | undefined;
  readonly stored: Json | undefined;
  readonly store: (state: Json) => void;
  /** Whether a checkpoint that need not be stored now is not stored at all. */
  readonly isLate: () => boolean;
  /** Whether the daemon of this run has not been killed. */
  readonly isLive: () => boolean;
}

function start(options: StartOptions): Promise<ToolLoopResult> {
  const { plant, model, tools, watch, clock, deadline, signal, maxCostMicroUsd } = options;
  const journal = openLoopJournal({
    resumedFrom: options.stored,
    checkpoint(state) {
      if (!options.isLate()) options.store(state);
    },
    storeCheckpoint: async (state) => options.store(state),
  });
  const isForgotten = ({ type }: LoopStep) =>
    (plant === 'begun calls are forgotten' && type === 'begun') ||
    (plant === 'answers are forgotten' && type === 'answer');
  async function ask(request: AskRequest, listener: AskListener = {}): Promise<AskAnswer> {
    watch.asks(request, maxCostMicroUsd);
    const answer = await model.ask(request, (report: AskReport) => {
      if (options.isLive()) watch.spends(report.costMicroUsd);
      listener.onReport?.(report);
    });
    if (options.isLive()) watch.answers(answer);
    return answer;
  }
  const changed = tools.list.map(({ run, ...tool }) => ({
    ...tool,
    ...(plant === 'writing calls run together' && { effect: 'reads' as const }),
    ...(run && {
      run: async (...given: Parameters<typeof run>): Promise<LoopToolResult> => {
        const result = await run(...given);
        const [, { signal: own }] = given;
        if (!own.aborted && options.isLive()) watch.spends(result.costMicroUsd ?? 0);
        if (plant !== 'tools cost nothing') return result;
        const { costMicroUsd: _, ...free } = result;
        return free;
      },
    }),
  }));
  const messages = [{ role: 'user', content: 'How is it?' }] as const;
  return runToolLoop(
    {
      request: { messages, ...(maxCostMicroUsd !== undefined && { maxCostMicroUsd }) },
      tools: changed,
      ...options.limits,
    },
    {
      ask,
      clock,
      deadline,
      signal,
      takesPictures: () => true,
      finished: journal.finished.filter((step) => !isForgotten(step)),
      journal: (step) => (isForgotten(step) ? undefined : journal.add(step)),
    },
  );
}
