import { examineProvider, findAddedProvider } from '#app/admin/examine-provider.ts';
import { keepAlive, system } from '#app/system.ts';
import { variable } from '#config/environment.ts';
import { homePaths } from '#config/home/home.ts';
import { loadConfig, type LoadedConfig } from '#config/load/load.ts';
import { addKey } from '#config/secrets/keys.ts';
import { quoteName } from '#config/secrets/secret-guard.ts';
import { CallError } from '#core/errors/call-error.ts';
import { PRESET_IDS } from '#core/providers/added.ts';
import { CONFIGURED_PROVIDERS } from '#core/providers/list.ts';
import { defineCommand } from '../command.ts';
import { confirm } from '../confirm.ts';
import { setInConfigFile } from '../edit-config-file.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { createProgressLine } from '../format/progress.ts';
import { printJson, type Io } from '../io.ts';
import { describeFindings, type AutoOrder } from '../providers/describe-findings.ts';
import { readNewProvider, type NewProvider } from '../providers/new-provider.ts';
import { refreshModels } from '../providers/refresh-models.ts';
import { readSecret } from '../read-secret.ts';
import { describeReload, reloadDaemon, reloadJson } from '../reload-daemon.ts';

export const command = defineCommand({
  name: 'providers add',
  summary: 'Add a provider: a preset such as deepseek, or a server by its address',
  about:
    'Asks for the key without showing it, or reads it from a pipe; asks the provider for its models; shows them with prices ' +
    'and what changes; and stores it when you agree.\n' +
    '  exai providers add deepseek\n' +
    '  exai providers add openai --key-env OPENAI_API_KEY --yes\n' +
    '  exai providers add mybox --url http://192.168.1.5:8000/v1 --model qwen3\n' +
    'A running daemon uses it at once. `exai providers list --presets` shows the presets.',
  positionals: [
    {
      name: 'name',
      need: 'required',
      help: 'A preset, or with --url any other name',
      values: PRESET_IDS,
    },
  ],
  options: {
    preset: { type: 'string', value: 'P', help: 'The preset, if the name is another one' },
    url: { type: 'string', value: 'URL', help: 'Where its OpenAI-compatible API is' },
    model: { type: 'texts', value: 'M', help: 'A model to use, best first; may be repeated' },
    'key-env': { type: 'string', value: 'NAME', help: 'Take the key from this variable' },
    key: { type: 'boolean', help: 'Ask for a key of a server that may need one' },
    yes: { type: 'boolean', short: 'y', help: 'Store it without asking' },
  },
  extraArgumentError: 'Keys are never given on the command line; paste or pipe it.',
  async run({ options, positionals }, io) {
    const fresh = readNewProvider(positionals['name'] ?? '', options);
    const { name, section } = fresh;
    const home = homePaths(io.env);
    const key = await readKey(fresh, options, io);
    const loaded = loadConfig({ env: io.env, flags: flagsOf(fresh, key) });
    const { baseUrl } = findAddedProvider(loaded, name);
    const findings = await examined(loaded, name, io);
    const lines = describeFindings(fresh, baseUrl, findings, autoOrder(loaded, name));
    const shown = options.json ? io.stderr : io.stdout;
    if (!options.yes || !options.json)
      for (const line of lines) shown.write(`${escapeControls(line)}\n`);
    if (!options.yes) {
      await confirm({
        input: process.stdin,
        output: io.stderr,
        question: `Add ${name}?`,
        ifDeclined: 'nothing was stored',
      });
    }
    const path = `providers.added.${name}`;
    setInConfigFile(home, path, section);
    if (key !== undefined) addKey(home, name, key, [name]);
    const paths = Object.keys(section).map((field) => `${path}.${field}`);
    const reload = await reloadDaemon(io, key === undefined ? paths : [...paths, `${path}.apiKey`]);
    const refreshed = reload.is === 'reloaded' && (await refreshModels(io, name));
    if (options.json) {
      printJson(io, {
        added: name,
        preset: fresh.preset?.id,
        baseUrl,
        models: findings.models,
        roles: findings.roles,
        state: fresh.preset?.state ?? 'own',
        reload: reloadJson(reload),
      });
      return;
    }
    const where = key === undefined ? '' : `, and its key in ${home.envFile}`;
    io.stdout.write(`Added ${name} to ${home.configFile}${where}.\n`);
    for (const line of describeReload(reload, { path: paths[0] ?? path, in: 'config.json' }))
      io.stdout.write(`${escapeControls(line)}\n`);
    if (!refreshed && findings.models)
      io.stdout.write('Its models are stored by: exai models refresh\n');
  },
});

interface KeyOptions {
  readonly 'key-env'?: string;
  readonly key?: true;
}

/** The key to store; undefined if there is none to ask for, or if one is stored already. */
async function readKey(
  { name, preset }: NewProvider,
  { 'key-env': named, key: isAsked }: KeyOptions,
  io: Io,
): Promise<string | undefined> {
  if (named !== undefined) {
    const value = variable(io.env, named);
    if (value !== undefined) return value.trim();
    throw new CallError('validation', `The variable ${quoteName(named)} is not set.`, {
      field: '--key-env',
      fix: 'Name a variable that has the key, or leave the option out to type it.',
    });
  }
  const isStored = storedKey(name, io) !== '';
  if (!isAsked && (isStored || preset?.key !== 'required')) return undefined;
  const found = preset?.keyEnv.find((each) => variable(io.env, each) !== undefined);
  if (found !== undefined) {
    io.stderr.write(
      `Note: ${found} is set in your environment. It is used only with: --key-env ${found}\n`,
    );
  }
  const value = await readSecret(`Key of ${name} (not shown): `, io.stderr);
  if (value !== '') return value;
  throw new CallError('validation', `${preset?.title ?? name} needs a key, and none was given.`, {
    field: 'key',
    fix: `Get one from ${preset?.keyFrom ?? 'its operator'}, then: exai providers add ${name}`,
  });
}

function storedKey(name: string, { env }: Io): string {
  const { added } = loadConfig({ env }).config.providers;
  return Object.hasOwn(added, name) ? (added[name]?.apiKey ?? '') : '';
}

/** The settings with the new provider, as they would be. */
function flagsOf({ name, section }: NewProvider, key: string | undefined): Record<string, string> {
  const path = `providers.added.${name}`;
  return {
    ...(section.preset !== undefined && { [`${path}.preset`]: section.preset }),
    ...(section.baseUrl !== undefined && { [`${path}.baseUrl`]: section.baseUrl }),
    ...(section.models && { [`${path}.models`]: section.models.join(',') }),
    ...(key !== undefined && { [`${path}.apiKey`]: key }),
  };
}

async function examined(loaded: LoadedConfig, name: string, io: Io) {
  const progress = createProgressLine(io);
  progress.show({ note: `asking ${name} for its models …` });
  try {
    return await keepAlive(examineProvider(loaded, name, system));
  } finally {
    progress.clear();
  }
}

/** The other providers that are set up, in the order in which `auto` asks them. */
function autoOrder({ config }: LoadedConfig, name: string): AutoOrder {
  const { added, ...builtIn } = config.providers;
  const isSet = ({ id, needs }: (typeof CONFIGURED_PROVIDERS)[number]) =>
    needs === 'key' ? builtIn[id].apiKey !== '' : builtIn[id].baseUrl !== '';
  const others = Object.keys(added).toSorted();
  const first = CONFIGURED_PROVIDERS.filter(isSet).map(({ id }) => id);
  return {
    before: [...first, ...others.filter((each) => each < name)],
    after: others.filter((each) => each > name),
  };
}
