import { existsSync } from 'node:fs';
import { createPositions, faultText, type TextPosition } from '#core/json-text/json-fault.ts';
import { readJsonText, jsonValueOf, type JsonNode } from '#core/json-text/json-text.ts';
import { fix } from '#core/messages/fixes.ts';
import { asSentence } from '#core/messages/sentence.ts';
import { didYouMean } from '#core/text/text.ts';
import type { RawJson } from './raw-setting.ts';
import { noteRenamed, type Origin } from './origin.ts';
import { readTextFile, type TextFile } from './read-text.ts';
import type { ConfigReport } from './report.ts';
import { mayBeSecret, quoteName } from '../secrets/secret-guard.ts';
import {
  isGroup,
  isSettingRecord,
  type Setting,
  type SettingGroup,
  type SettingRecord,
  type SettingSchema,
} from '../schema/setting-schema.ts';

export interface ConfigFile {
  readonly path: string;
  readonly readableBy: TextFile['readableBy'];
  /** By the dotted path of the setting. */
  readonly values: ReadonlyMap<string, RawJson>;
  /** The paths of the entries of records, which may be empty. */
  readonly entries: ReadonlySet<string>;
}

/**
 * Reads config.json as raw settings. Unknown names, and groups that are not objects, are reported;
 * values are validated later.
 */
export function readConfigFile(
  path: string,
  report: ConfigReport,
  schema: SettingSchema,
): ConfigFile | undefined {
  const file = readTextFile(path, report);
  if (!file) return undefined;
  const positionOf = createPositions(file.text);
  const on: Walk = { file, values: new Map(), entries: new Set(), report, schema, positionOf };
  const read = readJsonText(file.text);
  if (read.is === 'read') walk(read.root, schema.tree, on);
  else refuse(on, path, read.fault.at, () => faultText(read.fault, { quoteName }));
  return { path, readableBy: file.readableBy, values: on.values, entries: on.entries };
}

/** The file that `--config` names; it must exist. */
export function readNamedConfigFile(
  path: string,
  report: ConfigReport,
  schema: SettingSchema,
): ConfigFile | undefined {
  if (existsSync(path)) return readConfigFile(path, report, schema);
  const message = `--config names ${path}, but there is no such file.`;
  const fixes = [fix('correct_setting', { setting: '--config' }), 'Or make that file.'];

  report.problem(() => ({ field: '--config', message, fixes }));
  return undefined;
}

interface Walk {
  readonly file: TextFile;
  readonly values: Map<string, RawJson>;
  readonly entries: Set<string>;
  readonly report: ConfigReport;
  readonly schema: SettingSchema;
  readonly positionOf: (offset: number) => TextPosition;
}

function walk(node: JsonNode, group: SettingGroup, on: Walk): void {
  if (node.type !== 'object') return refuseType(node, group.path, on);
  for (const { key, keyAt, node: value } of node.members) {
    const path = group.path === '' ? key : `${group.path}.${key}`;
    const entry =
      group.members.get(key) ?? (key.includes('.') ? undefined : on.schema.findAlias(path));
    if (entry === undefined) {
      if (!isSchemaLink(key, group))
        refuse(on, fieldOf(key, group, on), keyAt, () => unknown(key, group, on.schema));
    } else if (isSettingRecord(entry)) {
      walkRecord(value, entry, on);
    } else if (isGroup(entry)) {
      walk(value, entry, on);
    } else {
      const origin: Origin = { kind: 'file', name: on.file.path, ...on.positionOf(value.at) };
      const written = jsonValueOf(value);
      if (entry.path === path) on.values.set(path, { form: 'json', origin, written });
      else keepRenamed({ form: 'json', origin: { ...origin, alias: path }, written }, entry, on);
    }
  }
}

function refuseType(node: JsonNode, path: string, on: Walk): void {
  const what = path === '' ? 'The file' : `"${path}"`;
  const reason = `${what} must be an object, in { and }`;
  refuse(on, path || on.file.path, node.at, () => reason);
}

/** Reads the entries of a record, which have free names. */
function walkRecord(node: JsonNode, record: SettingRecord, on: Walk): void {
  if (node.type !== 'object') return refuseType(node, record.path, on);
  for (const { key, keyAt, node: value } of node.members) {
    const invalid = record.invalidName(key);
    if (invalid === undefined) {
      on.entries.add(`${record.path}.${key}`);
      walk(value, record.entry(key), on);
    } else refuse(on, record.path, keyAt, () => `The name ${quoteName(key)} ${invalid}`);
  }
}

/**
 * Stores a value that the file has under an old name, unless the file has the new name too, which
 * wins.
 */
function keepRenamed(raw: RawJson, { path }: Setting, { values, report }: Walk): void {
  const { alias } = raw.origin;
  if (alias === undefined) return;
  noteRenamed(alias, path, raw.origin, report);
  const known = values.get(path);
  if (known === undefined || known.origin.alias !== undefined) values.set(path, raw);
}

/** Whether the key is `$schema`, by which editors find docs/config.schema.json. */
function isSchemaLink(key: string, group: SettingGroup): boolean {
  return key === '$schema' && group.path === '';
}

function unknown(key: string, group: SettingGroup, { settings }: SettingSchema): string {
  const shown = quoteName(key);
  const where = group.path === '' ? '' : ` of "${group.path}"`;
  const near = didYouMean(key, group.members.keys());
  if (near !== '') return `${shown} is not a setting${where}${near}`;
  const elsewhere = settings.find(({ path }) => path.endsWith(`.${key}`));
  return `${shown} is not a setting${where}${elsewhere ? `; there is "${elsewhere.path}"` : ''}`;
}

function fieldOf(key: string, group: SettingGroup, { file }: Walk): string {
  if (mayBeSecret(key)) return group.path || file.path;
  return group.path === '' ? key : `${group.path}.${key}`;
}

function refuse(on: Walk, field: string, at: number, explain: () => string): void {
  const { file, report, positionOf } = on;
  report.problem(() => {
    const { line, column } = positionOf(at);
    const message = asSentence(`${file.path}:${line}:${column}: ${explain()}`);
    return { field, message, fixes: [fix('correct_setting', { setting: file.path })] };
  });
}
