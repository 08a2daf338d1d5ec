import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { printRawJson } from '../io.ts';
import { callServers, describeServer } from '../servers/servers.ts';

export const command = defineCommand({
  name: 'servers show',
  summary: 'Show an MCP server: its state and its tools',
  about:
    'The tools are those that it had when it was connected last. exai servers restart connects to it.',
  positionals: [{ name: 'name', need: 'required', help: 'As exai servers list tells it' }],
  async run({ options, positionals }, io) {
    const server = await callServers(io, 'show', { name: positionals['name'] ?? '' });
    if (options.json) return printRawJson(io, server);
    const { name, transport, server: program, protocolVersion, toolList } = server;
    const rows = [
      ['Name', name],
      ['Transport', transport],
      ['State', describeServer(server)],
      ...(program ? [['Program', `${program.name} ${program.version}`]] : []),
      ...(protocolVersion === undefined ? [] : [['Protocol', protocolVersion]]),
    ];
    const shown = rows.map(([label = '', value = '']) => [
      io.paint('bold', label),
      escapeControls(value),
    ]);
    io.stdout.write(formatColumns(shown, '', io.width));
    if (toolList.length === 0) return;
    const tools = toolList.map((tool) => [
      escapeControls(tool.listedAs),
      tool.isDisabled ? 'off' : '',
      io.paint('dim', escapeControls(tool.description?.split('\n', 1)[0] ?? '')),
    ]);
    io.stdout.write(`\n${formatColumns(tools, '', io.width)}`);
  },
});
