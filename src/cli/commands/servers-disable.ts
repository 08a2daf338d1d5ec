import { defineCommand } from '../command.ts';
import { editServer, requireServer } from '../servers/servers.ts';

export const command = defineCommand({
  name: 'servers disable',
  summary: 'Switch an MCP server off, or some of its tools',
  about:
    'Tools have the names of the server itself, or are patterns. They are neither listed nor callable until exai servers enable.\n' +
    '  exai servers disable github\n' +
    "  exai servers disable github create_issue 'delete_*'",
  positionals: [{ name: 'name', need: 'required', help: 'As exai servers list tells it' }],
  rest: { name: 'tool', help: 'Tools to switch off; without any, the whole server' },
  async run({ options, positionals, rest: tools = [] }, io) {
    const { name = '' } = positionals;
    const { disabledTools } = requireServer(name, io);
    const json = options.json === true;
    if (tools.length === 0) {
      const done = `Switched ${name} off.`;
      return editServer({ name, field: 'disabled', value: true, done, json }, io);
    }
    const value = [...new Set([...disabledTools, ...tools])];
    const done = `Tools of ${name} that are off: ${value.join(', ')}.`;
    return editServer({ name, field: 'disabledTools', value, done, json }, io);
  },
});
