import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { main } from './main.ts';
import { send } from './emulator.fixture.ts';

test('the program says where it is, serves, and ends when told', async () => {
  const program = `import('./emulator/main.ts').then(({main}) => main(['--port','0','--pace','1'])).then((code) => { process.exitCode = code; })`;
  const child = spawn(process.execPath, ['--import', 'tsx', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    text += chunk.toString('utf8');
    if (text.includes('_faults')) break;
  }
  const url = /^emulating on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(text)?.[1] ?? '';
  for (const name of ['KIMI_API_URL', 'GLM_API_URL', 'OPENROUTER_API_URL', 'CUSTOM_API_URL'])
    expect(text).toContain(`${name}=${url}/`);
  expect((await send(`${url}/`)).json.emulator).toBe('exai');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
}, 30_000);

test.each([['--port', '99999'], ['--port', 'x'], ['--pace', '-1'], ['--stranger']])(
  'wrong options %s %s end it with 2',
  async (...argv) => {
    expect(await main(argv)).toBe(2);
  },
);
