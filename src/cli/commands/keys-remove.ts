import { homePaths } from '#config/home.ts';
import { removeKey } from '#config/keys.ts';
import { CallError } from '#core/call-error.ts';
import { defineCommand } from '../command.ts';
import { printJson } from '../io.ts';
import { checkKeyName } from '../key-name.ts';

export const command = defineCommand({
  name: 'keys remove',
  summary: 'Remove a stored key',
  positionals: [{ name: 'name', need: 'required', help: 'Whose key, such as kimi or glm' }],
  async run({ options, positionals }, io) {
    const { name = '' } = positionals;
    checkKeyName(name);
    const home = homePaths(io.env);
    if (removeKey(home, name) === 'absent') {
      throw new CallError('not_found', `No key of ${name} is stored in ${home.envFile}.`, {
        field: 'name',
        fix: 'exai keys list says where each key comes from.',
      });
    }
    if (options.json) return printJson(io, { removed: name, file: home.envFile });
    io.stdout.write(`Removed the key of ${name} from ${home.envFile}.\n`);
  },
});
