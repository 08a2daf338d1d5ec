import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { withSettingHint } from './setting-hint.ts';

const asked = (baseUrl: string, usual = 'https://api.moonshot.ai/v1') =>
  ({ provider: 'kimi', setting: 'KIMI_API_URL', baseUrl, usual }) as const;

const failing = (errorClass: ErrorClass, at = asked('http://127.0.0.1:1/v1'), fix?: string) =>
  withSettingHint(at, () =>
    Promise.reject(new CallError(errorClass, 'It failed.', { ...(fix !== undefined && { fix }) })),
  ).catch((error: unknown) => error);

test.each(['network', 'timeout', 'not_found'] as const)('%s names the setting', async (is) => {
  expect(await failing(is)).toMatchObject({
    class: is,
    message: 'It failed.',
    provider: 'kimi',
    fix: 'Check KIMI_API_URL, which is http://127.0.0.1:1/v1, or unset it for https://api.moonshot.ai/v1.',
  });
  const usual = asked('https://api.moonshot.ai/v1');
  expect(await failing(is, usual)).toMatchObject({
    fix: 'Check the network and its proxies with: exai doctor, or set KIMI_API_URL to the address to ask.',
  });
  expect(await failing(is, asked('http://h:1/v1', ''))).toMatchObject({
    fix: 'Check that a server runs at http://h:1/v1 (KIMI_API_URL).',
  });
  const secret = await failing(is, asked('http://me:hunter2@h:1/v1'));
  expect(JSON.stringify(secret)).not.toMatch(/hunter2|me:/);
});

test('what is known better stays', async () => {
  const at = asked('http://127.0.0.1:1/v1');
  expect(await failing('network', at, 'Add its certificate.')).toMatchObject({
    fix: 'Add its certificate.',
  });
  expect(await failing('not_found', at, 'exai models lists them.')).toMatchObject({
    fix: expect.stringContaining('KIMI_API_URL') as string,
  });
  expect(await failing('auth', at)).toMatchObject({ class: 'auth', fix: undefined });
});
