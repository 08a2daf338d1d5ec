import { expect, test } from 'vitest';
import type { Envelope } from '#core/envelope.schema.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { answerFacts } from './answer-facts.ts';

const BARE: Envelope = {
  status: 'success',
  tool: 'gateway_chat',
  attempt: 0,
  req_id: 'req_1',
  content: null,
};
const FAILED = {
  attempt: 1,
  provider: 'glm',
  model: 'glm-5.3',
  elapsed_ms: 20,
  outcome: 'timeout',
} as const;

const told = (envelope: Envelope, more?: readonly Notice[]): unknown =>
  JSON.parse(JSON.stringify(answerFacts({ reqId: 'req_1', envelope }, more)));

test('who was asked, why and for how much is always told, notices and seams where there are any', () => {
  expect(told(BARE)).toEqual({ req_id: 'req_1', attempts: [], because: [], cost_usd: 0 });
  const because = ['It was named.'];
  const seams = [{ at: 3, provider: 'kimi', model: 'kimi-k3' }];
  const whole: Envelope = {
    ...BARE,
    provider: 'kimi',
    model: 'kimi-k3',
    usage: { input: 1, output: 1, cached: 0, reasoning: 0, cost_usd: 0.5, estimated: false },
    route: { because, attempts: [{ ...FAILED, because: 'slow', next: 'kimi' }], seams },
  };
  const facts = {
    req_id: 'req_1',
    provider: 'kimi',
    model: 'kimi-k3',
    attempts: [FAILED],
    because,
    seams,
    cost_usd: 0.5,
  };
  expect(told(whole)).toEqual(facts);
  expect(told(whole, [notice('text', { text: 'Left out.' })])).toEqual({
    ...facts,
    notices: ['Left out.'],
  });
});

test('what the writer of an answer has to say comes after the other notices', () => {
  const route = { because: [], attempts: [], notices: ['One.'], seams: [] };
  expect(told({ ...BARE, route }, [notice('text', { text: 'Two.' })])).toMatchObject({
    notices: ['One.', 'Two.'],
  });
  expect(told({ ...BARE, route })).not.toHaveProperty('seams');
});
