import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { CallError } from '#core/errors/call-error.ts';
import type { ServerEntry, InitClient, KeyPath } from './client-definition.ts';
import { SETTINGS_FORMATS, withEntry } from './edit-settings.ts';
import { isProgramInstalled } from './installed-programs.ts';
import { launchCommandFor, type LaunchCommands } from './launch-command.ts';
import type { PathContext } from './paths.ts';
import type { InitRecord } from './records.ts';
import { readSettingsFile, sha256, type SettingsFile } from './settings-file.ts';
import { settingsError } from './settings-syntax-error.ts';

/** The plan for one client, with the resulting settings. */
export type InitPlan = { readonly client: InitClient } & (
  | { readonly is: 'absent' }
  /** The entry exists already. */
  | { readonly is: 'connected'; readonly file: string }
  /** The user wrote a different entry of that name, or changed ours. */
  | {
      readonly is: 'own';
      readonly file: string;
      readonly member: KeyPath;
      readonly was: 'ours' | 'theirs';
    }
  /** The client is installed, but the location of its settings is not certain. */
  | { readonly is: 'unsure'; readonly file: string; readonly why: string }
  | { readonly is: 'refused'; readonly file: string; readonly error: CallError }
  | InitChange
);

export interface InitChange {
  readonly is: 'add' | 'create' | 'update';
  readonly file: string;
  /** Undefined where the file is created. */
  readonly found: SettingsFile | undefined;
  readonly text: string;
  readonly member: KeyPath;
  readonly made: KeyPath;
  readonly entry: ServerEntry;
  /**
   * The record of an earlier change to the same file, whose original state stays the one to
   * restore.
   */
  readonly earlier: InitRecord | undefined;
}

export interface InitContext {
  readonly machine: PathContext;
  readonly programs: LaunchCommands;
  readonly records: readonly InitRecord[];
}

export function planInit(client: InitClient, world: InitContext): InitPlan {
  const { files, markers: signs, whyNotCreated: never } = client.locate(world.machine);
  const file = files.find((path) => existsSync(path)) ?? files[0];
  const wasStarted = [...signs, ...files].some((sign) => existsSync(sign));
  if (!wasStarted && !isProgramInstalled(client.id, world.machine)) return { client, is: 'absent' };
  try {
    const found = readSettingsFile(file);
    if (found === undefined && never !== undefined) {
      return { client, is: 'unsure', file, why: never };
    }
    return { client, ...planChange(client, file, found, world) };
  } catch (thrown) {
    return { client, is: 'refused', file, error: settingsError(thrown, file) };
  }
}

function planChange(
  client: InitClient,
  file: string,
  found: SettingsFile | undefined,
  { programs, records }: InitContext,
) {
  const format = SETTINGS_FORMATS[client.format];
  const before = found?.text ?? '';
  const member = client.keyPath((path) => format.at(before, path));
  const entry = client.entry(launchCommandFor(client, programs));
  const there = format.at(before, member);
  if (there !== undefined && includesEntry(there, entry)) return { is: 'connected', file } as const;

  const record = records.find((each) => each.file === file);
  if (there !== undefined && !(record && isSameJson(there, record.entry))) {
    return { is: 'own', file, member, was: record ? 'ours' : 'theirs' } as const;
  }
  const { text, made } = withEntry(format, before, member, entry);
  const earlier = there === undefined ? undefined : record;
  const is = found === undefined ? 'create' : there === undefined ? 'add' : 'update';
  return { is, file, found, text, member, made, entry, earlier } as const;
}

/**
 * Whether the existing value includes the entry; a user may have added fields, such as a timeout.
 */
function includesEntry(there: unknown, entry: ServerEntry): boolean {
  if (typeof there !== 'object' || there === null) return false;
  return Object.entries(entry).every(
    ([key, value]) =>
      Object.hasOwn(there, key) && isSameJson((there as Record<string, unknown>)[key], value),
  );
}

/** Compares as JSON, because parsers create objects with different prototypes. */
export function isSameJson(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
}

/** Whether the file is unchanged since an earlier change of ours. */
export function isUnchangedSince(found: SettingsFile, { after }: InitRecord): boolean {
  return sha256(found.bytes) === after;
}
