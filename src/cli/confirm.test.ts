import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { confirm } from './confirm.ts';

function asked(typed: string, terminal: 'yes' | 'no' = 'yes') {
  const input = Object.assign(new PassThrough(), { isTTY: terminal === 'yes' });
  input.end(typed);
  let said = '';
  const output = { write: (text: string) => void (said += text) };
  const done = confirm({ input, output, question: 'Sure?', otherwise: 'nothing was done' });
  return { done, said: () => said };
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

test('where nobody can be asked, the option is named', async () => {
  const { done, said } = asked('y\n', 'no');
  await expect(done).rejects.toMatchObject({ class: 'bad_request', field: '--yes' });
  expect(said()).toBe('');
});
