import type { KnownJob } from './job-client.ts';
import type { SeededRandom } from './random.ts';
import type { ReceivedMessage, TaskMethod } from './client-protocols.ts';
import type { Simulation } from './simulation.ts';

export interface FollowOptions {
  readonly name: string;
  readonly simulation: Simulation;
  readonly random: SeededRandom;
  /** Jobs of others, which it came to know of. */
  readonly theirs: () => readonly KnownJob[];
  /** Makes a call, and gives its id where that is known at once. */
  readonly call: (tool: string, args: object) => string | undefined;
  /** The same by the extension for tasks; absent for clients that do not have it. */
  readonly task?: (method: TaskMethod, id: string, answers?: object) => string | undefined;
}

/** A client that was given a job in place of an answer, and looks for the answer then. */
export interface Following {
  hear(heard: ReceivedMessage): void;
  stop(): void;
}

const MAX_LOOKS = 5;

export function createFollowing(options: FollowOptions): Following {
  const { name, simulation, random, call, task } = options;
  const looks = new Map<string, number>();
  /** What it asked that is not for it to know, by the ids of its requests. */
  const indiscreet = new Map<string, string>();
  let words = 0;
  let isOver = false;

  function look(id: string): void {
    if (isOver) return;
    if (random.chance(0.2)) pry();
    if (task) return void task(random.chance(0.1) ? 'cancel' : 'get', id);
    if (random.chance(0.15)) return void call('job_cancel', { job_id: id });
    call('job_result', { job_id: id, wait_seconds: random.between(0, 3) });
  }

  function pry(): void {
    const theirs = options.theirs();
    if (theirs.length === 0) return;
    const { id } = random.pick(theirs);
    const asked = task ? task('get', id) : call('job_result', { job_id: id, wait_seconds: 0 });
    if (asked !== undefined) indiscreet.set(asked, id);
  }

  /** Some of it, now and then. */
  function answersTo(names: readonly string[]): object {
    const answered = random.chance(0.3) ? names.slice(0, 1) : names;
    return Object.fromEntries(
      answered.map((what) => {
        const word = `${name}-task-word-${++words}`;
        return [what, { action: 'accept', content: { word } }];
      }),
    );
  }

  function lookAgain(id: string): void {
    const times = (looks.get(id) ?? 0) + 1;
    looks.set(id, times);
    if (times <= MAX_LOOKS && random.chance(0.85))
      simulation.after(random.between(50, 2500), () => look(id));
  }

  return {
    hear(heard) {
      if (heard.is === 'task-news' && options.theirs().some(({ id }) => id === heard.task.id))
        simulation.violate('job-foreign', `${name} hears of ${heard.task.id} of somebody else`);
      if (heard.is !== 'answer') return;
      const pried = indiscreet.get(heard.id);
      if (pried !== undefined && heard.ended === 'well')
        simulation.violate('job-foreign', `${name} is told of ${pried} of somebody else`);
      if (heard.task?.status === 'input_required' && task && !isOver) {
        const { id, asks } = heard.task;
        task('update', id, answersTo(asks));
        lookAgain(id);
      } else if (heard.task?.status === 'working') lookAgain(heard.task.id);
      else if (heard.job?.status === 'running') lookAgain(heard.job.id);
    },
    stop: () => void (isOver = true),
  };
}
