import type { AskAnswer, AskedBy, AskListener, AskRequest, Intent, Manager } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import { reason } from '#core/messages/reasons.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { Log, Metrics } from '#core/telemetry.ts';
import { roomOf, type Asking } from './asking.ts';
import type { Corrections } from './context/corrections.ts';
import { createExactRoom } from './context/exact-room.ts';
import { fit } from './context/fit.ts';
import { measure } from './context/measure.ts';
import { explainAsking } from './explain.ts';
import { readFacts } from './facts.ts';
import type { Latencies } from './latencies.ts';
import { makePlan } from './make-plan.ts';
import type { Plan } from './plan.ts';
import { reportOf } from './report.ts';
import type { RouteWorld } from './route-world.ts';
import { keepSpent } from './run/keep-spent.ts';
import { createLedger } from './run/ledger.ts';
import { createObserver } from './run/observe.ts';
import { runPlan, type Ran, type RunDeps } from './run/run-plan.ts';
import { safeListener } from './run/safe-listener.ts';
import { askDeadline } from './run/time-share.ts';
import {
  askIntent,
  intentModels,
  smallModels,
  summarising,
  type SideQuestionDeps,
} from './side-questions.ts';

export interface ManagerDeps extends Omit<RunDeps, 'learn'>, SideQuestionDeps {
  /** As it is at this moment for this principal. */
  world(principal: string): RouteWorld;
  readonly corrections: Corrections;
  readonly latencies: Latencies;
  readonly spend: CallStore['spend'];
  readonly locale: string;
  /** How long a small model may take to say what an unclear request is; 0 when it is not asked. */
  readonly classifyMs: number;
  /** One line for each attempt. */
  readonly crumbs: Log;
  readonly metrics: Metrics;
}

/** Whoever asks for the classification itself waits longer for it than a request that only passes by. */
const ASKED_CLASSIFY_MS = 10_000;

/** The one way to a model: what a request is, who suits it, and asking until somebody has answered. */
export function createManager(deps: ManagerDeps): Manager {
  const { clock } = deps;
  const observer = createObserver(deps.crumbs, deps.metrics);
  const runDeps: RunDeps = {
    ...deps,
    learn({ entry, search }, { outcome, firstTokenMs, exchanges }, estimated) {
      const { usage } = outcome.answer;
      if (firstTokenMs !== undefined) deps.latencies.learn(entry.provider, entry.id, firstTokenMs);
      // What the vendor found, and what was asked twice, was in no estimate.
      if (usage && !usage.estimated && search === 'none' && exchanges.length === 1) {
        deps.corrections.learn(entry.provider, entry.id, estimated, usage.input);
      }
    },
  };

  function begin(request: AskRequest, by: AskedBy): Asking {
    const measured = measure(request);
    return {
      measured,
      facts: readFacts(measured, by, deps),
      by,
      deadline: askDeadline(by.deadline, clock, request.timeoutMs),
      ledger: createLedger(by, clock, observer),
    };
  }

  /** A request that is none took nothing, and is reported all the same. */
  function beginOrRefuse(request: AskRequest, by: AskedBy, listener: AskListener): Asking {
    try {
      return begin(request, by);
    } catch (thrown) {
      const nothing = { reasons: [], attempts: [], notices: [], costMicroUsd: 0, costKnown: true };
      listener.onReport?.({ ...nothing, quality: 'full' });
      throw CallError.from(thrown);
    }
  }

  /** Only where it can change anything, and somebody is there to be asked. */
  async function refined(asking: Asking, world: RouteWorld): Promise<Intent | undefined> {
    if (deps.classifyMs === 0) return undefined;
    const models = intentModels(asking, world);
    return models.length === 0 ? undefined : askIntent(asking, models, deps.classifyMs, deps);
  }

  async function run(asking: Asking, listener: AskListener): Promise<{ plan?: Plan; ran: Ran }> {
    const { measured, facts, by, ledger, deadline } = asking;
    const world = deps.world(by.caller.principal);
    const planned = makePlan(facts, world, await refined(asking, world));
    if (planned.is === 'nobody') {
      const reasons = planned.leftOut.map((each) => reason('left_out', each));
      const { error } = planned;
      return { ran: { is: 'failed', error, reasons, notices: [], partial: '' } };
    }
    const { plan } = planned;
    const exactRoom = createExactRoom(asking, world, deps);
    const ran = await runPlan(
      {
        plan,
        request: measured.request,
        by,
        deadline,
        signal: by.signal,
        listener,
        ledger,
        whenSpent: world.whenSpent,
        conceal: deps.conceal(by.caller.principal),
        fit: async (candidate, contextTokens) =>
          fit(
            measured,
            await exactRoom(candidate, roomOf(candidate, world, contextTokens)),
            summarising(asking, world, deps, candidate.maxCostMicroUsd),
          ),
      },
      runDeps,
    );
    return { plan, ran };
  }

  async function ask(
    request: AskRequest,
    by: AskedBy,
    heardBy: AskListener = {},
  ): Promise<AskAnswer> {
    const listener = safeListener(heardBy, deps.log);
    const asking = beginOrRefuse(request, by, listener);
    let plan: Plan | undefined;
    let ran: Ran;
    try {
      ({ plan, ran } = await run(asking, listener));
    } catch (thrown) {
      ran = { is: 'failed', error: CallError.from(thrown), reasons: [], notices: [], partial: '' };
    }
    keepSpent(asking.ledger, by, deps);
    const report = reportOf(plan, ran, asking.ledger);
    listener.onReport?.(report);
    if (ran.is === 'failed') throw ran.error;
    const { answer, candidate, text, finish, citations, seams } = ran;
    const { reasoning, reasoningDetails, toolCalls } = answer;
    const { provider, model } = candidate;
    // prettier-ignore
    return {
      text, reasoning, reasoningDetails, toolCalls, citations, finish, provider, model, seams, report,
    };
  }

  return {
    ask,
    async explain(request, by, payload) {
      const world = deps.world(by.caller.principal);
      const classifies = deps.classifyMs === 0 ? 'no' : 'yes';
      return explainAsking(begin(request, by), world, deps.providers, payload, classifies);
    },
    async classify(request, by, listener = {}) {
      const begun = begin(request, by);
      // Whoever asks what a request is, it is one to chat.
      const asking = { ...begun, facts: { ...begun.facts, tool: 'chat' } };
      const models = smallModels(deps.world(by.caller.principal));
      try {
        return await askIntent(
          asking,
          models,
          Math.max(deps.classifyMs, ASKED_CLASSIFY_MS),
          deps,
          'itself',
        );
      } finally {
        keepSpent(asking.ledger, by, deps);
        const totals = asking.ledger.totals();
        listener.onReport?.({ reasons: [], attempts: [], notices: [], ...totals, quality: 'full' });
      }
    },
  };
}
