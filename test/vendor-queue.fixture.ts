import type { AskContext } from '#core/llm/ask.ts';
import type { Http } from '#core/net/http.ts';
import type { Provider, ProviderId } from '#core/llm/provider.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { reason } from '#core/messages/reasons.ts';
import { sleep } from '#core/time/clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { createVendorLimit } from '#app/providers/vendor-limit.ts';
import { createOpenAiClient } from '#providers/openai-compatible/openai-client.ts';
import { createBreakers } from '#resilience/breakers.ts';
import { createLimiter } from '#resilience/limiter.ts';
import type { PlannedModel } from '#manager/route/plan.ts';
import { createAskObserver } from '../src/manager/run/ask-observer.ts';
import { NO_METRICS, RULES } from '../src/manager/run/deps.fixture.ts';
import { createLedger } from '../src/manager/run/ledger.ts';
import { createBuiltIn } from '../src/manager/run/models.fixture.ts';
import { planOf } from '../src/manager/run/plan.fixture.ts';
import { runPlan, type PlanOutcome } from '../src/manager/run/run-plan.ts';
import { createVendorCalls } from '../src/manager/run/vendor-calls.ts';
import { createFakeClock } from './fake-clock.ts';
import { createListLog } from './list-log.ts';

export interface QueueSetUp {
  /** Slots of each provider, in the order of the plan. */
  readonly slots: Readonly<Partial<Record<ProviderId, number>>>;
  readonly answerMs: number;
  readonly queue?: number;
  readonly timeoutMs?: number;
  readonly delivery?: 'stream' | 'whole';
}

const MODELS: Readonly<Partial<Record<ProviderId, readonly string[]>>> = {
  kimi: ['kimi-k3', 'kimi-k2.6'],
  glm: ['glm-5.3', 'glm-4.7-flash', 'glm-4.7'],
};

/** Runs of many requests at once: the real clients, limiter and breakers on simulated time. */
export function vendorQueue({ slots, answerMs, queue = 256, ...setting }: QueueSetUp) {
  const clock = createFakeClock();
  const inside = new Map<string, number>();
  const most = new Map<string, number>();
  const limiter = createLimiter({
    capacity: (pool) => slots[pool as ProviderId] ?? Infinity,
    maxWaiting: queue,
  });
  const breakers = createBreakers({ clock, random: (n) => new Uint8Array(n), rules: RULES });

  function httpOf(id: ProviderId): Http {
    return {
      async send({ signal }) {
        const now = (inside.get(id) ?? 0) + 1;
        inside.set(id, now);
        most.set(id, Math.max(now, most.get(id) ?? 0));
        await sleep(clock, answerMs, signal).finally(() =>
          inside.set(id, (inside.get(id) ?? 1) - 1),
        );
        signal.throwIfAborted();
        return answerOf(setting.delivery ?? 'stream');
      },
      close: () => Promise.resolve(),
    };
  }

  function createProvider(id: ProviderId): Provider {
    const client = createOpenAiClient({
      provider: id,
      title: id,
      baseUrl: `https://${id}.test/v1`,
      key: createSecret('sk-test'),
      keyNeeded: 'no',
      http: httpOf(id),
      clock,
      random: (bytes) => new Uint8Array(bytes),
      timeouts: { firstTokenMs: 60_000, idleMs: 30_000 },
      idHeaders: [],
      headers: {},
      marks: [],
      classify: () => undefined,
      acquirePermit: createVendorLimit(limiter, id, 1000, { capacity: slots[id] ?? 1 }),
    });
    return {
      id,
      title: id,
      capabilities: [],
      check: async () => 'ok',
      chat: ({ model, delivery }, context) =>
        client.chat({ model, delivery, tools: [], first: { body: { model } } }, context),
    };
  }

  const ids = Object.keys(slots) as ProviderId[];
  const providers = new Map(ids.map((id) => [id, createProvider(id)]));
  const candidates = ids.flatMap((id) => (MODELS[id] ?? []).map((model) => planned(id, model)));

  function run(number: number): Promise<PlanOutcome> {
    const log = createListLog();
    let attempts = 0;
    const by: AskContext = {
      reqId: `req_${number}`,
      tool: 'chat',
      caller: { principal: 'local', scopes: ['*'], roots: [] },
      deadline: deadlineIn(clock, setting.timeoutMs ?? 600_000),
      signal: new AbortController().signal,
      category: 'fast_response',
      nextAttempt: () => (attempts += 1),
    };
    return runPlan(
      {
        plan: planOf(candidates),
        request: {
          messages: [{ role: 'user', content: 'Hi' }],
          delivery: setting.delivery ?? 'stream',
        },
        by,
        deadline: by.deadline,
        signal: by.signal,
        listener: {},
        ledger: createLedger(by, clock, createAskObserver(log, NO_METRICS)),
        vendorCalls: createVendorCalls(12),
        whenSpent: 'step_down',
        redactHosts: (text) => text,
        fit: async () => ({ messages: [], tokens: 1, notices: [] }),
      },
      {
        providers,
        breakers,
        budgets: { left: () => undefined, reserve: async () => ({ settle: () => undefined }) },
        timeouts: { firstTokenMs: 60_000, idleMs: 30_000 },
        clock,
        random: (n) => new Uint8Array(n),
        log,
        learn: () => undefined,
      },
    );
  }

  return {
    clock,
    breakers,
    /** Asks so many times at once, and lets time pass until all have ended. */
    async ask(count: number, stepMs = 500) {
      let open = count;
      const asked = Array.from({ length: count }, (_, number) =>
        run(number).finally(() => (open -= 1)),
      );
      while (open > 0) {
        await new Promise((resolve) => setImmediate(resolve));
        if (open > 0 && clock.waiting > 0) clock.advance(stepMs);
      }
      const outcomes = await Promise.all(asked);
      return {
        answered: outcomes.filter(({ is }) => is === 'answered').length,
        errors: outcomes.flatMap((each) => (each.is === 'failed' ? [each.error] : [])),
        most: Object.fromEntries(most),
        elapsedMs: clock.monotonic(),
      };
    },
  };
}

function planned(provider: ProviderId, model: string): PlannedModel {
  const entry = createBuiltIn(provider, model);
  return {
    provider,
    model,
    reason: reason('next_in_chain', { class: 'chat', link: 'glmSpeed' }),
    remarks: [],
    search: 'none',
    roomTokens: entry.contextTokens,
    maxCostMicroUsd: 0,
    isLastResort: false,
    entry,
  };
}

function answerOf(delivery: 'stream' | 'whole') {
  const text = { content: 'Hi.', role: 'assistant' };
  const choice = { index: 0, finish_reason: 'stop' };
  const [type, body] =
    delivery === 'stream'
      ? [
          'text/event-stream',
          `data: ${JSON.stringify({ choices: [{ ...choice, delta: text }] })}\n\n`,
        ]
      : ['application/json', JSON.stringify({ choices: [{ ...choice, message: text }] })];
  async function* pieces() {
    yield Buffer.from(body);
  }
  return {
    status: 200,
    headers: { 'content-type': type },
    body: pieces(),
    text: () => Promise.resolve(body),
  };
}
