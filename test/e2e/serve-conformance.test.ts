import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { BIN, createHome, createPlainHome } from './exai.ts';

const FIXTURE = 'test_simple_text';

test('`exai serve --conformance` has the fixtures, and says so where people look', async () => {
  const { serve, exai, path } = createHome();
  const daemon = await serve(['--conformance']);
  const called = await exai(['call', FIXTURE]);
  expect(called).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('for testing') as string,
  });
  daemon.kill('SIGTERM');
  const { stderr } = await daemon.ended;
  expect(stderr).toContain("The test fixtures of MCP's conformance suite are on");
  expect(readFileSync(path('logs', 'daemon.jsonl'), 'utf8')).toContain('conformance_fixtures_on');
});

verifies('mcp:fixtures', 'a daemon without the flag has none of them', async () => {
  const { serve, exai } = createPlainHome();
  const daemon = await serve();
  const { stdout } = await exai(['tools', '--json']);
  expect(stdout).toContain('"status"');
  expect(stdout).not.toContain('test_');
  expect((await exai(['call', FIXTURE])).code).not.toBe(0);
  daemon.kill('SIGTERM');
  expect((await daemon.ended).stderr).toBe('');
});

test('they are in a file of their own, which is loaded when it is asked for and not before', () => {
  const dist = join(BIN, '../../dist');
  const files = readdirSync(dist).filter((name) => name.endsWith('.js'));
  const text = (name: string) => readFileSync(join(dist, name), 'utf8');
  const [kit = '', ...more] = files.filter((name) => text(name).includes(FIXTURE));
  expect([kit, ...more]).toEqual([expect.stringMatching(/^kit-/)]);
  const users = files.filter((name) => name !== kit && text(name).includes(kit));
  expect(users).toHaveLength(1);
  for (const name of users) expect(text(name)).toContain(`import("./${kit}")`);
});

verifies(
  'mcp:fixtures',
  'fixtures are refused beyond loopback, token or not, before anything is made',
  async () => {
    const { exai, path } = createHome();
    const args = ['serve', '--port', '0', '--host', '0.0.0.0', '--conformance'];
    for (const env of [{}, { EXAI_TOKEN: 'x'.repeat(32) }]) {
      const { code, stdout, stderr } = await exai(args, { env });
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toContain('--conformance adds test fixtures');
      expect(stderr).toContain('fix: Set EXAI_HOST to 127.0.0.1. Or leave out --conformance.');
    }
    expect(() => readFileSync(path('logs', 'daemon.jsonl'))).toThrow(/ENOENT/);
  },
);

test('`exai serve --help` tells of the flag', async () => {
  const { exai } = createHome();
  const { stdout } = await exai(['serve', '--help']);
  expect(stdout).toMatch(/--conformance +Adds the test fixtures of MCP's conformance suite/);
});
