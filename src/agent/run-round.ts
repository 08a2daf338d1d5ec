import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { LoopCallRecord, LoopToolResult } from '#core/llm/tool-loop.ts';
import { reason } from '#core/messages/reasons.ts';
import { LightAbortController, type AbortSignalLike } from '#core/net/abort.ts';
import type { Clock } from '#core/time/clock.ts';
import { timeIsOver } from './closing.ts';
import type { ReadCall, RunnableTool } from './read-call.ts';

export interface RoundContext {
  readonly round: number;
  readonly maxParallel: number;
  /** The time that a call may take which begins now; undefined if there is none left. */
  timeoutMs(): number | undefined;
  /** What a call may cost that begins now. */
  costLeft(): { readonly maxCostMicroUsd?: number };
  readonly clock: Clock;
  readonly signal: AbortSignalLike;
  /** The result of an earlier run of the same call. */
  finished(index: number): LoopToolResult | undefined;
  /** Whether an earlier run began this call, which writes. */
  hasBegun(index: number): boolean;
  /** Awaited before a call that writes. */
  onBegin(index: number): void | Promise<void>;
  /** Called once for each call that was run here. */
  onResult(index: number, result: LoopToolResult): void | Promise<void>;
  /** What a call has cost, in this run or an earlier one. */
  onSpent(costMicroUsd: number): void;
}

/** A call with its result; undefined for one that is given back. */
export interface FinishedCall {
  readonly read: ReadCall;
  readonly result: LoopToolResult | undefined;
  readonly record: LoopCallRecord;
}

/**
 * Runs the calls of one round: reading ones side by side, each writing one alone and in its order.
 * A failure of a tool is its result. Throws only the reason of the signal.
 */
export async function runRound(
  calls: readonly ReadCall[],
  context: RoundContext,
): Promise<readonly FinishedCall[]> {
  const done: FinishedCall[] = [];
  for (const group of groupsOf(calls)) {
    for (let at = 0; at < group.length; at += context.maxParallel) {
      context.signal.throwIfAborted();
      const part = group.slice(at, at + context.maxParallel);
      done.push(...(await Promise.all(part.map(([read, index]) => finish(read, index, context)))));
    }
  }
  context.signal.throwIfAborted();
  return done;
}

type Placed = readonly [read: ReadCall, index: number];

/** Neighbouring calls that may run at the same time. */
function groupsOf(calls: readonly ReadCall[]): readonly (readonly Placed[])[] {
  const groups: Placed[][] = [];
  let open: Placed[] | undefined;
  for (const [index, read] of calls.entries()) {
    const writes = read.plan.is === 'run' && read.plan.tool.effect === 'writes';
    if (open && !writes) open.push([read, index]);
    else groups.push((open = [[read, index]]));
    if (writes) open = undefined;
  }
  return groups;
}

async function finish(read: ReadCall, index: number, context: RoundContext): Promise<FinishedCall> {
  const { plan, call } = read;
  const startedAt = context.clock.monotonic();
  const record = (
    outcome: LoopCallRecord['outcome'],
    { failure, reqId }: Partial<LoopToolResult> = {},
  ): LoopCallRecord => ({
    round: context.round,
    tool: call.name,
    outcome,
    ...(failure?.reason && { reason: failure.reason.code }),
    elapsedMs: context.clock.monotonic() - startedAt,
    ...(reqId !== undefined && { reqId }),
  });
  if (plan.is === 'return') return { read, result: undefined, record: record('returned') };
  if (plan.is === 'refuse') {
    const result = { text: '', failure: plan.error };
    return { read, result, record: record(plan.error.class, result) };
  }
  const earlier = context.finished(index);
  const result = earlier ?? (await runOnce(plan.tool, plan.args, index, context));
  if (!earlier) await context.onResult(index, result);
  context.onSpent(result.costMicroUsd ?? 0);
  return { read, result, record: record(result.failure?.class ?? 'ok', result) };
}

/** Runs a tool; one that writes never twice for the same call. */
async function runOnce(
  tool: RunnableTool,
  args: Parameters<RunnableTool['run']>[0],
  index: number,
  context: RoundContext,
): Promise<LoopToolResult> {
  const timeoutMs = context.timeoutMs();
  if (timeoutMs === undefined) return { text: '', failure: timeIsOver() };
  if (tool.effect === 'writes') {
    if (context.hasBegun(index)) return { text: '', failure: unfinished(tool.name) };
    try {
      await context.onBegin(index);
    } catch (thrown) {
      // Not run: after a crash it would be run again.
      return { text: '', failure: CallError.from(thrown) };
    }
  }
  return runTool(tool, args, timeoutMs, context);
}

function unfinished(tool: string): CallError {
  return codedError('interrupted', reason('loop_call_unfinished', { tool }), {
    fixes: ['Check whether it had an effect before you call it again.'],
  });
}

/** Runs a tool within its time, even if it ignores its signal. */
async function runTool(
  tool: RunnableTool,
  args: Parameters<RunnableTool['run']>[0],
  timeoutMs: number,
  context: RoundContext,
): Promise<LoopToolResult> {
  const { clock, signal, round } = context;
  const controller = new LightAbortController();
  const onAbort = () => controller.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  // At once, so that its time begins with it.
  const about = { signal: controller, timeoutMs, round, ...context.costLeft() };
  const running = (async () => tool.run(args, about))();
  const slow = codedError('timeout', reason('loop_tool_slow', { tool: tool.name, timeoutMs }));
  const timer = clock.after(timeoutMs, () => controller.abort(slow));
  const aborted = new Promise<never>((_resolve, reject) => {
    controller.addEventListener('abort', () => reject(controller.reason as Error));
  });
  try {
    return await Promise.race([running, aborted]);
  } catch (thrown) {
    signal.throwIfAborted();
    return { text: '', failure: CallError.from(thrown) };
  } finally {
    timer.stop();
    signal.removeEventListener('abort', onAbort);
    // The one that lost the race may still fail.
    running.catch(() => undefined);
    aborted.catch(() => undefined);
  }
}
