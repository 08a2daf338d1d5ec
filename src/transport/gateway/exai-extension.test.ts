import { expect, test } from 'vitest';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { answerHeaders, exaiExtension } from './exai-extension.ts';

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

const extensionOf = (envelope: Envelope, more?: readonly Notice[]): unknown =>
  JSON.parse(JSON.stringify(exaiExtension({ reqId: 'req_1', envelope }, more)));

test('attempts, reasons and cost are always present, notices and seams if there are any', () => {
  expect(extensionOf(BARE)).toEqual({ req_id: 'req_1', attempts: [], because: [], cost_usd: 0 });
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
    usage_total: { input_tokens: 1, output_tokens: 1, cached_tokens: 0, reasoning_tokens: 0 },
    cost_usd: 0.5,
  };
  expect(extensionOf(whole)).toEqual(facts);
  expect(extensionOf(whole, [notice('text', { text: 'Left out.' })])).toEqual({
    ...facts,
    notices: ['Left out.'],
  });
});

test('notices of the response writer come after the others', () => {
  const route = { because: [], attempts: [], notices: ['One.'], seams: [] };
  expect(extensionOf({ ...BARE, route }, [notice('text', { text: 'Two.' })])).toMatchObject({
    notices: ['One.', 'Two.'],
  });
  expect(extensionOf({ ...BARE, route })).not.toHaveProperty('seams');
});

test('a hedge that is cancelled is no reason of a fallback, other attempts are', () => {
  const first = { ...FAILED, outcome: 'ok' } as const;
  const hedge = {
    ...FAILED,
    attempt: 2,
    provider: 'kimi',
    outcome: 'cancelled',
    hedge: true,
  } as const;
  const reasonOf = (...attempts: NonNullable<Envelope['route']>['attempts']) => {
    const headers = answerHeaders({ ...BARE, attempt: 2, route: { because: [], attempts } });
    const at = headers.indexOf('x-exai-fallback-reason');
    return at === -1 ? undefined : headers[at + 1];
  };
  expect(reasonOf(first, hedge)).toBeUndefined();
  expect(reasonOf(first, { ...hedge, outcome: 'auth' })).toBe('kimi/glm-5.3 auth');
  expect(reasonOf({ ...first, outcome: 'cancelled' }, { ...hedge, outcome: 'ok' })).toBe(
    'glm/glm-5.3 cancelled',
  );
});

test('notices about documents come between those of the route and those of the writer, each once', () => {
  const route = { because: [], attempts: [], notices: ['One.'], seams: [] };
  const notice_data = [notice('text', { text: 'One.' }), notice('text', { text: 'Two.' })];
  const envelope = { ...BARE, route, notice_data } as Envelope;
  expect(extensionOf(envelope, [notice('text', { text: 'Three.' })])).toMatchObject({
    notices: ['One.', 'Two.', 'Three.'],
  });
});
