import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { command } from './commands/gateway-env.ts';
import { runWithFailureOutput } from './run.ts';

const FAULT = new CallError('bad_request', 'No.');

async function outputOf(argv: readonly string[], width?: number): Promise<string> {
  let stdout = '';
  const io = {
    stdout: { write: (text: string) => void (stdout += text) },
    ...(width !== undefined && { width }),
  };
  const work = () => Promise.reject(FAULT);
  await expect(runWithFailureOutput(command, argv, io, work)).rejects.toBe(FAULT);
  return stdout;
}

test.each<[readonly string[], string]>([
  [['gemini-cli'], 'false\n'],
  [['openai', '--unknown'], 'false\n'],
  [['openai', '--shell', 'tcsh'], 'false\n'],
  [['openai', '--shell'], 'false\n'],
  [['openai', '--shell', 'fish'], 'false\n'],
  [
    ['openai', '--shell=powershell'],
    `throw 'exai gateway env failed; it says why on standard error.'\n`,
  ],
  [['openai', '--shell', 'json'], ''],
  [['continue'], ''],
])('gateway env %j that fails prints %j to a shell', async (argv, text) => {
  expect(await outputOf(argv)).toBe(text);
});

test('a terminal, and all other commands, get the text alone', async () => {
  expect(await outputOf(['gemini-cli'], 80)).toBe('');
  const io = { stdout: { write: () => expect.unreachable() } };
  await expect(runWithFailureOutput({}, [], io, () => Promise.reject(FAULT))).rejects.toBe(FAULT);
});

test('what succeeds is left as it is', async () => {
  const io = { stdout: { write: () => expect.unreachable() } };
  expect(await runWithFailureOutput(command, ['openai'], io, async () => 0)).toBe(0);
});
