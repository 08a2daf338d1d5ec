import { dirname } from 'node:path';
import { realpath } from 'node:fs/promises';
import { CallError } from '#core/call-error.ts';
import type { Place } from '../find.ts';
import { shown } from '../to-absolute.ts';
import { failure, type Git } from './git.ts';

export interface Repository {
  /** Its folder of files, without links. */
  readonly top: string;
  readonly gitDir: string;
  /** The same, unless this is one of several work trees. */
  readonly commonDir: string;
}

const ASKED = [
  'rev-parse',
  '--path-format=absolute',
  '--is-bare-repository',
  '--absolute-git-dir',
  '--git-common-dir',
  '--show-toplevel',
];

/** Throws in words what git says where there is none that it trusts. */
export async function findRepository(git: Git, place: Place, field: string): Promise<Repository> {
  const output = await git.run(ASKED);
  if (output.code !== 0)
    throw noRepository(place, field, output.stderr) ?? failure('rev-parse', output);
  const lines = output.stdout
    .toString('utf8')
    .replace(/\r?\n$/, '')
    .split(/\r?\n/);
  const [, gitDir, commonDir, top, ...more] = lines;
  if (more.length > 0 || !gitDir || !commonDir || !top) {
    throw new CallError(
      'validation',
      `The repository of ${shown(place.given)} has a line end in its path.`,
      {
        field,
      },
    );
  }
  return {
    top: await realpath(top),
    gitDir: await realpath(gitDir),
    commonDir: await realpath(commonDir),
  };
}

export function folderOf({ real, is }: Place): string {
  return is === 'folder' ? real : dirname(real);
}

const UNTRUSTED = /(?:dubious ownership in|unsafe) repository (?:at )?\(?'([^'\n]+)'/;

function noRepository(place: Place, field: string, stderr: string): CallError | undefined {
  const name = shown(place.given);
  const untrusted = UNTRUSTED.exec(stderr)?.[1];
  if (untrusted !== undefined) {
    const message = `git does not trust the repository of ${name}, as it belongs to another user.`;
    const fix = `If you do: git config --global --add safe.directory '${untrusted}'`;
    return new CallError('permission', message, { field, fix });
  }
  if (/not a git repository/.test(stderr)) {
    return new CallError('validation', `${name} is in no git repository.`, {
      field,
      fix: 'Name a folder of a repository, or make it one: git init',
    });
  }
  if (/must be run in a work tree|bare repository/.test(stderr)) {
    return new CallError(
      'validation',
      `${name} is the inside of a repository, which has no files to compare.`,
      {
        field,
        fix: 'Name a folder that the repository is checked out to.',
      },
    );
  }
  return undefined;
}
