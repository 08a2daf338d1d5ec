import { homePaths } from '#config/home/home.ts';
import { CallError } from '#core/errors/call-error.ts';
import { defineCommand } from '../command.ts';
import { unsetInConfigFile } from '../edit-config-file.ts';
import { printJson } from '../io.ts';
import { describeReload, reloadDaemon, reloadJson } from '../reload-daemon.ts';
import { requireServer } from '../servers/servers.ts';

export const command = defineCommand({
  name: 'servers remove',
  summary: 'Remove an MCP server from config.json',
  positionals: [{ name: 'name', need: 'required', help: 'As exai servers list tells it' }],
  async run({ options, positionals }, io) {
    const { name = '' } = positionals;
    const { command } = requireServer(name, io);
    const home = homePaths(io.env);
    const path = `mcpServers.${name}`;
    if (unsetInConfigFile(home, [path]) === 'unchanged') {
      throw new CallError('not_found', `${name} is not in ${home.configFile}.`, {
        field: 'name',
        fix: `It is set by a variable; exai config show ${path} names it.`,
      });
    }
    // The daemon reports the settings of a server, and each has one of these two.
    const changed = `${path}.${command === '' ? 'url' : 'command'}`;
    const reload = await reloadDaemon(io, [changed]);
    if (options.json) return printJson(io, { removed: name, reload: reloadJson(reload) });
    io.stdout.write(`Removed ${name} from ${home.configFile}.\n`);
    for (const line of describeReload(reload, { path: changed, in: 'config.json' }))
      io.stdout.write(`${line}\n`);
  },
});
