/**
 * A model server that answers each model name in its own way, and counts how often it was asked.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { ECHOED_KEY } from '../cases/hostile-answers.ts';

export interface ServedAnswer {
  readonly status?: number;
  /** Server-sent events unless told. */
  readonly type?: string;
  readonly pieces: Iterable<string | Uint8Array>;
}

export interface HostileServer {
  /** For `exai serve`. */
  readonly env: Readonly<Record<string, string>>;
  asked(model: string): number;
}

/** Runs until the test is over. */
export async function serveAnswers(
  answers: ReadonlyMap<string, ServedAnswer>,
): Promise<HostileServer> {
  const asked = new Map<string, number>();
  const server = createServer((request, response) => void serve(request, response));
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Every other address is one that this kind of server does not have.
    if (request.url?.endsWith('/v1/models')) {
      return respond(response, {
        type: 'application/json',
        pieces: [
          JSON.stringify({
            object: 'list',
            data: [...answers.keys()].map((id) => ({ id, object: 'model' })),
          }),
        ],
      });
    }
    if (!request.url?.endsWith('/chat/completions')) return respond(response, NOT_THERE);
    const { model } = (await readJson(request)) as { model: string };
    asked.set(model, (asked.get(model) ?? 0) + 1);
    return respond(response, answers.get(model) ?? NOT_THERE);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    env: { CUSTOM_API_URL: `http://127.0.0.1:${port}/v1`, CUSTOM_API_KEY: ECHOED_KEY },
    asked: (model) => asked.get(model) ?? 0,
  };
}

const NOT_THERE: ServedAnswer = { status: 404, type: 'application/json', pieces: ['{}'] };

async function respond(
  response: ServerResponse,
  { status = 200, type = 'text/event-stream', pieces }: ServedAnswer,
): Promise<void> {
  // Whoever has read enough hangs up.
  response.on('error', () => undefined);
  const closed = once(response, 'close').catch(() => undefined);
  response.writeHead(status, { 'content-type': type });
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
  }
  response.end();
}
