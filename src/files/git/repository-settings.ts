import type { Area } from '../area.ts';
import { parseConfig, toBoolean, type RawSettings } from './parse-config.ts';
import { readGitText } from './read-git-file.ts';
import { damaged, unsupported } from './repository-fault.ts';

/** A line of a configuration that we write. */
export type Setting = readonly [key: string, value: string];

/** What counts of a repository's own settings. Git never sees the file; we write these, and nothing else of it, into one of ours. */
export interface RepositorySettings {
  readonly objectFormat: 'sha1' | 'sha256';
  readonly isBare: boolean;
  /** Where the files are, if not around `.git`; relative to the repository's data. */
  readonly worktree: string | undefined;
  /** How files on this disk compare with those of the repository. */
  readonly core: readonly Setting[];
  readonly raw: RawSettings;
}

const MAX_CONFIG_BYTES = 1_000_000;
/** They change what has changed, and name neither programs nor files. */
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
/** Extensions that change nothing about what is read here; of `partialclone` only the objects that are there can be shown. */
const HARMLESS = new Set(['noop', 'partialclone', 'preciousobjects', 'relativeworktrees']);

export async function readSettings(
  gitDir: string,
  commonDir: string,
  area: Area,
): Promise<RepositorySettings> {
  const common = await parsed(commonDir, 'config', area);
  const isShared = gitDir !== commonDir;
  const hasOwn = common.get('extensions.worktreeconfig');
  const own =
    hasOwn !== undefined && toBoolean(hasOwn) === true
      ? await parsed(gitDir, 'config.worktree', area)
      : new Map<string, string | true>();
  const raw = new Map([...common, ...own]);
  // Of several work trees each lies where it lies, whatever the first one says of itself.
  const ofTree = isShared ? own : raw;
  const bare = ofTree.get('core.bare');
  const isBare = bare === undefined ? false : toBoolean(bare);
  const worktree = ofTree.get('core.worktree');
  if (isBare === undefined || worktree === true) throw damaged('config');
  return {
    objectFormat: objectFormatOf(common),
    isBare,
    worktree,
    core: coreSettings(raw),
    raw,
  };
}

/** Those among any settings that are handed on; values that git would not understand are left out. */
export function coreSettings(raw: RawSettings): readonly Setting[] {
  const settings: Setting[] = [];
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

async function parsed(folder: string, name: string, area: Area): Promise<RawSettings> {
  const settings = parseConfig((await readGitText(folder, name, area, MAX_CONFIG_BYTES)) ?? '');
  if (settings === undefined) throw damaged(name);
  return settings;
}

function objectFormatOf(raw: RawSettings): 'sha1' | 'sha256' {
  const version = raw.get('core.repositoryformatversion') ?? '0';
  if (version !== '0' && version !== '1') throw unsupported('its format is newer than version 1');
  let format: 'sha1' | 'sha256' = 'sha1';
  for (const [key, value] of raw) {
    const name = /^extensions\.([a-z0-9-]+)$/.exec(key)?.[1];
    if (name === undefined || name === 'worktreeconfig' || HARMLESS.has(name)) continue;
    // Before version 1 nobody heeds them.
    if (version === '0') continue;
    if (name === 'objectformat' && (value === 'sha1' || value === 'sha256')) format = value;
    else if (name === 'refstorage' && value === 'files') continue;
    else if (name === 'refstorage') throw unsupported('its refs are not kept as files (reftable)');
    else throw unsupported('it uses an extension of git that EX-AI does not know');
  }
  return format;
}
