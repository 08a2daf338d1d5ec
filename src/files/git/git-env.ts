import type { GitProgram } from './find-git.ts';

/** The environment of this process, as far as git may see it. */
export type Surroundings = Readonly<Record<string, string | undefined>>;

/** Where a user's own settings are, among them whose repositories are trusted. Nothing that begins with GIT_ is. */
const HANDED_ON = ['HOME', 'XDG_CONFIG_HOME', 'USERPROFILE', 'SYSTEMROOT', 'TEMP', 'TMP'];

/** Settings that count more than those of any file: a repository's own may have been written by anybody. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.sshCommand', 'false'],
  ['core.askPass', 'false'],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['protocol.ext.allow', 'never'],
  // Else a folder that looks like one inside is a repository without files, with settings of its own.
  ['safe.bareRepository', 'explicit'],
  ['core.quotePath', 'false'],
  // Reading must not write: the index stays as it is.
  ['diff.autoRefreshIndex', 'false'],
];

/** `filters`: names of programs that would be run over files, and are not. */
export function gitEnv(
  surroundings: Surroundings,
  { path }: GitProgram,
  filters: readonly string[],
): Record<string, string> {
  const env: Record<string, string> = {
    PATH: path,
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    // Missing objects are not fetched: git would run whatever the repository names for it.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
  for (const name of HANDED_ON) {
    const value = Object.hasOwn(surroundings, name) ? surroundings[name] : undefined;
    if (value !== undefined && value !== '') env[name] = value;
  }
  // As variables, because a name may hold the sign that ends it in an argument.
  const settings = [...SETTINGS, ...filters.flatMap(withoutFilter)];
  settings.forEach(([key, value], index) => {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  env['GIT_CONFIG_COUNT'] = String(settings.length);
  return env;
}

function withoutFilter(name: string): (readonly [string, string])[] {
  return [
    [`filter.${name}.clean`, ''],
    [`filter.${name}.smudge`, ''],
    [`filter.${name}.process`, ''],
    [`filter.${name}.required`, 'false'],
  ];
}
