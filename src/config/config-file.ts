import { existsSync } from 'node:fs';
import { faultText } from '#core/json-text/json-fault.ts';
import { readJsonText, toJson, type JsonNode } from '#core/json-text/json-text.ts';
import { createPositions, type Position } from '#core/json-text/position.ts';
import { fix } from '#core/messages/fixes.ts';
import { asSentence } from '#core/messages/sentence.ts';
import { didYouMean } from '#core/nearest.ts';
import type { GivenJson } from './given.ts';
import { readText, type TextFile } from './read-text.ts';
import type { Report } from './report.ts';
import { mayBeSecret, quoteName } from './secret-guard.ts';
import { isGroup, SETTING_TREE, SETTINGS, type SettingGroup } from './settings.ts';

export interface ConfigFile {
  readonly path: string;
  readonly readableBy: TextFile['readableBy'];
  /** By the dotted path of the setting. */
  readonly values: ReadonlyMap<string, GivenJson>;
}

/** config.json as its settings; names that are none, and groups that are no objects, are problems. Values are not judged yet. */
export function readConfigFile(path: string, report: Report): ConfigFile | undefined {
  const file = readText(path, report);
  if (!file) return undefined;
  const on: Walk = { file, values: new Map(), report, positionOf: createPositions(file.text) };
  const read = readJsonText(file.text);
  if (read.is === 'read') walk(read.root, SETTING_TREE, on);
  else refuse(on, path, read.fault.at, () => faultText(read.fault, { quoteName }));
  return { path, readableBy: file.readableBy, values: on.values };
}

/** A file that was asked for by name must be there. */
export function readNamedConfigFile(path: string, report: Report): ConfigFile | undefined {
  if (existsSync(path)) return readConfigFile(path, report);
  const message = `--config names ${path}, but there is no such file.`;
  const fixes = [fix('correct_setting', { setting: '--config' }), 'Or make that file.'];

  report.problem(() => ({ field: '--config', message, fixes }));
  return undefined;
}

interface Walk {
  readonly file: TextFile;
  readonly values: Map<string, GivenJson>;
  readonly report: Report;
  readonly positionOf: (offset: number) => Position;
}

function walk(node: JsonNode, group: SettingGroup, on: Walk): void {
  if (node.type !== 'object') {
    const what = group.path === '' ? 'The file' : `"${group.path}"`;
    const reason = `${what} must be an object, in { and }`;
    return refuse(on, group.path || on.file.path, node.at, () => reason);
  }
  for (const { key, keyAt, node: value } of node.members) {
    const entry = group.members.get(key);
    if (entry === undefined) {
      if (!isSchemaLink(key, group))
        refuse(on, fieldOf(key, group, on), keyAt, () => unknown(key, group));
    } else if (isGroup(entry)) {
      walk(value, entry, on);
    } else {
      const position = on.positionOf(value.at);
      on.values.set(entry.path, {
        form: 'json',
        origin: { kind: 'file', name: on.file.path, ...position },
        written: toJson(value),
      });
    }
  }
}

/** Editors find docs/config.schema.json by it. */
function isSchemaLink(key: string, group: SettingGroup): boolean {
  return key === '$schema' && group.path === '';
}

function unknown(key: string, group: SettingGroup): string {
  const shown = quoteName(key);
  const where = group.path === '' ? '' : ` of "${group.path}"`;
  const near = didYouMean(key, group.members.keys());
  if (near !== '') return `${shown} is not a setting${where}${near}`;
  const elsewhere = SETTINGS.find(({ path }) => path.endsWith(`.${key}`));
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
