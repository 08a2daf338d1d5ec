import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { confirm } from './confirm.ts';

function asked(typed: string, from: 'terminal' | 'pipe' = 'terminal') {
  const input = Object.assign(new PassThrough(), { isTTY: from === 'terminal' });
  input.end(typed);
  let printed = '';
  const output = { write: (text: string) => void (printed += text) };
  const done = confirm({ input, output, question: 'Sure?', ifDeclined: 'nothing was done' });
  return { done, said: () => printed };
}

test.each(['y\n', 'Y\r\n', ' yes \nmore', 'YES'])('%j is a yes', async (typed) => {
  const { done, said } = asked(typed);
  await done;
  expect(said()).toBe('Sure? [y/N] ');
});

test.each(['\n', 'n\n', '', 'yesterday\n', 'no\ny\n'])('%j is a no', async (typed) => {
  await expect(asked(typed).done).rejects.toMatchObject({
    class: 'cancelled',
    message: 'Cancelled; nothing was done.',
  });
});

test('without a terminal the error names the option', async () => {
  const { done, said } = asked('y\n', 'pipe');
  await expect(done).rejects.toMatchObject({ class: 'bad_request', field: '--yes' });
  expect(said()).toBe('');
});
