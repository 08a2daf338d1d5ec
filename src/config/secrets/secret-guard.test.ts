import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { homePaths } from '../home/home.ts';
import { addKey } from './keys.ts';
import { quoteName, quoteSafely } from './secret-guard.ts';
import { tempHome } from '../temp-home.fixture.ts';

const SECRETS = [
  'sk-0123456789abcdefghij',
  'AKIAIOSFODNN7EXAMPLE',
  '9f86d081884c7d659a2feaa0c55ad015.AbCdEfGhIjKlMnOp',
  'me:hunter2@host',
];

verifies('config:wrong-type', 'a key in the wrong place is not quoted, whichever it is', () => {
  const it = tempHome();
  for (const secret of SECRETS) {
    const json = JSON.stringify(secret);
    const files = [
      `{${json}: 1}`,
      `{"listener": {${json}: 1}}`,
      `{${json}: 1, ${json}: 2}`,
      `{${json}}`,
      `{"port": ${json}}`,
      `{"timezone": ${json}}`,
      `{"allowedDirs": [${json}]}`,
      `{"location": "\${K${secret.replaceAll(/\W/g, '_')}}"}`,
    ];
    for (const file of files) {
      it.write('config.json', file);
      expectHidden(() => it.load(), secret);
    }
    it.write('config.json', '{}');
    for (const name of ['EXAI_PORT', 'EXAI_TIMEZONE', 'Z_AI_MODE', 'EXAI_ALLOWED_DIRS']) {
      expectHidden(() => it.load({ [name]: secret }), secret);
    }
    expectHidden(() => it.load({ EXAI_HOST: `${secret} ` + secret }), secret);
    expectHidden(() => homePaths({ EXAI_HOME: secret }), secret);
    expectHidden(() => addKey(it.home, secret, 'x'), secret);
  }
});

function expectHidden(act: () => unknown, secret: string): void {
  let refused: unknown;
  try {
    act();
  } catch (thrown) {
    refused = thrown;
  }
  expect(refused).toBeInstanceOf(Error);
  const shown = JSON.stringify(refused);
  expect(shown).not.toContain(secret);
  expect(shown).not.toContain(secret.replaceAll(/\W/g, '_'));
}

test.each(['abc', 'maxFrameBytesLimit', 'KIMI_API_KEY_2', 'wholly unknown', '__proto__'])(
  'the name %s is quoted',
  (name) => expect(quoteName(name)).toBe(JSON.stringify(name)),
);

test.each(['abc', 'Australia/Melburne', '70000', 'a b', 1.5, -1, 'projects/x'])(
  'the value %j is quoted',
  (value) => expect(quoteSafely(value, 'is')).toBe(`is ${JSON.stringify(value)}`),
);

test.each(['abcdefghijklmnopqr', 'correct-horse-battery-staple', 1234567890123456])(
  'the value %j is not',
  (value) => expect(quoteSafely(value, 'is')).toMatch(/^holds .* \(not shown/),
);
