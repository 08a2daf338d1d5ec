import { CallError } from '#core/call-error.ts';
import { command } from '#core/messages/fixes.ts';
import type { GitOutput } from './run-git.ts';

/**
 * What git may say, and what we say of it. Git's own words quote whatever it stumbled over, which may be a line of any file: none of them
 * is repeated.
 */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [
    /index file|bad signature 0x|bad index version|index uses .* extension|index entry|broken index|cache entr|invalid path/i,
    'the index of the repository is damaged',
  ],
  [
    /promis|unable to read|missing (?:blob|tree|object)|bad (?:object|tree)|could not (?:parse|read)|not a valid object|unable to (?:find|parse)|ambiguous argument 'HEAD'|bad revision 'HEAD'/i,
    'objects that the changes need are not in the repository (a partial clone has only some), or are damaged',
  ],
  [/corrupt|inflate|packfile|pack has|loose object/i, 'objects of the repository are damaged'],
  [
    /unsupported file type|cannot hash/i,
    'a pipe, device or socket stands in place of a file that git knows',
  ],
  [/permission denied|operation not permitted/i, 'the system does not let EX-AI read a file of it'],
  [/out of memory|malloc|mmap|too many open files/i, 'there is not enough memory for it'],
  [/beyond a symbolic link/i, 'a folder became a link meanwhile'],
];

export function failure(gitCommand: string, { code, stderr }: GitOutput): CallError {
  const why = KNOWN.find(([pattern]) => pattern.test(stderr))?.[1];
  const end = code === null ? 'was killed' : `ended with ${code}`;
  const words = why === undefined ? '' : `: ${why}`;
  return new CallError('tool_error', `git ${gitCommand} ${end}${words}.`, {
    fixes: [command('git fsck', 'see what is wrong in the repository')],
  });
}
