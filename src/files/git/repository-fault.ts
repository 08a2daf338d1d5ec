import { CallError } from '#core/call-error.ts';
import { command, fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/one-line.ts';

/** The argument that names the repository. */
export const PATH_FIELD = 'path';

const MAX_NAME_CHARS = 200;

export function keptOutside(name: string): CallError {
  return new CallError(
    'permission',
    `The repository keeps its data (${oneLine(name, MAX_NAME_CHARS)}) outside the folders that this caller may read.`,
    {
      field: PATH_FIELD,
      fixes: [
        fix('extend_setting', { setting: 'allowedDirs', entry: 'the folder that it leads to' }),
        'Or remove the link.',
      ],
    },
  );
}

/** A pipe would keep git waiting, a device may do something when it is opened. */
export function notARegularFile(name: string): CallError {
  return new CallError(
    'validation',
    `The repository has a pipe, device, socket or folder in place of the file ${oneLine(name, MAX_NAME_CHARS)}.`,
    { field: PATH_FIELD, fix: 'Remove it from the repository.' },
  );
}

export function tooLarge(name: string, limit: string): CallError {
  return new CallError(
    'validation',
    `The repository is too large to be read: ${oneLine(name, MAX_NAME_CHARS)} has more than ${limit}.`,
    {
      field: PATH_FIELD,
      fixes: [command('git gc', 'make the repository smaller'), 'Or give the changes as text.'],
    },
  );
}

export function damaged(name: string): CallError {
  return new CallError(
    'tool_error',
    `The repository is damaged: ${oneLine(name, MAX_NAME_CHARS)} is not written as git writes it.`,
    { field: PATH_FIELD, fixes: [command('git fsck', 'see what is wrong in the repository')] },
  );
}

export function unsupported(what: string): CallError {
  return new CallError('validation', `The repository cannot be read: ${what}.`, {
    field: PATH_FIELD,
    fix: 'Give the changes as text, such as the output of git diff.',
  });
}
