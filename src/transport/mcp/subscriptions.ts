import type { Caller } from '#core/call.ts';
import type { Calls, Change } from '#core/calls.ts';
import type { Job, Jobs } from '#core/jobs.ts';
import type { Log } from '#core/telemetry.ts';
import { followsTasks } from '#mcp/askable.ts';
import { capabilitiesOf } from '#mcp/claim.ts';
import {
  errorReply,
  INVALID_PARAMS,
  RESOURCE_NOT_FOUND,
  resultReply,
  type RequestId,
} from '#mcp/json-rpc.ts';
import { SUBSCRIPTION_KEY } from '#mcp/meta-keys.ts';
import { missingCapability } from '#mcp/missing-capability.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import { acknowledgement, isWished, notice, readWish, taskNotice, type Wish } from '#mcp/wish.ts';
import { refusalReply, rpcErrorReply } from './call-reply.ts';
import { createFollowedTasks, MAX_TASKS, type FollowedTasks } from './followed-tasks.ts';
import { SUBSCRIPTION, type InFlight } from './in-flight.ts';
import type { McpLine } from './mcp-line.ts';
import type { ServerFacts } from './server-facts.ts';
import { taskRefusal, tokenRefusal } from './task-access.ts';
import { createTaskWatch, type TaskWatch } from './task-watch.ts';
import { isOver } from './task-view.ts';
import type { Tasks } from './tasks.ts';

/** Tells one client of what changes, as far as it wants to hear of it, in the way of its era. */
export interface Subscriptions {
  /** A legacy client is told of every list from its beginning on. */
  begin(): void;
  subscribe(request: RpcRequest): void;
  unsubscribe(request: RpcRequest): void;
  /** The modern way: one request that stays open. */
  listen(request: RpcRequest): void;
  /** The client ends one of these. */
  cancel(id: RequestId): void;
  /** Says the last word of each. */
  end(): void;
  drop(): void;
}

export interface SubscriptionsOptions {
  readonly line: McpLine;
  readonly inFlight: InFlight;
  readonly calls: Calls;
  readonly caller: Caller;
  readonly facts: ServerFacts;
  readonly budget: WatchBudget;
  readonly log: Log;
  /** Absent where there are no tasks. */
  readonly jobs: Jobs | undefined;
  readonly tasks: (() => Tasks) | undefined;
}

/** One that is open: nothing is told because of it before its acknowledgement. */
interface Listening {
  readonly wish: Wish;
  isBegun: boolean;
}

/** Of one client, over all it asked for. */
const MAX_URIS = 10_000;
const MAX_CHARS = 1024 * 1024;
/** Addresses that are longer are nobody's. */
const MAX_URI_CHARS = 2048;

/** What all clients together watch; who comes too late is told so. */
export interface WatchBudget {
  chars: number;
  /** Made when the first of them follows a task. */
  tasks?: FollowedTasks;
}
const MAX_ALL_CHARS = 64 * 1024 * 1024;

const NEEDS_TASKS = missingCapability(
  ['tasks'],
  'notifications.taskIds is for clients that follow tasks: name the extension among the capabilities of the request.',
);

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { line, inFlight, calls, caller, facts, budget, log, jobs, tasks } = options;
  const open = new Map<RequestId, Listening>();
  const watched = new Set<string>();
  let hasBegun = false;
  let uris = 0;
  let chars = 0;
  let stop: (() => void) | undefined;

  const hear = () => void (stop ??= calls.onChange(tell));

  function tell(change: Change): void {
    // An address may be guessed, so that somebody watches it who could not read it.
    const isOthers =
      'uri' in change && change.principal !== undefined && change.principal !== caller.principal;
    if (isOthers) return;
    if (hasBegun && ('list' in change || watched.has(change.uri))) line.send(notice(change));
    for (const [id, { wish, isBegun }] of open) {
      if (isBegun && isWished(wish, change)) line.send(notice(change, id), id);
    }
  }

  /** Made when first needed: over HTTP each request has a session of its own. */
  let watch: TaskWatch | undefined;

  async function tellTask(id: RequestId, job: Job): Promise<void> {
    // Whoever reads slowly is spared what nobody has to act on.
    if (!line.isClear(id) && !isOver(job) && !job.asks) return;
    const task = await tasks?.().detailed(job);
    if (task && open.has(id)) line.send(taskNotice(task, id), id);
  }

  function watchOf(all: Jobs): TaskWatch {
    const { principal } = caller;
    const followed = (budget.tasks ??= createFollowedTasks(all));
    const mayFollow = ({ tool }: Job) => !taskRefusal(calls, caller, tool);
    return createTaskWatch({ followed, principal, log, mayFollow, tell: tellTask });
  }

  function begin(id: RequestId, listening: Listening, taskIds?: readonly string[]): void {
    listening.isBegun = true;
    line.send(acknowledgement(id, listening.wish, taskIds), id);
    hear();
    watch?.begin(id);
  }

  const canWatch = (uri: string) => uri.length <= MAX_URI_CHARS && calls.canWatch(caller, uri);

  /** Whether there is room for these; then they are counted. */
  function take(added: readonly string[]): boolean {
    const more = charsOf(added);
    const isTooMuch = uris + added.length > MAX_URIS || chars + more > MAX_CHARS;
    if (isTooMuch || budget.chars + more > MAX_ALL_CHARS) return false;
    uris += added.length;
    chars += more;
    budget.chars += more;
    return true;
  }

  function give(removed: readonly string[]): void {
    const less = charsOf(removed);
    uris -= removed.length;
    chars -= less;
    budget.chars -= less;
  }

  function giveAll(): void {
    stop?.();
    stop = undefined;
    budget.chars -= chars;
    uris = chars = 0;
    watch?.drop();
  }

  function forget(id: RequestId): void {
    give([...(open.get(id)?.wish.resourceSubscriptions ?? [])]);
    open.delete(id);
    watch?.forget(id);
    inFlight.remove(id);
  }

  return {
    begin() {
      hasBegun = true;
      hear();
    },
    subscribe({ id, params }) {
      const uri = params?.['uri'];
      if (typeof uri !== 'string') return line.reply(id, needsUri(id));
      if (!canWatch(uri)) return line.reply(id, unknown(id, uri));
      if (!watched.has(uri) && !take([uri])) return line.reply(id, tooMany(id));
      watched.add(uri);
      hear();
      line.reply(id, resultReply(id, '{}'));
    },
    unsubscribe({ id, params }) {
      const uri = params?.['uri'];
      if (typeof uri !== 'string') return line.reply(id, needsUri(id));
      if (watched.delete(uri)) give([uri]);
      line.reply(id, resultReply(id, '{}'));
    },
    listen({ id, params }) {
      const wish = readWish(params?.['notifications'], canWatch);
      if (typeof wish === 'string') return line.reply(id, invalid(id, wish));
      const { taskIds } = wish;
      if (jobs && taskIds) {
        if (!followsTasks(capabilitiesOf(params))) {
          const { text, status } = rpcErrorReply(NEEDS_TASKS, id);
          return line.reply(id, text, status);
        }
        const refusal = tokenRefusal(calls, caller);
        if (refusal) return line.reply(id, refusalReply(refusal, id).text);
        watch ??= watchOf(jobs);
        if (!watch.hasRoomFor(taskIds)) return line.reply(id, tooManyTasks(id));
      }
      if (!take([...(wish.resourceSubscriptions ?? [])])) return line.reply(id, tooMany(id));
      inFlight.add(id, SUBSCRIPTION);
      const listening = { wish, isBegun: false };
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
        const meta = { ...facts.meta, [SUBSCRIPTION_KEY]: id };
        const result = { resultType: 'complete', _meta: meta };
        line.reply(id, resultReply(id, JSON.stringify(result)));
      }
      giveAll();
    },
    drop() {
      open.clear();
      giveAll();
    },
  };
}

function charsOf(uris: readonly string[]): number {
  return uris.reduce((sum, uri) => sum + uri.length, 0);
}

function invalid(id: RequestId, words: string): string {
  return errorReply(id, INVALID_PARAMS, `Invalid params: ${words}`);
}

function needsUri(id: RequestId): string {
  return invalid(id, 'uri must be the address of a resource.');
}

function unknown(id: RequestId, uri: string): string {
  const words = 'There is no resource at this address that tells of its changes.';
  return errorReply(id, RESOURCE_NOT_FOUND, words, { uri });
}

function tooMany(id: RequestId): string {
  return invalid(id, 'these are more resources than a client may watch, or than all may together.');
}

function tooManyTasks(id: RequestId): string {
  const words = `notifications.taskIds has more tasks than a client may follow: ${MAX_TASKS} over all its subscriptions. End some of them, or look with tasks/get.`;
  return invalid(id, words);
}
