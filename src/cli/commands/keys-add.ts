import { testKeys, type KeyTest } from '#app/admin/test-keys.ts';
import { keepAlive, system } from '#app/system.ts';
import type { Environment } from '#config/environment.ts';
import { homePaths } from '#config/home/home.ts';
import { loadConfig } from '#config/load/load.ts';
import { describeOrigin } from '#config/load/origin.ts';
import {
  addKey,
  KEY_NAMES,
  keyName,
  keyPath,
  storedKeyOf,
  keyVariable,
  listKeys,
  overrulingVariable,
} from '#config/secrets/keys.ts';
import { CallError } from '#core/errors/call-error.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import { PRESET_IDS } from '#core/providers/added.ts';
import { addedProviderNames } from '../added-provider-names.ts';
import { defineCommand } from '../command.ts';
import { confirm } from '../confirm.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { createProgressLine } from '../format/progress.ts';
import { currentPathContext, shortPath } from '../init/paths.ts';
import { printJson, type Io } from '../io.ts';
import { readSecret } from '../read-secret.ts';
import { describeReload, reloadDaemon, reloadJson } from '../reload-daemon.ts';

export const command = defineCommand({
  name: 'keys add',
  summary: 'Store the key of a provider',
  about:
    'Asks for the key without showing it, or reads it from a pipe:\n' +
    '  printf %s "$KEY" | exai keys add kimi\n' +
    'It is kept in EXAI_HOME/.env, which only you can read. `exai keys list` shows the names. Asks before it replaces a key ' +
    'on a terminal. The provider is asked whether it accepts the key. A refused key is stored, too, and the exit code is that ' +
    'of the refusal; but a refused key from a pipe replaces no other key without --yes. A running daemon uses it from then on.',
  positionals: [
    {
      name: 'name',
      need: 'required',
      help: 'Whose key, such as kimi or glm',
      values: [...KEY_NAMES, ...PRESET_IDS],
    },
  ],
  options: { yes: { type: 'boolean', short: 'y', help: 'Replace a key without asking' } },
  extraArgumentError: 'Keys are never given on the command line; paste or pipe it.',
  async run({ options, positionals }, io) {
    const added = addedProviderNames(io.env);
    const name = keyName(positionals['name'] ?? '', added);
    const home = homePaths(io.env);
    const machine = currentPathContext(io.env, process.platform);
    if (!options.yes && process.stdin.isTTY) await confirmReplacing(name, io);
    const value = await readSecret(`Key of ${name} (not shown): `, io.stderr);
    if (value === '') {
      throw new CallError('validation', 'No key was given; nothing was stored.', {
        field: 'key',
        fix: `Paste it at the prompt, or pipe it: printf %s "$KEY" | exai keys add ${name}`,
      });
    }
    const isGuarded = !options.yes && !process.stdin.isTTY && replacesOther(name, value, io);
    const checked = isGuarded ? await testBefore(name, value, io) : undefined;
    if (checked?.is === 'refused') return keepOther(name, checked, io, options);
    addKey(home, name, value, added);

    const overruled = overrulingVariable(io.env, name, added);
    const reload = await reloadDaemon(io, [keyPath(name, added)]);
    const test = checked ?? (await testStored(name, io));
    const exit = test ? exitOf(test) : 0;
    if (options.json) {
      printJson(io, {
        stored: name,
        file: home.envFile,
        overruledBy: overruled,
        reload: reloadJson(reload),
        test,
      });
      return exit;
    }
    io.stdout.write(`Stored the key of ${name} in ${shortPath(machine, home.envFile)}.\n`);
    if (test) for (const line of describeTest(test)) io.stdout.write(`${escapeControls(line)}\n`);
    if (overruled) io.stdout.write(`Note: ${overruled} in your environment beats it.\n`);
    if (reload.is !== 'no_daemon') {
      for (const line of describeReload(reload, { path: keyPath(name, added), in: '.env' })) {
        io.stdout.write(`${escapeControls(line)}\n`);
      }
    }
    return exit;
  },
});

/** Asks before a stored key is replaced. */
async function confirmReplacing(name: string, io: Io): Promise<void> {
  const stored = withSettings(() => listKeys(loadConfig({ env: envWithout(name, io.env) })));
  const known = stored?.find((key) => key.name === name);
  if (!known?.set || !known.origin) return;
  await confirm({
    input: process.stdin,
    output: io.stderr,
    question: `${known.title} has the key ${known.masked ?? ''} from ${describeOrigin(known.origin)}. Replace it?`,
    ifDeclined: 'nothing was stored',
  });
}

/** The exit code of a refused key, or of an account without a balance. */
function exitOf({ is, errorClass }: KeyTest): number {
  const isRefused = is === 'refused' || is === 'no balance';
  return isRefused && errorClass !== undefined ? ERROR_POLICY[errorClass].exit : 0;
}

/** Whether another key is stored, which this one would replace. */
function replacesOther(name: string, value: string, io: Io): boolean {
  const loaded = withSettings(() => loadConfig({ env: envWithout(name, io.env) }));
  const stored = loaded ? storedKeyOf(loaded, name) : '';
  return stored !== '' && stored !== value.trim();
}

/** Tests a key before it is stored. */
async function testBefore(name: string, value: string, io: Io): Promise<KeyTest | undefined> {
  const env = { ...envWithout(name, io.env), [keyVariable(name)]: value.trim() };
  return testIn(env, name, io);
}

/** Reports a refused key that was not stored, because it would have replaced another one. */
function keepOther(
  name: string,
  test: KeyTest,
  io: Io,
  options: { readonly json?: boolean },
): number {
  if (options.json) printJson(io, { stored: null, kept: name, test });
  else {
    const lines = [
      ...describeTest(test),
      `The stored key of ${name} is not replaced. To replace it with this key, add: --yes`,
    ];
    for (const line of lines) io.stdout.write(`${escapeControls(line)}\n`);
  }
  return exitOf(test);
}

/** Tests the stored key, also where a variable of this shell counts more. */
async function testStored(name: string, io: Io): Promise<KeyTest | undefined> {
  return testIn(envWithout(name, io.env), name, io);
}

async function testIn(env: Environment, name: string, io: Io): Promise<KeyTest | undefined> {
  const loaded = withSettings(() => loadConfig({ env }));
  if (!loaded) return undefined;
  const progress = createProgressLine(io);
  progress.show({ note: `asking ${name} …` });
  try {
    const tests = await keepAlive(testKeys(loaded, { ...system, name }));
    return tests.find(({ is }) => is !== 'not tested' && is !== 'not set');
  } catch (thrown) {
    // The key is stored; settings that prevent asking are the business of exai doctor.
    const { message } = CallError.from(thrown);
    io.stderr.write(`exai: The key was not tested: ${message}\n`);
    return undefined;
  } finally {
    progress.clear();
  }
}

/** Undefined while the settings are invalid: a key can still be stored. */
function withSettings<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof CallError) return undefined;
    throw thrown;
  }
}

/** The environment without the variables of this key. */
function envWithout(name: string, env: Environment): Environment {
  const rest = { ...env };
  for (
    let found = overrulingVariable(rest, name, [name]);
    found !== undefined;
    found = overrulingVariable(rest, name, [name])
  )
    delete rest[found];
  return rest;
}

function describeTest(test: KeyTest): readonly string[] {
  const { is, name, title, host = title, words, fix } = test;
  if (is === 'accepted') {
    return [words.includes(host) ? `Tested: ${words}` : `Tested at ${host}: ${words}`];
  }
  if (is === 'no balance') {
    const help = `Top it up, then: exai keys test ${name}`;
    return [`Accepted at ${host}, but the account has no balance. ${help}`];
  }
  const outcome = is === 'refused' ? `Refused at ${host}` : `Not tested at ${host}`;
  return [`${outcome}: ${words}`, ...(fix === undefined ? [] : [`fix: ${fix}`])];
}
