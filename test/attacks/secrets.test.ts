import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { findSecrets, formsOf } from './secrets/forms.ts';
import {
  faultsOf,
  meetFault,
  meetQuotes,
  misuseTokens,
  runCommands,
  type Operation,
} from './secrets/operations.ts';
import { openSecretsHarness, PLACES, type SecretsHarness } from './secrets/places.ts';
import { OWNER_TOKEN } from './attack-harness.ts';

const LEAST_OPERATIONS = 180;

let open: SecretsHarness;
beforeAll(async () => {
  open = await openSecretsHarness();
});
afterAll(() => open?.close());

const operations: Operation[] = [];

test('a secret is found in every form', () => {
  const secret = 'sk-Kq7Zx9Wm2Vt5Rb8Nc4Hd6Lf3';
  const sought = formsOf(secret);
  const hidden = ['x', 'xy', 'xyz'].map((before) => `${before}${secret}tail`);
  const forms = [
    ...hidden,
    ...hidden.map((text) => Buffer.from(text).toString('base64')),
    ...hidden.map((text) => Buffer.from(text).toString('base64url')),
    Buffer.from(secret).toString('hex'),
    Array.from(secret).toReversed().join(''),
    `${secret.slice(0, 13)}" + "${secret.slice(13)}`,
  ];
  for (const form of forms) {
    expect([form, findSecrets(form, sought)]).not.toEqual([form, []]);
    expect(findSecrets(Buffer.from(form), sought)).not.toEqual([]);
  }
  expect(findSecrets('sk-another', sought)).toEqual([]);
});

test('every fault is met, and a vendor that quotes its key', async () => {
  const { harness, clientToken, quoting } = open;
  const meetAll = async (vendor: 'kimi' | 'glm') => {
    for (const [index, id] of faultsOf(vendor).entries()) {
      const form = index % 2 === 0 ? 'openai' : 'anthropic';
      const delivery = index % 4 < 2 ? 'stream' : 'whole';
      operations.push(await meetFault(harness, clientToken, { vendor, id, form, delivery }));
    }
  };
  // Much of the time is spent waiting for what does not come.
  const [, , quoted] = await Promise.all([
    meetAll('kimi'),
    meetAll('glm'),
    meetQuotes(harness, clientToken, quoting),
  ]);
  operations.push(...quoted);
  expect(operations.map(({ name }) => name)).toContain('kimi F4.504 openai stream');
});

test('tokens are sent where they do not belong, and commands are run', async () => {
  const { harness, clientToken } = open;
  for (const token of [OWNER_TOKEN, clientToken]) {
    operations.push(...(await misuseTokens(harness, token)));
  }
  operations.push(...(await runCommands(harness)));
  expect(operations.filter(({ name }) => name.startsWith('exai '))).toHaveLength(10);
});

verifies(
  'security:secrets',
  'no key and no token is in an answer, a log, the store, a recording, a trace or a metric',
  async () => {
    const found = await open.search(operations);
    for (const place of PLACES) {
      expect([place, found[place].secrets]).toEqual([place, []]);
      expect([place, found[place].bytes]).not.toEqual([place, 0]);
    }
    console.log(`secrets: ${operations.length} operations, searched in ${PLACES.length} places`);
    expect(operations.length).toBeGreaterThanOrEqual(LEAST_OPERATIONS);
  },
);
