import { afterAll, beforeAll, expect, test } from 'vitest';
import { foreignHosts } from '../attacks/browser/hosts.ts';
import { foreignOrigins } from '../attacks/browser/origins.ts';
import { written } from '../attacks/browser/row.ts';
import { sendRaw } from '../attacks/send-raw.ts';
import { openAttackHarness, type AttackHarness } from '../attacks/attack-harness.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'];
const PATHS = [
  '/',
  '/mcp',
  '/sse',
  '/messages',
  '/ws',
  '/healthz',
  '/readyz',
  '/metrics',
  '/v1/models',
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/embeddings',
  '/nothing',
];
const AT_ONCE = 8;
const LEAST_TRIES = 4_000;

let harness: AttackHarness;
beforeAll(async () => {
  harness = await openAttackHarness();
});
afterAll(() => harness?.close());

test('every foreign Host and Origin is refused at every path, by every method', async () => {
  const { host, port } = harness;
  const own = `Host: ${host}`;
  const pages = [
    ...foreignHosts(String(port)).map((name) => [`Host: ${name}`]),
    ...foreignOrigins(host).map((origin) => [own, `Origin: ${origin}`]),
  ];
  const rows = pages.flatMap((lines) =>
    PATHS.flatMap((path) => METHODS.map((method) => ({ lines, path, method }))),
  );
  const before = await harness.effects();
  const served: unknown[] = [];
  let next = 0;
  const attack = async () => {
    for (let row = rows[next++]; row; row = rows[next++]) {
      const { lines, path, method } = row;
      const body = method === 'POST' || method === 'PUT' ? { body: '{}' } : {};
      const bytes = written(lines, { method, path, ...body });
      const [answer] = await sendRaw(port, { bytes, methods: [method] });
      const isRefused = answer?.status === 403 || answer?.status === 400;
      const isReadable = answer?.headers.has('access-control-allow-origin') === true;
      if (!isRefused || isReadable) served.push([method, path, lines, answer?.status]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, attack));
  expect(served).toEqual([]);
  expect(await harness.effects()).toEqual(before);
  console.log(`web page to loopback: ${rows.length} tries`);
  expect(rows.length).toBeGreaterThanOrEqual(LEAST_TRIES);
});
