import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson } from '../io.ts';
import { callServers } from '../servers/servers.ts';

export const command = defineCommand({
  name: 'servers logs',
  summary: 'Print what an MCP server wrote to its standard error',
  positionals: [{ name: 'name', need: 'required', help: 'As exai servers list tells it' }],
  async run({ options, positionals }, io) {
    const answer = await callServers(io, 'logs', { name: positionals['name'] ?? '' });
    if (options.json) return printRawJson(io, answer);
    for (const { at, from, text } of answer.lines) {
      const by = from === 'stderr' ? '' : 'EX-AI: ';
      io.stdout.write(`${new Date(at).toISOString()} ${by}${escapeControls(text)}\n`);
    }
  },
});
