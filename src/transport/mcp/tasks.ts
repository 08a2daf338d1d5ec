import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { CallAnswer, Calls } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import type { Job, Jobs } from '#core/jobs.ts';
import type { Results } from '#core/results.ts';
import type { Log } from '#core/telemetry.ts';
import { followsTasks } from '#mcp/askable.ts';
import { capabilitiesOf } from '#mcp/claim.ts';
import {
  errorReply,
  INVALID_PARAMS,
  isObject,
  type Members,
  type RequestId,
} from '#mcp/json-rpc.ts';
import { WHOLE_KEY } from '#mcp/meta-keys.ts';
import { missingCapability } from '#mcp/missing-capability.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import {
  refusalReply,
  rpcErrorReply,
  toolOutcome,
  type Reply,
  type ToolOutcome,
} from './call-reply.ts';
import type { ServerFacts } from './server-facts.ts';
import { taskRefusal, tokenRefusal } from './task-access.ts';
import { inputAnswers } from './task-inputs.ts';
import { detailedTask, isoTime, taskView } from './task-view.ts';

/** The tasks extension over jobs, for one client. */
export interface Tasks {
  /** To `tasks/get`, `tasks/update` and `tasks/cancel`. Never rejects. */
  serve(request: RpcRequest): Promise<Reply>;
  /** Of a call that goes on as a task, in place of its answer. Never rejects. */
  created(id: RequestId, answer: CallAnswer): Promise<Reply>;
  /** All that there is to tell of a task. */
  detailed(job: Job): Promise<Members>;
}

export interface TasksOptions {
  readonly calls: Calls;
  readonly jobs: Jobs;
  readonly results: Results | undefined;
  /** What a client takes in one answer; absent, all of it. */
  readonly maxTokens: number | undefined;
  readonly caller: Caller;
  readonly clock: Clock;
  readonly log: Log;
  readonly facts: ServerFacts;
}

const MAX_ID_CHARS = 128;
const NEEDS_TASKS = missingCapability(
  ['tasks'],
  'This is for clients that follow tasks: name the extension among the capabilities of the request.',
);

export function createTasks(options: TasksOptions): Tasks {
  const { calls, jobs, results, maxTokens, caller, clock, log, facts } = options;
  const { principal } = caller;

  async function serve(request: RpcRequest): Promise<Reply> {
    const { id, params } = request;
    if (!followsTasks(capabilitiesOf(params))) return rpcErrorReply(NEEDS_TASKS, id);
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

  /** Where this client may not, it learns nothing of the task. */
  async function find(taskId: string): Promise<Job> {
    const outlived = tokenRefusal(calls, caller);
    if (outlived) throw outlived;
    const job = await jobs.get(principal, taskId);
    const refusal = taskRefusal(calls, caller, job.tool);
    if (refusal) throw refusal;
    return job;
  }

  async function answerTo(request: RpcRequest, taskId: string): Promise<Reply> {
    const { id, method, params } = request;
    if (method === 'tasks/get') {
      const job = await find(taskId);
      return complete(id, await detailed(job, takesWhole(params) ? undefined : maxTokens));
    }
    if (method === 'tasks/update') return update(id, taskId, params?.['inputResponses']);
    await find(taskId);
    // One that is over already stays as it is, and its client hears the same.
    await jobs.cancel(principal, taskId);
    return complete(id, {});
  }

  async function update(id: RequestId, taskId: string, responses: unknown): Promise<Reply> {
    if (!isObject(responses)) return invalid(id, 'inputResponses must be an object of objects.');
    const { asks } = await find(taskId);
    if (!asks) return complete(id, {});
    const given = inputAnswers(asks, responses);
    if ('wrongKey' in given) {
      return invalid(id, `inputResponses["${given.wrongKey}"] must be an object.`);
    }
    const { answers } = given;
    if (Object.keys(answers).length > 0) {
      await jobs.answer(principal, taskId, asks.round, answers);
    }
    return complete(id, {});
  }

  function complete(id: RequestId, members: Members): Reply {
    const result = { resultType: 'complete', ...members, _meta: facts.meta };
    return { text: JSON.stringify({ jsonrpc: '2.0', id, result }) };
  }

  async function detailed(job: Job, limit: number | undefined): Promise<Members> {
    return detailedTask(job, job.answer && (await outcomeOf(job.answer, job, limit)), clock.now());
  }

  /** Exactly what the call would have been answered with. */
  async function outcomeOf(
    answer: CallAnswer,
    { tool }: Job,
    limit: number | undefined,
  ): Promise<ToolOutcome> {
    const fitted =
      results && limit !== undefined ? await results.fit(answer, principal, limit) : answer;
    const about = { id: 0, kind: 'tool', asked: tool, era: 'modern', facts, notices: [] } as const;
    return toolOutcome(fitted, about);
  }

  async function created(id: RequestId, { envelope }: CallAnswer): Promise<Reply> {
    const { job: told } = envelope;
    const taskId = told?.id ?? '';
    let task: Members;
    try {
      task = { ...taskView(await jobs.get(principal, taskId), clock.now()) };
    } catch (thrown) {
      // It is there all the same: whoever said so had stored it before.
      log.warn('mcp_task_not_read', { task: taskId, error: CallError.from(thrown) });
      const createdAt = createdAtOf(told) ?? isoTime(clock.now());
      task = { taskId, status: 'working', createdAt, lastUpdatedAt: createdAt, ttlMs: null };
    }
    const result = { resultType: 'task', ...task, _meta: facts.meta };
    return { text: JSON.stringify({ jsonrpc: '2.0', id, result }) };
  }

  return { serve, created, detailed: (job) => detailed(job, maxTokens) };
}

/** Longer ones are nobody's. */
export function isTaskId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID_CHARS;
}

function takesWhole(params: Members | undefined): boolean {
  const meta = params?.['_meta'];
  return isObject(meta) && meta[WHOLE_KEY] === true;
}

function createdAtOf(told: unknown): string | undefined {
  const at = isObject(told) ? told['created_at'] : undefined;
  return typeof at === 'string' ? at : undefined;
}

function invalid(id: RequestId, words: string): Reply {
  return { text: errorReply(id, INVALID_PARAMS, `Invalid params: ${words}`) };
}
