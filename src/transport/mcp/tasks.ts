import type { Caller } from '#core/calls/call.ts';
import type { CallResult, Calls } from '#core/calls/calls.ts';
import type { Job, JobInputRequests, Jobs } from '#core/calls/jobs.ts';
import type { Results } from '#core/calls/results.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { JobStatus } from '#core/stores/jobs.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { oneLine } from '#core/text/text.ts';
import type { Clock } from '#core/time/clock.ts';
import type { InputResponses } from '#core/tools/input-request.ts';
import { missingCapabilityError, supportsTasks } from '#mcp/client-capabilities.ts';
import { toMcpRequest } from '#mcp/input-request.ts';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isObject,
  rpcErrorResponse,
  type Members,
  type RequestId,
} from '#mcp/json-rpc.ts';
import { WHOLE_KEY } from '#mcp/meta-keys.ts';
import { readCapabilities } from '#mcp/protocol-meta.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import {
  refusalReply,
  rpcErrorReply,
  toolOutcome,
  type Reply,
  type ReplyContext,
  type ToolOutcome,
} from './call-reply.ts';
import type { ServerInfo } from './server-info.ts';
import { taskRefusal, tokenRefusal } from './task-access.ts';

/** The MCP tasks extension for one client, backed by jobs. */
export interface Tasks {
  /** Answers `tasks/get`, `tasks/update` and `tasks/cancel`. Never rejects. */
  serve(request: RpcRequest): Promise<Reply>;
  /** The answer to a call that became a task. Never rejects. */
  created(id: RequestId, answer: CallResult): Promise<Reply>;
  /** The full state of a task. */
  detailed(job: Job): Promise<Members>;
}

interface TasksOptions {
  readonly calls: Calls;
  readonly jobs: Jobs;
  readonly results: Results | undefined;
  /** Limit for one answer; undefined: none. */
  readonly limits: { readonly maxTokens: number | undefined };
  readonly caller: Caller;
  readonly clock: Clock;
  readonly log: Log;
  readonly serverInfo: ServerInfo;
  /** Whether the results of a tool carry `structuredContent`. */
  readonly structuredContent: (tool: string) => ReplyContext['structuredContent'];
}

const MAX_ID_CHARS = 128;
const NEEDS_TASKS = missingCapabilityError(
  ['tasks'],
  'This is for clients that follow tasks: name the extension among the capabilities of the request.',
);

export function createTasks(options: TasksOptions): Tasks {
  const { calls, jobs, results, limits, caller, clock, log, serverInfo } = options;
  const { principal } = caller;

  async function serve(request: RpcRequest): Promise<Reply> {
    const { id, params } = request;
    if (!supportsTasks(readCapabilities(params))) return rpcErrorReply(NEEDS_TASKS, id);
    const taskId = params?.['taskId'];
    if (!isTaskId(taskId)) return invalid(id, 'taskId must be the id of a task.');
    try {
      return await answerTo(request, taskId);
    } catch (thrown) {
      const error = CallError.from(thrown);
      if (error.class === 'internal') log.error('mcp_task_failed', { task: taskId, error });
      return refusalReply(error, id);
    }
  }

  /** Reads the job; throws without revealing anything if this client may not see it. */
  async function find(taskId: string): Promise<Job> {
    const expired = tokenRefusal(calls, caller);
    if (expired) throw expired;
    const job = await jobs.get(principal, taskId);
    const refusal = taskRefusal(calls, caller, job.tool);
    if (refusal) throw refusal;
    return job;
  }

  async function answerTo(request: RpcRequest, taskId: string): Promise<Reply> {
    const { id, method, params } = request;
    if (method === 'tasks/get') {
      const job = await find(taskId);
      return complete(id, await detailed(job, takesWhole(params) ? undefined : limits.maxTokens));
    }
    if (method === 'tasks/update') return update(id, taskId, params?.['inputResponses']);
    await find(taskId);
    // A finished task stays as it is, and the answer is the same.
    await jobs.cancel(principal, taskId);
    return complete(id, {});
  }

  async function update(id: RequestId, taskId: string, responses: unknown): Promise<Reply> {
    if (!isObject(responses)) return invalid(id, 'inputResponses must be an object of objects.');
    const { pendingInput: asks } = await find(taskId);
    if (!asks) return complete(id, {});
    const parsed = inputAnswers(asks, responses);
    if ('wrongKey' in parsed) {
      return invalid(id, `inputResponses["${parsed.wrongKey}"] must be an object.`);
    }
    const { answers } = parsed;
    if (Object.keys(answers).length > 0) {
      await jobs.answer(principal, taskId, asks.round, answers);
    }
    return complete(id, {});
  }

  function complete(id: RequestId, members: Members): Reply {
    const result = { resultType: 'complete', ...members, _meta: serverInfo.meta };
    return { text: JSON.stringify({ jsonrpc: '2.0', id, result }) };
  }

  async function detailed(job: Job, limit: number | undefined): Promise<Members> {
    return detailedTask(job, job.answer && (await outcomeOf(job.answer, job, limit)), clock.now());
  }

  /** The same result that the call itself would have had. */
  async function outcomeOf(
    answer: CallResult,
    { tool }: Job,
    limit: number | undefined,
  ): Promise<ToolOutcome> {
    const fitted =
      results && limit !== undefined ? await results.fit(answer, principal, limit) : answer;
    const context = {
      id: 0,
      kind: 'tool',
      target: tool,
      era: 'modern',
      serverInfo,
      notices: [],
      structuredContent: options.structuredContent(tool),
    } as const;
    return toolOutcome(fitted, context);
  }

  async function created(id: RequestId, { envelope }: CallResult): Promise<Reply> {
    const { job } = envelope;
    const taskId = job?.id ?? '';
    let task: Members;
    try {
      task = { ...taskView(await jobs.get(principal, taskId), clock.now()) };
    } catch (thrown) {
      // The task exists: it was stored before the call was detached.
      log.warn('mcp_task_not_read', { task: taskId, error: CallError.from(thrown) });
      const createdAt = createdAtOf(job) ?? isoTime(clock.now());
      task = { taskId, status: 'working', createdAt, lastUpdatedAt: createdAt, ttlMs: null };
    }
    const result = { resultType: 'task', ...task, _meta: serverInfo.meta };
    return { text: JSON.stringify({ jsonrpc: '2.0', id, result }) };
  }

  return { serve, created, detailed: (job) => detailed(job, limits.maxTokens) };
}

/** Whether the value can be a task id; no task has a longer one. */
export function isTaskId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID_CHARS;
}

function takesWhole(params: Members | undefined): boolean {
  const meta = params?.['_meta'];
  return isObject(meta) && meta[WHOLE_KEY] === true;
}

function createdAtOf(job: unknown): string | undefined {
  const at = isObject(job) ? job['created_at'] : undefined;
  return typeof at === 'string' ? at : undefined;
}

function invalid(id: RequestId, text: string): Reply {
  return { text: rpcErrorResponse(id, INVALID_PARAMS, `Invalid params: ${text}`) };
}

/** A task in the format of the tasks extension. */
interface TaskView {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
}

const MAX_MESSAGE_CHARS = 200;

/**
 * The state of a task without its input requests and its result. `status` is preliminary: the
 * result may turn it into `failed`.
 */
function taskView(job: Job, now: number): TaskView {
  const { id, createdAt, updatedAt, pendingInput: asks } = job;
  const message = noteOf(job);
  return {
    taskId: id,
    // A job whose input requests are all answered is about to continue.
    status: job.status === 'input_required' && !asks ? 'working' : STATUS[job.status],
    ...(message !== '' && { statusMessage: oneLine(message, MAX_MESSAGE_CHARS) }),
    createdAt: isoTime(createdAt),
    lastUpdatedAt: isoTime(updatedAt),
    ttlMs: ttlOf(job),
    pollIntervalMs: pollInterval(now - createdAt),
  };
}

/** The state of a task with its input requests, or with its result. */
function detailedTask(job: Job, outcome: ToolOutcome | undefined, now: number): Members {
  const view = taskView(job, now);
  if (view.status === 'input_required' && job.pendingInput) {
    return { ...view, inputRequests: inputRequests(job.pendingInput) };
  }
  if (view.status !== 'completed') return { ...view };
  const ended = outcome ?? NO_OUTCOME;
  if ('result' in ended) return { ...view, result: ended.result };
  const { code, message, data } = ended.error;
  const error = { code, message, ...(data && { data }) };
  const statusMessage = oneLine(message, MAX_MESSAGE_CHARS);
  return { ...view, status: 'failed', statusMessage, error };
}

export function isJobFinished({ status }: Pick<Job, 'status'>): boolean {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}

/** `failed` means a JSON-RPC error: a tool that reports a failure has completed. */
const STATUS: Record<JobStatus, TaskView['status']> = {
  queued: 'working',
  running: 'working',
  input_required: 'input_required',
  done: 'completed',
  failed: 'completed',
  cancelled: 'cancelled',
};

const NO_OUTCOME: ToolOutcome = {
  error: { code: INTERNAL_ERROR, message: 'The answer of this task was not kept.' },
};

function noteOf({ status, progress, answer }: Job): string {
  if (status === 'cancelled') return 'It was cancelled.';
  if (answer?.error) return answer.error.message;
  if (answer) return '';
  const { note, done, total } = progress;
  if (note !== undefined && note !== '') return note;
  if (done !== undefined && total !== undefined) return `${done} of ${total}`;
  return status === 'queued' ? 'It waits for its turn.' : '';
}

/**
 * The time to live since creation. Retention starts at the end of the task, which may be much
 * later.
 */
function ttlOf({ retentionMs: keptMs, createdAt, updatedAt, finishedAt }: Job): number | null {
  if (keptMs === undefined) return null;
  return Math.max(1, Math.round((finishedAt ?? updatedAt) - createdAt + keptMs));
}

/** Longer for older tasks, which tend to take longer. */
function pollInterval(ageMs: number): number {
  if (ageMs < 10_000) return 1000;
  return ageMs < 60_000 ? 2000 : 5000;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

const NUMBERED = /-\d+$/;

/**
 * The key of an input request, unique within its task: in later rounds the same name means another
 * request. In the first round only names that look numbered get a number.
 */
export function inputKey(name: string, round: number): string {
  return round === 1 && !NUMBERED.test(name) ? name : `${name}-${round}`;
}

/** The input requests of a task in MCP format. */
export function inputRequests({ round, questions }: JobInputRequests): Members {
  return Object.fromEntries(
    Object.entries(questions).map(([name, question]) => [
      inputKey(name, round),
      toMcpRequest(question),
    ]),
  );
}

/** Reads the answers of a client by request name, or returns the key of an invalid one. */
export function inputAnswers(
  { round, questions }: JobInputRequests,
  responses: Members,
): { readonly answers: InputResponses } | { readonly wrongKey: string } {
  const answers: [string, JsonObject][] = [];
  for (const name of Object.keys(questions)) {
    const key = inputKey(name, round);
    if (!Object.hasOwn(responses, key)) continue;
    const response = responses[key];
    if (!isObject(response)) return { wrongKey: key };
    answers.push([name, response as JsonObject]);
  }
  return { answers: Object.fromEntries(answers) };
}
