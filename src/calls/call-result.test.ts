import { expect, test } from 'vitest';
import { Envelope } from '#core/calls/envelope.schema.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { toCallResult } from './call-result.ts';

test('notices of a tool are data in the envelope, which has none where there are none', () => {
  const cut = notice('answer_cut', {});
  const of = (answer: object) =>
    toCallResult({ is: 'answer', answer: { text: 'Four.', ...answer } }, 'chat', 'req_1', []);
  expect(of({ detail: 'Cut.', notices: [cut] }).envelope).toMatchObject({
    detail: 'Cut.',
    notice_data: [cut],
  });
  expect(of({ notices: [] }).envelope).not.toHaveProperty('notice_data');
  expect(of({}).envelope).not.toHaveProperty('notice_data');
});

test('a failure within a result is data in the envelope, and the call still succeeded', () => {
  const failure = codedError('not_configured', reason('no_provider_set_up'), {
    fixes: [fix('add_key', { provider: 'glm' })],
  });
  const answer = { text: 'Kept.', status: 'analysis_error', failure };
  const result = toCallResult({ is: 'answer', answer }, 'thinkdeep', 'req_1', []);
  expect(result.error).toBe(undefined);
  expect(Envelope.parse(result.envelope)).toMatchObject({
    status: 'analysis_error',
    error_class: 'not_configured',
    error: {
      message: failure.message,
      reason: { code: 'no_provider_set_up', params: {} },
      fixes: [{ kind: 'add_key', params: { provider: 'glm' } }],
    },
  });
});
