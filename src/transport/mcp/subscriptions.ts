import type { Caller } from '#core/calls/call.ts';
import type { Calls, Change } from '#core/calls/calls.ts';
import type { Job, Jobs } from '#core/calls/jobs.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { missingCapabilityError, supportsTasks } from '#mcp/client-capabilities.ts';
import { readCapabilities } from '#mcp/protocol-meta.ts';
import {
  rpcErrorResponse,
  INVALID_PARAMS,
  RESOURCE_NOT_FOUND,
  rpcResultResponse,
  type RequestId,
} from '#mcp/json-rpc.ts';
import { SUBSCRIPTION_KEY } from '#mcp/meta-keys.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import {
  acknowledgedNotification,
  matchesFilter,
  changeNotification,
  readSubscriptionFilter,
  taskNotification,
  type SubscriptionFilter,
} from '#mcp/subscription-filter.ts';
import { refusalReply, rpcErrorReply } from './call-reply.ts';
import {
  createFollowedTasks,
  createTaskWatch,
  MAX_TASKS,
  type FollowedTasks,
  type TaskWatch,
} from './task-watch.ts';
import { OPEN_SUBSCRIPTION, type InFlightRequests } from './in-flight.ts';
import type { McpSink } from './mcp-sink.ts';
import type { ServerInfo } from './server-info.ts';
import { taskRefusal, tokenRefusal } from './task-access.ts';
import { isJobFinished, type Tasks } from './tasks.ts';

/** Notifies one client of the changes it subscribed to, in the format of its era. */
export interface Subscriptions {
  /** Starts list notifications of a legacy client, which needs no subscription for them. */
  begin(): void;
  subscribe(request: RpcRequest): void;
  unsubscribe(request: RpcRequest): void;
  /** Serves `subscriptions/listen` of the modern era: a request that stays open. */
  listen(request: RpcRequest): void;
  /** The client cancels such a request. */
  cancel(id: RequestId): void;
  /** Answers every open subscription and ends it. */
  end(): void;
  /** Ends all without an answer. */
  drop(): void;
}

export interface SubscriptionsOptions {
  readonly sink: McpSink;
  readonly inFlight: InFlightRequests;
  readonly calls: Calls;
  readonly caller: Caller;
  readonly serverInfo: ServerInfo;
  readonly budget: WatchBudget;
  readonly log: Log;
  /** Undefined where tasks are not offered. */
  readonly jobs: Jobs | undefined;
  readonly tasks: (() => Tasks) | undefined;
}

/** An open subscription: nothing is sent for it before its acknowledgement. */
interface Listening {
  readonly filter: SubscriptionFilter;
  isAcknowledged: boolean;
}

/** Limits for one client, over all its subscriptions. */
const MAX_URIS = 10_000;
const MAX_CHARS = 1024 * 1024;
/** No resource has a longer URI. */
const MAX_URI_CHARS = 2048;

/** What all clients watch together; a client over the limit gets an error. */
export interface WatchBudget {
  chars: number;
  /** Created when the first client follows a task. */
  tasks?: FollowedTasks;
}
const MAX_ALL_CHARS = 64 * 1024 * 1024;

const NEEDS_TASKS = missingCapabilityError(
  ['tasks'],
  'notifications.taskIds is for clients that follow tasks: name the extension among the capabilities of the request.',
);

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { sink, inFlight, calls, caller, serverInfo, budget, log, jobs, tasks } = options;
  const open = new Map<RequestId, Listening>();
  const watched = new Set<string>();
  let isInitialized = false;
  let uris = 0;
  let chars = 0;
  let stop: (() => void) | undefined;

  const startListening = () => void (stop ??= calls.onChange(notify));

  function notify(change: Change): void {
    // A URI can be guessed, so a client may watch a resource that it cannot read.
    const isOthers =
      'uri' in change && change.principal !== undefined && change.principal !== caller.principal;
    if (isOthers) return;
    if (isInitialized && ('list' in change || watched.has(change.uri)))
      sink.send(changeNotification(change));
    for (const [id, { filter, isAcknowledged }] of open) {
      if (isAcknowledged && matchesFilter(filter, change))
        sink.send(changeNotification(change, id), id);
    }
  }

  /** Created on demand: over HTTP each request has its own session. */
  let watch: TaskWatch | undefined;

  async function notifyTask(id: RequestId, job: Job): Promise<void> {
    // A slow client only gets what it has to act on.
    if (!sink.isClear(id) && !isJobFinished(job) && !job.pendingInput) return;
    const task = await tasks?.().detailed(job);
    if (task && open.has(id)) sink.send(taskNotification(task, id), id);
  }

  function createWatch(source: Jobs): TaskWatch {
    const { principal } = caller;
    const followed = (budget.tasks ??= createFollowedTasks(source));
    const mayFollow = ({ tool }: Job) => !taskRefusal(calls, caller, tool);
    return createTaskWatch({ followed, principal, log, mayFollow, notify: notifyTask });
  }

  function begin(id: RequestId, listening: Listening, taskIds?: readonly string[]): void {
    listening.isAcknowledged = true;
    sink.send(acknowledgedNotification(id, listening.filter, taskIds), id);
    startListening();
    watch?.begin(id);
  }

  const canWatch = (uri: string) => uri.length <= MAX_URI_CHARS && calls.canWatch(caller, uri);

  /** Counts these URIs; false if they exceed a limit. */
  function acquire(added: readonly string[]): boolean {
    const more = charsOf(added);
    const isTooMuch = uris + added.length > MAX_URIS || chars + more > MAX_CHARS;
    if (isTooMuch || budget.chars + more > MAX_ALL_CHARS) return false;
    uris += added.length;
    chars += more;
    budget.chars += more;
    return true;
  }

  function release(removed: readonly string[]): void {
    const less = charsOf(removed);
    uris -= removed.length;
    chars -= less;
    budget.chars -= less;
  }

  function releaseAll(): void {
    stop?.();
    stop = undefined;
    budget.chars -= chars;
    uris = chars = 0;
    watch?.drop();
  }

  function forget(id: RequestId): void {
    release([...(open.get(id)?.filter.resourceSubscriptions ?? [])]);
    open.delete(id);
    watch?.forget(id);
    inFlight.remove(id);
  }

  return {
    begin() {
      isInitialized = true;
      startListening();
    },
    subscribe({ id, params }) {
      const uri = params?.['uri'];
      if (typeof uri !== 'string') return sink.reply(id, needsUri(id));
      if (!canWatch(uri)) return sink.reply(id, unknown(id, uri));
      if (!watched.has(uri) && !acquire([uri])) return sink.reply(id, tooMany(id));
      watched.add(uri);
      startListening();
      sink.reply(id, rpcResultResponse(id, '{}'));
    },
    unsubscribe({ id, params }) {
      const uri = params?.['uri'];
      if (typeof uri !== 'string') return sink.reply(id, needsUri(id));
      if (watched.delete(uri)) release([uri]);
      sink.reply(id, rpcResultResponse(id, '{}'));
    },
    listen({ id, params }) {
      const filter = readSubscriptionFilter(params?.['notifications'], canWatch);
      if (typeof filter === 'string') return sink.reply(id, invalid(id, filter));
      const { taskIds } = filter;
      if (jobs && taskIds) {
        if (!supportsTasks(readCapabilities(params))) {
          const { text, status } = rpcErrorReply(NEEDS_TASKS, id);
          return sink.reply(id, text, status);
        }
        const refusal = tokenRefusal(calls, caller);
        if (refusal) return sink.reply(id, refusalReply(refusal, id).text);
        watch ??= createWatch(jobs);
        if (!watch.hasRoomFor(taskIds)) return sink.reply(id, tooManyTasks(id));
      }
      if (!acquire([...(filter.resourceSubscriptions ?? [])])) return sink.reply(id, tooMany(id));
      inFlight.add(id, OPEN_SUBSCRIPTION);
      const listening = { filter, isAcknowledged: false };
      open.set(id, listening);
      if (!watch || !taskIds) return begin(id, listening);
      void watch.follow(id, taskIds).then((found) => {
        if (open.get(id) === listening) begin(id, listening, found);
      });
    },
    cancel: forget,
    end() {
      for (const id of open.keys()) {
        forget(id);
        const meta = { ...serverInfo.meta, [SUBSCRIPTION_KEY]: id };
        const result = { resultType: 'complete', _meta: meta };
        sink.reply(id, rpcResultResponse(id, JSON.stringify(result)));
      }
      releaseAll();
    },
    drop() {
      open.clear();
      releaseAll();
    },
  };
}

function charsOf(uris: readonly string[]): number {
  return uris.reduce((sum, uri) => sum + uri.length, 0);
}

function invalid(id: RequestId, text: string): string {
  return rpcErrorResponse(id, INVALID_PARAMS, `Invalid params: ${text}`);
}

function needsUri(id: RequestId): string {
  return invalid(id, 'uri must be the address of a resource.');
}

function unknown(id: RequestId, uri: string): string {
  const text = 'There is no resource at this address that tells of its changes.';
  return rpcErrorResponse(id, RESOURCE_NOT_FOUND, text, { uri });
}

function tooMany(id: RequestId): string {
  return invalid(id, 'these are more resources than a client may watch, or than all may together.');
}

function tooManyTasks(id: RequestId): string {
  const text = `notifications.taskIds has more tasks than a client may follow: ${MAX_TASKS} over all its subscriptions. End some of them, or look with tasks/get.`;
  return invalid(id, text);
}
