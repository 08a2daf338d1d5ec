import { expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { toCallAnswer } from './answer.ts';

test('notices of a tool are data in the envelope, which has none where there are none', () => {
  const cut = notice('answer_cut', {});
  const of = (answer: object) =>
    toCallAnswer({ is: 'answer', answer: { text: 'Four.', ...answer } }, 'chat', 'req_1', []);
  expect(of({ detail: 'Cut.', notices: [cut] }).envelope).toMatchObject({
    detail: 'Cut.',
    notice_data: [cut],
  });
  expect(of({ notices: [] }).envelope).not.toHaveProperty('notice_data');
  expect(of({}).envelope).not.toHaveProperty('notice_data');
});
