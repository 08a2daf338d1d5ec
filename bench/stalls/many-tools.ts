/** An MCP server over stdio with 10,000 tools. */
import { createInterface } from 'node:readline';

const TOOLS = Array.from({ length: 10_000 }, (_, at) => ({
  name: `tool_number_${at}_of_many`,
  description: `Does the thing number ${at}.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
}));
const PAGE = 1000;

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly cursor?: string; readonly protocolVersion?: string };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line) as Message;
  if (id === undefined) return;
  const answer = (result: object) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  if (method === 'initialize') {
    return answer({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'many', version: '1' },
    });
  }
  if (method !== 'tools/list') return answer({ content: [{ type: 'text', text: 'done' }] });
  const from = Number(params.cursor ?? 0);
  const next = from + PAGE;
  answer({
    tools: TOOLS.slice(from, next),
    ...(next < TOOLS.length && { nextCursor: String(next) }),
  });
});
