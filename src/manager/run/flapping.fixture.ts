import type { Random } from '#core/random.ts';
import type { AskContext, AskRequest } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ChatRequest } from '#core/llm/chat.ts';
import type { Provider, ProviderContext, ProviderId } from '#core/llm/provider.ts';
import { sleepWhole } from '#core/time/clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { createBreakers } from '#resilience/breakers.ts';
import { createFakeClock, type FakeClock } from '../../../test/fake-clock.ts';
import { createListLog } from '../../../test/list-log.ts';
import type { PlannedModel } from '../route/plan.ts';
import { createAskObserver } from './ask-observer.ts';
import { NO_METRICS, RULES } from './deps.fixture.ts';
import { createLatencies } from '../latencies.ts';
import type { HedgeMode } from './hedging.ts';
import { createLedger } from './ledger.ts';
import { planOf } from './plan.fixture.ts';
import { planned } from './run-plan.fixture.ts';
import { runPlan } from './run-plan.ts';
import { createSilences } from './silences.ts';
import { latencyTraits } from './usual-time.ts';
import { createVendorCalls } from './vendor-calls.ts';

/** How a vendor fails while it is down. */
export type Outage = 'refuses' | 'breaks' | 'silent';

interface Spell {
  readonly untilMs: number;
  readonly down?: ProviderId;
  readonly how: Outage;
}

export interface FlappingOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly hows: readonly Outage[];
  readonly clients: number;
  readonly hedge?: HedgeMode;
  /** How long an answer takes; default: 300 ms. */
  readonly answerMs?: (draw: () => number) => number;
}

export interface FlappingResult {
  readonly asked: number;
  readonly answered: number;
  /** Whole seconds in which a vendor was up, requests were waiting, and none was answered. */
  readonly deadSeconds: number;
  /** Of these, the longest row of them. */
  readonly longestGapS: number;
  readonly longestMs: number;
  readonly classes: Readonly<Record<string, number>>;
  /** Requests to vendors. */
  readonly vendorCalls: number;
}

const MODELS: readonly PlannedModel[] = [
  planned('glm', 'glm-4.7-flash'),
  planned('kimi', 'kimi-k2.6'),
  planned('kimi', 'kimi-k3'),
  planned('glm', 'glm-5.3'),
  planned('glm', 'glm-5.2'),
];
const VENDORS: readonly ProviderId[] = ['kimi', 'glm'];
const ANSWER_MS = 300;
const FIRST_TOKEN_MS = 10_000;
const TICK_MS = 50;
const PAUSE_MS = 500;
const random: Random = (bytes) => new Uint8Array(bytes).fill(128);
const NEVER = new AbortController().signal;

/**
 * Two vendors of which at most one is down, for 5 to 15 seconds each time, and clients that ask
 * again and again, in virtual time.
 */
export async function simulateFlapping(options: FlappingOptions): Promise<FlappingResult> {
  const clock = createFakeClock();
  const draw = mulberry(options.seed);
  const endMs = options.minutes * 60_000;
  const spells = createSpells(options, endMs, draw);
  const spellAt = (ms: number) => spells.find(({ untilMs }) => ms < untilMs);
  const breakers = createBreakers({ clock, random, rules: RULES });
  const latencies = createLatencies();
  const silences = createSilences(clock);
  let vendorCalls = 0;
  const providers = new Map<ProviderId, Provider>(
    VENDORS.map((id) => [
      id,
      createVendor(id, clock, () => {
        vendorCalls += 1;
        const spell = spellAt(clock.monotonic());
        const is = spell?.down === id ? spell.how : 'up';
        return { is, answerMs: options.answerMs?.(draw) ?? ANSWER_MS };
      }),
    ]),
  );
  const classes: Record<string, number> = {};
  const answeredIn = new Set<number>();
  let asked = 0;
  let answered = 0;
  let longestMs = 0;
  let running = 0;

  async function ask(): Promise<'answered' | 'failed'> {
    const controller = new AbortController();
    let attempts = 0;
    const by: AskContext = {
      reqId: `req_${asked}`,
      tool: 'chat',
      caller: { principal: 'local', scopes: ['*'], roots: [] },
      deadline: deadlineIn(clock, 90_000),
      signal: controller.signal,
      category: 'fast_response',
      nextAttempt: () => (attempts += 1),
    };
    const request: AskRequest = { messages: [{ role: 'user', content: 'Who are you?' }] };
    const isOpen = ({ provider, model }: PlannedModel) =>
      breakers.look({ provider, model }).is === 'open';
    const usable = MODELS.filter((model) => !isOpen(model));
    const candidates = usable.length > 0 ? usable : MODELS;
    const plan = { ...planOf(candidates), coolingDown: MODELS.filter(isOpen) };
    const outcome = await runPlan(
      {
        plan,
        request,
        by,
        deadline: by.deadline,
        signal: by.signal,
        listener: {},
        ledger: createLedger(by, clock, createAskObserver(createListLog(), NO_METRICS)),
        vendorCalls: createVendorCalls(12),
        whenSpent: 'step_down',
        redactHosts: (text) => text,
        fit: async () => ({ messages: request.messages, tokens: 12, notices: [] }),
      },
      {
        providers,
        breakers,
        budgets: { left: () => undefined, reserve: async () => ({ settle: () => undefined }) },
        timeouts: { firstTokenMs: FIRST_TOKEN_MS, idleMs: FIRST_TOKEN_MS },
        clock,
        random,
        log: createListLog(),
        hedge: options.hedge ?? 'off',
        latencies,
        silences,
        learn(candidate, { firstTokenMs = 0, delivery = 'stream' }, tokens) {
          const { provider, id } = candidate.entry;
          const traits = latencyTraits(candidate, tokens, delivery);
          latencies.learn(provider, id, firstTokenMs, traits);
        },
      },
    );
    if (outcome.is === 'failed') {
      const key = outcome.error.class;
      classes[key] = (classes[key] ?? 0) + 1;
    }
    return outcome.is;
  }

  async function runClient(): Promise<void> {
    running += 1;
    while (clock.monotonic() < endMs) {
      const startedAt = clock.monotonic();
      asked += 1;
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const is = await ask();
      longestMs = Math.max(longestMs, clock.monotonic() - startedAt);
      if (is === 'answered') {
        answered += 1;
        answeredIn.add(Math.floor(clock.monotonic() / 1000));
      } else await sleepWhole(clock, PAUSE_MS, NEVER);
    }
    running -= 1;
  }

  const all = Promise.all(Array.from({ length: options.clients }, runClient));
  while (running > 0) {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(TICK_MS);
  }
  await all;
  let deadSeconds = 0;
  let longestGapS = 0;
  for (let second = 1, gap = 0; second < endMs / 1000; second += 1) {
    gap = answeredIn.has(second) ? 0 : gap + 1;
    if (gap > 0) deadSeconds += 1;
    longestGapS = Math.max(longestGapS, gap);
  }
  return { asked, answered, deadSeconds, longestGapS, longestMs, classes, vendorCalls };
}

function createSpells(
  { hows }: FlappingOptions,
  endMs: number,
  draw: () => number,
): readonly Spell[] {
  const spells: Spell[] = [];
  for (let untilMs = 0; untilMs < endMs;) {
    untilMs += 5000 + Math.floor(draw() * 10_000);
    const vendor = VENDORS[Math.floor(draw() * VENDORS.length)];
    const how = hows[Math.floor(draw() * hows.length)];
    const isDown = draw() > 0.25 && vendor && how;
    spells.push({ untilMs, how: how ?? 'breaks', ...(isDown && { down: vendor }) });
  }
  return spells;
}

interface VendorState {
  readonly is: Outage | 'up';
  readonly answerMs: number;
}

function createVendor(id: ProviderId, clock: FakeClock, now: () => VendorState): Provider {
  return {
    id,
    title: id,
    capabilities: [],
    check: async () => 'ok',
    async *chat(request: ChatRequest, context: ProviderContext) {
      context.vendorCalls?.count();
      const { is, answerMs } = now();
      const target = { provider: id, model: request.model };
      if (is === 'refuses') throw new CallError('network', 'It refused the connection.', target);
      if (is === 'silent') {
        await sleepWhole(clock, context.timeouts?.firstTokenMs ?? FIRST_TOKEN_MS, context.signal);
        throw new CallError('timeout', 'It said nothing.', target);
      }
      await sleepWhole(clock, answerMs, context.signal);
      context.signal.throwIfAborted();
      if (is === 'breaks') throw new CallError('provider_error', 'It is broken.', target);
      yield { type: 'start', model: request.model };
      yield { type: 'text', text: `I am ${id}.` };
      const usage = { input: 10, output: 5, cached: 0, reasoning: 0, estimated: false };
      yield { type: 'usage', usage };
      yield { type: 'finish', reason: 'stop' };
    },
  };
}

/** A small seeded random number generator. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
