import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { BIN, createHome } from './exai.ts';

/** A home whose daemon uses any free port and stops with the test. */
function place() {
  const home = createHome();
  const env = { EXAI_PORT: '0' };
  onTestFinished(async () => {
    await home.exai(['stop']);
  });
  return { ...home, env };
}

/** Runs a line in a shell whose PATH has only the command `exai`. */
function inShell(root: string, line: string, env: Record<string, string>): string {
  const command = `exai() { "${process.execPath}" "${BIN}" "$@"; }; ${line}`;
  const { stdout } = spawnSync('sh', ['-c', command], {
    env: { PATH: process.env['PATH'] ?? '', HOME: root, EXAI_HOME: root, ...env },
    encoding: 'utf8',
  });
  return stdout;
}

verifies(
  'gateway:env',
  'a daemon is started for a tool that is pointed at it, and answers there',
  async () => {
    const { exai, env } = place();
    const { code, stdout, stderr } = await exai(['gateway', 'env', 'openai'], { env });
    expect([code, stderr]).toEqual([0, '']);
    const url = /^export OPENAI_BASE_URL=(http:\S+)$/m.exec(stdout)?.[1] ?? '';
    expect((await fetch(`${url}/models`)).status).toBe(200);

    const status = await exai(['status']);
    expect(status.stdout).toMatch(new RegExp(`^ {2}gateway +${url}$`, 'm'));
    expect((await exai(['doctor'])).stdout).toContain(`Gateway          ${url}, `);
  },
);

test('an unknown model is refused, and an alias of gateway.aliases is accepted', async () => {
  const { exai, env } = place();
  const own = { env: { ...env, EXAI_GATEWAY_ALIASES: 'gpt-4o=auto' } };
  const refused = await exai(['gateway', 'env', 'aider', '--model', 'nope'], own);
  expect([refused.code, refused.stdout]).toEqual([6, 'false\n']);
  expect(refused.stderr).toContain('There is no model "nope"');
  expect(refused.stderr).toContain('gateway.aliases: nope=auto');
  const taken = await exai(['gateway', 'env', 'aider', '--model', 'gpt-4o'], own);
  expect([taken.code, taken.stderr]).toEqual([0, '']);
  expect(taken.stdout).toContain('AIDER_MODEL=openai/gpt-4o\n');
});

verifies('gateway:env', 'what fails never starts the tool with its old settings', async () => {
  const { root } = place();
  const off = { EXAI_GATEWAY_ENABLED: 'false' };
  const both = (tool: string) => [
    `eval "$(exai gateway env ${tool})" && echo started`,
    `e="$(exai gateway env ${tool})" && eval "$e" && echo started`,
  ];
  for (const line of both('gemini-cli')) expect(inShell(root, line, {})).toBe('');
  for (const line of both('claude-code')) expect(inShell(root, line, off)).toBe('');

  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const port = String((taken.address() as { port: number }).port);
  for (const line of both('openai')) expect(inShell(root, line, { EXAI_PORT: port })).toBe('');
});

verifies('gateway:explain', 'the body of a gateway request is explained', async () => {
  const { exai, env } = place();
  const withKeys = { env: { ...env, GLM_API_KEY: 'some.key0001' } };
  const body = { model: 'auto', messages: [{ role: 'user', content: 'hi' }] };
  const args = ['explain', 'gateway_chat', '--args', JSON.stringify(body)];
  const { code, stdout } = await exai(args, withKeys);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Request: gateway_chat \(balanced\)/);
  expect(stdout).toMatch(/\n {2}1\. glm-/);
  expect(stdout).not.toMatch(/\d\. local-extract/);
  const asPrompt = ['explain', 'gateway_chat', '--args', '{"prompt":"hi"}'];
  expect((await exai(asPrompt, withKeys)).stdout).toBe(stdout);
});
