import { loadWebSocket } from '#app/daemon/load-web-socket.ts';
import { keepAlive, system } from '#app/system.ts';
import { runShim } from '#client/shim/run-shim.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  name: 'servers run',
  summary: 'Serve the tools of one MCP server on stdin and stdout',
  about:
    'For programs that start MCP servers themselves: they see the tools of this server alone, under its own names. ' +
    'The server runs in the daemon, which is started if there is none, with its limits, its audit and the access of EXAI_TOKEN.',
  positionals: [{ name: 'name', need: 'required', help: 'As exai servers list tells it' }],
  signals: 'own',
  async run({ positionals }, { env }) {
    const server = positionals['name'] ?? '';
    await keepAlive(runShim({ env, server, loadWebSocket }, system));
  },
});
