import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { CallError } from '#core/call-error.ts';
import type { Entry, InitClient, Path } from './client.ts';
import { withEntry } from './edit-settings.ts';
import { FORMATS } from './format.ts';
import type { Machine } from './machine.ts';
import { programFor, type Programs } from './program.ts';
import type { InitRecord } from './records.ts';
import { refusalOf } from './refusal.ts';
import { readSettings, sha256, type SettingsFile } from './settings-file.ts';

/** What is to be done about one client, and what it would make of its settings. */
export type InitPlan = { readonly client: InitClient } & (
  | { readonly is: 'absent' }
  /** The entry is there already. */
  | { readonly is: 'connected'; readonly file: string }
  /** Somebody wrote another entry by that name, or changed ours. */
  | {
      readonly is: 'own';
      readonly file: string;
      readonly member: Path;
      readonly was: 'ours' | 'theirs';
    }
  /** It is here, but where its settings belong is not known for sure. */
  | { readonly is: 'unsure'; readonly file: string; readonly why: string }
  | { readonly is: 'refused'; readonly file: string; readonly error: CallError }
  | InitChange
);

export interface InitChange {
  readonly is: 'add' | 'create' | 'update';
  readonly file: string;
  /** Missing where the file is made. */
  readonly found: SettingsFile | undefined;
  readonly text: string;
  readonly member: Path;
  readonly made: Path;
  readonly entry: Entry;
  /** Of an earlier change to the same file, whose state before is still the one to go back to. */
  readonly earlier: InitRecord | undefined;
}

export interface InitWorld {
  readonly machine: Machine;
  readonly programs: Programs;
  readonly records: readonly InitRecord[];
}

export function planInit(client: InitClient, world: InitWorld): InitPlan {
  const { files, signs, never } = client.place(world.machine);
  const file = files.find((path) => existsSync(path)) ?? files[0];
  if (![...signs, ...files].some((sign) => existsSync(sign))) return { client, is: 'absent' };
  try {
    const found = readSettings(file);
    if (found === undefined && never !== undefined) {
      return { client, is: 'unsure', file, why: never };
    }
    return { client, ...change(client, file, found, world) };
  } catch (thrown) {
    return { client, is: 'refused', file, error: refusalOf(thrown, file) };
  }
}

function change(
  client: InitClient,
  file: string,
  found: SettingsFile | undefined,
  { programs, records }: InitWorld,
) {
  const format = FORMATS[client.format];
  const before = found?.text ?? '';
  const member = client.member((path) => format.at(before, path));
  const entry = client.entry(programFor(client, programs));
  const there = format.at(before, member);
  if (there !== undefined && holds(there, entry)) return { is: 'connected', file } as const;

  const record = records.find((each) => each.file === file);
  if (there !== undefined && !(record && isSame(there, record.entry))) {
    return { is: 'own', file, member, was: record ? 'ours' : 'theirs' } as const;
  }
  const { text, made } = withEntry(format, before, member, entry);
  const earlier = there === undefined ? undefined : record;
  const is = found === undefined ? 'create' : there === undefined ? 'add' : 'update';
  return { is, file, found, text, member, made, entry, earlier } as const;
}

/** Whether everything of the entry is there; a person may have added to it, such as a timeout. */
function holds(there: unknown, entry: Entry): boolean {
  if (typeof there !== 'object' || there === null) return false;
  return Object.entries(entry).every(
    ([key, value]) =>
      Object.hasOwn(there, key) && isSame((there as Record<string, unknown>)[key], value),
  );
}

/** Readers differ in the prototypes of what they give. */
export function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
}

/** Whether the file is still as an earlier change left it. */
export function isAsWritten(found: SettingsFile, { after }: InitRecord): boolean {
  return sha256(found.bytes) === after;
}
