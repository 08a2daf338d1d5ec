import type { Dictionary } from '../is-object.ts';

export interface Task {
  readonly owner: string;
  readonly requestId: string;
  readonly model: string;
  /** What `/async-result` gives when it is done. */
  readonly result: Dictionary;
  /** How often it is still to say that it works on it. */
  pollsLeft: number;
}

const MAX_TASKS = 1_000;

export interface Tasks {
  add(id: string, task: Task): void;
  /** Reads the task, which advances it by one; tasks of other accounts are not visible. */
  poll(id: string, owner: string): Dictionary | undefined;
  clear(): void;
}

/** Work that was left with the vendor. It takes a number of looks, not of seconds. */
export function createTasks(): Tasks {
  const tasks = new Map<string, Task>();
  return {
    add(id, task) {
      tasks.set(id, task);
      const oldest = tasks.keys().next().value;
      if (tasks.size > MAX_TASKS && oldest !== undefined) tasks.delete(oldest);
    },
    poll(id, owner) {
      const task = tasks.get(id);
      if (task?.owner !== owner) return undefined;
      if (task.pollsLeft > 0) {
        task.pollsLeft -= 1;
        return { id, request_id: task.requestId, model: task.model, task_status: 'PROCESSING' };
      }
      return { ...task.result, id, request_id: task.requestId, model: task.model };
    },
    clear() {
      tasks.clear();
    },
  };
}
