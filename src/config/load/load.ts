import { resolve } from 'node:path';
import type * as z from 'zod';
import type { Json } from '#core/json/json.ts';
import { fix } from '#core/messages/fixes.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { didYouMean } from '#core/text/text.ts';
import { readConfigFile, readNamedConfigFile } from './config-file.ts';
import type { Config } from '../schema/config.schema.ts';
import { readDotenv } from './dotenv.ts';
import type { Environment } from '../environment.ts';
import { expandTilde, homePaths, type Home } from '../home/home.ts';
import { holdsSecret } from '../secrets/mask.ts';
import { DEFAULT_ORIGIN, describeOrigin, fixesAt, noteRenamed, type Origin } from './origin.ts';
import {
  evaluateSetting,
  UNFINISHED,
  type EvaluatedSetting,
  type RawSetting,
  type RawText,
} from './raw-setting.ts';
import { createReport, type ConfigReport } from './report.ts';
import { mayBeSecret, quoteSafely, WITHHELD, withhold } from '../secrets/secret-guard.ts';
import { CONFIG_SCHEMA } from '../schema/settings.ts';
import { isGroup, type Setting, type SettingSchema } from '../schema/setting-schema.ts';
import { recordSettings } from './record-names.ts';
import { findVariable, fromDotenv, fromEnvironment, noteUnknownNames } from './variables.ts';

export type { Origin, OriginKind } from './origin.ts';

export interface ConfigSources {
  readonly env: Environment;
  /** By dotted path, as text: `{ port: '9000' }`. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Read instead of the home's config.json; it must exist. */
  readonly configFile?: string;
}

export interface LoadedConfig<C = Config> {
  /** The sources, so that the configuration can be loaded again. */
  readonly sources: ConfigSources;
  readonly config: C;
  readonly home: Home;
  /** By dotted path, for every setting. */
  readonly origins: ReadonlyMap<string, Origin>;
  /**
   * By dotted path: the variables that a setting refers to and that are not set. The entry of such a
   * setting is disabled.
   */
  readonly missingVariables: ReadonlyMap<string, readonly string[]>;
  /** Things that work but that the user should know. */
  readonly notices: readonly Notice[];
}

/**
 * Loads flags, environment, .env and config.json, never the current directory, and reports all
 * problems in one error.
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  return loadSettings(sources, CONFIG_SCHEMA);
}

/** Loads the configuration of any schema. */
export function loadSettings<C>(sources: ConfigSources, schema: SettingSchema<C>): LoadedConfig<C> {
  const report = createReport();
  const home = homePaths(sources.env);
  const flags = readFlags(sources.flags ?? {}, report, schema);
  const env = fromEnvironment(sources.env);
  const dotenv = fromDotenv(readDotenv(home.envFile, report));
  const file =
    sources.configFile === undefined
      ? readConfigFile(home.configFile, report, schema)
      : readNamedConfigFile(resolve(sources.configFile), report, schema);
  const entries = file?.entries ?? new Set<string>();
  const settings = [
    ...schema.settings,
    ...recordSettings(schema, {
      paths: [...flags.keys(), ...entries],
      variables: [...env.names, ...dotenv.names],
    }),
  ];
  noteUnknownNames(env, settings, report);
  noteUnknownNames(dotenv, settings, report);

  const values = new Map<string, SettingValue>();
  const missingVariables = new Map<string, readonly string[]>();
  for (const setting of settings) {
    const raw =
      flags.get(setting.path) ??
      findVariable(setting, env, report) ??
      findVariable(setting, dotenv, report) ??
      file?.values.get(setting.path);
    if (!raw) continue;
    noteDeprecated(setting, raw, report);
    const found = evaluateSetting(raw, setting, (name) => env.get(name) ?? dotenv.get(name));
    if (isDisabling(setting, found.missing)) {
      missingVariables.set(setting.path, found.missing);
      noteMissing(setting, raw, found.missing, report);
    } else reportMissing(setting, raw, found.missing, report);
    if (found.missing.length > 0) continue;
    if (file?.readableBy === 'others') noteOpenSecret(setting, raw, found, report);
    const value = setting.meta.paths ? expandTildes(found.value, sources.env) : found.value;
    values.set(setting.path, { raw, value });
  }
  const config = validateConfig(values, report, schema, entries);
  const origins = originsOf(settings, values);
  return { sources, config, home, origins, missingVariables, notices: report.notices };
}

/** An unset variable disables the entry instead of refusing all settings; a stray `${` does not. */
function isDisabling({ meta }: Setting, missing: readonly string[]): boolean {
  return meta.missingReference === 'disable' && missing.length > 0 && !missing.includes(UNFINISHED);
}

function noteMissing(
  { path }: Setting,
  { origin }: RawSetting,
  missing: readonly string[],
  report: ConfigReport,
): void {
  const place = describeOrigin(origin);
  for (const name of missing) {
    const variable = mayBeSecret(name) ? WITHHELD : name;
    report.notice(() => notice('variable_missing', { setting: path, variable, place }));
  }
}

function originsOf(
  settings: readonly Setting[],
  values: ReadonlyMap<string, SettingValue>,
): Map<string, Origin> {
  return new Map(
    settings.map(({ path }) => [path, values.get(path)?.raw.origin ?? DEFAULT_ORIGIN]),
  );
}

function expandTildes(paths: unknown, env: Environment): unknown {
  if (!Array.isArray(paths)) return paths;
  return paths.map((path: unknown) => (typeof path === 'string' ? expandTilde(path, env) : path));
}

function reportMissing(
  { path }: Setting,
  { origin }: RawSetting,
  missing: readonly string[],
  report: ConfigReport,
): void {
  const place = describeOrigin(origin);
  for (const name of missing) {
    report.problem(() => {
      if (name === UNFINISHED) {
        return {
          field: path,
          message: `${path} has a \${ that names no variable at ${place}.`,
          fixes: [
            `Write \${NAME}, or $\${ where you mean the characters themselves, in ${origin.name}.`,
          ],
        };
      }
      const shown = mayBeSecret(name) ? WITHHELD : name;
      return {
        field: path,
        message: `${path} refers to \${${shown}} at ${place}, but ${shown} is not set.`,
        fixes: [
          fix('set_setting', { setting: shown }),
          fix('correct_setting', { setting: origin.name }),
        ],
      };
    });
  }
}

function noteDeprecated(
  { path, meta }: Setting,
  { origin }: RawSetting,
  report: ConfigReport,
): void {
  const { deprecated } = meta;
  if (deprecated === undefined) return;
  const place = describeOrigin(origin);
  report.notice(() => notice('setting_deprecated', { setting: path, reason: deprecated, place }));
}

/** Reports a secret in a config.json that other users of the machine can read. */
function noteOpenSecret(
  setting: Setting,
  { origin }: RawSetting,
  { value, from }: EvaluatedSetting,
  report: ConfigReport,
): void {
  if (origin.kind !== 'file' || from === 'reference' || !holdsSecret(setting, value)) return;
  const { meta, variables } = setting;
  const better = meta.key ? `\`exai keys add ${meta.key.name}\`` : `${variables[0].name} in .env`;
  report.notice(() =>
    notice('secret_readable', {
      setting: setting.path,
      place: describeOrigin(origin),
      instead: better,
    }),
  );
}

/** Reads the settings of the command line, by their dotted path. */
export function readFlags(
  flags: Readonly<Record<string, string>>,
  report: ConfigReport,
  schema: SettingSchema,
): Map<string, RawText> {
  const values = new Map<string, RawText>();
  for (const [path, written] of Object.entries(flags)) {
    const name = `--${path}`;
    const origin: Origin = { kind: 'flag', name };
    const renamed = schema.findAlias(path);
    if (renamed && !isGroup(renamed)) {
      noteRenamed(path, renamed.path, origin, report);
      if (flags[renamed.path] === undefined) {
        values.set(renamed.path, { form: 'text', written, origin });
      }
      continue;
    }
    if (!schema.find(path)) {
      const paths = schema.settings.map((setting) => setting.path);
      const message = `"${path}" is not a setting${didYouMean(path, paths) || '.'}`;
      report.problem(() => ({
        field: name,
        message,
        fixes: [fix('correct_setting', { setting: name })],
      }));
    }
    values.set(path, { form: 'text', written, origin });
  }
  return values;
}

export interface SettingValue {
  readonly raw: RawSetting;
  readonly value: unknown;
}

type Issue = z.core.$ZodIssue;

/**
 * Validates all values and fills in the defaults, or throws one error with all problems of loading.
 */
export function validateConfig<C>(
  values: ReadonlyMap<string, SettingValue>,
  report: ConfigReport,
  schema: SettingSchema<C>,
  entries: Iterable<string>,
): C {
  // The schema is used once per process, so compiling it would take longer than it saves.
  const result = schema.zod.safeParse(nest(values, entries), { jitless: true });
  if (!result.success) explain(result.error.issues, values, report, schema);
  const refusal = report.refusal();
  if (refusal) throw refusal;
  // Every value belongs to a setting, so each issue is in the report.
  if (!result.success) throw result.error;
  return result.data;
}

/**
 * Reports one problem per setting: the setting, what it must be, the source and its value there.
 */
function explain(
  issues: readonly Issue[],
  values: ReadonlyMap<string, SettingValue>,
  report: ConfigReport,
  schema: SettingSchema,
): void {
  const explained = new Set<string>();
  for (const { path: keys, message } of issues) {
    const path = settingPath(keys, schema);
    const raw = values.get(path)?.raw;
    const setting = schema.find(path);
    if (!setting || explained.has(path)) continue;
    explained.add(path);
    if (!raw) {
      reportRequired(path, report);
      continue;
    }
    const index = keys.find((key) => typeof key === 'number');
    const subject = index === undefined ? path : `${path}[${index}]`;
    report.problem(() => ({
      field: path,
      message: `${subject} ${message}, but ${describeOrigin(raw.origin)} ${says(setting, raw, index)}.`,
      fixes: fixesAt(raw.origin),
    }));
  }
}

/** The path of the setting that an issue is in; the issue may be in a member of its value. */
function settingPath(keys: Issue['path'], schema: SettingSchema): string {
  const names = keys.filter((key) => typeof key === 'string');
  const whole = names.join('.');
  const own = names.findLastIndex((_, index) => schema.find(names.slice(0, index + 1).join('.')));
  return own === -1 ? whole : names.slice(0, own + 1).join('.');
}

/** Reports a setting without a default, which an entry of a record may have. */
function reportRequired(path: string, report: ConfigReport): void {
  const fixes = [fix('set_setting', { setting: path })];
  report.problem(() => ({ field: path, message: `${path} is required, but is not set.`, fixes }));
}

/** Quotes the value as written, not with references resolved, which may be secrets. */
function says(setting: Setting, raw: RawSetting, index: number | undefined): string {
  const isItem = index !== undefined && Array.isArray(raw.written);
  const value: Json = isItem ? raw.written[index] : raw.written;
  const verb = raw.origin.kind === 'file' ? 'says' : 'is';
  if (value === null || typeof value === 'boolean') return `${verb} ${value}`;
  if (typeof value === 'object') return `${verb} ${Array.isArray(value) ? 'a list' : 'an object'}`;
  // An invalid URL cannot be masked, only withheld; often it is a key in the wrong place.
  return setting.meta.secret ? withhold(value) : quoteSafely(value, verb);
}

/** Nests the values by their paths. Entries of records are there even without a value. */
function nest(
  values: ReadonlyMap<string, SettingValue>,
  entries: Iterable<string>,
): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const path of entries) groupAt(root, path.split('.'));
  for (const [path, { value }] of values) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    groupAt(root, keys)[last] = value;
  }
  return root;
}

function groupAt(root: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  let group = root;
  for (const key of keys) {
    // An entry of a record may be named as a property that every object inherits.
    if (!Object.hasOwn(group, key)) group[key] = {};
    group = group[key] as Record<string, unknown>;
  }
  return group;
}
