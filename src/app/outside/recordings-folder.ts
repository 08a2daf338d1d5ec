import { accessSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';

/** Makes the folder of `network.record` where it is missing; the one that holds it must be there, as a path that is mistyped shall not be made. */
export function makeRecordFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    if (!isFolder(path)) throw unusable(path, thrown);
  }
}

/** Why nothing could be recorded there; nothing when it could. Changes nothing. */
export function recordTrouble(path: string): CallError | undefined {
  if (isFolder(path)) return undefined;
  try {
    if (statSync(path, { throwIfNoEntry: false })) return unusable(path, undefined);
    // Node tells of a file in the way in one version, and of nothing in another.
    if (!isFolder(dirname(path))) statSync(`${dirname(path)}/`);
    accessSync(dirname(path), constants.W_OK);
    return undefined;
  } catch (thrown) {
    return unusable(path, thrown);
  }
}

/** The names in the folder of `network.replay`, or an error that says what to set. */
export function listReplayFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (thrown) {
    const { message } = CallError.from(thrown);
    throw new CallError('validation', `There are no recordings in network.replay: ${message}`, {
      field: 'network.replay',
      fixes: [
        fix('set_setting', {
          setting: 'EXAI_REPLAY',
          value: 'a folder that EXAI_RECORD has filled',
        }),
        fix('unset_setting', { setting: 'EXAI_REPLAY' }),
      ],
      cause: thrown,
    });
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // What cannot be looked at cannot be written to; why is told by whoever tries.
    return false;
  }
}

function unusable(path: string, cause: unknown): CallError {
  const why = cause === undefined ? 'a file is in the way' : CallError.from(cause).message;
  return new CallError('validation', `Nothing can be recorded in ${path}: ${why}`, {
    field: 'network.record',
    fixes: [
      fix('set_setting', {
        setting: 'EXAI_RECORD',
        value: `a folder that is there, or whose parent is (here ${dirname(path)})`,
      }),
      fix('unset_setting', { setting: 'EXAI_RECORD' }),
    ],
    cause,
  });
}
