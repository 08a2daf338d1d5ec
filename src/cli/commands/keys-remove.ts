import type { Environment } from '#config/environment.ts';
import { homePaths } from '#config/home/home.ts';
import { keyName, listKeys, removeKey } from '#config/secrets/keys.ts';
import { loadConfig } from '#config/load/load.ts';
import { describeOrigin, type Origin } from '#config/load/origin.ts';
import { CallError } from '#core/errors/call-error.ts';
import { defineCommand } from '../command.ts';
import { printJson } from '../io.ts';

export const command = defineCommand({
  name: 'keys remove',
  summary: 'Remove a stored key',
  positionals: [{ name: 'name', need: 'required', help: 'Whose key, such as kimi or glm' }],
  async run({ options, positionals }, io) {
    const name = keyName(positionals['name'] ?? '');
    const home = homePaths(io.env);
    const outcome = removeKey(home, name);
    const origin = findKeyOrigin(name, io.env);
    const elsewhere = origin && placeOf(origin);
    if (outcome === 'absent') {
      throw new CallError('not_found', `No key of ${name} is stored in ${home.envFile}.`, {
        field: 'name',
        fix: elsewhere
          ? `It is set by ${elsewhere}; remove it there.`
          : 'exai keys list says where each key comes from.',
      });
    }
    if (options.json) {
      return printJson(io, { removed: name, file: home.envFile, stillSetBy: elsewhere });
    }
    io.stdout.write(`Removed the key of ${name} from ${home.envFile}.\n`);
    if (elsewhere) io.stdout.write(`Note: it is still set by ${elsewhere}.\n`);
  },
});

function placeOf(origin: Origin): string {
  return origin.kind === 'env' ? `${origin.name} in your environment` : describeOrigin(origin);
}

/** The current origin of a key, if it is set. Undefined while the settings are invalid. */
function findKeyOrigin(name: string, env: Environment): Origin | undefined {
  try {
    return listKeys(loadConfig({ env })).find((key) => key.name === name)?.origin;
  } catch (thrown) {
    if (thrown instanceof CallError) return undefined;
    throw thrown;
  }
}
