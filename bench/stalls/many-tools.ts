/**
 * An MCP server over stdio with 10,000 tools. They answer `done`, or with the text `large` 30 MB of text, with `wide`
 * data of 12,000 members, and with `lists` data of 60,000 objects.
 */
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
  readonly params?: {
    readonly cursor?: string;
    readonly protocolVersion?: string;
    readonly arguments?: { readonly text?: string };
  };
}

const text = (said: string) => ({ content: [{ type: 'text', text: said }] });

function resultOf(asked: string | undefined): object {
  if (asked === 'large') return text('The tide comes in twice a day. '.repeat(1_000_000));
  if (asked === 'lists') {
    const items = Array.from({ length: 60_000 }, (_, at) => ({ at, name: 'n'.repeat(200) }));
    return { ...text('Sixty thousand.'), structuredContent: { items } };
  }
  if (asked !== 'wide') return text('done');
  const members = Array.from({ length: 12_000 }, (_, at) => [`member_${at}`, at] as const);
  return { ...text('Many.'), structuredContent: Object.fromEntries(members) };
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
  if (method !== 'tools/list') return answer(resultOf(params.arguments?.text));
  const from = Number(params.cursor ?? 0);
  const next = from + PAGE;
  answer({
    tools: TOOLS.slice(from, next),
    ...(next < TOOLS.length && { nextCursor: String(next) }),
  });
});
