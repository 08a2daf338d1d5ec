import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

const KEY = 'sk-deepseek-e2e-0123456789abcdef';
const MODEL = 'Qwen/Qwen3-8B';

async function setUp() {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const home = createHome();
  const env = { EXAI_DAEMON_AUTOSTART: 'off' };
  const run = (...args: string[]) => home.exai(args, { env });
  /** With a key in a pipe. */
  const piped = (...args: string[]) => home.exai(args, { env, input: `${KEY}\n` });
  return { emulator, ...home, run, piped };
}

verifies(
  'providers:one-line',
  'a preset is added in one line, answers auto at once, and is removed',
  async () => {
    const { emulator, serve, run, piped, path } = await setUp();
    await serve();
    const url = `${emulator.url}/vllm/v1`;
    const added = await piped('providers', 'add', 'deepseek', '--url', url, '--model', MODEL, '-y');
    expect(added).toMatchObject({ code: 0 });
    expect(added.stdout).toContain(`  ${MODEL}: price unknown`);
    expect(added.stdout).toContain('untried');
    expect(added.stdout).toContain('Roles: none changes.');
    expect(added.stdout).toContain('auto asks it, as no other provider is set up.');
    expect(added.stdout).toContain('It is in effect in the running daemon.');
    expect(added.stdout + added.stderr).not.toContain(KEY);
    expect(readFileSync(path('config.json'), 'utf8')).not.toContain(KEY);

    const answer = await run('ask', '--json', 'What is 2 + 3?');
    expect(JSON.parse(answer.stdout)).toMatchObject({ provider: 'deepseek', model: MODEL });
    const sent = emulator.requests().find(({ path: at }) => at.endsWith('/chat/completions'));
    expect(sent?.headers['authorization']).toBe(`…${KEY.slice(-4)}`);
    const named = await run('ask', '--json', '--model', `deepseek/${MODEL}`, 'What is 4 + 4?');
    expect(JSON.parse(named.stdout)).toMatchObject({ provider: 'deepseek', status: 'success' });
    const explained = await run('explain', 'What is 2 + 3?');
    expect(explained.stdout).toMatch(/ 1\. \S+ \(deepseek\)/);
    expect(explained.stdout).toContain('so deepseek answers');

    // A second server beside it, which needs no key.
    const box = await run(
      'providers',
      'add',
      'mybox',
      '--url',
      `${emulator.url}/llamacpp/v1`,
      '-y',
    );
    expect(box).toMatchObject({ code: 0 });
    expect(box.stdout).toContain('auto asks it after deepseek.');
    const early = await run('providers', 'add', 'abox', '--url', `${emulator.url}/ollama/v1`, '-y');
    expect(early.stdout).toContain('auto asks it first, before deepseek, mybox.');
    expect(await run('providers', 'remove', 'abox', '--yes')).toMatchObject({ code: 0 });
    const listed = await run('providers', 'list', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject({
      providers: expect.arrayContaining([
        expect.objectContaining({ id: 'deepseek', state: 'ready', keys: 1, tested: 'untried' }),
        expect.objectContaining({ id: 'mybox', state: 'ready', keys: 0, tested: 'own' }),
      ]) as unknown,
    });
    const models = await run('models', '--json', '--provider', 'mybox');
    expect(models.stdout).toContain('"provider": "mybox"');
    const tested = await run('providers', 'test', 'deepseek', '--yes');
    expect(tested).toMatchObject({ code: 0, stdout: `${MODEL} answered.\n` });
    expect(tested.stderr).toContain('for one token');
    const trial = emulator.requests().findLast(({ path: at }) => at.endsWith('/chat/completions'));
    expect(trial?.body).toMatchObject({ max_tokens: 1 });

    // A role by setting.
    const gone = await run('providers', 'test', 'deepseek', '--model', 'gone', '--yes');
    expect(gone.stderr).toContain('DeepSeek has no model "gone".');
    expect(gone.stderr).toContain(`exai providers test deepseek --model ${MODEL}`);
    const role = await run('config', 'set', 'models.glmSpeed', `deepseek/${MODEL}`);
    expect(role.code).toBe(0);
    const byRole = await run('explain', 'What is 2 + 3?');
    expect(byRole.stdout).toContain('rule 12, simple-tool');
    expect(byRole.stdout).toMatch(/ 1\. \S+ \(deepseek\)/);

    const removed = await run('providers', 'remove', 'deepseek', '--yes');
    expect(removed).toMatchObject({ code: 0 });
    expect(removed.stdout).toContain('exai config unset models.glmSpeed');
    expect(removed.stdout).toContain('The running daemon no longer uses it.');
    expect(readFileSync(path('.env'), 'utf8')).not.toContain(KEY);
    const after = await run('ask', '--json', 'What is 2 + 3?');
    expect(JSON.parse(after.stdout)).toMatchObject({ provider: 'mybox' });
  },
  120_000,
);

verifies(
  'providers:clear-refusals',
  'each mistake is one sentence, and nothing is stored',
  async () => {
    const { emulator, run, piped, path } = await setUp();
    const page = createServer((_, response) => response.end('<html>Hello</html>'));
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', () => resolve()));
    onTestFinished(() => void page.close());
    const { port } = page.address() as AddressInfo;
    const add = (...args: string[]) => run('providers', 'add', ...args, '--yes');
    const rows: readonly [readonly string[], string][] = [
      [['box', '--url', 'http://127.0.0.1:9/v1'], 'box cannot be reached at 127.0.0.1:9.'],
      [['box', '--url', `http://127.0.0.1:${port}`], 'answers, but not as an OpenAI-compatible'],
      [['box', '--url', `${emulator.url}/vllm/v1`, '--model', 'gone'], 'has no model "gone".'],
      [['box', '--url', 'http://me:secret@127.0.0.1:9/v1'], '--url must have no user name'],
      [['box', '--url', 'ftp://127.0.0.1'], '--url must be a URL that begins with'],
      [['box'], 'There is no preset "box"'],
      [['deepsek'], 'did you mean "deepseek"?'],
      [['azure'], 'has a different address for every user.'],
      [['kimi', '--url', 'http://127.0.0.1:9'], 'is used by EX-AI itself.'],
      [['__proto__', '--url', 'http://127.0.0.1:9'], 'must begin with a small letter'],
      [['a b', '--url', 'http://127.0.0.1:9'], 'must begin with a small letter'],
      [['openai', '--key-env', 'NOT_SET_HERE'], 'is not set.'],
    ];
    for (const [args, sentence] of rows) {
      const { code, stderr } = await add(...args);
      expect(code).not.toBe(0);
      expect(stderr).toContain(sentence);
      expect(stderr).toContain('fix: ');
      expect(stderr).not.toContain('secret');
    }
    emulator.fault({ id: 'F16', vendor: 'kimi', times: 0 });
    const refused = await piped(
      'providers',
      'add',
      'openai',
      '--url',
      `${emulator.url}/kimi/v1`,
      '--yes',
    );
    expect(refused.stderr).toMatch(/OpenAI at 127\.0\.0\.1:\d+ refused the key\./);
    // The fix is a command that works for a provider that is not stored.
    expect(refused.stderr).toContain(`exai providers add openai --url ${emulator.url}/kimi/v1`);
    const keyless = await add('box', '--url', `${emulator.url}/kimi/v1`);
    expect(keyless.stderr).toMatch(/box at 127\.0\.0\.1:\d+ needs a key\./);
    expect(keyless.stderr).toContain(`exai providers add box --url ${emulator.url}/kimi/v1 --key`);
    expect(() => readFileSync(path('config.json'))).toThrow('ENOENT');
    expect(() => readFileSync(path('.env'), 'utf8')).toThrow('ENOENT');
  },
  120_000,
);

verifies(
  'providers:one-line',
  'a key of a preset that is stored is enough, and one in the environment is only named',
  async () => {
    const { exai, piped } = await setUp();
    const stored = await piped('keys', 'add', 'mistral', '--json');
    expect(JSON.parse(stored.stdout)).toMatchObject({ stored: 'mistral' });
    const { stdout } = await exai(['providers', 'list', '--json'], {
      env: { GROQ_API_KEY: 'gsk-never-used-unasked' },
    });
    expect(JSON.parse(stdout)).toMatchObject({
      providers: expect.arrayContaining([
        expect.objectContaining({ id: 'mistral', state: 'ready', host: 'api.mistral.ai' }),
      ]) as unknown,
    });
    expect(stdout).not.toContain('groq');
  },
  60_000,
);
