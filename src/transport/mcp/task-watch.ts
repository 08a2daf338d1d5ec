import { CallError } from '#core/call-error.ts';
import type { Job, JobNews } from '#core/jobs.ts';
import type { Log } from '#core/telemetry.ts';
import type { RequestId } from '#mcp/json-rpc.ts';
import type { FollowedTasks } from './followed-tasks.ts';
import { isOver } from './task-view.ts';
import { isTaskId } from './tasks.ts';

/** The tasks that one client wants to hear of, by the subscription it asked for them with. */
export interface TaskWatch {
  /** False when that would be more than its principal may follow. */
  hasRoomFor(ids: readonly string[]): boolean;
  /** Those that exist for this client, and that it may follow. Nothing is told of them before `begin`. */
  follow(subscription: RequestId, ids: readonly string[]): Promise<readonly string[]>;
  begin(subscription: RequestId): void;
  forget(subscription: RequestId): void;
  drop(): void;
}

export interface TaskWatchOptions {
  /** Of all sessions. */
  readonly followed: FollowedTasks;
  readonly principal: string;
  readonly log: Log;
  /** Asked each time, as it may come to an end. */
  readonly mayFollow: (job: Job) => boolean;
  /** Says how it stands. Nothing else is told of this task until it resolves. */
  readonly tell: (subscription: RequestId, job: Job) => Promise<void>;
}

interface Followed {
  /** As it was found, until that is told. */
  job: Job | undefined;
  state: 'quiet' | 'telling' | 'stale';
}

interface Following {
  readonly tasks: Map<string, Followed>;
  isBegun: boolean;
}

export function createTaskWatch(options: TaskWatchOptions): TaskWatch {
  const { followed, principal, log, mayFollow, tell } = options;
  const subscriptions = new Map<RequestId, Following>();
  let stop: (() => void) | undefined;

  function onNews({ id, principal: owner, what }: JobNews): void {
    if (what !== 'status' || owner !== principal) return;
    for (const [subscription, following] of subscriptions) {
      const task = following.tasks.get(id);
      if (task) touch(subscription, following, id, task);
    }
  }

  /** Once only: what was removed already is not counted any more. */
  function remove({ tasks }: Following, id: string): void {
    if (tasks.delete(id)) followed.remove(principal, 1);
  }

  function removeAll({ tasks }: Following): void {
    followed.remove(principal, tasks.size);
    tasks.clear();
  }

  /** What changes while it is told is told once more. */
  function touch(subscription: RequestId, following: Following, id: string, task: Followed): void {
    if (following.isBegun && task.state === 'quiet') {
      return void tellAll(subscription, following, id, task);
    }
    task.state = 'stale';
    task.job = undefined;
  }

  async function tellAll(
    subscription: RequestId,
    following: Following,
    id: string,
    task: Followed,
  ): Promise<void> {
    const isWanted = () =>
      subscriptions.get(subscription) === following && following.tasks.get(id) === task;
    do {
      task.state = 'telling';
      try {
        const job = task.job ?? (await followed.look(principal, id));
        task.job = undefined;
        if (!isWanted()) return;
        if (!mayFollow(job)) return remove(following, id);
        await tell(subscription, job);
        if (isOver(job)) remove(following, id);
      } catch (thrown) {
        const error = CallError.from(thrown);
        if (error.class === 'not_found') remove(following, id);
        else log.warn('mcp_task_not_told', { task: id, error });
      }
    } while (isWanted() && isStale(task));
    task.state = 'quiet';
  }

  async function find(id: string): Promise<Job | undefined> {
    try {
      const job = await followed.look(principal, id);
      return mayFollow(job) ? job : undefined;
    } catch (thrown) {
      const error = CallError.from(thrown);
      // What is no id of a task is one that there is none for.
      const isNone = error.class === 'not_found' || error.class === 'validation';
      if (!isNone) log.warn('mcp_task_not_read', { task: id, error });
      return undefined;
    }
  }

  return {
    hasRoomFor: (ids) => followed.hasRoomFor(principal, ids.length),
    async follow(subscription, ids) {
      const tasks = new Map<string, Followed>(
        ids.filter(isTaskId).map((id) => [id, { job: undefined, state: 'quiet' }]),
      );
      const following = { tasks, isBegun: false };
      subscriptions.set(subscription, following);
      followed.add(principal, tasks.size);
      stop ??= followed.onChange(onNews);
      for (const [id, task] of tasks) {
        const job = await find(id);
        if (subscriptions.get(subscription) !== following) return [];
        if (!job) remove(following, id);
        // Who has something to do at once need not wait for the next change.
        else if (task.state === 'quiet' && (isOver(job) || job.asks)) task.job = job;
      }
      return [...tasks.keys()];
    },
    begin(subscription) {
      const following = subscriptions.get(subscription);
      if (!following) return;
      following.isBegun = true;
      for (const [id, task] of following.tasks) {
        if (task.job || isStale(task)) void tellAll(subscription, following, id, task);
      }
    },
    forget(subscription) {
      const following = subscriptions.get(subscription);
      if (following) removeAll(following);
      subscriptions.delete(subscription);
    },
    drop() {
      for (const following of subscriptions.values()) removeAll(following);
      subscriptions.clear();
      stop?.();
      stop = undefined;
    },
  };
}

/** Asked by a function, as it may have changed while something else was waited for. */
function isStale({ state }: Followed): boolean {
  return state === 'stale';
}
