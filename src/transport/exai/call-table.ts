import { createTransientMap } from '#core/transient-map.ts';
import { isDeepStrictEqual } from 'node:util';
import { CallError } from '#core/errors/call-error.ts';
import type { Caller, Progress } from '#core/calls/call.ts';
import type { CallRequest, CallResult, Calls, RunningCall } from '#core/calls/calls.ts';
import { unwrapCall } from '#core/calls/unwrap-call.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import { failureResult } from '#core/calls/envelope.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Channel } from '../channel.ts';
import {
  abbreviate,
  errorFrame,
  frame,
  progressFrame,
  resultFrame,
  type FrameRequestId,
  type ResultContext,
} from './frames.ts';

export interface CallTableDeps {
  readonly calls: Calls;
  readonly clock: Clock;
  readonly log: Log;
  readonly progressIntervalMs: number;
  readonly compatText: boolean;
  /** After this a call becomes a job. */
  readonly inlineWaitMs: number;
  /** Limit for one answer. */
  readonly maxTokens: number;
}

export interface ToolRequest {
  readonly requestId: FrameRequestId;
  readonly tool: string;
  readonly args: unknown;
  readonly caller: Caller;
}

/** The unanswered calls of one connection. */
export interface CallTable {
  start(request: ToolRequest): void;
  /** Answers a call with an error without starting it. */
  refuse(requestId: FrameRequestId, name: string, error: CallError): void;
  cancel(requestId: FrameRequestId): 'cancelled' | 'not_found';
  /** Cancels all calls and sends nothing more, because the client is gone. */
  abandon(): void;
  /** Accepts no more calls; resolves when the last one is answered. */
  drain(): Promise<void>;
  /** Answers all calls with this error, and cancels them. */
  interrupt(error: CallError): void;
}

interface Entry {
  readonly requestId: FrameRequestId;
  readonly name: string;
  readonly args: unknown;
  readonly startedAt: number;
  stage: ResultContext['stage'];
  call: RunningCall | undefined;
}

type CallTarget = Pick<CallRequest, 'tool' | 'args' | 'via'>;

const MAX_IN_FLIGHT = 1024;
const RETRY_AFTER_MS = 1000;

export function createCallTable(channel: Channel, session: string, deps: CallTableDeps): CallTable {
  const { calls, clock, log, progressIntervalMs } = deps;
  const entries = createTransientMap<FrameRequestId, Entry>(64);
  // Settings are read at each use, as they may change.
  const textForm = () => (deps.compatText ? 'compat' : 'outputs');
  let state: 'open' | 'draining' | 'abandoned' = 'open';
  let timer: Timer | undefined;
  let waiting: (() => void)[] = [];

  function start({ requestId, caller, ...called }: ToolRequest): void {
    const { tool, args, via } = unwrapCall<CallTarget>(called);
    const name = calls.find(tool)?.name ?? abbreviate(tool);
    const twin = entries.get(requestId);
    if (twin) return repeat(twin, name, args);
    const refusal = refusalNow();
    if (refusal) return refuse(requestId, name, refusal);
    const startedAt = clock.monotonic();
    const entry: Entry = { requestId, name, args, startedAt, stage: 'refused', call: undefined };
    entries.add(requestId, entry);
    progress(entry, { note: 'accepted, awaiting capacity' });
    timer ??= clock.after(progressIntervalMs, reportAll);
    try {
      entry.call = calls.start({
        tool,
        args,
        ...(via !== undefined && { via }),
        caller,
        transport: channel.transport,
        session,
        background: { afterMs: deps.inlineWaitMs, as: 'job' },
        maxTokens: deps.maxTokens,
        onProgress(step) {
          // EXAI frames cannot carry parts of an answer, so they are skipped.
          if (step.text === undefined || step.note !== undefined) progress(entry, step);
        },
        onAdmitted: ({ timeoutMs }) => admitted(entry, timeoutMs),
      });
    } catch (thrown) {
      log.error('exai_call_failed', { cause: thrown });
      finish(entry, failureResult(CallError.from(thrown), name));
      return;
    }
    entry.call.answer.then(
      (answer) => finish(entry, answer),
      (thrown: unknown) => finish(entry, failureResult(CallError.from(thrown), name)),
    );
  }

  function refuse(requestId: FrameRequestId, name: string, error: CallError): void {
    channel.send(
      resultFrame(failureResult(error, name), { requestId, stage: 'refused', text: textForm() }),
    );
  }

  /** Handles a repeated id while its call runs: there is only one answer for it. */
  function repeat(entry: Entry, name: string, args: unknown): void {
    if (name === entry.name && isSame(args, entry.args)) {
      progress(entry, { note: 'duplicate request; still processing' });
    } else {
      const message = 'This request_id belongs to another call that is still running.';
      channel.send(errorFrame('DUPLICATE', message, entry.requestId));
    }
  }

  function refusalNow(): CallError | undefined {
    const facts = { retryAfterMs: RETRY_AFTER_MS };
    if (state !== 'open') return new CallError('over_capacity', 'The daemon is stopping.', facts);
    if (entries.size < MAX_IN_FLIGHT) return undefined;
    const message = `This connection has ${MAX_IN_FLIGHT} calls without an answer.`;
    return new CallError('over_capacity', message, { ...facts, fix: 'Wait for some of them.' });
  }

  function admitted(entry: Entry, timeoutMs: number): void {
    if (!isRunning(entry)) return;
    entry.stage = 'admitted';
    const { requestId, name } = entry;
    const members = { request_id: requestId, accepted: true, timeout: timeoutMs / 1000, name };
    channel.send(frame('call_tool_ack', members));
  }

  function progress(entry: Entry, step: Progress): void {
    if (!channel.isClear || !isRunning(entry)) return;
    channel.send(progressFrame(entry.requestId, entry.name, clock.now(), step));
  }

  function reportAll(): void {
    timer = entries.size > 0 ? clock.after(progressIntervalMs, reportAll) : undefined;
    const now = clock.monotonic();
    for (const entry of entries.values()) {
      const seconds = Math.round((now - entry.startedAt) / 1000);
      const doing = entry.stage === 'admitted' ? 'running' : 'awaiting capacity';
      progress(entry, { note: `${doing}, ${seconds} s` });
    }
  }

  function isRunning(entry: Entry): boolean {
    return state !== 'abandoned' && entries.get(entry.requestId) === entry;
  }

  function finish(entry: Entry, answer: CallResult): void {
    const { requestId, name, stage } = entry;
    if (isRunning(entry))
      channel.send(toFrame(answer, name, { requestId, stage, text: textForm() }));
    entries.delete(requestId);
    if (entries.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  /** The result frame; content that is not valid JSON becomes an error. */
  function toFrame(answer: CallResult, name: string, context: ResultContext): string {
    try {
      return resultFrame(answer, context);
    } catch (cause) {
      const reqId = answer.envelope.req_id;
      log.error('exai_answer_unwritable', { req_id: reqId, tool: name, cause });
      const error = new CallError('internal', 'The answer of the tool cannot be sent as JSON.');
      return resultFrame(failureResult(error, name, reqId), context);
    }
  }

  return {
    start,
    refuse(requestId, name, error) {
      const twin = entries.get(requestId);
      if (twin) repeat(twin, name, undefined);
      else refuse(requestId, name, error);
    },
    cancel(requestId) {
      const entry = entries.get(requestId);
      if (!entry) return 'not_found';
      entry.call?.cancel();
      return 'cancelled';
    },
    abandon() {
      state = 'abandoned';
      timer?.stop();
      timer = undefined;
      for (const { call } of entries.values()) call?.cancel();
    },
    interrupt(error) {
      for (const entry of entries.values()) {
        finish(entry, failureResult(error, entry.name));
        entry.call?.cancel(error);
      }
    },
    drain() {
      if (state === 'open') state = 'draining';
      if (entries.size === 0) return Promise.resolve();
      return new Promise((resolve) => void waiting.push(resolve));
    },
  };
}

function isSame(one: unknown, other: unknown): boolean {
  try {
    return isDeepStrictEqual(one, other);
  } catch {
    // Nested too deeply to compare: treated as different.
    return false;
  }
}
