import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DIALECTS } from './dialects.ts';
import type { Proof } from './client.ts';
import { expectAnswer, expectListed, PROVEN_CALLS } from './tools.ts';

/**
 * Stands in for the model of a coding agent, on loopback: it asks for our tools one after the
 * other. An agent that offers them to it, calls them and hands it the answers has done with us all
 * that it does for a real model.
 */
export interface ScriptedModel {
  readonly url: string;
  /** What the agent offered and brought back, checked. */
  proof(): Proof;
  close(): void;
}

/** Agents put the server's name before the tool's, each in its own way. */
const OURS = /(?:^|[_-])exai[_-]+([a-z][a-z0-9_]*)$/;

export async function createScriptedModel(): Promise<ScriptedModel> {
  let offered: readonly string[] = [];
  let results: readonly string[] = [];
  let number = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const dialect = DIALECTS.find((each) => each.speaks(request.url ?? ''));
      if (dialect === undefined) return void response.writeHead(404).end();
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      const named = dialect.offered(body).filter((name) => OURS.test(name));
      // Agents also ask for titles and summaries, and offer nothing then.
      if (named.length > 0) {
        offered = named;
        results = dialect.results(body);
      }
      const next = named.length > 0 ? PROVEN_CALLS[results.length] : undefined;
      const tool = named.find((name) => toolOf(name) === next?.name);
      const call = tool !== undefined && next ? { tool, arguments: next.arguments } : undefined;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(dialect.reply({ number: ++number, ...(call && { call }) }).join(''));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    proof: () => ({
      listed: expectListed(offered.map(toolOf)),
      called: PROVEN_CALLS.map((call, index) => expectAnswer(call, results[index] ?? '')),
    }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function toolOf(name: string): string {
  return OURS.exec(name)?.[1] ?? name;
}
