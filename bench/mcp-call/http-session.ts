import { headerOf, openHttpSocket, type HttpAnswer, type HttpSocket } from './http-socket.ts';

/** Where a server is, and what opens it. */
export interface HttpTarget {
  readonly port: number;
  readonly token: string;
}

const OLD_ERA = '2025-11-25';
const INITIALIZE = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"${OLD_ERA}","capabilities":{},"clientInfo":{"name":"load","version":"1"}}}`;
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

/** The lines that every request has, and those given; without the empty one at the end. */
export function requestHead(
  method: 'GET' | 'POST',
  { port, token }: HttpTarget,
  lines: readonly string[],
): string {
  return [
    `${method} /mcp HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    `Accept: ${method === 'GET' ? '' : 'application/json, '}text/event-stream`,
    ...lines,
  ].join('\r\n');
}

/** What comes before the length and the body of a POST. */
export function postHead(target: HttpTarget, lines: readonly string[]): string {
  return `${requestHead('POST', target, ['Content-Type: application/json', ...lines])}\r\nContent-Length: `;
}

export function post(head: string, body: string): string {
  return `${head}${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/**
 * Initialises and gives back the header lines of what belongs to the session; a server without
 * sessions has no id.
 */
export async function openSession(target: HttpTarget, socket: HttpSocket): Promise<string[]> {
  const answer = await socket.exchange(post(postHead(target, []), INITIALIZE));
  checkResult(answer);
  const id = headerOf(answer.head, 'mcp-session-id');
  const lines = [
    `Mcp-Protocol-Version: ${OLD_ERA}`,
    ...(id === undefined ? [] : [`Mcp-Session-Id: ${id}`]),
  ];
  const noted = await socket.exchange(post(postHead(target, lines), INITIALIZED));
  if (noted.status !== 202) throw unexpected(noted);
  return lines;
}

export async function openSessions(target: HttpTarget, count: number): Promise<string[][]> {
  const socket = await openHttpSocket(target.port);
  const sessions: string[][] = [];
  while (sessions.length < count) sessions.push(await openSession(target, socket));
  socket.close();
  return sessions;
}

/** The stream of a session on which the server speaks of its own accord. */
export async function openStream(
  target: HttpTarget,
  session: readonly string[],
): Promise<HttpSocket> {
  const socket = await openHttpSocket(target.port);
  const answer = await socket.follow(`${requestHead('GET', target, session)}\r\n\r\n`);
  const type = headerOf(answer.head, 'content-type');
  if (answer.status !== 200 || type !== 'text/event-stream') throw unexpected(answer);
  return socket;
}

export function checkResult(answer: HttpAnswer): void {
  const { status, body } = answer;
  const isGood = status === 200 && body.includes('"result"') && !body.includes('"isError":true');
  if (!isGood) throw unexpected(answer);
}

function unexpected({ head, body }: HttpAnswer): Error {
  return new Error(`not the answer that was wanted: ${head}\n\n${body.toString()}`);
}
