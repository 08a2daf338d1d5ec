import { CallError } from '#core/errors/call-error.ts';
import type {
  AskAnswer,
  AskContext,
  AskListener,
  AskReport,
  AskRequest,
  Intent,
  Manager,
} from '#core/llm/ask.ts';
import type { FileSupply } from '#core/llm/file-supply.ts';
import type { PictureSupply } from '#core/llm/picture-supply.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Mutable } from '#core/mutable.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { Log, Metrics } from '#core/telemetry/telemetry.ts';
import { MODEL_TOOL_TIMEOUT_MS } from '#core/time/call-times.ts';
import { modelTimeouts, willThink } from '#models/timeouts.ts';
import { promptRoom, type AskState } from './ask-state.ts';
import { readFacts } from './classify/facts.ts';
import { createExactRoom } from './context/exact-room.ts';
import { fit } from './context/fit.ts';
import { measure } from './context/measure.ts';
import { measureAhead } from './context/measure-paced.ts';
import type { YieldPoint } from './context/yield-to-event-loop.ts';
import { fitPictures } from './context/fit-pictures.ts';
import { createSuppliedFiles } from './context/supplied-files.ts';
import type { TokenCalibration } from './context/token-calibration.ts';
import type { AskWebExchanges } from './exchange/web-exchanges.ts';
import { explainRoute } from './explain.ts';
import {
  askIntent,
  classifierModels,
  createSummarise,
  type InternalAsksDeps,
} from './internal-asks.ts';
import { createInternalRefusals, internalModels } from './internal-models.ts';
import type { Latencies } from './latencies.ts';
import { makePlan, type AskPlan } from './route/plan.ts';
import type { RoutingState } from './route/routing-state.ts';
import { createAskObserver } from './run/ask-observer.ts';
import { askDeadline, callTimeMs } from './run/attempt-limits.ts';
import { createLedger, recordUsage, type Ledger } from './run/ledger.ts';
import { runPlan, type PlanOutcome, type RunDeps } from './run/run-plan.ts';
import { unknownCostNotices } from './run/unknown-cost.ts';
import { createSilences } from './run/silences.ts';
import { latencyTraits } from './run/usual-time.ts';
import { createVendorCallCounters } from './run/vendor-calls.ts';

interface ManagerDeps extends Omit<RunDeps, 'learn'>, Omit<InternalAsksDeps, 'refusals'> {
  /** The current routing state for this principal. */
  routingState(principal: string): RoutingState;
  readonly calibration: TokenCalibration;
  readonly latencies: Latencies;
  readonly spend: CallStore['recordUsage'];
  readonly locale: string;
  /** Supplies documents by uploads; without it their local texts are used. */
  readonly fileSupply?: FileSupply;
  /** Fits pictures to the limits of providers; without it they are sent as they are. */
  readonly pictureSupply?: PictureSupply;
  /** Searches for models whose vendors name no sources; without it they use their own search. */
  readonly web?: Pick<AskWebExchanges, 'canSearch' | 'searchWithin'>;
  /** Maximum number of requests to vendors for one request. */
  readonly maxVendorCalls: number;
  /** Timeout of the classifier model for unclear requests; 0 turns it off. */
  readonly classifyMs: number;
  /** Log with one line per attempt. */
  readonly crumbs: Log;
  readonly metrics: Metrics;
  /** Yields to the event loop, for large requests. */
  readonly pause?: YieldPoint;
}

/** Timeout of an explicit classification, which may take longer than one that delays a request. */
const ASKED_CLASSIFY_MS = 10_000;

/** The model router: classifies a request, plans candidates, and tries them until one answers. */
export function createManager(deps: ManagerDeps): Manager {
  const { clock } = deps;
  const asksDeps: InternalAsksDeps = { ...deps, refusals: createInternalRefusals(clock) };
  const vendorCallCounters = createVendorCallCounters(deps.maxVendorCalls);
  const observer = createAskObserver(deps.crumbs, deps.metrics);
  const { web, pause = () => Promise.resolve() } = deps;
  const runDeps: RunDeps = {
    ...deps,
    silences: createSilences(clock),
    ...(web && {
      searchFor: ({ by, ...ask }) =>
        web.canSearch()
          ? async (query) => (await web.searchWithin(ask, query, by)).result
          : undefined,
    }),
    learn(candidate, call, estimated) {
      const { outcome, firstTokenMs, elapsedMs, delivery, exchanges } = call;
      const { entry, search } = candidate;
      const { usage } = outcome.answer;
      if (firstTokenMs !== undefined && delivery !== undefined) {
        const traits = latencyTraits(candidate, estimated, delivery);
        deps.latencies.learn(entry.provider, entry.id, firstTokenMs, traits);
        if (delivery === 'stream')
          deps.latencies.learnWhole(entry.provider, entry.id, elapsedMs, traits);
      }
      // Search results and repeated requests are not part of the estimate.
      if (usage && !usage.estimated && search === 'none' && exchanges.length === 1) {
        deps.calibration.learn(entry.provider, entry.id, estimated, usage.input);
      }
    },
  };

  function begin(request: AskRequest, by: AskContext): AskState {
    const measured = measure(request);
    return {
      measured,
      facts: readFacts(measured, by, deps),
      by,
      deadline: askDeadline(by.deadline, clock, request.timeoutMs),
      ledger: createLedger(by, clock, observer),
    };
  }

  /** Reports an invalid request, too, with zero cost. */
  function beginOrReport(request: AskRequest, by: AskContext, listener: AskListener): AskState {
    try {
      return begin(request, by);
    } catch (thrown) {
      const nothing = { reasons: [], attempts: [], notices: [], costMicroUsd: 0, costKnown: true };
      listener.onReport?.({ ...nothing, quality: 'full' });
      throw CallError.from(thrown);
    }
  }

  /** Asks the classifier model, if the class is unclear and a model is available. */
  async function classifyUnclear(
    askState: AskState,
    routing: RoutingState,
  ): Promise<Intent | undefined> {
    if (deps.classifyMs === 0) return undefined;
    const models = classifierModels(askState, routing);
    return models.length === 0 ? undefined : askIntent(askState, models, deps.classifyMs, asksDeps);
  }

  /** The routing state, with what is found out only for requests that have pictures. */
  async function routingFor({ by, facts }: Pick<AskState, 'by' | 'facts'>): Promise<RoutingState> {
    const routing = deps.routingState(by.caller.principal);
    if (facts.images === 0 || !deps.pictureSupply) return routing;
    return { ...routing, scaling: await deps.pictureSupply.scaling() };
  }

  async function run(
    askState: AskState,
    listener: AskListener,
  ): Promise<{ plan?: AskPlan; outcome: PlanOutcome }> {
    const { measured, facts, by, ledger, deadline } = askState;
    const routing = await routingFor(askState);
    const planned = makePlan(facts, routing, await classifyUnclear(askState, routing));
    if (planned.is === 'no_candidate') {
      const reasons = planned.leftOut.map((each) => reason('left_out', each));
      const { error } = planned;
      return { outcome: { is: 'failed', error, reasons, notices: [], partial: '' } };
    }
    const { plan } = planned;
    const files = createSuppliedFiles(measured, plan, by.caller.principal, deps.fileSupply);
    extendCall(plan, askState, deps);
    if (files && !files.isSupplied(plan.first)) extendForFiles(askState);
    const exactRoom = createExactRoom(askState, routing, deps);
    const outcome = await runPlan(
      {
        plan,
        request: measured.request,
        by,
        deadline,
        signal: by.signal,
        listener,
        ledger,
        vendorCalls: vendorCallCounters.of(measured.request),
        whenSpent: routing.whenSpent,
        redactHosts: deps.redactHosts(by.caller.principal),
        ...(files && { files }),
        async fit(candidate, contextTokens) {
          const own = files?.measured(candidate) ?? measured;
          const fitted = await fit(
            own,
            await exactRoom(candidate, promptRoom(candidate, routing, contextTokens), own),
            () => createSummarise(askState, routing, asksDeps, candidate.maxCostMicroUsd),
          );
          if (!files && facts.images === 0) return fitted;
          const pictures = await fitPictures(fitted.messages, candidate, askState, deps);
          return {
            ...fitted,
            messages: pictures.messages,
            notices: [...(files?.notices(candidate) ?? []), ...fitted.notices, ...pictures.notices],
          };
        },
      },
      runDeps,
    );
    if (outcome.is === 'failed') return { plan, outcome };
    const uncounted = unknownCostNotices(outcome.candidate, routing, ledger);
    if (uncounted.length === 0) return { plan, outcome };
    return { plan, outcome: { ...outcome, notices: [...outcome.notices, ...uncounted] } };
  }

  async function ask(
    request: AskRequest,
    by: AskContext,
    rawListener: AskListener = {},
  ): Promise<AskAnswer> {
    const listener = safeListener(rawListener, deps.log);
    const ahead = measureAhead(request, pause);
    if (ahead) await ahead;
    const askState = beginOrReport(request, by, listener);
    let plan: AskPlan | undefined;
    let outcome: PlanOutcome;
    try {
      ({ plan, outcome } = await run(askState, listener));
    } catch (thrown) {
      outcome = {
        is: 'failed',
        error: CallError.from(thrown),
        reasons: [],
        notices: [],
        partial: '',
      };
    }
    recordUsage(askState.ledger, by, deps);
    const report = buildReport(plan, outcome, askState.ledger);
    listener.onReport?.(report);
    if (outcome.is === 'failed') throw outcome.error;
    const { answer, candidate, text, finish, stopText, citations, seams, usage } = outcome;
    const { reasoning, reasoningDetails, toolCalls } = answer;
    const { provider, model } = candidate;
    // prettier-ignore
    return {
      text, reasoning, reasoningDetails, toolCalls, citations, finish, provider, model, seams, report,
      ...(stopText !== undefined && { stopText }),
      ...(usage && { usage }),
    };
  }

  return {
    ask,
    async explain(request, by, payload) {
      await measureAhead(request, pause);
      const askState = begin(request, by);
      const routing = await routingFor(askState);
      const classifier = deps.classifyMs === 0 ? 'off' : 'on';
      return explainRoute(askState, routing, deps, payload, classifier);
    },
    async classify(request, by, listener = {}) {
      await measureAhead(request, pause);
      const begun = begin(request, by);
      // An explicit classification treats the request as one to chat.
      const askState = { ...begun, facts: { ...begun.facts, tool: 'chat' } };
      const models = internalModels(deps.routingState(by.caller.principal));
      try {
        return await askIntent(
          askState,
          models,
          Math.max(deps.classifyMs, ASKED_CLASSIFY_MS),
          asksDeps,
          'itself',
        );
      } finally {
        recordUsage(askState.ledger, by, deps);
        const totals = askState.ledger.totals();
        listener.onReport?.({ reasons: [], attempts: [], notices: [], ...totals, quality: 'full' });
      }
    },
  };
}

/** The report of an ask, for envelopes and records. */
function buildReport(plan: AskPlan | undefined, outcome: PlanOutcome, ledger: Ledger): AskReport {
  const answered = outcome.is === 'answered' ? outcome.candidate : undefined;
  const { usage, costMicroUsd, costKnown } = ledger.totals();
  const report: Mutable<AskReport> = {
    reasons: plan ? [...plan.reasons, ...outcome.reasons] : outcome.reasons,
    attempts: ledger.attempts,
    notices: plan ? [...plan.notices, ...outcome.notices] : outcome.notices,
    costMicroUsd,
    costKnown,
    quality: answered?.isLastResort === true ? 'degraded' : 'full',
  };
  if (answered) {
    report.provider = answered.provider;
    report.model = answered.model;
  }
  if (plan) {
    report.class = plan.class;
    report.rule = plan.rule;
  }
  if (usage) report.usage = usage;
  if (outcome.is === 'answered' && outcome.seams.length > 0) report.seams = outcome.seams;
  if (outcome.is === 'failed' && outcome.partial !== '') report.partial = outcome.partial;
  return report;
}

/** Wraps a listener so that its exceptions do not affect the answer; the first one is logged. */
export function safeListener(listener: AskListener, log: Log): AskListener {
  let isLogged = false;
  const guarded =
    <T>(notify: (value: T) => void) =>
    (value: T) => {
      try {
        notify(value);
      } catch (thrown) {
        if (isLogged) return;
        isLogged = true;
        log.error('listener_failed', { error: CallError.from(thrown).toJSON(), cause: thrown });
      }
    };
  // Absent callbacks stay absent, as onText decides how an interrupted answer is continued.
  const safe: Mutable<AskListener> = {};
  if (listener.onAsked) safe.onAsked = guarded((asked) => listener.onAsked?.(asked));
  if (listener.onToolCall) safe.onToolCall = guarded((piece) => listener.onToolCall?.(piece));
  if (listener.onText) safe.onText = guarded((text) => listener.onText?.(text));
  if (listener.onReasoning) safe.onReasoning = guarded((text) => listener.onReasoning?.(text));
  if (listener.onCapture) safe.onCapture = guarded((captured) => listener.onCapture?.(captured));
  if (listener.onNote) safe.onNote = guarded((note) => listener.onNote?.(note));
  if (listener.onReport) safe.onReport = guarded((report) => listener.onReport?.(report));
  return safe;
}

/** A model that thinks may take longer than calls usually do: the call's time follows it. */
function extendCall(
  { first: { entry, thinking }, hasFallback }: AskPlan,
  { by, measured }: AskState,
  { timeouts }: Pick<ManagerDeps, 'timeouts'>,
): void {
  if (!by.extend || measured.request.timeoutMs !== undefined) return;
  if (!willThink(entry, thinking)) return;
  by.extend(callTimeMs(modelTimeouts(entry, thinking, timeouts), { hasFallback }));
}

/** Uploads take time before a model is asked. */
function extendForFiles({ by, measured }: AskState): void {
  if (measured.request.timeoutMs === undefined) by.extend?.(MODEL_TOOL_TIMEOUT_MS);
}
