import type { Job, JobEvent, Jobs } from '#core/calls/jobs.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { RequestId } from '#mcp/json-rpc.ts';
import { isJobFinished, isTaskId } from './tasks.ts';

/** The tasks that one client follows, by subscription. */
export interface TaskWatch {
  /** False if the principal would follow too many tasks. */
  hasRoomFor(ids: readonly string[]): boolean;
  /**
   * Resolves with the tasks that exist and that this client may follow. No notification is sent
   * before `begin`.
   */
  follow(subscription: RequestId, ids: readonly string[]): Promise<readonly string[]>;
  begin(subscription: RequestId): void;
  forget(subscription: RequestId): void;
  drop(): void;
}

interface TaskWatchOptions {
  /** Shared by all sessions. */
  readonly followed: FollowedTasks;
  readonly principal: string;
  readonly log: Log;
  /** Checked at every notification, since permission may end. */
  readonly mayFollow: (job: Job) => boolean;
  /** Sends a notification. The next one for this task waits until it resolves. */
  readonly notify: (subscription: RequestId, job: Job) => Promise<void>;
}

interface Followed {
  /** The job as found, until it is sent. */
  job: Job | undefined;
  state: 'quiet' | 'notifying' | 'stale';
}

interface Following {
  readonly tasks: Map<string, Followed>;
  isAcknowledged: boolean;
}

export function createTaskWatch(options: TaskWatchOptions): TaskWatch {
  const { followed, principal, log, mayFollow, notify } = options;
  const subscriptions = new Map<RequestId, Following>();
  let stop: (() => void) | undefined;

  function onNews({ id, principal: owner, what }: JobEvent): void {
    if (what !== 'status' || owner !== principal) return;
    for (const [subscription, following] of subscriptions) {
      const task = following.tasks.get(id);
      if (task) touch(subscription, following, id, task);
    }
  }

  /** Removes a task, and its count only once. */
  function remove({ tasks }: Following, id: string): void {
    if (tasks.delete(id)) followed.remove(principal, 1);
  }

  function removeAll({ tasks }: Following): void {
    followed.remove(principal, tasks.size);
    tasks.clear();
  }

  /** Notifies of a change; a change during a notification triggers another one. */
  function touch(subscription: RequestId, following: Following, id: string, task: Followed): void {
    if (following.isAcknowledged && task.state === 'quiet') {
      return void notifyAll(subscription, following, id, task);
    }
    task.state = 'stale';
    task.job = undefined;
  }

  async function notifyAll(
    subscription: RequestId,
    following: Following,
    id: string,
    task: Followed,
  ): Promise<void> {
    const isWanted = () =>
      subscriptions.get(subscription) === following && following.tasks.get(id) === task;
    do {
      task.state = 'notifying';
      try {
        const job = task.job ?? (await followed.read(principal, id));
        task.job = undefined;
        if (!isWanted()) return;
        if (!mayFollow(job)) return remove(following, id);
        await notify(subscription, job);
        if (isJobFinished(job)) remove(following, id);
      } catch (thrown) {
        const error = CallError.from(thrown);
        if (error.class === 'not_found') remove(following, id);
        else log.warn('mcp_task_notification_failed', { task: id, error });
      }
    } while (isWanted() && isStale(task));
    task.state = 'quiet';
  }

  async function find(id: string): Promise<Job | undefined> {
    try {
      const job = await followed.read(principal, id);
      return mayFollow(job) ? job : undefined;
    } catch (thrown) {
      const error = CallError.from(thrown);
      // An invalid task id is treated as one that does not exist.
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
      const following = { tasks, isAcknowledged: false };
      subscriptions.set(subscription, following);
      followed.add(principal, tasks.size);
      stop ??= followed.onChange(onNews);
      for (const [id, task] of tasks) {
        const job = await find(id);
        if (subscriptions.get(subscription) !== following) return [];
        if (!job) remove(following, id);
        // A client that must act now does not wait for the next change.
        else if (task.state === 'quiet' && (isJobFinished(job) || job.pendingInput)) task.job = job;
      }
      return [...tasks.keys()];
    },
    begin(subscription) {
      const following = subscriptions.get(subscription);
      if (!following) return;
      following.isAcknowledged = true;
      for (const [id, task] of following.tasks) {
        if (task.job || isStale(task)) void notifyAll(subscription, following, id, task);
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

/** A function, because the compiler does not know that the state changes during an await. */
function isStale({ state }: Followed): boolean {
  return state === 'stale';
}

/**
 * The tasks that clients of all sessions follow: their number per principal, and shared reads of
 * their state.
 */
export interface FollowedTasks {
  /** False if the principal would follow too many tasks. */
  hasRoomFor(principal: string, count: number): boolean;
  add(principal: string, count: number): void;
  remove(principal: string, count: number): void;
  /**
   * Reads a job, not older than its last change notification. Only while listening with `onChange`.
   */
  read(principal: string, id: string): Promise<Job>;
  /** Returns a function that stops listening. */
  onChange(listener: (news: JobEvent) => void): () => void;
}

/** Limit per principal over all sessions: over HTTP each subscription has its own session. */
export const MAX_TASKS = 256;

export function createFollowedTasks(jobs: Jobs): FollowedTasks {
  const counts = new Map<string, number>();
  const reads = new Map<string, Promise<Job>>();
  const listeners = new Set<(news: JobEvent) => void>();
  let stop: (() => void) | undefined;

  const countOf = (principal: string) => counts.get(principal) ?? 0;

  function notify(news: JobEvent): void {
    // A read that began before may not have seen the change.
    if (news.what === 'status') reads.delete(keyOf(news.principal, news.id));
    for (const listener of listeners) listener(news);
  }

  return {
    hasRoomFor: (principal, count) => countOf(principal) + count <= MAX_TASKS,
    add(principal, count) {
      if (count > 0) counts.set(principal, countOf(principal) + count);
    },
    remove(principal, count) {
      const left = countOf(principal) - count;
      if (left > 0) counts.set(principal, left);
      else counts.delete(principal);
    },
    read(principal, id) {
      const key = keyOf(principal, id);
      const running = reads.get(key);
      if (running) return running;
      const read = jobs.get(principal, id);
      const forget = () => {
        if (reads.get(key) === read) reads.delete(key);
      };
      reads.set(key, read);
      read.then(forget, forget);
      return read;
    },
    onChange(listener) {
      listeners.add(listener);
      stop ??= jobs.onChange(notify);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = undefined;
        // Without a listener, nothing invalidates them.
        reads.clear();
      };
    },
  };
}

/** JSON, because a principal's name and a client's id may contain any character. */
function keyOf(principal: string, id: string): string {
  return JSON.stringify([principal, id]);
}
