import { daemonState } from '#app/daemon/daemon-state.ts';
import { testKeys, type KeyTest } from '#app/admin/test-keys.ts';
import { keepAlive, system } from '#app/system.ts';
import type { Environment } from '#config/environment.ts';
import { homePaths } from '#config/home/home.ts';
import { loadConfig } from '#config/load/load.ts';
import { describeOrigin } from '#config/load/origin.ts';
import { addKey, keyName, listKeys, overrulingVariable } from '#config/secrets/keys.ts';
import { CallError } from '#core/errors/call-error.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import { defineCommand } from '../command.ts';
import { confirm } from '../confirm.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { createProgressLine } from '../format/progress.ts';
import { printJson, type Io } from '../io.ts';
import { readSecret } from '../read-secret.ts';

export const command = defineCommand({
  name: 'keys add',
  summary: 'Store the key of a provider',
  about:
    'Asks for the key without showing it, or reads it from a pipe:\n' +
    '  printf %s "$KEY" | exai keys add kimi\n' +
    'It is kept in EXAI_HOME/.env, which only you can read. `exai keys list` shows the names. Asks before it replaces a key ' +
    'on a terminal. The provider is asked whether it accepts the key; one that it refuses is stored, too, and the exit code ' +
    'is that of the refusal.',
  positionals: [{ name: 'name', need: 'required', help: 'Whose key, such as kimi or glm' }],
  options: { yes: { type: 'boolean', short: 'y', help: 'Replace a key without asking' } },
  extraArgumentError: 'Keys are never given on the command line; paste or pipe it.',
  async run({ options, positionals }, io) {
    const name = keyName(positionals['name'] ?? '');
    const home = homePaths(io.env);
    if (!options.yes && process.stdin.isTTY) await confirmReplacing(name, io);
    const value = await readSecret(`Key of ${name} (not shown): `, io.stderr);
    if (value === '') {
      throw new CallError('validation', 'No key was given; nothing was stored.', {
        field: 'key',
        fix: `Paste it at the prompt, or pipe it: printf %s "$KEY" | exai keys add ${name}`,
      });
    }
    addKey(home, name, value);

    const overruled = overrulingVariable(io.env, name);
    const restart = daemonState(home).is === 'absent' ? undefined : 'exai stop, then exai serve';
    const test = await testStored(name, io);
    const refused = test?.is === 'refused' ? test.errorClass : undefined;
    const exit = refused === undefined ? 0 : ERROR_POLICY[refused].exit;
    if (options.json) {
      printJson(io, { stored: name, file: home.envFile, overruledBy: overruled, restart, test });
      return exit;
    }
    io.stdout.write(`Stored the key of ${name} in ${home.envFile}.\n`);
    if (test) for (const line of describeTest(test)) io.stdout.write(`${escapeControls(line)}\n`);
    if (overruled) io.stdout.write(`Note: ${overruled} in your environment beats it.\n`);
    if (restart) io.stdout.write(`The running daemon takes it up when restarted: ${restart}.\n`);
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

/** Tests the stored key, also where a variable of this shell counts more. */
async function testStored(name: string, io: Io): Promise<KeyTest | undefined> {
  const loaded = withSettings(() => loadConfig({ env: envWithout(name, io.env) }));
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

/** Undefined while the settings are invalid: a key can be stored all the same. */
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
    let found = overrulingVariable(rest, name);
    found !== undefined;
    found = overrulingVariable(rest, name)
  )
    delete rest[found];
  return rest;
}

function describeTest({ is, title, host = title, words, fix }: KeyTest): readonly string[] {
  if (is === 'accepted') return [`Tested at ${host}: ${words}`];
  const outcome = is === 'refused' ? `Refused at ${host}` : `Not tested at ${host}`;
  return [`${outcome}: ${words}`, ...(fix === undefined ? [] : [`fix: ${fix}`])];
}
