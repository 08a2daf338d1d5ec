import type { PathContext } from '../init/paths.ts';
import type { FoundServer } from './found-servers.ts';
import { hideSecrets, toVariableName, type HiddenValue } from './hide-secrets.ts';
import { isExaiItself, type OwnAddress } from './is-exai.ts';
import { readEntry, safeName } from './read-entry.ts';
import {
  identityOfServer,
  mapTexts,
  variablesOfServer,
  type ServerSettings,
} from './server-entry.ts';

/** What is there before the import. */
export interface ImportContext extends OwnAddress {
  readonly machine: PathContext;
  /** `mcpServers` of config.json, as it is written. */
  readonly configured: Readonly<Record<string, ServerSettings>>;
  /** Names that other sources of settings use. */
  readonly otherNames: ReadonlySet<string>;
  /** Variables of the environment and of .env. */
  readonly lookUp: (name: string) => string | undefined;
  /** Only servers with these names. */
  readonly only?: ReadonlySet<string>;
}

/** A server, with all entries of clients that are the same. */
export type PlannedServer = {
  /** The name in config.json, or in the client where it does not get there. */
  readonly name: string;
  readonly found: readonly [FoundServer, ...FoundServer[]];
} & (
  | {
      readonly is: 'add';
      readonly settings: ServerSettings;
      readonly hidden: readonly HiddenValue[];
      /** Variables that it refers to and that are not set. */
      readonly missing: readonly string[];
      readonly notes: readonly string[];
      /** The name that it has in its client, where that is taken here. */
      readonly renamedFrom?: string;
    }
  /** It is in config.json already. */
  | { readonly is: 'present' }
  | { readonly is: 'exai' }
  | { readonly is: 'unusable'; readonly why: string }
);

interface Candidate {
  readonly found: [FoundServer, ...FoundServer[]];
  readonly settings: ServerSettings;
  readonly notes: string[];
  readonly identity: string;
}

/** Decides about every entry that was found. */
export function planImport(
  all: readonly FoundServer[],
  context: ImportContext,
): readonly PlannedServer[] {
  const { configured, lookUp } = context;
  const left: PlannedServer[] = [];
  const candidates = new Map<string, Candidate>();
  for (const found of all) {
    if (context.only && !context.only.has(found.name)) continue;
    const entry = readFound(found, context);
    if (entry.is === 'unusable') {
      left.push({ name: found.name, found: [found], is: 'unusable', why: entry.why });
    } else if (isExaiItself(entry.settings, context)) {
      left.push({ name: found.name, found: [found], is: 'exai' });
    } else {
      const identity = identityOfServer(entry.settings, lookUp);
      const same = candidates.get(identity);
      if (same) {
        same.found.push(found);
        same.notes.push(...entry.notes);
      } else {
        const { settings, notes } = entry;
        candidates.set(identity, { found: [found], settings, notes: [...notes], identity });
      }
    }
  }

  const known = new Map(
    Object.entries(configured).map(([name, each]) => [identityOfServer(each, lookUp), name]),
  );
  const taken = new Set([...Object.keys(configured), ...context.otherNames]);
  const reserve = createVariableNames(context);
  const planned = [...candidates.values()].map((candidate): PlannedServer => {
    const { found, identity } = candidate;
    const present = known.get(identity);
    if (present !== undefined) return { name: present, found, is: 'present' };
    return addition(candidate, chooseName(found[0], taken), reserve, context);
  });
  return [...planned, ...mergeOurs(left)];
}

function readFound(found: FoundServer, { machine, lookUp }: ImportContext) {
  const inputVariable = (id: string) => variableOf(found.name, id);
  const { style } = found.source;
  const entry = readEntry(found.name, found.raw, { machine, style, inputVariable, lookUp });
  if (entry.is === 'unusable') return entry;
  return { ...entry, settings: inProject(entry.settings, found) };
}

/** A server of a project may be started with paths that begin there. */
function inProject(settings: ServerSettings, { project }: FoundServer): ServerSettings {
  const { command = '', args = [], cwd } = settings;
  const isRelative = [command, ...args].some((text) => /^\.{1,2}(?:[\\/]|$)/.test(text));
  return project !== undefined && cwd === undefined && isRelative
    ? { ...settings, cwd: project }
    : settings;
}

function addition(
  { found, settings, notes }: Candidate,
  name: string,
  reserve: (wanted: string, value: string) => string,
  { lookUp }: ImportContext,
): PlannedServer {
  const changed = hideSecrets(settings, (wanted, value) =>
    reserve(variableOf(name, wanted), value),
  );
  if (changed.hidden.some(({ value }) => /[\p{Cc}]/u.test(value))) {
    return {
      name,
      found,
      is: 'unusable',
      why: 'a secret of it has a line break, which .env cannot hold',
    };
  }
  const own = new Set(changed.hidden.map(({ variable }) => variable));
  const missing = variablesOfServer(changed.settings).filter(
    (variable) => !own.has(variable) && lookUp(variable) === undefined,
  );
  const inClient = found[0].name;
  return {
    name,
    found,
    is: 'add',
    ...changed,
    missing,
    notes,
    ...(name !== inClient && { renamedFrom: inClient }),
  };
}

/** A free name: that of the client, with the client's id, with a number. */
function chooseName(found: FoundServer, taken: Set<string>): string {
  const wanted = safeName(found.name);
  const names = [wanted, safeName(`${wanted.slice(0, 48)}-${found.source.id}`)];
  let name = names.find((each) => !taken.has(each));
  for (let number = 2; name === undefined; number++) {
    const numbered = `${wanted.slice(0, 58)}-${number}`;
    if (!taken.has(numbered)) name = numbered;
  }
  taken.add(name);
  return name;
}

/** Variables for secrets: none that means something to EX-AI, and none twice. */
function createVariableNames({ lookUp }: ImportContext) {
  const given = new Map<string, string>();
  const isFree = (name: string, value: string) =>
    [value, undefined].includes(given.get(name) ?? lookUp(name));
  return (wanted: string, value: string): string => {
    let name = wanted;
    for (let number = 2; !isFree(name, value); number++) name = `${wanted}_${number}`;
    given.set(name, value);
    return name;
  };
}

function variableOf(server: string, name: string): string {
  return toVariableName(`MCP ${server} ${name}`);
}

/** One row for EX-AI itself, however many clients have it. */
function mergeOurs(left: readonly PlannedServer[]): readonly PlannedServer[] {
  const ours = left.filter(({ is }) => is === 'exai').flatMap(({ found }) => found);
  const others = left.filter(({ is }) => is !== 'exai');
  const [first, ...more] = ours;
  return first ? [...others, { name: first.name, found: [first, ...more], is: 'exai' }] : others;
}

/** The texts of an entry in one line, for a table. */
export function describeSettings({ command, args = [], url }: ServerSettings): string {
  return url ?? [command ?? '', ...args].map(shortWord).join(' ');
}

const LONG_WORD_CHARS = 40;

/** Of a long path its last parts, which tell servers apart. */
function shortWord(word: string): string {
  const isLongPath = word.length > LONG_WORD_CHARS && /^(?:[\\/]|[A-Za-z]:\\)/.test(word);
  return isLongPath ? `…/${word.split(/[\\/]/).slice(-3).join('/')}` : word;
}

/** What of `config.json` is read as entries; others than objects are refused by the loader. */
export function asConfigured(value: unknown): Readonly<Record<string, ServerSettings>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      mapTexts(each as ServerSettings, (text) => String(text)),
    ]),
  );
}
