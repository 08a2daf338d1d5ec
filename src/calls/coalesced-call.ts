import { setMaxListeners } from 'node:events';
import type { Call, Progress } from '#core/calls/call.ts';
import type { CallRequest, CallResult } from '#core/calls/calls.ts';
import type { InnerCalls } from '#core/calls/inner-calls.ts';
import type { RequestMetadata } from '#core/calls/request-metadata.schema.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Id } from '#core/ids.ts';
import type { Json } from '#core/json/json.ts';
import type {
  AskAnswer,
  AskContext,
  AskListener,
  AskReport,
  AskRequest,
  Manager,
} from '#core/llm/ask.ts';
import { LightAbortController, type AbortSignalLike } from '#core/net/abort.ts';
import type { Log, SpanOptions, Tracer } from '#core/telemetry/telemetry.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import type {
  ClientCapability,
  InputRequired,
  InputResponses,
  LogLevel,
} from '#core/tools/input-request.ts';
import {
  asksModels,
  type CheckpointTime,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '#core/tools/tool.ts';
import type { WrapperName } from '#core/tools/tool-name.ts';
import type { Permit, QueueEntry } from '#resilience/limiter.ts';
import { callerTool } from './call-record.ts';
import { withoutConsent } from './elicitation.ts';
import type { ResolvedCall } from './resolve-call.ts';

/** The execution of one or more identical calls (single-flight). */
export interface SharedExecution {
  readonly tool: Tool;
  /** Key by which identical calls join; undefined if they may not. */
  readonly key: string | undefined;
  /** The call that started it. */
  readonly first: PendingCall;
  readonly waiters: PendingCall[];
  /** The latest deadline of all waiting calls. */
  readonly deadline: { at: number };
  phase: 'waiting' | 'running' | 'over';
  place: QueueEntry | undefined;
  permit: Permit | undefined;
  /** Releases the permit of aborted work that does not end. */
  slotTimer: Timer | undefined;
  /** Signal for model requests; a real AbortSignal costs many times as much. */
  lightController: LightAbortController | undefined;
  controller: AbortController | undefined;
  /** Why it was aborted. */
  abortReason: CallError | undefined;
  /** Reports of all model requests of the tool. */
  readonly reports: AskReport[];
  attempts: number;
  /** Gives its calls this much time from now, except those whose client has set a limit. */
  extend: (ms: number) => void;
  /** Calls of other tools that run now; meanwhile it holds no permit. */
  innerCalls: number;
  /** Whether it gave its permit back for them. */
  isParked: boolean;
}

export function createExecution(
  tool: Tool,
  key: string | undefined,
  first: PendingCall,
): SharedExecution {
  return {
    tool,
    key,
    first,
    waiters: [first],
    deadline: { at: first.deadlineAt },
    phase: 'waiting',
    place: undefined,
    permit: undefined,
    slotTimer: undefined,
    lightController: undefined,
    controller: undefined,
    abortReason: undefined,
    reports: [],
    attempts: 0,
    extend: () => undefined,
    innerCalls: 0,
    isParked: false,
  };
}

export function addWaiter(execution: SharedExecution, call: PendingCall): void {
  call.sharedWith = execution.first.reqId;
  execution.waiters.push(call);
  execution.deadline.at = Math.max(execution.deadline.at, call.deadlineAt);
  if (execution.phase === 'running') admit(call);
}

/** Marks the execution as running and notifies its calls. */
export function markRunning(execution: SharedExecution): void {
  execution.phase = 'running';
  for (const call of execution.waiters) admit(call);
}

function admit({ request, timeoutMs }: PendingCall): void {
  request.onAdmitted?.({ timeoutMs });
}

function notifyProgress(execution: SharedExecution, step: Progress): void {
  if (execution.phase !== 'running') return;
  for (const { request } of execution.waiters) request.onProgress?.(step);
}

function notifyClientLog(execution: SharedExecution, level: LogLevel, data: unknown): void {
  if (execution.phase !== 'running') return;
  for (const { request } of execution.waiters) request.onClientLog?.(level, data);
}

async function notifyCheckpoint(
  { phase, waiters }: SharedExecution,
  state: Json,
  when: CheckpointTime,
): Promise<void> {
  if (phase !== 'running') return;
  await Promise.all([...waiters].map(async ({ request }) => request.onCheckpoint?.(state, when)));
}

/**
 * A signal that aborts when the last waiting call has left. Created on first use, as most tools do
 * not need it.
 */
function signalOf(execution: SharedExecution): AbortSignal {
  if (!execution.controller) {
    execution.controller = new AbortController();
    // A tool may have many requests on it, and Node reports more than ten listeners as a leak.
    setMaxListeners(0, execution.controller.signal);
    if (execution.abortReason) execution.controller.abort(execution.abortReason);
  }
  return execution.controller.signal;
}

/** The same as a cheap signal for the manager. */
export function lightSignalOf(execution: SharedExecution): AbortSignalLike {
  if (!execution.lightController) {
    execution.lightController = new LightAbortController();
    if (execution.abortReason) execution.lightController.abort(execution.abortReason);
  }
  return execution.lightController;
}

// How long work that ignores its signal keeps its permit.
const SLOT_GRACE_MS = 1000;

/** Aborts the work because no call waits for it, and frees its permit. */
export function abort(execution: SharedExecution, error: CallError, clock: Clock): void {
  execution.abortReason = error;
  if (execution.phase === 'waiting') {
    execution.phase = 'over';
    execution.place?.leave();
    return;
  }
  execution.controller?.abort(error);
  execution.lightController?.abort(error);
  const { permit } = execution;
  if (permit) execution.slotTimer = clock.after(SLOT_GRACE_MS, () => permit.release());
}

/**
 * One call, from its start to its one answer. Those that share their work call in the same
 * execution.
 */
export interface PendingCall {
  readonly reqId: Id<'req'>;
  readonly request: CallRequest;
  readonly resolved: ResolvedCall;
  readonly metadata: RequestMetadata;
  /** Both in `clock.monotonic()` time. */
  readonly startedAt: number;
  deadlineAt: number;
  timeoutMs: number;
  readonly resolve: (answer: CallResult) => void;
  /** The call that started the shared execution, if it was another one. */
  sharedWith: string | undefined;
  /** Timer of the deadline. */
  timer: Timer | undefined;
}

interface RunToolDeps {
  readonly log: Log;
  readonly tracer: Tracer;
  readonly manager: Pick<Manager, 'ask'>;
}

/** Runs the tool of an execution inside a span that follows OpenTelemetry's conventions for MCP. */
export function runTool(
  execution: SharedExecution,
  { log, tracer, manager }: RunToolDeps,
  inner: () => InnerCalls,
): Promise<ToolResult | InputRequired> {
  const { tool, first } = execution;
  const context = () => new Context(execution, log, manager, inner);
  if (tracer.isOff) return runPlain(execution, context);
  return tracer.span(`tools/call ${tool.name}`, spanOptions(execution), () =>
    tool.run(first.resolved.args, context()),
  );
}

async function runPlain(
  execution: SharedExecution,
  context: () => ToolContext,
): Promise<ToolResult | InputRequired> {
  return execution.tool.run(execution.first.resolved.args, context());
}

/**
 * A class, because lazy getters on a prototype cost nothing for tools that use neither signal nor
 * log.
 */
class Context implements ToolContext {
  readonly reqId: Call['reqId'];
  readonly tool: string;
  readonly args: Call['args'];
  readonly caller: Call['caller'];
  readonly deadline: Call['deadline'];
  readonly metadata: Call['metadata'];
  readonly answers: InputResponses;
  readonly #execution: SharedExecution;
  readonly #log: Log;
  readonly #manager: RunToolDeps['manager'];
  readonly #createInner: () => InnerCalls;
  #inner: InnerCalls | undefined;

  constructor(
    execution: SharedExecution,
    log: Log,
    manager: RunToolDeps['manager'],
    createInner: () => InnerCalls,
  ) {
    const { first } = execution;
    this.reqId = first.reqId;
    this.tool = execution.tool.name;
    this.args = first.resolved.args;
    this.caller = first.request.caller;
    this.deadline = execution.deadline;
    this.metadata = first.metadata;
    this.answers = withoutConsent(first.resolved.answers);
    this.#execution = execution;
    this.#log = log;
    this.#manager = manager;
    this.#createInner = createInner;
  }

  get signal(): AbortSignal {
    return signalOf(this.#execution);
  }

  get log(): Log {
    return this.#log.with({ req_id: this.reqId, tool: this.tool });
  }

  get inputHandle(): string | undefined {
    return this.#execution.first.resolved.inputHandle;
  }

  get clientLogLevel(): LogLevel | undefined {
    return this.#execution.first.request.clientLogLevel;
  }

  get clientCapabilities(): readonly ClientCapability[] {
    return this.#execution.first.request.clientCapabilities ?? [];
  }

  async ask(request: AskRequest, listener: AskListener = {}): Promise<AskAnswer> {
    if (!asksModels(this.#execution.tool)) throw undeclaredAsk(this.tool);
    const limited = withinCostLimit(request, this.#execution);
    return this.#manager.ask(limited, askContext(this, this.#execution), {
      ...listener,
      onReport: (report) => {
        this.#execution.reports.push(report);
        listener.onReport?.(report);
      },
    });
  }

  get calls(): InnerCalls {
    this.#inner ??= this.#createInner();
    return this.#inner;
  }

  get via(): WrapperName | undefined {
    return this.#execution.first.request.via;
  }

  get resumedFrom(): Json | undefined {
    return this.#execution.first.request.resumedFrom;
  }

  checkpoint(state: Json): void {
    // Rejects only where it has to be stored.
    void notifyCheckpoint(this.#execution, state, 'soon');
  }

  storeCheckpoint(state: Json): Promise<void> {
    return notifyCheckpoint(this.#execution, state, 'now');
  }

  logToClient(level: LogLevel, data: unknown): void {
    notifyClientLog(this.#execution, level, data);
  }

  progress(step: Progress): void {
    notifyProgress(this.#execution, step);
  }
}

/** A call within a call may cost no more than its outer call allows. */
function withinCostLimit(request: AskRequest, { first, reports }: SharedExecution): AskRequest {
  const limit = first.request.within?.maxCostMicroUsd;
  if (limit === undefined) return request;
  const spent = reports.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0);
  const left = Math.max(0, limit - spent);
  return { ...request, maxCostMicroUsd: Math.min(left, request.maxCostMicroUsd ?? Infinity) };
}

/** Scopes rely on what a tool declares: a tool of the scope `free:` must not spend money. */
function undeclaredAsk(tool: string): CallError {
  return new CallError(
    'internal',
    `${tool} asks a model, but declares neither pool nor previewAsk.`,
  );
}

function askContext(context: ToolContext, execution: SharedExecution): AskContext {
  const { reqId, tool, caller, deadline } = context;
  const { category, affinity } = execution.tool;
  return {
    reqId,
    tool,
    caller,
    deadline,
    signal: lightSignalOf(execution),
    category,
    extend: (ms) => execution.extend(ms),
    nextAttempt: () => (execution.attempts += 1),
    ...(affinity && { affinity }),
  };
}

function spanOptions({ tool, first }: SharedExecution): SpanOptions {
  const { traceparent } = first.request;
  const via = callerTool(first.request);
  return {
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': tool.name,
      'gen_ai.operation.name': 'execute_tool',
      'exai.req_id': first.reqId,
      ...(via !== undefined && { 'exai.via': via }),
    },
    ...(traceparent !== undefined && { traceparent }),
  };
}
