import type { CallRequest, CallResult, Calls, RunningCall } from '#core/calls/calls.ts';
import type { InnerCall, InnerCalls } from '#core/calls/inner-calls.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { AskReport } from '#core/llm/ask.ts';
import { reason } from '#core/messages/reasons.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { toMicroUsd } from '#core/text/money.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { Limiter } from '#resilience/limiter.ts';
import { isCallable, type Access } from './access.ts';
import { poolsOf } from './call-limits.ts';
import { lightSignalOf, type SharedExecution } from './coalesced-call.ts';
import type { Registry } from './registry.ts';

interface InnerCallsDeps {
  readonly registry: Registry;
  readonly access: Access;
  readonly limiter: Limiter;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly start: (request: CallRequest) => RunningCall;
  readonly decide: Calls['decide'];
}

/** A model that calls a tool with which a model calls tools, and so on. */
const MAX_DEPTH = 3;

/** The calls that the tool of an execution makes. */
export function createInnerCalls(
  execution: SharedExecution,
  { registry, access, limiter, clock, start, decide }: InnerCallsDeps,
): InnerCalls {
  const { tool: outer, first } = execution;
  const { caller, transport, session, fairnessKey, traceparent, answers, within } = first.request;
  const depth = (within?.depth ?? 0) + 1;
  const isUsable = (tool: Tool) =>
    tool.quarantine === undefined && isCallable(access.decide(caller, tool));

  function requestOf({ tool, args, timeoutMs, maxCostMicroUsd }: InnerCall): CallRequest {
    const limits = [maxCostMicroUsd, within?.maxCostMicroUsd].filter((each) => each !== undefined);
    return {
      tool,
      args,
      caller,
      transport,
      session,
      ...(fairnessKey !== undefined && { fairnessKey }),
      ...(traceparent !== undefined && { traceparent }),
      // Such as the folders that the client works in.
      ...(answers && { answers }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      within: {
        tool: outer.name,
        depth,
        ...(limits.length > 0 && { maxCostMicroUsd: Math.min(...limits) }),
      },
    };
  }

  return {
    find(name) {
      const tool = registry.find(name);
      return tool && isUsable(tool) ? tool : undefined;
    },
    quarantineOf(name) {
      const tool = registry.find(name);
      return tool && isCallable(access.decide(caller, tool)) ? tool.quarantine : undefined;
    },
    decide: (name) => decide(caller, name),
    all: () => registry.all().filter(isUsable),
    async run(call) {
      if (depth > MAX_DEPTH) {
        throw codedError('bad_request', reason('calls_nested', { max: MAX_DEPTH }));
      }
      const signals = [lightSignalOf(execution), ...(call.signal ? [call.signal] : [])];
      for (const signal of signals) signal.throwIfAborted();
      const startedAt = clock.monotonic();
      park(execution);
      const running = start(requestOf(call));
      const stopListening = cancelWith(running, signals);
      const result = await running.answer;
      stopListening();
      execution.reports.push(toReport(result, call, clock.monotonic() - startedAt));
      await unpark(execution, limiter);
      return result;
    },
  };
}

function cancelWith(running: RunningCall, signals: readonly AbortSignalLike[]): () => void {
  const stops = signals.map((signal) => {
    const cancel = () => running.cancel(CallError.from(signal.reason));
    signal.addEventListener('abort', cancel);
    return () => signal.removeEventListener('abort', cancel);
  });
  return () => stops.forEach((stop) => stop());
}

/**
 * Gives the permit back while inner calls run: with it, calls that wait for their inner calls could
 * hold every permit that those need.
 */
function park(execution: SharedExecution): void {
  execution.innerCalls += 1;
  if (!execution.permit) return;
  execution.permit.release();
  execution.permit = undefined;
  execution.isParked = true;
}

/** Waits for a permit again when the last inner call has ended. */
async function unpark(execution: SharedExecution, limiter: Limiter): Promise<void> {
  execution.innerCalls -= 1;
  const { tool, first } = execution;
  const isWaiting = execution.isParked && execution.innerCalls === 0;
  if (!isWaiting || !tool.pool || execution.phase === 'over') return;
  execution.isParked = false;
  const { session, fairnessKey = session } = first.request;
  const pools = poolsOf(tool.pool, session);
  const admission = limiter.acquire({ pools, fairnessKey, isContinued: true });
  if (admission.is === 'full') return;
  if (admission.is === 'granted') {
    execution.permit = admission.permit;
    return;
  }
  const { entry } = admission;
  const signal = lightSignalOf(execution);
  const leave = () => entry.leave();
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  const permit = await entry.permit;
  signal.removeEventListener('abort', leave);
  if (permit) keep(execution, permit);
}

function keep(execution: SharedExecution, permit: { release(): void }): void {
  if (execution.innerCalls > 0) execution.isParked = true;
  if (execution.innerCalls > 0 || execution.phase === 'over' || execution.abortReason) {
    permit.release();
  } else {
    execution.permit = permit;
  }
}

/** An inner call as the envelope of the outer one shows and counts it. */
function toReport(
  { envelope, error, inputRequired }: CallResult,
  { round }: InnerCall,
  elapsedMs: number,
): AskReport {
  const { usage } = envelope;
  const outcome = error?.class ?? (inputRequired ? 'bad_request' : 'ok');
  return {
    reasons: [],
    attempts: [],
    notices: [],
    costMicroUsd: usage ? toMicroUsd(usage.cost_usd) : 0,
    costKnown: usage?.unpriced !== true,
    quality: 'full',
    ...(usage && {
      usage: {
        input: usage.input,
        output: usage.output,
        cached: usage.cached,
        reasoning: usage.reasoning,
        estimated: usage.estimated,
      },
    }),
    innerCall: {
      tool: envelope.tool,
      req_id: envelope.req_id,
      outcome,
      elapsed_ms: Math.round(elapsedMs),
      ...(round !== undefined && { round }),
    },
  };
}
