import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { BIN, createHome, runScript } from './exai.ts';

const MCPORTER = resolve('test/tools/clients/node_modules/mcporter/dist/cli.js');
const SHIM = `"${process.execPath}" "${BIN}" stdio`;

// `npm test` installs it; in CI nothing is skipped.
describe.skipIf(!existsSync(MCPORTER) && !process.env['CI'])('mcporter, through the shim', () => {
  verifies('shim:clean', 'lists the tools and calls one', async () => {
    const { root, exai } = createHome();
    const mcporter = (args: readonly string[]) =>
      runScript(root, MCPORTER, args, { env: { EXAI_PORT: '0' } });
    const listed = await mcporter(['list', '--stdio', SHIM, '--json']);
    expect(listed.stdout).toContain('"call_tool"');
    const called = await mcporter(['call', '--stdio', SHIM, 'version']);
    // The text that a model reads, not the envelope.
    expect(called.stdout).toMatch(/^EX-AI \d+\.\d+\.\d+, Node\.js v/);
    expect((await exai(['stop'])).code).toBe(0);
  });
});

describe.skipIf(!existsSync(MCPORTER) && !process.env['CI'])('mcporter, over HTTP', () => {
  verifies(
    'security:owner-token',
    'lists the tools with the token, and without it shows how to get one',
    async () => {
      const { root, exai, serve } = createHome();
      const required = { env: { EXAI_AUTH_REQUIRE_TOKEN: 'true' } };
      const { url } = await serve([], required);
      const token = (await exai(['token', 'show'], required)).stdout.trim();
      const mcporter = (...args: readonly string[]) => runScript(root, MCPORTER, args);
      const add = (name: string, ...more: readonly string[]) =>
        mcporter('config', 'add', name, `${url}/mcp`, '--scope', 'home', ...more);
      await add('with', '--header', `Authorization=Bearer ${token}`);
      expect((await mcporter('list', 'with', '--json')).stdout).toContain('"call_tool"');
      await add('without');
      const refused = await mcporter('list', 'without');
      expect(refused.stdout + refused.stderr).toContain(
        'Reason: EX-AI does not use OAuth. Send the header "Authorization: Bearer <token>"; `exai token show` prints the token.',
      );
    },
  );
});
