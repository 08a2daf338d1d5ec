import { withFileLock } from '#config/home/file-lock.ts';
import { prepareHome, type Home } from '#config/home/home.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { InitClient } from './client-definition.ts';
import type { LaunchCommands } from './launch-command.ts';
import { outcomeOfFailure, outcomeOfInit, outcomeOfUndo, type InitOutcome } from './outcome.ts';
import type { PathContext } from './paths.ts';
import { isUnchangedSince, planInit, type InitChange, type InitPlan } from './plan-init.ts';
import {
  loadRecords,
  prepareRecordsFile,
  removeRecord,
  saveBackup,
  saveRecord,
  type InitRecord,
} from './records.ts';
import {
  createSettingsFile,
  encodeSettings,
  replaceSettingsFile,
  sha256,
} from './settings-file.ts';
import { applyUndo, planUndo, type UndoPlan } from './undo.ts';

interface InitTask {
  readonly outcome: InitOutcome;
  /** Absent where nothing is to be done. */
  readonly work?: (at: string) => void;
}

export function planInitTasks(
  clients: readonly InitClient[],
  machine: PathContext,
  programs: LaunchCommands,
  home: Home,
): InitTask[] {
  const records = loadRecords(home);
  return clients.map((client) => {
    const plan: InitPlan = planInit(client, { machine, programs, records });
    const outcome = outcomeOfInit(plan);
    const isChange = plan.is === 'add' || plan.is === 'create' || plan.is === 'update';
    return isChange ? { outcome, work: (at) => applyInit(client, plan, home, at) } : { outcome };
  });
}

export function planUndoTasks(clients: readonly InitClient[], home: Home): InitTask[] {
  const wanted = new Set(clients.map(({ id }) => id));
  const records = loadRecords(home).filter(({ client }) => wanted.has(client));
  return records.flatMap(planUndo).map((plan: UndoPlan) => {
    const outcome = outcomeOfUndo(plan);
    if (plan.is === 'refused') return { outcome };
    const work = () => {
      if (plan.is !== 'gone' && plan.is !== 'own') applyUndo(plan);
      removeRecord(home, plan.record);
    };
    return { outcome, work };
  });
}

/** Runs all tasks; the failure of one does not stop the others. */
export function runInitTasks(tasks: readonly InitTask[], home: Home, at: string): InitOutcome[] {
  if (!tasks.some(({ work }) => work)) return tasks.map(({ outcome }) => outcome);
  prepareHome(home);
  return withFileLock(prepareRecordsFile(home), () => tasks.map((task) => runTask(task, at)));
}

function runTask({ outcome, work }: InitTask, at: string): InitOutcome {
  if (work === undefined) return outcome;
  try {
    work(at);
    return { ...outcome, written: outcome.hunk !== undefined };
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class === 'internal') throw thrown;
    return outcomeOfFailure(outcome, error);
  }
}

/**
 * Writes a planned change. Backup and record are on disk before the settings are changed, so that
 * undo works after a crash.
 */
function applyInit(client: InitClient, change: InitChange, home: Home, at: string): void {
  const { file, found, text, member, made, entry, earlier } = change;
  const bytes = encodeSettings(text, found?.mark ?? 'none');
  const backup = found && saveBackup(home, client.id, file, found.bytes, at);
  const record: InitRecord = {
    client: client.id,
    file,
    at,
    member,
    made: earlier?.made ?? made,
    entry,
    after: sha256(bytes),
    ...before(change, backup),
  };
  saveRecord(home, record);
  try {
    if (found) return replaceSettingsFile(found, bytes);
    const folders = createSettingsFile(file, bytes, client.mode);
    saveRecord(home, { ...record, before: { is: 'none', folders } });
  } catch (thrown) {
    if (earlier) saveRecord(home, earlier);
    else removeRecord(home, record);
    throw thrown;
  }
}

function before(
  { found, earlier }: InitChange,
  backup: string | undefined,
): Pick<InitRecord, 'before'> {
  if (found === undefined || backup === undefined) return { before: { is: 'none', folders: [] } };
  if (earlier === undefined) {
    return { before: { is: 'bytes', sha256: sha256(found.bytes), backup } };
  }
  return earlier.before && isUnchangedSince(found, earlier) ? { before: earlier.before } : {};
}
