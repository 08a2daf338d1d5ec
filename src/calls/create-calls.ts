import type { AccessDecision } from '#core/auth/decision.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { AskReport, Manager } from '#core/llm/ask.ts';
import { createTransientMap } from '#core/transient-map.ts';
import type { Caller } from '#core/calls/call.ts';
import type {
  CallResult,
  CallRequest,
  Calls,
  Change,
  ListPage,
  RunningCall,
  ToolList,
} from '#core/calls/calls.ts';
import { unwrapCall } from '#core/calls/unwrap-call.ts';
import type { Clock } from '#core/time/clock.ts';
import type { NewId } from '#core/ids.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import type { RequestMetadata } from '#core/calls/request-metadata.schema.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { Log, Metrics, Tracer } from '#core/telemetry/telemetry.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { Limiter } from '#resilience/limiter.ts';
import { isInputRequired, toCallResult, type CallOutcome } from './call-result.ts';
import { abandonedByAll, createConsents, toInputRequired } from './elicitation.ts';
import { callerTool, createCallObserver, toAuditRow } from './call-record.ts';
import { complete, type ContentRegistry } from './content-registry.ts';
import type { Access } from './access.ts';
import {
  abort,
  addWaiter,
  createExecution,
  markRunning,
  runTool,
  type PendingCall,
  type SharedExecution,
} from './coalesced-call.ts';
import { poolsOf } from './call-limits.ts';
import { createInnerCalls } from './inner-calls.ts';
import { createListPages, createToolLists } from './lists.ts';
import { createRecentTools } from './recent-tools.ts';
import { createResolvedCall, resolveCall } from './resolve-call.ts';
import type { Registry } from './registry.ts';
import type { StateSeal } from './request-state.ts';
import {
  RECORD_GRACE_MS,
  recordCall,
  requireStore,
  STORE_SILENT,
  unrecorded,
} from './store-failures.ts';

export interface CallsOptions {
  readonly registry: Registry;
  readonly content: ContentRegistry;
  readonly access: Access;
  /** Seals the state between rounds of input requests. */
  readonly seal: StateSeal;
  /** Entries per page of a list. */
  readonly pageSize: number;
  readonly limiter: Limiter;
  /** Maximum number of calls that wait for a provider at once. */
  readonly capacity: number;
  /** `retryAfterMs` of calls refused with `over_capacity`. */
  readonly retryAfterMs: number;
  /** Whether the caller's credential is still valid. */
  readonly isCredentialValid: (caller: Caller) => boolean;
  readonly metadata: () => RequestMetadata;
  readonly store: CallStore;
  /** Why nothing can be stored now. */
  readonly storeFailure?: () => CallError | undefined;
  /** How tools ask models. */
  readonly manager: Pick<Manager, 'ask'>;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

const CANCELLED = new CallError('cancelled', 'The call was cancelled.');
const TIMED_OUT = new CallError('timeout', 'The deadline of this call has passed.');

/**
 * Runs calls: resolves, admits, coalesces identical ones, audits, and settles each exactly once.
 */
export function createCalls(options: CallsOptions): Calls {
  const { registry, content, access, limiter, store, clock, log } = options;
  const lists = createToolLists(registry, access);
  const pages = createListPages(lists, options);
  const sources = { ...options, consents: createConsents(clock) };
  const observer = createCallObserver(options.metrics, log, clock);
  // Executions that identical calls can join, by principal, tool and arguments.
  const joinable = createTransientMap<string, SharedExecution>(1024);
  const recentTools = createRecentTools(clock);
  let pendingCalls = 0;

  function start(requested: CallRequest): RunningCall {
    const request = unwrapCall(requested);
    const { reqId = options.newId('req') } = request;
    let cancel: RunningCall['cancel'] = () => undefined;
    let extend: RunningCall['extend'] = () => undefined;
    const answer = new Promise<CallResult>((resolve) => {
      const startedAt = clock.monotonic();
      const resolved = createResolvedCall(request);
      const metadata = options.metadata();
      // prettier-ignore
      const call: PendingCall = {
        reqId, request, resolved, metadata, startedAt, resolve,
        deadlineAt: startedAt, timeoutMs: 0, sharedWith: undefined, timer: undefined,
      };
      pendingCalls += 1;
      recentTools.started(resolved.toolName);
      try {
        if (!options.isCredentialValid(request.caller)) throw credentialExpired();
        const tool = resolveCall(resolved, request, sources);
        // A call that needs consent before it runs.
        if (isInputRequired(tool)) {
          return end(call, toInputRequired(call, tool, options.seal), 'noted');
        }
        requireStore(tool, options.storeFailure);
        const execution = enqueue(call, tool);
        cancel = (error = CANCELLED) => leave(execution, call, error);
        extend = (timeoutMs) => extendDeadline(execution, call, timeoutMs);
      } catch (thrown) {
        end(call, { is: 'failure', error: CallError.from(thrown) }, 'noted');
      }
    });
    return { reqId, answer, cancel: (error) => cancel(error), extend: (ms) => extend(ms) };
  }

  /** Joins a running execution of identical calls, or starts one. */
  function enqueue(call: PendingCall, tool: Tool): SharedExecution {
    const { request, resolved } = call;
    call.timeoutMs = timeoutOf(request, tool);
    call.deadlineAt = call.startedAt + call.timeoutMs;
    const { answers, state, within } = request;
    // A call within a call could otherwise wait for its own outer call.
    const isSingle = (answers ?? state ?? within) !== undefined;
    const key = tool.coalesce && !isSingle ? keyOf(request, tool, resolved.argsSha256) : undefined;
    const existing = key === undefined ? undefined : joinable.get(key);
    const execution = existing ?? createExecution(tool, key, call);
    call.timer = clock.after(call.timeoutMs, () => leave(execution, call, TIMED_OUT));
    if (existing) {
      addWaiter(existing, call);
    } else {
      if (key !== undefined) joinable.add(key, execution);
      admit(execution);
    }
    return execution;
  }

  function admit(execution: SharedExecution): void {
    const { tool, first } = execution;
    if (!tool.pool) return run(execution);
    const { session, fairnessKey = session } = first.request;
    const admission = limiter.acquire({ pools: poolsOf(tool.pool, session), fairnessKey });
    switch (admission.is) {
      case 'granted':
        execution.permit = admission.permit;
        return run(execution);
      case 'full':
        return settle(execution, { is: 'failure', error: overCapacity() });
      case 'waiting':
        execution.place = admission.entry;
        void admission.entry.permit.then((permit) => {
          if (execution.phase === 'over') return permit?.release();
          if (!permit) return settle(execution, { is: 'failure', error: overCapacity() });
          execution.permit = permit;
          // The credential may have been revoked while the call was queued.
          if (options.isCredentialValid(first.request.caller)) return run(execution);
          settle(execution, { is: 'failure', error: credentialExpired() });
        });
    }
  }

  function run(execution: SharedExecution): void {
    markRunning(execution);
    execution.extend = (ms) => {
      for (const call of execution.waiters) {
        // A limit of the caller, or of the gateway (`gateway.timeoutMs`), is kept.
        if (call.request.timeoutMs !== undefined || call.request.kind === 'operation') continue;
        extendDeadline(execution, call, clock.monotonic() - call.startedAt + ms);
      }
    };
    const inner = () =>
      createInnerCalls(execution, { registry, access, limiter, clock, start, decide });
    runTool(execution, options, inner).then(
      (result) => {
        if (isInputRequired(result)) settleInputRequired(execution, result);
        else {
          execution.reports.push(...(result.askReports ?? []));
          settle(execution, { is: 'answer', answer: result });
        }
      },
      (thrown: unknown) => settle(execution, { is: 'failure', error: CallError.from(thrown) }),
    );
  }

  /** Releases the permit and settles all waiting calls with the outcome. */
  function settle(execution: SharedExecution, outcome: CallOutcome): void {
    const isKept = outcome.is === 'answer' && outcome.answer.continuation !== undefined;
    const record =
      execution.phase === 'running' ? recordingOf(execution, isKept ? 'turn' : 'nothing') : 'noted';
    for (const call of release(execution)) end(call, outcome, record, execution.reports);
  }

  /** Settles all waiting calls with input requests, each with its own state. */
  function settleInputRequired(execution: SharedExecution, result: InputRequired): void {
    const record = recordingOf(execution);
    const calls = release(execution);
    const required = abandonedByAll(result, calls.length);
    for (const call of calls) {
      const outcome = toInputRequired(call, required, options.seal);
      end(call, outcome, record, execution.reports);
    }
  }

  function release(execution: SharedExecution): PendingCall[] {
    execution.phase = 'over';
    close(execution);
    execution.permit?.release();
    execution.slotTimer?.stop();
    return execution.waiters.splice(0);
  }

  /** Settles one waiting call that was cancelled or timed out. */
  function leave(execution: SharedExecution, call: PendingCall, error: CallError): void {
    const index = execution.waiters.indexOf(call);
    if (index === -1) return;
    execution.waiters.splice(index, 1);
    const record = execution.phase === 'running' ? recordingOf(execution) : 'noted';
    if (execution.waiters.length === 0) {
      close(execution);
      abort(execution, error, clock);
    }
    end(call, { is: 'failure', error }, record, execution.reports);
  }

  function extendDeadline(execution: SharedExecution, call: PendingCall, timeoutMs: number): void {
    const at = call.startedAt + timeoutMs;
    if (at <= call.deadlineAt || !execution.waiters.includes(call)) return;
    call.timeoutMs = timeoutMs;
    call.deadlineAt = at;
    execution.deadline.at = Math.max(execution.deadline.at, at);
    call.timer?.stop();
    call.timer = clock.after(at - clock.monotonic(), () => leave(execution, call, TIMED_OUT));
  }

  /** Stops further calls from joining. */
  function close(execution: SharedExecution): void {
    const { key } = execution;
    // An aborted execution may end after another one with the same key has started.
    if (key !== undefined && joinable.get(key) === execution) joinable.delete(key);
  }

  function end(
    call: PendingCall,
    outcome: CallOutcome,
    record: Recording,
    reports: readonly AskReport[] = NO_REPORTS,
  ): void {
    call.timer?.stop();
    pendingCalls -= 1;
    const { request, resolved, metadata, sharedWith, reqId } = call;
    recentTools.ended(resolved.toolName);
    const elapsedMs = clock.monotonic() - call.startedAt;
    const answer = toCallResult(outcome, resolved.toolName, reqId, reports);
    const toolLabel = resolved.tool ? resolved.toolName : 'unknown';
    const { transport, caller } = request;
    const { principal, clientInfo } = caller;
    const from = { transport, principal, client: clientInfo?.name, via: callerTool(request) };
    const facts = { reqId, elapsedMs, requestedName: resolved.toolName, ...from };
    observer.ended(toolLabel, answer.envelope.status, answer.error, facts);
    const about = { at: clock.now(), elapsedMs, metadata, sharedWith };
    const row = toAuditRow(request, resolved, answer, about);
    const behind = record === 'noted' ? store.recordLazily(row) : undefined;
    if (record === 'noted' && !behind) return call.resolve(answer);
    const late = clock.after(
      Math.max(0, call.deadlineAt - clock.monotonic()) + RECORD_GRACE_MS,
      () => call.resolve(answer.error || behind ? answer : unrecorded(STORE_SILENT, call, answer)),
    );
    const recorded = (result: CallResult) => {
      late.stop();
      call.resolve(result);
    };
    if (behind) return void behind.then(() => recorded(answer));
    recordCall(options, call, row).then(
      () => recorded(answer),
      (thrown: unknown) => recorded(unrecorded(thrown, call, answer)),
    );
  }

  function decide(...[caller, name, args]: Parameters<Calls['decide']>): AccessDecision {
    const tool = registry.find(name) ?? content.operation(name)?.tool;
    if (tool) return access.decide(caller, tool, args);
    const unknown = reason('unknown_tool', { tool: name, hint: registry.suggest(name) });
    return { verdict: 'deny', reasons: [unknown] };
  }

  const overCapacity = () =>
    new CallError('over_capacity', 'Too many calls are running and waiting.', {
      retryAfterMs: options.retryAfterMs,
      fixes: [fix('retry')],
    });

  return {
    start,
    accepts(requested) {
      const request = unwrapCall(requested);
      if (!options.isCredentialValid(request.caller)) return false;
      try {
        return !isInputRequired(resolveCall(createResolvedCall(request), request, sources));
      } catch {
        // `start` reports the error.
        return false;
      }
    },
    list: (caller) => (options.isCredentialValid(caller) ? lists(caller) : NO_TOOLS),
    find: (name) => registry.find(name),
    decide,
    page: (caller, kind, cursor) =>
      options.isCredentialValid(caller) ? pages(caller, kind, cursor) : NO_PAGE,
    complete: (caller, request) =>
      options.isCredentialValid(caller)
        ? complete(caller, request, options)
        : Promise.reject(credentialExpired()),
    canWatch(caller, uri) {
      const callable = content.at(uri, caller);
      if (!callable?.subscribable || !options.isCredentialValid(caller)) return false;
      const isAllowed = access.decideCallable(caller, callable).verdict !== 'deny';
      if (isAllowed) callable.onWatch?.();
      return isAllowed;
    },
    onChange(listener) {
      const stops = [registry.onChange(() => listener(TOOLS_CHANGED)), content.onChange(listener)];
      return () => stops.forEach((stop) => stop());
    },
    load: () => ({
      running: pendingCalls,
      waitingForProvider: limiter.running,
      waiting: limiter.waiting,
      capacity: options.capacity,
      tools: recentTools.names(),
    }),
  };
}

const NO_REPORTS: readonly AskReport[] = [];
const NO_TOOLS: ToolList = { version: '', tools: [], json: '[]' };
const NO_PAGE: ListPage = { json: '[]', next: undefined };
const TOOLS_CHANGED: Change = { list: 'tools' };

/** The token expired or was revoked during the connection. */
function credentialExpired(): CallError {
  return new CallError('auth', 'The token that this connection came in with is no longer good.', {
    field: 'token',
    fix: 'Connect again with a good one.',
  });
}

/**
 * `durable`: committed before the result is returned. `noted`: written with the next commit,
 * without waiting.
 */
type Recording = 'durable' | 'noted';

/**
 * Calls that asked a model may have cost money, and a step that kept a turn changed a conversation,
 * so they are recorded durably.
 */
function recordingOf(
  { tool, reports }: SharedExecution,
  kept: 'turn' | 'nothing' = 'nothing',
): Recording {
  const isFree = reports.every(({ innerCall, usage }) => innerCall && !usage);
  return tool.annotations.readOnlyHint && isFree && kept === 'nothing' ? 'noted' : 'durable';
}

/** A client may shorten the tool's timeout, never extend it. */
function timeoutOf({ timeoutMs = Infinity }: CallRequest, tool: Tool): number {
  return timeoutMs > 0 ? Math.min(timeoutMs, tool.timeoutMs) : tool.timeoutMs;
}

/** Results are never shared between principals, nor between agents or folders of one principal. */
function keyOf(
  { caller, clientCapabilities = [] }: CallRequest,
  { name }: Tool,
  argsSha256: string,
): string {
  const { principal, agent = '', scopes, roots, isAnonymous = false } = caller;
  const who = `${principal}\n${agent}\n${isAnonymous}\n${scopes.join()}\n${roots.join()}\n${clientCapabilities.join()}`;
  return `${who}\n${name}\n${argsSha256}`;
}
