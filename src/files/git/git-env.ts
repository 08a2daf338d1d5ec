import { programEnv } from '#programs/program-env.ts';
import type { GitProgram } from './find-git.ts';

/** The environment of this process, as far as git may see it. */
export type Surroundings = Readonly<Record<string, string | undefined>>;

/** What git is told to work on. */
export interface GitPlaces {
  /** A folder of ours in place of the repository's own data. */
  readonly gitDir: string;
  readonly workTree: string;
  readonly objects: string;
}

/** Where a user's own files for git are. Nothing that begins with GIT_ is handed on. */
const HANDED_ON = ['HOME', 'XDG_CONFIG_HOME', 'USERPROFILE', 'SYSTEMROOT', 'TEMP', 'TMP'];

/** Without places git sees no repository, and the settings of the user. With them it sees what we wrote, and no settings of anybody. */
export function gitEnv(
  surroundings: Surroundings,
  { path }: GitProgram,
  places: GitPlaces | undefined,
): Record<string, string> {
  const env = programEnv(surroundings, HANDED_ON, {
    PATH: path,
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    // Missing objects are not fetched: git would run whatever is named for it.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_DIR: places?.gitDir ?? '/dev/null',
  });
  if (places === undefined) return env;
  return {
    ...env,
    GIT_WORK_TREE: places.workTree,
    GIT_OBJECT_DIRECTORY: places.objects,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}
