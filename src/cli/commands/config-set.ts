import { homePaths, type Home } from '#config/home/home.ts';
import { readDotenv } from '#config/load/dotenv.ts';
import { evaluateSetting, parseText, UNFINISHED } from '#config/load/raw-setting.ts';
import { createReport } from '#config/load/report.ts';
import { loadConfig } from '#config/load/load.ts';
import { fromDotenv, fromEnvironment } from '#config/load/variables.ts';
import { describeOrigin } from '#config/load/origin.ts';
import type { Setting } from '#config/schema/setting-schema.ts';
import { holdsSecret } from '#config/secrets/mask.ts';
import { quoteName, quoteSafely } from '#config/secrets/secret-guard.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Json } from '#core/json/json.ts';
import { defineCommand } from '../command.ts';
import { setInConfigFile } from '../edit-config-file.ts';
import { requireSetting, SETTING_PATHS } from '../find-setting.ts';
import { printJson, type Io } from '../io.ts';
import { describeReload, reloadDaemon, reloadJson } from '../reload-daemon.ts';

export const command = defineCommand({
  name: 'config set',
  summary: 'Set a setting in config.json; a running daemon uses it at once if it can',
  about:
    'The value is checked before it is written; the rest of config.json stays as it is. A list is separated by commas, or ' +
    'is JSON: exai config set tools.disabled \'["a", "b"]\'. ${NAME} in a text stands for a variable. Keys and tokens are ' +
    'not stored here: exai keys add. Says where the value is overridden, and which settings need exai restart.',
  positionals: [
    { name: 'setting', need: 'required', help: 'Such as limits.global', values: SETTING_PATHS },
    { name: 'value', need: 'required', help: 'The value, such as 12' },
  ],
  extraArgumentError: 'A value with blanks stands in quotes.',
  async run({ options, positionals }, io) {
    const setting = requireSetting(positionals['setting'] ?? '');
    const text = positionals['value'] ?? '';
    const { path } = setting;
    const home = homePaths(io.env);
    refuseSecret(setting, text, home.envFile);
    const value = readValue(setting, text);
    requireValid(setting, value, text, home, io);
    const outcome = setInConfigFile(home, path, value);
    const overriddenBy = findOverride(path, io);
    const reload = await reloadDaemon(io, [path]);
    if (options.json) {
      const file = home.configFile;
      return printJson(io, {
        set: path,
        value,
        file,
        outcome,
        overriddenBy,
        reload: reloadJson(reload),
      });
    }
    io.stdout.write(`Set ${path} to ${JSON.stringify(value)} in ${home.configFile}.\n`);
    if (overriddenBy) io.stdout.write(`Note: ${overriddenBy} overrides it here.\n`);
    for (const each of describeReload(reload, { path, in: 'config.json' }))
      io.stdout.write(`${each}\n`);
  },
});

/** The source that counts more than config.json; undefined if none does, or if they are invalid. */
export function findOverride(path: string, { env }: Pick<Io, 'env'>): string | undefined {
  try {
    const origin = loadConfig({ env }).origins.get(path);
    const isStronger = origin?.kind === 'env' || origin?.kind === 'dotenv';
    return isStronger ? describeOrigin(origin) : undefined;
  } catch (thrown) {
    if (thrown instanceof CallError) return undefined;
    throw thrown;
  }
}

const REFERENCES = /\$\{[A-Za-z_]\w*\}/g;

/**
 * Keys, tokens and passwords belong to .env, which only the owner can read. A reference to a
 * variable is not a secret, but what stands beside one may be.
 */
function refuseSecret(setting: Setting, text: string, envFile: string): void {
  const { path, meta, variables } = setting;
  if (meta.secret === undefined) return;
  const written = text.replaceAll(REFERENCES, '');
  if (meta.secret === 'whole' && written === '' && text !== '') return;
  if (meta.secret === 'password' && !holdsSecret(setting, written)) return;
  const isToken = meta.applies.at === 'restart' && meta.applies.reason === 'owner_token';
  const fix = meta.key
    ? `exai keys add ${meta.key.name}`
    : isToken
      ? 'exai token rotate'
      : `Write ${variables[0].name}=… to ${envFile}, then: exai config reload`;
  throw new CallError('validation', `${path} is a secret and is not stored in config.json.`, {
    field: path,
    fix,
  });
}

/** The value as config.json has it: with its references. */
function readValue(setting: Setting, text: string): Json {
  if (setting.kind === 'list' && isJsonList(text)) return JSON.parse(text) as Json;
  if (setting.kind === 'map') return parseText(text, setting) as Json;
  return text.includes('${') ? text : (parseText(text, setting) as Json);
}

/** Throws if the daemon or a command that reads the value would refuse it. */
function requireValid(
  setting: Setting,
  value: Json,
  text: string,
  { configFile, envFile }: Home,
  { env }: Pick<Io, 'env'>,
): void {
  const sources = [fromEnvironment(env), fromDotenv(readDotenv(envFile, createReport()))];
  const found = evaluateSetting(
    { form: 'json', written: value, origin: { kind: 'file', name: configFile } },
    setting,
    (name) => sources.map((source) => source.get(name)).find((each) => each !== undefined),
  );
  const [missing] = found.missing;
  if (missing !== undefined) throw missingVariableError(setting, missing, envFile);
  // `~` is expanded when the file is read.
  const checked =
    setting.meta.paths && Array.isArray(found.value)
      ? found.value.map((each: unknown) =>
          typeof each === 'string' ? each.replace(/^~/, '/') : each,
        )
      : found.value;
  const problem = setting.invalid(checked);
  if (problem === undefined) return;
  throw new CallError(
    'validation',
    `${setting.path} ${problem}, but the value ${quoteSafely(text, 'is')}.`,
    {
      field: setting.path,
      fix: `exai config get ${setting.path} shows the value that it has.`,
    },
  );
}

function missingVariableError({ path }: Setting, name: string, envFile: string): CallError {
  if (name === UNFINISHED) {
    return new CallError('validation', `The value of ${path} has a \${ that names no variable.`, {
      field: path,
      fix: 'Write ${NAME}, or $${ for the characters themselves.',
    });
  }
  const shown = quoteName(name);
  return new CallError('validation', `${path} refers to the variable ${shown}, which is not set.`, {
    field: path,
    fix: `Set it in ${envFile}, then run the command again.`,
  });
}

function isJsonList(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}
