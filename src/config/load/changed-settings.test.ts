import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { AT_RELOAD } from '../schema/setting-meta.ts';
import { findChangedSettings } from './changed-settings.ts';
import { loadConfig } from './load.ts';

verifies('doctor:older-settings', 'what changed since the settings were loaded is named', () => {
  const home = mkdtempSync(join(tmpdir(), 'exai-changed-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const write = (text: string) => writeFileSync(join(home, '.env'), text, { mode: 0o600 });
  write('KIMI_API_KEY=sk-first\nLOG_LEVEL=info\n');
  const loaded = loadConfig({ env: { EXAI_HOME: home, OPENROUTER_API_KEY: 'sk-env' } });
  expect(findChangedSettings(loaded)).toEqual([]);

  // The environment of the daemon counts more than .env, and the token changes at run time.
  write(
    'KIMI_API_KEY=sk-second\nGLM_API_KEY=id.secret\nOPENROUTER_API_KEY=x\nEXAI_TOKEN=0123456789abcdef\n',
  );
  const changed = findChangedSettings(loaded);
  expect(changed).toContainEqual({
    path: 'providers.kimi.apiKey',
    key: 'kimi',
    before: 'set',
    applies: AT_RELOAD,
  });
  expect(changed).toContainEqual({
    path: 'providers.glm.apiKey',
    key: 'glm',
    before: 'unset',
    applies: AT_RELOAD,
  });
  expect(changed.map(({ path }) => path)).not.toContain('providers.openrouter.apiKey');
  expect(changed.map(({ path }) => path)).not.toContain('token');
  expect(JSON.stringify(changed)).not.toContain('sk-second');
});
