import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { FRAME_FAULTS } from '../../../emulator/faults.ts';
import { createVendors } from '../../../emulator/vendors.ts';
import { anthropic, CHAT, MESSAGES, openai, post } from '../../e2e/gateway-post.ts';
import { retried } from '../../eventually.ts';
import { get } from '../../http-get.ts';
import { OWNER_TOKEN, type AttackHarness } from '../attack-harness.ts';
import { QUOTES } from './quotes.ts';

/** One operation that may give a secret away, and all that its client was told. */
export interface Operation {
  readonly name: string;
  readonly told: string;
}

export type Vendor = 'kimi' | 'glm';
export type Form = 'openai' | 'anthropic';
export type Delivery = 'whole' | 'stream';

const MODELS: Readonly<Record<Vendor, string>> = { kimi: 'kimi-k2.6', glm: 'glm-4.6' };
/** Of the vendor that quotes. */
export const QUOTING_MODEL = 'quoting-model';
/** A whole answer that does not come is waited for as long as any answer may take. */
const SILENT: readonly string[] = ['F5.silent', 'F5.headers', 'F5.stall'];

/** Every fault that befalls a chat with this vendor, what only files have apart. */
export function faultsOf(vendor: Vendor): readonly string[] {
  const own = createVendors().find(({ name }) => name === vendor)?.faults ?? {};
  const all = new Set([...Object.keys(FRAME_FAULTS), ...Object.keys(own)]);
  return [...all].filter((id) => !id.startsWith('F15') && id !== 'code');
}

/** Asks until the fault has befallen a request: a breaker may be open from the one before. */
export async function meetFault(
  harness: AttackHarness,
  token: string,
  about: {
    readonly vendor: Vendor;
    readonly id: string;
    readonly form: Form;
    readonly delivery: Delivery;
  },
): Promise<Operation> {
  const { vendor, id, form } = about;
  const delivery = SILENT.includes(id) ? 'stream' : about.delivery;
  harness.emulator.fault({ id, vendor, times: 1 });
  return await retried(async () => {
    const told = await ask(harness.url, token, { model: MODELS[vendor], form, delivery });
    const { body } = await get(`${harness.emulator.url}/_faults`);
    const { faults } = JSON.parse(body) as { faults: readonly { vendor: string }[] };
    expect(faults.filter((fault) => fault.vendor === vendor)).toEqual([]);
    return { name: `${vendor} ${id} ${form} ${delivery}`, told };
  });
}

interface Asked {
  readonly model: string;
  readonly form: Form;
  readonly delivery: Delivery;
}

/** By the gateway, in the form of either vendor. */
async function ask(url: string, token: string, { model, form, delivery }: Asked): Promise<string> {
  const write = form === 'openai' ? openai : anthropic;
  const { headers, text } = await post(`${url}${form === 'openai' ? CHAT : MESSAGES}`, {
    body: write({ model, stream: delivery === 'stream' }),
    headers: { authorization: `Bearer ${token}`, 'x-exai-fallback': 'none' },
  });
  return `${JSON.stringify(headers)}\n${text}`;
}

/** Asks a vendor that says whose key it was, in each of its ways. */
export async function meetQuotes(
  harness: AttackHarness,
  token: string,
  quoting: QuotingVendor,
): Promise<readonly Operation[]> {
  const operations: Operation[] = [];
  for (const [index] of QUOTES.entries()) {
    for (const delivery of ['whole', 'stream'] as const) {
      const told = await retried(async () => {
        const before = quoting.said(index);
        const text = await ask(harness.url, token, {
          model: QUOTING_MODEL,
          form: 'openai',
          delivery,
        });
        expect(quoting.said(index)).toBeGreaterThan(before);
        return text;
      });
      operations.push({ name: `quote ${index} ${delivery}`, told });
    }
  }
  return operations;
}

export interface QuotingVendor {
  readonly url: string;
  /** Says it in this way from now on; how often it did so far. */
  said(index: number): number;
  close(): void;
}

export async function startQuoting(): Promise<QuotingVendor> {
  let way = 0;
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume();
    asked += 1;
    const key = request.headers.authorization?.slice('Bearer '.length) ?? '';
    const { status, type, body } = QUOTES[way]?.(key) ?? { status: 500, type: '', body: key };
    const told = { 'x-key': key, 'x-request-id': key, 'www-authenticate': `Bearer error="${key}"` };
    response.writeHead(status, { 'content-type': type, ...told }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    said(index) {
      way = index;
      return asked;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Tokens in places where they do not belong, and such as are nearly right. */
export async function misuseTokens(
  { url }: AttackHarness,
  token: string,
): Promise<readonly Operation[]> {
  const places: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    [`/healthz?token=${token}`, {}],
    [`/mcp?access_token=${token}`, {}],
    [`/v1/models?key=${token}`, {}],
    [`/${token}`, {}],
    [`/v1/${token}`, {}],
    ['/metrics', { authorization: `Bearer ${token}x` }],
    ['/mcp', { authorization: `Bearer x${token}` }],
    ['/v1/models', { authorization: `Bearer ${token}x` }],
    ['/v1/models', { 'x-api-key': `${token}x` }],
    ['/v1/models', { authorization: `Basic ${Buffer.from(`:${token}`).toString('base64')}` }],
    ['/v1/models', { authorization: token }],
    ['/mcp', { 'mcp-session-id': token }],
    ['/healthz', { traceparent: token, tracestate: `k=${token}`, baggage: `k=${token}` }],
    ['/healthz', { cookie: `token=${token}`, 'user-agent': token, referer: `http://x/${token}` }],
    ['/mcp', { origin: `http://${token}.example` }],
    ['/mcp', { host: `${token}.example` }],
  ];
  const operations: Operation[] = [];
  for (const [path, headers] of places) {
    const { status } = await get(`${url}${path}`, headers);
    // What a client sent may come back to it; it is the other places that matter.
    operations.push({ name: `${path.replace(token, '…')} ${status}`, told: '' });
  }
  return operations;
}

const COMMANDS: readonly (readonly string[])[] = [
  ['config', 'show'],
  ['keys', 'list', '--json'],
  ['keys', 'test'],
  ['doctor', '--json'],
  ['status', '--json'],
  ['access', 'list', '--json'],
  ['usage', '--json'],
  ['logs', '--json'],
  ['ask', 'Say exactly: hello', '--model', QUOTING_MODEL],
  ['backup'],
];

export async function runCommands(harness: AttackHarness): Promise<readonly Operation[]> {
  const operations: Operation[] = [];
  for (const command of COMMANDS) {
    const { stdout, stderr } = await harness.exai(...command);
    operations.push({ name: `exai ${command.join(' ')}`, told: `${stdout}\n${stderr}` });
  }
  return operations;
}

export async function readMetrics({ url }: AttackHarness): Promise<string> {
  return (await get(`${url}/metrics`, { authorization: `Bearer ${OWNER_TOKEN}` })).body;
}
