import { createBriefMap } from '#core/brief-map.ts';
import { isDeepStrictEqual } from 'node:util';
import { CallError } from '#core/call-error.ts';
import type { Caller, Progress } from '#core/call.ts';
import type { CallAnswer, Calls, RunningCall } from '#core/calls.ts';
import type { Clock, Timer } from '#core/clock.ts';
import { failureAnswer } from '#core/failure-answer.ts';
import type { Log } from '#core/telemetry.ts';
import type { Channel } from '../channel.ts';
import { errorFrame, frame, progressFrame, resultFrame, type ResultAbout } from './frames.ts';
import { oneLine } from './one-line.ts';
import type { RequestId } from './read-frame.ts';

export interface CallTableDeps {
  readonly calls: Calls;
  readonly clock: Clock;
  readonly log: Log;
  readonly progressIntervalMs: number;
  readonly compatText: boolean;
  /** After which a call goes on as a job. */
  readonly inlineWaitMs: number;
  /** What a client takes in one answer. */
  readonly maxTokens: number;
}

export interface ToolRequest {
  readonly requestId: RequestId;
  readonly tool: string;
  readonly args: unknown;
  readonly caller: Caller;
}

/** The calls of one socket that have no answer yet. */
export interface CallTable {
  start(request: ToolRequest): void;
  /** The one answer of a call that is not even tried. */
  refuse(requestId: RequestId, name: string, error: CallError): void;
  cancel(requestId: RequestId): 'cancelled' | 'not_found';
  /** Nobody waits for answers any more: everything is cancelled, nothing more is sent. */
  abandon(): void;
  /** Takes no more calls; resolves when the last is answered. */
  drain(): Promise<void>;
}

interface Entry {
  readonly requestId: RequestId;
  readonly name: string;
  readonly args: unknown;
  readonly startedAt: number;
  got: ResultAbout['got'];
  call: RunningCall | undefined;
}

const MAX_IN_FLIGHT = 1024;
const RETRY_AFTER_MS = 1000;

export function createCallTable(channel: Channel, session: string, deps: CallTableDeps): CallTable {
  const { calls, clock, log, progressIntervalMs, compatText, maxTokens } = deps;
  const handOff = { afterMs: deps.inlineWaitMs, as: 'job' } as const;
  const entries = createBriefMap<RequestId, Entry>(64);
  const text = compatText ? 'compat' : 'outputs';
  let state: 'open' | 'draining' | 'abandoned' = 'open';
  let timer: Timer | undefined;
  let waiting: (() => void)[] = [];

  function start({ requestId, tool, args, caller }: ToolRequest): void {
    const name = calls.find(tool)?.name ?? oneLine(tool);
    const twin = entries.get(requestId);
    if (twin) return repeat(twin, name, args);
    const refusal = refusalNow();
    if (refusal) return refuse(requestId, name, refusal);
    const startedAt = clock.monotonic();
    const entry: Entry = { requestId, name, args, startedAt, got: 'refused', call: undefined };
    entries.add(requestId, entry);
    progress(entry, { note: 'accepted, awaiting capacity' });
    timer ??= clock.after(progressIntervalMs, tellAll);
    try {
      entry.call = calls.start({
        tool,
        args,
        caller,
        door: channel.door,
        session,
        handOff,
        maxTokens,
        onProgress(step) {
          // These frames have no place for pieces of an answer, which would be a flood of nothing.
          if (step.text === undefined || step.note !== undefined) progress(entry, step);
        },
        onAdmitted: ({ timeoutMs }) => admitted(entry, timeoutMs),
      });
    } catch (thrown) {
      log.error('exai_call_failed', { cause: thrown });
      finish(entry, failureAnswer(CallError.from(thrown), name));
      return;
    }
    entry.call.answer.then(
      (answer) => finish(entry, answer),
      (thrown: unknown) => finish(entry, failureAnswer(CallError.from(thrown), name)),
    );
  }

  function refuse(requestId: RequestId, name: string, error: CallError): void {
    channel.send(resultFrame(failureAnswer(error, name), { requestId, got: 'refused', text }));
  }

  /** The same id again, while its call runs: there is one answer for it, whatever it asks now. */
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
    entry.got = 'admitted';
    const { requestId, name } = entry;
    const about = { request_id: requestId, accepted: true, timeout: timeoutMs / 1000, name };
    channel.send(frame('call_tool_ack', about));
  }

  function progress(entry: Entry, step: Progress): void {
    if (!channel.isClear || !isRunning(entry)) return;
    channel.send(progressFrame(entry.requestId, entry.name, clock.now(), step));
  }

  function tellAll(): void {
    timer = entries.size > 0 ? clock.after(progressIntervalMs, tellAll) : undefined;
    const now = clock.monotonic();
    for (const entry of entries.values()) {
      const seconds = Math.round((now - entry.startedAt) / 1000);
      const doing = entry.got === 'admitted' ? 'running' : 'awaiting capacity';
      progress(entry, { note: `${doing}, ${seconds} s` });
    }
  }

  function isRunning(entry: Entry): boolean {
    return state !== 'abandoned' && entries.get(entry.requestId) === entry;
  }

  function finish(entry: Entry, answer: CallAnswer): void {
    const { requestId, name, got } = entry;
    if (isRunning(entry)) channel.send(toFrame(answer, name, { requestId, got, text }));
    entries.delete(requestId);
    if (entries.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  /** A tool may give content that no JSON can hold; its call is answered all the same. */
  function toFrame(answer: CallAnswer, name: string, about: ResultAbout): string {
    try {
      return resultFrame(answer, about);
    } catch (cause) {
      const reqId = answer.envelope.req_id;
      log.error('exai_answer_unwritable', { req_id: reqId, tool: name, cause });
      const error = new CallError('internal', 'The answer of the tool cannot be sent as JSON.');
      return resultFrame(failureAnswer(error, name, reqId), about);
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
    drain() {
      if (state === 'open') state = 'draining';
      if (entries.size === 0) return Promise.resolve();
      return new Promise((resolve) => void waiting.push(resolve));
    },
  };
}

/** For what never became a call, there is no id in the log either. */
function isSame(one: unknown, other: unknown): boolean {
  try {
    return isDeepStrictEqual(one, other);
  } catch {
    // Nested so deeply that the stack ends: whoever sends that may as well be told it differs.
    return false;
  }
}
