import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson } from '../io.ts';
import { callServers, describeServer } from '../servers/servers.ts';

export const command = defineCommand({
  name: 'servers restart',
  summary: 'Connect to an MCP server again, and start its program again',
  about:
    'Calls that it works on fail as interrupted. Use it after a failure, instead of waiting for the next try.',
  positionals: [{ name: 'name', need: 'required', help: 'As exai servers list tells it' }],
  async run({ options, positionals }, io) {
    const server = await callServers(io, 'restart', { name: positionals['name'] ?? '' });
    if (options.json) return printRawJson(io, server);
    io.stdout.write(`${escapeControls(server.name)}: ${describeServer(server)}\n`);
  },
});
