import { expect } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import type { SecretsPolicy } from './check-secrets.ts';
import { createSentTextsCheck } from './check-sent-texts.ts';

const KEY = `AKIA${'QWERTYUIOPASDFGH'}`;

function check(secrets: SecretsPolicy, isEarlier: boolean) {
  const result = { name: 'The result of Read', text: `one\n${KEY}`, field: 'messages[2].content' };
  return createSentTextsCheck({ secrets, clock: createFakeClock() })([{ ...result, isEarlier }]);
}

verifies(
  'gateway-files:tool-results',
  'a key in a new result is a notice once, and in any result refused with block',
  async () => {
    const notices = await check('warn', false);
    expect(notices).toMatchObject([
      {
        code: 'file_secrets_found',
        params: { file: 'The result of Read', findings: [{ line: 2 }] },
      },
    ]);
    expect(JSON.stringify(notices)).not.toContain('QWERTY');
    expect(await check('warn', true)).toEqual([]);
    expect(await check('off', false)).toEqual([]);
    for (const isEarlier of [false, true]) {
      const refused = { class: 'permission', field: 'messages[2].content' };
      await expect(check('block', isEarlier)).rejects.toMatchObject(refused);
      await expect(check('block', isEarlier)).rejects.not.toThrow('QWERTY');
    }
  },
);
