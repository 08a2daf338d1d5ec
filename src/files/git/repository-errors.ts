import { CallError } from '#core/errors/call-error.ts';
import { commandFix, fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/text/text.ts';

/** The argument that names the repository. */
export const PATH_FIELD = 'path';

const MAX_NAME_CHARS = 200;

export function outsideRoots(name: string): CallError {
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

/** The error for a special file: a pipe would block git, and opening a device may have effects. */
export function notARegularFile(name: string): CallError {
  return new CallError(
    'validation',
    `The repository has a pipe, device, socket or folder instead of the file ${oneLine(name, MAX_NAME_CHARS)}.`,
    { field: PATH_FIELD, fix: 'Remove it from the repository.' },
  );
}

export function repositoryTooLarge(name: string, limit: string): CallError {
  return new CallError(
    'validation',
    `The repository is too large to be read: ${oneLine(name, MAX_NAME_CHARS)} has more than ${limit}.`,
    {
      field: PATH_FIELD,
      fixes: [commandFix('git gc', 'make the repository smaller'), 'Or give the changes as text.'],
    },
  );
}

export function damagedRepository(name: string): CallError {
  return new CallError(
    'tool_error',
    `The repository is damaged: ${oneLine(name, MAX_NAME_CHARS)} is not written as git writes it.`,
    { field: PATH_FIELD, fixes: [commandFix('git fsck', 'see what is wrong in the repository')] },
  );
}

export function unsupportedRepository(what: string): CallError {
  return new CallError('validation', `The repository cannot be read: ${what}.`, {
    field: PATH_FIELD,
    fix: 'Give the changes as text, such as the output of git diff.',
  });
}
