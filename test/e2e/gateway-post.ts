/** Requests to the gateway as bytes, for what no SDK would send. */
import { request, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';

export const CHAT = '/v1/chat/completions';
export const MESSAGES = '/v1/messages';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Post {
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

export function post(url: string, { body = '', headers, method = 'POST' }: Post): Promise<Answer> {
  const fields = { 'content-type': 'application/json', ...headers };
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers: fields }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers: got } = response;
        resolve({ status, headers: got, text: Buffer.concat(chunks).toString() });
      });
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

/** A connection of its own, with the request sent. */
export function open(url: string, body: string): Promise<Socket> {
  const { hostname, port, host, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  // Whoever gives up on a client may reset the connection.
  socket.on('error', () => undefined);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
      resolve(socket);
    });
  });
}

/** Resolves when what came matches; reads no further than that. */
export function untilReceived(socket: Socket, words: RegExp): Promise<void> {
  let text = '';
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      text += chunk.toString();
      if (!words.test(text)) return;
      socket.off('data', onData);
      socket.pause();
      resolve();
    };
    socket.on('data', onData);
    socket.once('close', () => reject(new Error(`the connection ended after: ${text}`)));
  });
}

const hello = [{ role: 'user', content: 'Say exactly: Hello' }];

/** A body that would be answered, but for what is put in its place. */
export const openai = (more: object = {}): string =>
  JSON.stringify({ model: 'auto', messages: hello, ...more });

export const anthropic = (more: object = {}): string =>
  JSON.stringify({ model: 'auto', max_tokens: 100, messages: hello, ...more });
