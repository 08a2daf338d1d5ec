import { isAbsolute } from 'node:path';
import type { AllowedRoots } from '../allowed-roots.ts';
import type { Git } from './git.ts';
import { readGitText } from './read-git-file.ts';
import { damagedRepository, unsupportedRepository } from './repository-errors.ts';

/** A line of a configuration that we write. */
export type GitSetting = readonly [key: string, value: string];

/**
 * The supported settings of a repository. Git never sees the original file; only these are written
 * into our own.
 */
export interface RepositorySettings {
  readonly objectFormat: 'sha1' | 'sha256';
  readonly isBare: boolean;
  /** Location of the work tree if it is not around `.git`; relative to the git directory. */
  readonly worktree: string | undefined;
  /** Settings for comparing files on disk with the repository. */
  readonly core: readonly GitSetting[];
  readonly raw: RawSettings;
}

const MAX_CONFIG_BYTES = 1_000_000;
/** Settings that affect comparison and name neither programs nor files. */
const SWITCHES = [
  'filemode',
  'ignorecase',
  'longpaths',
  'precomposeunicode',
  'sparsecheckout',
  'sparsecheckoutcone',
  'symlinks',
  'trustctime',
];
const CHOICES: Readonly<Record<string, RegExp>> = {
  autocrlf: /^input$/i,
  checkstat: /^(?:default|minimal)$/i,
  eol: /^(?:lf|crlf|native)$/i,
};
/** Extensions without effect here; of a `partialclone` only present objects are shown. */
const HARMLESS = new Set(['noop', 'partialclone', 'preciousobjects', 'relativeworktrees']);

export async function readRepositorySettings(
  gitDir: string,
  commonDir: string,
  allowed: AllowedRoots,
): Promise<RepositorySettings> {
  const common = await parsed(commonDir, 'config', allowed);
  const isShared = gitDir !== commonDir;
  const hasOwn = common.get('extensions.worktreeconfig');
  const own =
    hasOwn !== undefined && toBoolean(hasOwn) === true
      ? await parsed(gitDir, 'config.worktree', allowed)
      : new Map<string, string | true>();
  const raw = new Map([...common, ...own]);
  // Each linked work tree has its own location, whatever the main one's settings say.
  const ofTree = isShared ? own : raw;
  const bare = ofTree.get('core.bare');
  const isBare = bare === undefined ? false : toBoolean(bare);
  const worktree = ofTree.get('core.worktree');
  if (isBare === undefined || worktree === true) throw damagedRepository('config');
  return {
    objectFormat: objectFormatOf(common),
    isBare,
    worktree,
    core: coreSettings(raw),
    raw,
  };
}

/** The settings that are passed on; invalid values are dropped. */
function coreSettings(raw: RawSettings): readonly GitSetting[] {
  const settings: GitSetting[] = [];
  for (const name of [...SWITCHES, ...Object.keys(CHOICES)]) {
    const value = raw.get(`core.${name}`);
    if (value === undefined) continue;
    const isOn = toBoolean(value);
    const isChoice = value !== true && CHOICES[name]?.test(value) === true;
    const isSwitch = SWITCHES.includes(name) || name === 'autocrlf';
    if (isChoice) settings.push([`core.${name}`, value.toLowerCase()]);
    else if (isSwitch && isOn !== undefined) settings.push([`core.${name}`, String(isOn)]);
  }
  return settings;
}

async function parsed(folder: string, name: string, allowed: AllowedRoots): Promise<RawSettings> {
  const settings = parseConfig((await readGitText(folder, name, allowed, MAX_CONFIG_BYTES)) ?? '');
  if (settings === undefined) throw damagedRepository(name);
  return settings;
}

function objectFormatOf(raw: RawSettings): 'sha1' | 'sha256' {
  const version = raw.get('core.repositoryformatversion') ?? '0';
  if (version !== '0' && version !== '1')
    throw unsupportedRepository('its format is newer than version 1');
  let format: 'sha1' | 'sha256' = 'sha1';
  for (const [key, value] of raw) {
    const name = /^extensions\.([a-z0-9-]+)$/.exec(key)?.[1];
    if (name === undefined || name === 'worktreeconfig' || HARMLESS.has(name)) continue;
    // Before version 1 extensions have no effect.
    if (version === '0') continue;
    if (name === 'objectformat' && (value === 'sha1' || value === 'sha256')) format = value;
    else if (name === 'refstorage' && value === 'files') continue;
    else if (name === 'refstorage')
      throw unsupportedRepository('its refs are not kept as files (reftable)');
    else throw unsupportedRepository('it uses an extension of git that EX-AI does not know');
  }
  return format;
}

/** The supported git settings of the user and the machine. */
export interface UserSettings {
  readonly safeDirectories: readonly string[];
  readonly core: readonly GitSetting[];
  readonly home: string;
}

/** The user's own files with ignore rules and attributes. */
const FILES = ['core.excludesfile', 'core.attributesfile'];

/** `git` must see no repository. */
export async function readUserSettings(git: Git, home: string): Promise<UserSettings> {
  const listing = await git.text(['config', '--list', '--null']);
  const safeDirectories: string[] = [];
  const raw = new Map<string, string | true>();
  for (const entry of listing.split('\0')) {
    const end = entry.indexOf('\n');
    const key = end === -1 ? entry : entry.slice(0, end);
    const value = end === -1 ? true : entry.slice(end + 1);
    if (key === 'safe.directory') safeDirectories.push(value === true ? '' : value);
    else raw.set(key, value);
  }
  return { safeDirectories, core: [...coreSettings(raw), ...filesOf(raw)], home };
}

function filesOf(raw: RawSettings): readonly GitSetting[] {
  return FILES.flatMap((key) => {
    const path = raw.get(key);
    const isPath = typeof path === 'string' && (isAbsolute(path) || path.startsWith('~/'));
    return isPath ? [[key, path] as const] : [];
  });
}

/** Settings as written: `section.key` or `section.subsection.key`, with the last value of each. */
type RawSettings = ReadonlyMap<string, string | true>;

const SECTION = /\[([A-Za-z0-9.-]{1,1000})(?:[ \t]+"((?:[^"\\\n]|\\[^\n]){0,1000})")?[ \t]*\]/y;
const KEY = /([A-Za-z][A-Za-z0-9-]*)[ \t]*/y;
const SPACE = /[ \t\r\n]+/y;
const INDENT = /[ \t]*/y;
/** Part of a value without quote, escape, comment or line end. */
const PLAIN = /[^\\"\n#;]+/y;
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  b: '\b',
  '"': '"',
  '\\': '\\',
};

/** Parses the format of git-config(1). Includes are not opened. Undefined for invalid syntax. */
export function parseConfig(given: string): RawSettings | undefined {
  const text = given.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const settings = new Map<string, string | true>();
  let at = 0;
  let section: string | undefined;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return undefined;
    at = pattern.lastIndex;
    return found;
  };

  const toLineEnd = () => {
    const end = text.indexOf('\n', at);
    at = end === -1 ? text.length : end;
  };
  const blank = () => {
    while (take(SPACE) !== undefined || text[at] === '#' || text[at] === ';') {
      if (text[at] === '#' || text[at] === ';') toLineEnd();
    }
  };

  const value = (): string | undefined => {
    const pieces: string[] = [];
    let length = 0;
    // Trailing spaces count only in quotes.
    let solid = 0;
    let isQuoted = false;
    const add = (piece: string, solidChars: number) => {
      if (solidChars > 0) solid = length + solidChars;
      pieces.push(piece);
      length += piece.length;
    };
    for (;;) {
      const plain = take(PLAIN)?.[0];
      if (plain !== undefined) {
        add(plain, isQuoted ? plain.length : plain.trimEnd().length);
        continue;
      }
      const char = text[at];
      if (char === undefined || char === '\n') {
        return isQuoted ? undefined : pieces.join('').slice(0, solid);
      }
      at++;
      if (char === '"') {
        isQuoted = !isQuoted;
        solid = length;
      } else if (char === '\\') {
        const next = text[at++];
        if (next === '\n') continue;
        const escaped = next === undefined ? undefined : ESCAPES[next];
        if (escaped === undefined) return undefined;
        add(escaped, 1);
      } else if (isQuoted) add(char, 1);
      else {
        toLineEnd();
        return pieces.join('').slice(0, solid);
      }
    }
  };

  for (blank(); at < text.length; blank()) {
    const header = take(SECTION);
    if (header !== undefined) {
      const [, name = '', sub] = header;
      section =
        name.toLowerCase() + (sub === undefined ? '' : `.${sub.replaceAll(/\\(.)/gs, '$1')}`);
      continue;
    }
    const key = take(KEY)?.[1];
    if (key === undefined || section === undefined) return undefined;
    const name = `${section}.${key.toLowerCase()}`;
    if (text[at] === '=') {
      at++;
      take(INDENT);
      const read = value();
      if (read === undefined) return undefined;
      settings.set(name, read);
    } else if (at === text.length || text[at] === '\n') settings.set(name, true);
    else return undefined;
  }
  return settings;
}

/** Parses a boolean setting; undefined for another value. */
export function toBoolean(value: string | true): boolean | undefined {
  if (value === true || /^(?:true|yes|on|[1-9]\d*)$/i.test(value)) return true;
  return /^(?:false|no|off|0*)$/i.test(value) ? false : undefined;
}
