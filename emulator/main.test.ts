import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { main } from './main.ts';
import { send } from './emulator.fixture.ts';
import { startEmulator } from './start.ts';

function wordsTo(stream: 'stdout' | 'stderr') {
  const written: string[] = [];
  const spy = vi.spyOn(process[stream], 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  onTestFinished(() => spy.mockRestore());
  return () => written.join('');
}

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
  expect(text).toContain('\n  export EXAI_HOME=~/.exai-emulated\n  export KIMI_API_URL=');
  expect(text).not.toContain('undefined');
  for (const name of ['KIMI_API_URL', 'GLM_API_URL', 'OPENROUTER_API_URL', 'CUSTOM_API_URL'])
    expect(text).toContain(`${name}=${url}/`);
  expect((await send(`${url}/`)).json.emulator).toBe('exai');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
});

test('a port that is in use is told with what to do, as a conflict', async () => {
  const other = await startEmulator({ vendors: [] });
  onTestFinished(() => other.close());
  const told = wordsTo('stderr');
  expect(await main(['--port', String(other.port)])).toBe(7);
  expect(told()).toBe(
    `Port ${other.port} of 127.0.0.1 is in use by another program.\nfix: take any free one with --port 0, or name another.\n`,
  );
});

test('--json says where it is as one document', async () => {
  const told = wordsTo('stdout');
  const ended = main(['--json', '--port', '0']);
  await expect.poll(told).not.toBe('');
  const { url, environment } = JSON.parse(told());
  expect(environment).toMatchObject({
    EXAI_HOME: '~/.exai-emulated',
    KIMI_API_URL: `${url}/kimi/v1`,
  });
  expect((await send(`${url}/`)).json.emulator).toBe('exai');
  process.emit('SIGTERM');
  expect(await ended).toBe(0);
});

test.each([['--pace=-3'], ['--pace', '-3']])(
  'a pace below nothing (%s %s) is named',
  async (...argv) => {
    const told = wordsTo('stderr');
    expect(await main(argv)).toBe(2);
    expect(told()).toMatch(/^--pace: -3 is not a number of milliseconds from 0 to 60000\.\n/);
  },
);

test.each([['--port', '99999'], ['--port', 'x'], ['--port='], ['--pace'], ['--stranger']])(
  'wrong options %s %s end it with 2',
  async (...argv) => {
    expect(await main(argv)).toBe(2);
  },
);
