import { homePaths } from '#config/home/home.ts';
import { loadConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import { UPSTREAM_TRANSPORTS } from '#core/hub/upstream-config.ts';
import { defineCommand } from '../command.ts';
import { setInConfigFile } from '../edit-config-file.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson } from '../io.ts';
import { describeReload, reloadDaemon, reloadJson } from '../reload-daemon.ts';
import { describeDownload, readNewServer } from '../servers/new-server.ts';

export const command = defineCommand({
  name: 'servers add',
  summary: 'Add an MCP server behind EX-AI: a command to start, or a URL',
  about:
    'Its tools are callable as mcp__NAME__TOOL by every client, found with search_tools. The server starts with the first ' +
    'call. Two accounts of one server are two names. Keys are never given here: write NAME=… to EXAI_HOME/.env, and pass on ' +
    'the variable with --env NAME, or refer to it as ${NAME} in a header.\n' +
    '  exai servers add memory npx -y @modelcontextprotocol/server-memory\n' +
    '  exai servers add github --env GITHUB_TOKEN npx -y @scope/server-github\n' +
    "  exai servers add far --url https://example.com/mcp --header 'X-Key: ${FAR_KEY}'",
  positionals: [
    { name: 'name', need: 'required', help: 'What to call it: letters, digits, - and _' },
  ],
  rest: { name: 'command', help: 'The program and its arguments', use: 'passed_on' },
  options: {
    url: { type: 'string', value: 'URL', help: 'Where a running server is reached' },
    type: {
      type: 'string',
      value: 'T',
      help: `${UPSTREAM_TRANSPORTS.join(', ')} (default: by URL)`,
    },
    env: { type: 'texts', value: 'NAME', help: 'Pass on this variable, or NAME=value' },
    header: { type: 'texts', value: 'H', help: "'Name: value' of each request to the URL" },
    cwd: { type: 'string', value: 'DIR', help: 'The folder that the program runs in' },
  },
  async run({ options, positionals, rest = [] }, io) {
    const { name = '' } = positionals;
    const entry = readNewServer(name, options, rest);
    if (Object.hasOwn(loadConfig({ env: io.env }).config.mcpServers, name)) {
      throw new CallError('conflict', `There is an MCP server ${name} already.`, {
        field: 'name',
        fix: `Choose another name, or first: exai servers remove ${name}`,
      });
    }
    const download = describeDownload(entry);
    if (download !== undefined) io.stderr.write(`exai: ${escapeControls(download)}\n`);
    const home = homePaths(io.env);
    const path = `mcpServers.${name}`;
    setInConfigFile(home, path, entry);
    const paths = Object.keys(entry).map((field) => `${path}.${field}`);
    const reload = await reloadDaemon(io, paths);
    if (options.json)
      return printRawJson(io, { added: name, server: entry, reload: reloadJson(reload) });
    io.stdout.write(`Added ${name} to ${home.configFile}. Try it: exai servers restart ${name}\n`);
    for (const line of describeReload(reload, { path: paths[0] ?? path, in: 'config.json' }))
      io.stdout.write(`${line}\n`);
  },
});
