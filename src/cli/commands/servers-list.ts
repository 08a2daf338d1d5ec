import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { printRawJson } from '../io.ts';
import { callServers, describeServer } from '../servers/servers.ts';

export const command = defineCommand({
  name: 'servers list',
  summary: 'List the MCP servers behind EX-AI, with their states',
  about:
    'A server starts with the first call of one of its tools, and stops when it is idle. Starts the daemon if needed.',
  async run({ options }, io) {
    const answer = await callServers(io, 'list');
    if (options.json) return printRawJson(io, answer);
    const rows = answer.servers.map((server) => [
      io.paint('bold', escapeControls(server.name)),
      server.transport,
      describeServer(server),
    ]);
    io.stdout.write(formatColumns(rows, '', io.width));
    if (rows.length === 0)
      io.stdout.write('There are no MCP servers. Add one with: exai servers add NAME -- COMMAND\n');
  },
});
