import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DIALECTS } from './dialects.ts';

/** A task of a model that has only `search_tools` and the wrappers. */
export interface LeanTask {
  /** What it searches for; it calls the first tool that is found. */
  readonly query: string;
  readonly servers?: readonly string[];
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Whether the tool changes something. */
  readonly writes?: true;
  /** What the answer of the tool has. */
  readonly answer: RegExp;
}

export interface LeanModel {
  readonly url: string;
  /** How many tasks were completed, and what is wrong with the first that was not. */
  outcome(): { readonly done: number; readonly problem: string };
  close(): void;
}

const OURS = /(?:^|[_-])exai[_-]+([a-z][a-z0-9_]*)$/;
const FOUND = /mcp__(?!exai)[A-Za-z0-9-]+__[A-Za-z0-9_-]+/;
/** Also which servers are missing, which a search says at its end. */
const MAX_SHOWN_CHARS = 2_000;

/** Stands in for the model of a coding agent: for each task it searches, and calls what it found. */
export async function createLeanModel(tasks: readonly LeanTask[]): Promise<LeanModel> {
  let results: readonly string[] = [];
  let number = 0;

  function nextCall(): { readonly tool: string; readonly arguments: object } | undefined {
    const task = tasks[Math.floor(results.length / 2)];
    if (!task) return undefined;
    if (results.length % 2 === 0) {
      const servers = task.servers && { servers: task.servers };
      return { tool: 'search_tools', arguments: { query: task.query, ...servers } };
    }
    const name = FOUND.exec(results.at(-1) ?? '')?.[0] ?? 'none_was_found';
    return {
      tool: task.writes ? 'call_tool_write' : 'call_tool',
      arguments: { name, arguments: task.arguments },
    };
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const dialect = DIALECTS.find((each) => each.speaks(request.url ?? ''));
      if (dialect === undefined) return void response.writeHead(404).end();
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      const named = dialect.offered(body).filter((name) => OURS.test(name));
      // Agents also ask for titles and summaries, and offer nothing then.
      if (named.length > 0) results = dialect.results(body);
      const next = named.length > 0 ? nextCall() : undefined;
      const tool = named.find((name) => OURS.exec(name)?.[1] === next?.tool);
      const call = tool !== undefined && next ? { tool, arguments: next.arguments } : undefined;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(dialect.reply({ number: ++number, ...(call && { call }) }).join(''));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    outcome() {
      const at = tasks.findIndex(({ answer }, index) => !answer.test(results[index * 2 + 1] ?? ''));
      if (at === -1) return { done: tasks.length, problem: '' };
      const [found = '', answered = ''] = [results[at * 2], results[at * 2 + 1]];
      const shown = (text: string) => text.slice(0, MAX_SHOWN_CHARS);
      const about = `search: ${shown(found)}; answer: ${shown(answered)}`;
      return { done: at, problem: `"${tasks[at]?.query}" was not completed: ${about}` };
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
