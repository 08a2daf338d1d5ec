import { writeFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

/** A daemon whose vendors are the emulator. */
async function emulated() {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const home = createHome();
  await home.serve([], {
    env: {
      KIMI_API_URL: `${emulator.url}/kimi/v1`,
      KIMI_API_KEY: 'sk-emulated-kimi-0001',
      GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
      GLM_API_KEY: 'emulated.secret0002',
    },
  });
  return { ...home, emulator };
}

interface Explained {
  readonly facts: { readonly tool: string };
  readonly plan: { readonly class: string; readonly candidates: readonly { model: string }[] };
  readonly payload: { readonly url: string; readonly body: { readonly model: string } };
}

verifies(
  'route:explain',
  'a question is explained on one page, and no model is asked',
  async () => {
    const { exai, emulator } = await emulated();
    const { code, stdout, stderr } = await exai(['explain', 'What is the latest Node.js release?']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Request: chat \(fast response\), about [\d,]+ tokens/);
    expect(stdout).toContain('\nClass: web, ');
    expect(stdout).toMatch(/\n {2}> {2}7 web /);
    expect(stdout).toMatch(/\nChain:\n {2}1\. glm-\S+ \(glm\): /);
    // eslint-disable-next-line no-control-regex -- the escape character is what must not be there
    expect(stdout).not.toMatch(/\u001B/);
    expect(emulator.requests()).toEqual([]);
  },
);

verifies('route:explain', 'the payload is what is sent when it is asked', async () => {
  const { exai, emulator, path } = await emulated();
  writeFileSync(path('args.json'), '{"prompt": "Say exactly: Good morning."}');
  const explain = await exai([
    'explain',
    'chat',
    '--args',
    `@${path('args.json')}`,
    '--payload',
    '--json',
  ]);
  expect([explain.code, explain.stderr]).toEqual([0, '']);
  const { facts, plan, payload } = JSON.parse(explain.stdout) as Explained;
  expect(facts.tool).toBe('chat');
  expect(payload.body.model).toBe(plan.candidates[0]?.model);
  expect(emulator.requests()).toEqual([]);

  expect((await exai(['ask', 'Say exactly: Good morning.'])).stdout).toBe('Good morning.\n');
  const [sent] = emulator.requests();
  expect(payload.url).toBe(`${emulator.url}${sent?.path}`);
  expect(payload.body).toEqual(sent?.body);
});

verifies(
  'route:explain',
  'what is piped in is explained as it would be asked: the text, or the question itself',
  async () => {
    const { exai, emulator } = await emulated();
    const input = 'The ferry to Anholt leaves at nine.\n';
    const about = await exai(['explain', 'When does it leave?', '--payload'], { input });
    expect([about.code, about.stderr]).toEqual([0, '']);
    expect(about.stdout).toMatch(/^Request: chat .*, 1 file of \d+ tokens/);
    expect(about.stdout).toContain('The ferry to Anholt leaves at nine.');

    const alone = await exai(['explain'], { input: 'What is the latest Node.js release?\n' });
    expect(alone.stdout).toContain('\nClass: web, ');

    const large = await exai(['explain', 'Why is it so?'], { input: 'x'.repeat(10_000_001) });
    expect([large.code, large.stderr]).toEqual([8, expect.stringContaining('10 MB')]);
    const nothing = await exai(['explain']);
    expect(nothing.code).toBe(2);
    expect(nothing.stderr).toContain('Nothing to explain');
    expect(emulator.requests()).toEqual([]);
  },
);

verifies('route:explain', 'without keys it says once who is left out', async () => {
  const { exai, serve } = createHome();
  await serve();
  const { code, stdout } = await exai(['explain', 'What is a monad?']);
  expect(code).toBe(0);
  expect(stdout.match(/\n {2}your own server: .*CUSTOM_API_URL/g)).toHaveLength(1);
  expect(stdout.match(/your own server: /g)).toHaveLength(1);
  expect(stdout).not.toContain('default');
});

verifies('route:explain', 'what cannot be explained has the exit code of its class', async () => {
  const { exai } = await emulated();
  const word = await exai(['explain', 'chatt']);
  expect(word.code).toBe(0);
  expect(word.stdout).toMatch(/^Request: chat /);
  expect(word.stderr).toBe(
    'There is no tool "chatt", did you mean "chat"? "chatt" is taken as a question.\n',
  );
  const slip = await exai(['explain', 'chatt', '--args', '{}']);
  expect([slip.code, slip.stdout]).toEqual([6, '']);
  expect(slip.stderr).toContain('There is no tool "chatt", did you mean "chat"?');

  const status = await exai(['explain', 'status']);
  expect(status.code).toBe(3);
  expect(status.stderr).toContain('status has no route');

  const model = await exai(['explain', 'chat', '--args', '-', '--json'], {
    input: '{"prompt": "Hello", "model": "nonesuch"}',
  });
  expect(model.code).toBe(6);
  expect(JSON.parse(model.stdout)).toMatchObject({ error: { class: 'not_found' } });

  const twice = await exai(['explain', 'Why not?', '--args', '{"prompt": "Why?"}']);
  expect(twice.code).toBe(2);
});
