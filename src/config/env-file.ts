import { lstatSync, realpathSync } from 'node:fs';
import { CallError } from '#core/call-error.ts';
import { withFileLock } from './file-lock.ts';
import { isLinkLoop, readText } from './read-text.ts';
import { createReport } from './report.ts';
import { writePrivateFile } from './write-private.ts';

/** Changes a .env, one process at a time, and says whether there was anything to change. */
export function editEnvFile(path: string, edit: (text: string) => string): 'changed' | 'unchanged' {
  const target = targetOf(path);
  return withFileLock(target, () => {
    const before = textOf(target);
    const after = edit(before);
    if (after === before) return 'unchanged';
    writePrivateFile(target, after);
    return 'changed';
  });
}

/** A .env that is a link stays one, and what it points to is replaced. One that points nowhere is its owner's to mend. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (isLinkLoop(thrown)) throw refuse(path, 'is a link that leads back to itself');
    const reason = CallError.from(thrown);
    if (reason.class !== 'not_found') throw reason;
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw refuse(path, 'is a link to a file that is not there');
    }
    return path;
  }
}

function textOf(path: string): string {
  const report = createReport();
  const file = readText(path, report);
  const refusal = report.refusal();
  if (refusal) throw refusal;
  return file?.text ?? '';
}

function refuse(path: string, reason: string): CallError {
  const fix = `Correct or remove the link ${path}.`;
  return new CallError('validation', `${path} ${reason}.`, { field: path, fix });
}
