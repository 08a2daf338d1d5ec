import { CallError } from '#core/errors/call-error.ts';
import { oneLine } from '#core/text/text.ts';
import { defineCommand } from '../command.ts';
import { editServer, requireServer } from '../servers/servers.ts';

export const command = defineCommand({
  name: 'servers enable',
  summary: 'Switch an MCP server on again, or some of its tools',
  positionals: [{ name: 'name', need: 'required', help: 'As exai servers list tells it' }],
  rest: { name: 'tool', help: 'As they were given to exai servers disable; none: the server' },
  async run({ options, positionals, rest: tools = [] }, io) {
    const { name = '' } = positionals;
    const { disabledTools } = requireServer(name, io);
    const json = options.json === true;
    if (tools.length === 0) {
      const done = `Switched ${name} on.`;
      return editServer({ name, field: 'disabled', value: false, done, json }, io);
    }
    const unknown = tools.find((tool) => !disabledTools.includes(tool));
    if (unknown !== undefined) {
      const off = disabledTools.length === 0 ? 'none' : disabledTools.join(', ');
      const message = `"${oneLine(unknown, 100)}" is not among the tools of ${name} that are off: ${off}.`;
      throw new CallError('not_found', message, {
        field: 'tool',
        fix: `Show its tools with: exai servers show ${name}`,
      });
    }
    const value = disabledTools.filter((tool) => !tools.includes(tool));
    const off = value.length === 0 ? 'none' : value.join(', ');
    const done = `Tools of ${name} that are off: ${off}.`;
    return editServer({ name, field: 'disabledTools', value, done, json }, io);
  },
});
