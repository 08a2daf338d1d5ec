import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { get } from '../http-get.ts';
import { verifies } from '../verifies.ts';
import { formRows } from './browser/forms.ts';
import { hostRows } from './browser/hosts.ts';
import { oddRows } from './browser/odd-requests.ts';
import { originRows } from './browser/origins.ts';
import {
  ASK_ANTHROPIC,
  ASK_COMPLETION,
  ASK_MODEL,
  ASK_RESPONSE,
  CALL_TOOL,
  OPEN_SESSION,
  written,
  type Rows,
} from './browser/row.ts';
import { smugglingRows } from './browser/smuggling.ts';
import { sendRaw } from './send-raw.ts';
import { openAttackHarness, type AttackHarness, type Effects } from './attack-harness.ts';

const LEAST_TRIES = 408;

let harness: AttackHarness;
beforeAll(async () => {
  harness = await openAttackHarness();
});
afterAll(() => harness?.close());

let tries = 0;

/** Sends each and tells what was wrong, so that one failure does not hide the next. */
async function attack(rows: Rows): Promise<readonly string[]> {
  const faults: string[] = [];
  let before = await harness.effects();
  for (const row of rows(harness.host)) {
    tries += 1;
    const answers = await sendRaw(harness.port, row);
    const after = await harness.effects();
    const statuses = answers.map(({ status }) => status);
    const say = (what: string) => faults.push(`${row.name}: ${what} (${statuses.join(', ')})`);
    const [first] = answers;
    if (!first) say('no answer');
    else if (!row.refused.includes(first.status) && row.harmless === undefined) say('not refused');
    if (answers.some(({ headers }) => headers.has('access-control-allow-origin')))
      if (row.harmless === undefined) say('the page may read the answer');
    const changed = changesOf(before, after, row.harmless === undefined ? 'none' : 'calls');
    if (changed !== undefined) say(changed);
    before = after;
  }
  return faults;
}

function changesOf(before: Effects, after: Effects, may: 'none' | 'calls'): string | undefined {
  const names = ['calls', 'httpSessions', 'webSockets', 'asked'] as const;
  const changed = names.filter((name) => name !== may && after[name] !== before[name]);
  return changed.length === 0 ? undefined : `changes ${changed.join(', ')}`;
}

test('what the rows try to do is done when it is asked for properly', async () => {
  const before = await harness.effects();
  const asks = [ASK_MODEL, ASK_ANTHROPIC, ASK_RESPONSE, ASK_COMPLETION];
  for (const parts of [CALL_TOOL, OPEN_SESSION, ...asks]) {
    const [answer] = await sendRaw(harness.port, {
      bytes: written([`Host: ${harness.host}`], parts),
      methods: ['POST'],
    });
    expect([parts.path, answer?.status, answer?.body]).toEqual([
      parts.path,
      200,
      expect.anything(),
    ]);
  }
  const after = await harness.effects();
  expect(after.calls).toBeGreaterThan(before.calls);
  expect(after.httpSessions).toBe(before.httpSessions + 1);
  expect(after.asked).toBe(before.asked + asks.length);
});

describe('a page in a browser', () => {
  verifies('security:browser', 'is refused by a Host that is not ours', async () => {
    expect(await attack(hostRows)).toEqual([]);
  });

  verifies('security:browser', 'is refused by an Origin that is not ours', async () => {
    expect(await attack(originRows)).toEqual([]);
  });

  verifies('security:browser', 'cannot send a form that is taken for a request', async () => {
    expect(await attack(formRows)).toEqual([]);
  });

  verifies('security:browser', 'gets nothing by odd targets, protocols or methods', async () => {
    expect(await attack(oddRows)).toEqual([]);
  });

  verifies('security:browser', 'cannot hide a request inside another', async () => {
    expect(await attack(smugglingRows)).toEqual([]);
  });
});

test('all of them were tried, and the daemon serves as before', async () => {
  expect((await get(`${harness.url}/healthz`)).status).toBe(200);
  const [answer] = await sendRaw(harness.port, {
    bytes: written([`Host: ${harness.host}`], CALL_TOOL),
    methods: ['POST'],
  });
  expect(answer?.status).toBe(200);
  console.log(`web page to loopback: ${tries} tries`);
  expect(tries).toBeGreaterThanOrEqual(LEAST_TRIES);
});
