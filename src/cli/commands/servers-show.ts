import { shellQuote } from '#core/text/text.ts';
import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { printRawJson } from '../io.ts';
import { callServers, describeServer } from '../servers/servers.ts';

const MAX_NAMES = 5;

function namesOf(tools: readonly string[]): string {
  const named = tools.slice(0, MAX_NAMES).join(', ');
  return tools.length > MAX_NAMES ? `${named} and ${tools.length - MAX_NAMES} more` : named;
}

export const command = defineCommand({
  name: 'servers show',
  summary: 'Show an MCP server: its state and its tools',
  about:
    'The tools are those that it had when it was connected last. exai servers restart connects to it.',
  positionals: [{ name: 'name', need: 'required', help: 'As exai servers list tells it' }],
  async run({ options, positionals }, io) {
    const server = await callServers(io, 'show', { name: positionals['name'] ?? '' });
    if (options.json) return printRawJson(io, server);
    const {
      name,
      transport,
      server: program,
      protocolVersion,
      toolList,
      quarantinedTools = [],
    } = server;
    const rows = [
      ['Name', name],
      ['Transport', transport],
      ['State', describeServer(server)],
      ...(program ? [['Program', `${program.name} ${program.version}`]] : []),
      ...(protocolVersion === undefined ? [] : [['Protocol', protocolVersion]]),
      ...(quarantinedTools.length === 0 ? [] : [['Quarantined', namesOf(quarantinedTools)]]),
    ];
    const shown = rows.map(([label = '', value = '']) => [
      io.paint('bold', label),
      escapeControls(value),
    ]);
    io.stdout.write(formatColumns(shown, '', io.width));
    if (quarantinedTools.length > 0)
      io.stdout.write(`\nSee why with: exai pins list ${shellQuote(name)}\n`);
    if (toolList.length === 0) return;
    const tools = toolList.map((tool) => [
      escapeControls(tool.listedAs),
      tool.isDisabled ? 'off' : '',
      io.paint('dim', escapeControls(tool.description?.split('\n', 1)[0] ?? '')),
    ]);
    io.stdout.write(`\n${formatColumns(tools, '', io.width)}`);
  },
});
