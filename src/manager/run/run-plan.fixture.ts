import type { AskContext, AskListener, AskRequest } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { reason } from '#core/messages/reasons.ts';
import { createBuiltIn } from './models.fixture.ts';
import { createBreakers } from '#resilience/breakers.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createListLog } from '../../../test/list-log.ts';
import type { PlannedModel } from '../route/plan.ts';
import type { HedgeMode } from './hedging.ts';
import { createLedger } from './ledger.ts';
import { createAskObserver } from './ask-observer.ts';
import { runPlan, type PlanOutcome } from './run-plan.ts';
import { createSilences } from './silences.ts';
import { createVendorCalls } from './vendor-calls.ts';
import { NO_METRICS, RULES } from './deps.fixture.ts';
import { planOf } from './plan.fixture.ts';
import { fullAnswer, scripted, type Script, type Scripted } from './scripted.fixture.ts';

export const failing = (...facts: ConstructorParameters<typeof CallError>) =>
  new CallError(...facts);

interface Setting {
  readonly kimi?: readonly Script[];
  readonly glm?: readonly Script[];
  readonly local?: readonly Script[];
  readonly request?: Partial<AskRequest>;
  readonly listener?: AskListener;
  readonly candidates?: readonly PlannedModel[];
  readonly timeoutMs?: number;
  readonly whenSpent?: 'step_down' | 'refuse';
  readonly leftMicroUsd?: number;
  readonly rule?: string;
  readonly maxVendorCalls?: number;
  readonly hedge?: HedgeMode;
  /** The usual time to the first token of all models. */
  readonly usualMs?: number;
  readonly coolingDown?: readonly PlannedModel[];
  /** What is left of a daily budget. */
  readonly budgetLeftMicroUsd?: number;
}

export function planned(provider: ProviderId, model: string, more: Partial<PlannedModel> = {}) {
  const entry = createBuiltIn(provider, model);
  return {
    provider,
    model,
    reason: reason('next_in_chain', { class: 'chat', link: 'glmSpeed' }),
    remarks: [],
    search: 'none',
    roomTokens: entry.contextTokens - 1000,
    maxCostMicroUsd: 100,
    isLastResort: provider === 'extractive',
    entry,
    ...more,
  } as const satisfies PlannedModel;
}

export const KIMI = planned('kimi', 'kimi-k3');
export const GLM = planned('glm', 'glm-5.3');
export const LOCAL = planned('extractive', 'local-extract', { maxCostMicroUsd: 0 });

export function setUp(setting: Setting) {
  const clock = createFakeClock();
  const crumbs = createListLog();
  const providers = new Map<ProviderId, Scripted>([
    ['kimi', scripted('kimi', setting.kimi ?? [fullAnswer('I am Kimi.')], ['prefix'], clock)],
    ['glm', scripted('glm', setting.glm ?? [fullAnswer('I am GLM.')], [], clock)],
    ['extractive', scripted('extractive', setting.local ?? [fullAnswer('You gave nothing.')])],
  ]);
  const breakers = createBreakers({ clock, random: (n) => new Uint8Array(n), rules: RULES });
  const silences = createSilences(clock);
  const controller = new AbortController();
  let attempts = 0;
  const by: AskContext = {
    reqId: 'req_1',
    tool: 'chat',
    caller: { principal: 'local', scopes: ['*'], roots: [] },
    deadline: deadlineIn(clock, setting.timeoutMs ?? 90_000),
    signal: controller.signal,
    category: 'fast_response',
    nextAttempt: () => (attempts += 1),
  };
  const ledger = createLedger(by, clock, createAskObserver(crumbs, NO_METRICS));
  const settled: number[] = [];
  const heard: string[] = [];
  const listener = setting.listener ?? { onText: (text) => void heard.push(text) };
  const request: AskRequest = {
    messages: [{ role: 'user', content: 'Who are you?' }],
    ...setting.request,
  };
  const plan = {
    ...planOf(setting.candidates ?? [KIMI, GLM, LOCAL], setting.rule),
    coolingDown: setting.coolingDown ?? [],
  };
  const leftMicroUsd = setting.budgetLeftMicroUsd;
  const fits: (number | undefined)[] = [];
  const run = () =>
    runPlan(
      {
        plan,
        request,
        by,
        deadline: by.deadline,
        signal: by.signal,
        listener,
        ledger,
        vendorCalls: createVendorCalls(setting.maxVendorCalls ?? 12),
        whenSpent: setting.whenSpent ?? 'step_down',
        redactHosts: (text) => text.replaceAll('api.example', 'Kimi'),
        fit: async (_, contextTokens) => {
          fits.push(contextTokens);
          return { messages: request.messages, tokens: 12, notices: [] };
        },
      },
      {
        providers,
        breakers,
        budgets: {
          left: () =>
            leftMicroUsd === undefined
              ? undefined
              : { leftMicroUsd, reason: reason('shared_budget', { state: 'left' }) },
          async reserve(_, maxMicroUsd) {
            if (maxMicroUsd > (setting.leftMicroUsd ?? Infinity))
              throw new CallError('budget', 'The money of today is spent.');
            return { settle: (cost) => void settled.push(cost) };
          },
        },
        timeouts: { firstTokenMs: 60_000, idleMs: 30_000 },
        clock,
        random: (n) => new Uint8Array(n),
        log: crumbs,
        hedge: setting.hedge ?? 'off',
        latencies: { usualMs: () => setting.usualMs },
        silences,
        learn: () => undefined,
      },
    );
  return {
    run,
    clock,
    providers,
    ledger,
    heard,
    settled,
    controller,
    crumbs,
    fits,
    breakers,
    silences,
  };
}

/** Runs it to its end, however long it waits on the way. */
export async function runToEnd({ run, clock }: ReturnType<typeof setUp>): Promise<PlanOutcome> {
  let over = false;
  const ran = run().finally(() => (over = true));
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!over && clock.waiting > 0) clock.advance(100);
  }
  return ran;
}

export const asked = ({ providers }: ReturnType<typeof setUp>) =>
  [...providers.values()].map((provider) => provider.asked.length);
