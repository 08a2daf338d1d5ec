import { expect, onTestFinished } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { createPlainHome } from './exai.ts';

const NOT_CONFIGURED = 22;

verifies('net:offline', 'no provider elsewhere is asked, and the reason is said', async () => {
  const { exai } = createPlainHome();
  onTestFinished(async () => void (await exai(['stop'])));
  const env = { EXAI_OFFLINE: 'true', GLM_API_KEY: 'emulated.secret0002' };
  const asked = await exai(['ask', 'What is 2 + 3?'], { env });
  expect(asked.code).toBe(NOT_CONFIGURED);
  expect(asked.stderr).toContain('network.offline');
  const page = await exai(['read', 'https://example.com/'], { env });
  expect(page).toMatchObject({ code: NOT_CONFIGURED });
  expect(page.stderr).toContain('network.offline');
});

verifies('net:offline', 'a provider on this machine answers', async () => {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const { exai } = createPlainHome();
  onTestFinished(async () => void (await exai(['stop'])));
  const env = {
    EXAI_OFFLINE: 'true',
    GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
    GLM_API_KEY: 'emulated.secret0002',
  };
  expect(await exai(['ask', 'What is 2 + 3?'], { env })).toMatchObject({ code: 0 });
});
