import type { Environment } from '#config/environment.ts';
import { homePaths } from '#config/home/home.ts';
import { KEY_NAMES, keyName, keyPath, listKeys, removeKey } from '#config/secrets/keys.ts';
import { loadConfig } from '#config/load/load.ts';
import { describeOrigin, type Origin } from '#config/load/origin.ts';
import { CallError } from '#core/errors/call-error.ts';
import { PRESET_IDS } from '#core/providers/added.ts';
import { addedProviderNames } from '../added-provider-names.ts';
import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printJson } from '../io.ts';
import { describeReload, reloadDaemon, reloadJson } from '../reload-daemon.ts';

export const command = defineCommand({
  name: 'keys remove',
  summary: 'Remove a stored key',
  positionals: [
    {
      name: 'name',
      need: 'required',
      help: 'Whose key, such as kimi or glm',
      values: [...KEY_NAMES, ...PRESET_IDS],
    },
  ],
  async run({ options, positionals }, io) {
    const added = addedProviderNames(io.env);
    const name = keyName(positionals['name'] ?? '', added);
    const home = homePaths(io.env);
    const outcome = removeKey(home, name, added);
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
    const reload = await reloadDaemon(io, [keyPath(name, added)]);
    if (options.json) {
      return printJson(io, {
        removed: name,
        file: home.envFile,
        stillSetBy: elsewhere,
        reload: reloadJson(reload),
      });
    }
    io.stdout.write(`Removed the key of ${name} from ${home.envFile}.\n`);
    if (elsewhere) io.stdout.write(`Note: it is still set by ${elsewhere}.\n`);
    if (reload.is === 'refused') {
      for (const line of describeReload(reload, { path: keyPath(name, added), in: '.env' }))
        io.stdout.write(`${escapeControls(line)}\n`);
    } else if (reload.is === 'reloaded' && reload.applied.includes(keyPath(name, added))) {
      io.stdout.write('The running daemon no longer uses it.\n');
    }
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
