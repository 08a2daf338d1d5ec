import type { SeededRandom } from '../sim/random.ts';
import { anyBody, LEGACY, MODERN, splitWords, type AnyBody } from './any-rpc.ts';
import { breakRequest } from './break-request.ts';

/** What the requests of a run have in common. */
export interface FuzzContext {
  readonly host: string;
  /** The token of the owner. */
  readonly token: string;
  /** A good token of somebody else, who must not get at the sessions of the owner. */
  readonly otherToken: string;
  /** One that is open, as far as is known. */
  readonly session: string;
}

/** One request as it goes over the wire, and what is known of its answer. */
export interface Shot {
  readonly bytes: Buffer;
  /**
   * `sound`: a request by the rules of HTTP, whatever it says. `broken`: none, or a part of one.
   */
  readonly is: 'sound' | 'broken';
  readonly method: string;
  readonly id: number | undefined;
  /** Its answer may be a stream that does not end by itself. */
  readonly mayStay: boolean;
  /** The statuses that its answer may have; any that is no fault of ours, when not said. */
  readonly statuses?: readonly number[];
  /** Its connection is not used any more after it. */
  readonly isLast: boolean;
  readonly isStateless?: boolean;
}

interface Draft {
  method: string;
  target: string;
  version: string;
  headers: [string, string][];
  body: Buffer;
  coding: 'length' | 'chunked';
  known: Pick<AnyBody, 'id'> | undefined;
  mayStay: boolean;
  statuses: readonly number[] | undefined;
  isLast: boolean;
  isStateless: boolean;
}

const NO_BODY = Buffer.alloc(0);
const ACCEPT = 'application/json, text/event-stream';
const METHODS = splitWords('GET HEAD POST PUT DELETE OPTIONS PATCH TRACE PROPFIND REPORT M-SEARCH');
const PATHS = [
  `/${'a'.repeat(5000)}`,
  ...splitWords(`/ /healthz /readyz /metrics /mcp /mcp/ /messages /sse /ws /MCP /mcp%00 //mcp /mcp?x=%zz /%ff
    /.well-known/oauth-protected-resource /.well-known/oauth-authorization-server/mcp /register /authorize
    /..%2fmcp /mcp;a * /a|b http://[ http://evil.example/mcp`),
];
const EVENT_IDS = [
  '0-0',
  '1-0',
  '0-1',
  '0-999999',
  '999999-1',
  '-1',
  'x',
  '1-1-1',
  `${'9'.repeat(40)}`,
];

/** A request by the rules of HTTP; what it asks for may be nonsense. */
export function anyShot(random: SeededRandom, fuzz: FuzzContext): Shot {
  const draft = random.pick(KINDS)(random, fuzz);
  if (random.chance(0.25)) disturb(random, draft, fuzz);
  return toShot(random, draft);
}

/** Something that is no request, or only a part of one. */
export function brokenShot(random: SeededRandom, fuzz: FuzzContext): Shot {
  const kind = random.pick([mcp, modern, stray]);
  const draft = kind(random, fuzz);
  // Whether an answer has a body must not depend on how far the request was understood.
  if (draft.method === 'HEAD') draft.method = 'GET';
  const sound = toShot(random, draft);
  const bytes = breakRequest(random, sound.bytes);
  const unknown = { method: 'POST', id: undefined, mayStay: true, isLast: true };
  return { bytes, is: 'broken', ...unknown };
}

function draftOf(method: string, target: string, fuzz: FuzzContext, body?: AnyBody): Draft {
  return {
    method,
    target,
    version: '1.1',
    headers: [
      ['Host', fuzz.host],
      ['Authorization', `Bearer ${fuzz.token}`],
      ['Accept', ACCEPT],
      ...(body ? ([['Content-Type', 'application/json']] as [string, string][]) : []),
    ],
    body: body?.bytes ?? NO_BODY,
    coding: 'length',
    known: body,
    mayStay: body?.method === 'subscriptions/listen',
    statuses: undefined,
    isLast: false,
    isStateless: false,
  };
}

/** A message in a session, or one that opens one. */
function mcp(random: SeededRandom, fuzz: FuzzContext): Draft {
  const body = anyBody(random, 'legacy', random.chance(0.15) ? 'initialize' : undefined);
  const draft = draftOf('POST', '/mcp', fuzz, body);
  if (body.method !== 'initialize' || random.chance(0.1)) {
    draft.headers.push(['Mcp-Session-Id', anySession(random, fuzz)]);
  }
  if (random.chance(0.8)) draft.headers.push(['MCP-Protocol-Version', LEGACY]);
  return draft;
}

function modern(random: SeededRandom, fuzz: FuzzContext): Draft {
  const body = anyBody(random, 'modern');
  const draft = draftOf('POST', '/mcp', fuzz, body);
  draft.isStateless = true;
  draft.headers.push(['MCP-Protocol-Version', MODERN], ['Mcp-Method', body.method]);
  if (body.name !== undefined) draft.headers.push(['Mcp-Name', headerValue(body.name)]);
  return draft;
}

/** A stream is opened, resumed or ended. */
function listen(random: SeededRandom, fuzz: FuzzContext): Draft {
  const draft = draftOf(random.chance(0.8) ? 'GET' : 'DELETE', '/mcp', fuzz);
  draft.mayStay = true;
  draft.headers.push(['Mcp-Session-Id', anySession(random, fuzz)]);
  if (random.chance(0.5)) draft.headers.push(['Last-Event-ID', random.pick(EVENT_IDS)]);
  return draft;
}

/** The transport of 2024. */
function old(random: SeededRandom, fuzz: FuzzContext): Draft {
  if (random.chance(0.4)) return { ...draftOf('GET', '/sse', fuzz), mayStay: true };
  const query = random.pick([
    '',
    '?sessionId=',
    `?sessionId=${encodeURIComponent(anySession(random, fuzz))}`,
    '?a=%',
  ]);
  return draftOf('POST', `/messages${query}`, fuzz, anyBody(random, 'legacy'));
}

/** Any method at any path. */
function stray(random: SeededRandom, fuzz: FuzzContext): Draft {
  const draft = draftOf(random.pick(METHODS), random.pick(PATHS), fuzz);
  draft.mayStay = true;
  if (random.chance(0.3)) draft.body = Buffer.from('x'.repeat(random.between(0, 3000)));
  if (random.chance(0.1)) draft.target = `http://${fuzz.host}${draft.target}`;
  return draft;
}

function anySession(random: SeededRandom, { session }: FuzzContext): string {
  if (random.chance(0.85)) return session;
  return random.pick(['x', '', '__proto__', '0'.repeat(36), 'a'.repeat(3000), '\xe9\xff']);
}

/** Headers that are wrong, doubled or missing. */
function disturb(random: SeededRandom, draft: Draft, fuzz: FuzzContext): void {
  const { headers } = draft;
  const set = (name: string, value: string | undefined) => {
    const at = headers.findIndex(([each]) => each === name);
    if (at !== -1) headers.splice(at, 1);
    if (value !== undefined) headers.push([name, value]);
  };
  const isOurs = draft.target === '/mcp';
  switch (random.between(0, 15)) {
    case 0:
      return set('Accept', random.pick([undefined, 'text/html', '*/*', '*/*;q=0', ',,;q', '']));
    case 1:
      return set('Content-Type', random.pick([undefined, 'text/plain', 'application/json;', ';']));
    case 2:
      set('Host', random.pick([undefined, 'evil.example', '127.0.0.1:x', '[::1', 'a b', '']));
      draft.statuses = [400, 403];
      return;
    case 3:
      headers.push(['Origin', random.pick(['https://evil.example', 'null', '', 'x:'])]);
      draft.statuses = [403];
      return;
    case 4:
      set('Authorization', random.pick([undefined, 'Bearer x', 'Basic eDp4', 'Bearer', 'Bearer ']));
      if (isOurs && draft.method !== 'OPTIONS') draft.statuses = [401, 405];
      return;
    case 5:
      set('Authorization', `Bearer ${fuzz.otherToken}`);
      return;
    case 6:
      headers.push(random.pick(headers));
      return;
    case 7:
      set('MCP-Protocol-Version', random.pick([undefined, MODERN, LEGACY, '1', 'x'.repeat(500)]));
      return;
    case 8:
      set('Mcp-Method', random.pick([undefined, 'ping', '=?base64?%?=', '\xff']));
      return;
    case 9:
      set('Mcp-Name', random.pick([undefined, 'x', '=?base64?dg==?=', '=?base64?/w==?=']));
      return;
    case 10:
      set('Mcp-Session-Id', random.chance(0.5) ? undefined : anySession(random, fuzz));
      return;
    case 11:
      headers.push(['Content-Encoding', random.pick(['gzip', 'identity', 'br, gzip', ''])]);
      return;
    case 12:
      headers.push([`X-${'y'.repeat(random.between(1, 50))}`, 'z'.repeat(random.between(0, 4000))]);
      return;
    case 13:
      headers.push(['traceparent', random.pick(['00-0-0-0', 'x', '\xe9'.repeat(300)])]);
      return;
    case 14:
      draft.version = '1.0';
      draft.isLast = true;
      return;
    default:
      headers.push(['Connection', 'close']);
      draft.isLast = true;
  }
}

function toShot(random: SeededRandom, draft: Draft): Shot {
  const { method, target, version, headers, body, known, mayStay, statuses, isLast, isStateless } =
    draft;
  const hasBody = body.length > 0 || method === 'POST' || method === 'PUT';
  const isChunked = hasBody && version === '1.1' && random.chance(0.2);
  const lines = [`${method} ${target} HTTP/${version}`];
  const order = random.chance(0.2) ? headers.toReversed() : headers;
  for (const [name, value] of order) {
    lines.push(`${random.chance(0.1) ? name.toUpperCase() : name}: ${value}`);
  }
  if (isChunked) lines.push('Transfer-Encoding: chunked');
  else if (hasBody) lines.push(`Content-Length: ${body.length}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return {
    bytes: Buffer.concat([head, isChunked ? inChunks(random, body) : body]),
    is: 'sound',
    method,
    id: statuses ? undefined : known?.id,
    mayStay,
    ...(statuses && { statuses }),
    isLast,
    isStateless,
  };
}

function inChunks(random: SeededRandom, body: Buffer): Buffer {
  const parts: Buffer[] = [];
  const extension = random.chance(0.2) ? ';a="b"' : '';
  for (let at = 0; at < body.length;) {
    const size = Math.min(body.length - at, random.between(1, Math.max(64, body.length / 3)));
    parts.push(Buffer.from(`${size.toString(16)}${extension}\r\n`));
    parts.push(body.subarray(at, at + size), Buffer.from('\r\n'));
    at += size;
  }
  const trailer = random.chance(0.2) ? 'X-Trailer: a\r\n' : '';
  return Buffer.concat([...parts, Buffer.from(`0\r\n${trailer}\r\n`)]);
}

const KINDS = [mcp, mcp, mcp, mcp, modern, modern, modern, modern, stray, stray, listen, old];

function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
