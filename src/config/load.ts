import { resolve } from 'node:path';
import { fix } from '#core/messages/fixes.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Config } from './config.schema.ts';
import { readConfigFile, readNamedConfigFile } from './config-file.ts';
import { readDotenv } from './dotenv.ts';
import type { Environment } from './environment.ts';
import { readFlags } from './flags.ts';
import { evaluate, type Evaluated, type Given } from './given.ts';
import { expandTilde, homePaths, type Home } from './home.ts';
import { judge, type Judged } from './judge.ts';
import { holdsSecret } from './mask.ts';
import { DEFAULT_ORIGIN, describeOrigin, type Origin } from './origin.ts';
import { UNFINISHED } from './references.ts';
import { createReport, type Report } from './report.ts';
import { mayBeSecret, WITHHELD } from './secret-guard.ts';
import { SETTINGS, type Setting } from './settings.ts';
import { findVariable, fromDotenv, fromEnvironment, noteUnknownNames } from './variables.ts';

export type { Origin, OriginKind } from './origin.ts';

export interface ConfigSources {
  readonly env: Environment;
  /** By dotted path, as text: `{ port: '9000' }`. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Read in place of the home's config.json; it must exist. */
  readonly configFile?: string;
}

export interface LoadedConfig {
  /** What it was read from: reading it again gives what is true then. */
  readonly sources: ConfigSources;
  readonly config: Config;
  readonly home: Home;
  /** By dotted path, for every setting. */
  readonly origins: ReadonlyMap<string, Origin>;
  /** What works but should be known. */
  readonly notices: readonly Notice[];
}

/** Reads flags, environment, .env and config.json, never the current directory, and says all that is wrong at once. */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const report = createReport();
  const home = homePaths(sources.env);
  const flags = readFlags(sources.flags ?? {}, report);
  const env = fromEnvironment(sources.env);
  const dotenv = fromDotenv(readDotenv(home.envFile, report));
  const file =
    sources.configFile === undefined
      ? readConfigFile(home.configFile, report)
      : readNamedConfigFile(resolve(sources.configFile), report);
  noteUnknownNames(env, report);
  noteUnknownNames(dotenv, report);

  const values = new Map<string, Judged>();
  for (const setting of SETTINGS) {
    const given =
      flags.get(setting.path) ??
      findVariable(setting, env, report) ??
      findVariable(setting, dotenv, report) ??
      file?.values.get(setting.path);
    if (!given) continue;
    noteDeprecated(setting, given, report);
    const found = evaluate(given, setting, (name) => env.get(name) ?? dotenv.get(name));
    reportMissing(setting, given, found.missing, report);
    if (found.missing.length > 0) continue;
    if (file?.readableBy === 'others') noteOpenSecret(setting, given, found, report);
    const value = setting.facts.paths ? expandTildes(found.value, sources.env) : found.value;
    values.set(setting.path, { given, value });
  }
  const config = judge(values, report);
  return { sources, config, home, origins: originsOf(values), notices: report.notices };
}

function originsOf(values: ReadonlyMap<string, Judged>): Map<string, Origin> {
  return new Map(
    SETTINGS.map(({ path }) => [path, values.get(path)?.given.origin ?? DEFAULT_ORIGIN]),
  );
}

function expandTildes(paths: unknown, env: Environment): unknown {
  if (!Array.isArray(paths)) return paths;
  return paths.map((path: unknown) => (typeof path === 'string' ? expandTilde(path, env) : path));
}

function reportMissing(
  { path }: Setting,
  { origin }: Given,
  missing: readonly string[],
  report: Report,
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

function noteDeprecated({ path, facts }: Setting, { origin }: Given, report: Report): void {
  const { deprecated } = facts;
  if (deprecated === undefined) return;
  const place = describeOrigin(origin);
  report.notice(() => notice('setting_deprecated', { setting: path, reason: deprecated, place }));
}

/** A key may stand in config.json, but then not where other users of the machine can read it. */
function noteOpenSecret(
  setting: Setting,
  { origin }: Given,
  { value, from }: Evaluated,
  report: Report,
): void {
  if (origin.kind !== 'file' || from === 'reference' || !holdsSecret(setting, value)) return;
  const { facts, variables } = setting;
  const better = facts.key ? `\`exai keys add ${facts.key.name}\`` : `${variables[0].name} in .env`;
  report.notice(() =>
    notice('secret_readable', {
      setting: setting.path,
      place: describeOrigin(origin),
      instead: better,
    }),
  );
}
