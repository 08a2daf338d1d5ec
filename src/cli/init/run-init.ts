import { prepareHome, type Home } from '#config/home.ts';
import { withFileLock } from '#config/file-lock.ts';
import { CallError } from '#core/call-error.ts';
import { applyInit } from './apply-init.ts';
import type { InitClient } from './client.ts';
import type { Machine } from './machine.ts';
import { failedOutcome, initOutcome, undoOutcome, type Outcome } from './outcome.ts';
import { planInit, type InitPlan } from './plan-init.ts';
import type { Programs } from './program.ts';
import { dropRecord, openRecords, readRecords } from './records.ts';
import { applyUndo, planUndo, type UndoPlan } from './undo.ts';

export interface Task {
  readonly outcome: Outcome;
  /** Missing where nothing is to be done. */
  readonly work?: (at: string) => void;
}

export function initTasks(
  clients: readonly InitClient[],
  machine: Machine,
  programs: Programs,
  home: Home,
): Task[] {
  const records = readRecords(home);
  return clients.map((client) => {
    const plan: InitPlan = planInit(client, { machine, programs, records });
    const outcome = initOutcome(plan);
    const isChange = plan.is === 'add' || plan.is === 'create' || plan.is === 'update';
    return isChange ? { outcome, work: (at) => applyInit(client, plan, home, at) } : { outcome };
  });
}

export function undoTasks(clients: readonly InitClient[], home: Home): Task[] {
  const wanted = new Set(clients.map(({ id }) => id));
  const records = readRecords(home).filter(({ client }) => wanted.has(client));
  return records.flatMap(planUndo).map((plan: UndoPlan) => {
    const outcome = undoOutcome(plan);
    if (plan.is === 'refused') return { outcome };
    const work = () => {
      if (plan.is !== 'gone' && plan.is !== 'own') applyUndo(plan);
      dropRecord(home, plan.record);
    };
    return { outcome, work };
  });
}

/** Does all of them, each for itself: one that fails keeps none of the others from being done. */
export function runTasks(tasks: readonly Task[], home: Home, at: string): Outcome[] {
  if (!tasks.some(({ work }) => work)) return tasks.map(({ outcome }) => outcome);
  prepareHome(home);
  return withFileLock(openRecords(home), () => tasks.map((task) => runTask(task, at)));
}

function runTask({ outcome, work }: Task, at: string): Outcome {
  if (work === undefined) return outcome;
  try {
    work(at);
    return { ...outcome, written: outcome.hunk !== undefined };
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class === 'internal') throw thrown;
    return failedOutcome(outcome, error);
  }
}
