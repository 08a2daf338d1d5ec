// An MCP server made with fastmcp, over stdio.
import { FastMCP, UserError } from 'fastmcp';
import * as z from 'zod';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const server = new FastMCP({ name: 'fastmcp-test', version: '1.0.0' });
server.addTool({
  name: 'join',
  description: 'Joins words.',
  parameters: z.object({ words: z.array(z.string()).min(1), by: z.string().default('-') }),
  annotations: { readOnlyHint: true },
  async execute({ words, by }, { log, reportProgress }) {
    log.info('joining', { count: words.length });
    await reportProgress({ progress: 1, total: 1 });
    return words.join(by);
  },
});
server.addTool({
  name: 'draw',
  description: 'Draws a picture.',
  parameters: z.object({}),
  execute: async () => ({ content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] }),
});
server.addTool({
  name: 'fail',
  description: 'Fails.',
  parameters: z.object({}),
  async execute() {
    throw new UserError('It failed on purpose.');
  },
});
server.addPrompt({
  name: 'greet',
  description: 'Greets.',
  arguments: [{ name: 'who', required: true }],
  load: async ({ who }) => `Hello, ${who}!`,
});
void server.start({ transportType: 'stdio' });
