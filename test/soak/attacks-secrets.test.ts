import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  faultsOf,
  meetFault,
  meetQuotes,
  misuseTokens,
  runCommands,
  type Operation,
} from '../attacks/secrets/operations.ts';
import { openSecretsHarness, PLACES, type SecretsHarness } from '../attacks/secrets/places.ts';
import { OWNER_TOKEN } from '../attacks/attack-harness.ts';

/** 166 failures of providers and 90 other operations were tried once by hand. */
const LEAST_OPERATIONS = 530;

let open: SecretsHarness;
beforeAll(async () => {
  open = await openSecretsHarness();
});
afterAll(() => open?.close());

test('every fault, in every form and delivery, leaves no secret anywhere', async () => {
  const { harness, clientToken, quoting } = open;
  const operations: Operation[] = [];
  for (const vendor of ['kimi', 'glm'] as const) {
    for (const id of faultsOf(vendor)) {
      for (const form of ['openai', 'anthropic'] as const) {
        for (const delivery of ['whole', 'stream'] as const) {
          operations.push(await meetFault(harness, clientToken, { vendor, id, form, delivery }));
        }
      }
    }
  }
  operations.push(...(await meetQuotes(harness, clientToken, quoting)));
  for (const token of [OWNER_TOKEN, clientToken]) {
    operations.push(...(await misuseTokens(harness, token)));
  }
  operations.push(...(await runCommands(harness)));
  const found = await open.search(operations);
  for (const place of PLACES) {
    expect([place, found[place].secrets]).toEqual([place, []]);
    expect([place, found[place].bytes]).not.toEqual([place, 0]);
  }
  console.log(`secrets: ${operations.length} operations, searched in ${PLACES.length} places`);
  expect(operations.length).toBeGreaterThanOrEqual(LEAST_OPERATIONS);
});
