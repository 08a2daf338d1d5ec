import { daemonState } from '#app/daemon/daemon-state.ts';
import { homePaths } from '#config/home/home.ts';
import { addKey, keyName, overrulingVariable } from '#config/secrets/keys.ts';
import { CallError } from '#core/errors/call-error.ts';
import { defineCommand } from '../command.ts';
import { printJson } from '../io.ts';
import { readSecret } from '../read-secret.ts';

export const command = defineCommand({
  name: 'keys add',
  summary: 'Store the key of a provider',
  about:
    'Asks for the key without showing it, or reads it from a pipe:\n' +
    '  printf %s "$KEY" | exai keys add kimi\n' +
    'It is kept in EXAI_HOME/.env, which only you can read. `exai keys list` shows the names.',
  positionals: [{ name: 'name', need: 'required', help: 'Whose key, such as kimi or glm' }],
  extraArgumentError: 'Keys are never given on the command line; paste or pipe it.',
  async run({ options, positionals }, io) {
    const name = keyName(positionals['name'] ?? '');
    const home = homePaths(io.env);
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
    if (options.json) {
      return printJson(io, { stored: name, file: home.envFile, overruledBy: overruled, restart });
    }
    io.stdout.write(`Stored the key of ${name} in ${home.envFile}.\n`);
    if (overruled) io.stdout.write(`Note: ${overruled} in your environment beats it.\n`);
    if (restart) io.stdout.write(`The running daemon takes it up when restarted: ${restart}.\n`);
  },
});
