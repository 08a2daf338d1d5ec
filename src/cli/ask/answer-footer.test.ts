import { describe, expect, test } from 'vitest';
import { fix } from '#core/messages/fixes.ts';
import type { ModelGroup } from '#core/messages/model-groups.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { cliRenderer } from '../messages/cli-sentences.ts';
import {
  formatAnswerFooter,
  formatChatNotes,
  formatEnvelopeFooter,
  formatExtractiveFooter,
  hasNothingQuoted,
} from './answer-footer.ts';

describe('answer line', () => {
  const USAGE = {
    input: 1234,
    output: 56,
    cached: 0,
    reasoning: 0,
    cost_usd: 0.0012,
    estimated: false,
  };
  const OK = {
    attempt: 1,
    provider: 'glm',
    model: 'glm-4.7-flash',
    elapsed_ms: 5,
    outcome: 'ok',
  } as const;
  const LATE = { ...OK, provider: 'kimi', model: 'kimi-k3', outcome: 'timeout' } as const;
  const ANSWERED = { status: 'success', provider: 'glm', model: 'glm-4.7-flash' };

  function chosen(passedOver: readonly ModelGroup[] = []): Reason {
    return reason('chosen_by_rule', {
      number: 12,
      rule: 'simple-tool',
      reason: reason('rule_chose', {
        applies: reason('simple_tool', { tool: 'chat' }),
        choice: reason('model_answers', {}),
        passedOver,
      }),
    });
  }

  const CLASSIFIED = reason('classified', {
    class: 'chat',
    confidence: 0.8,
    reason: reason('plain_question'),
  });

  test('it says who answered, why, and what it took', () => {
    const route = { because: [], reasons: [chosen(), CLASSIFIED], attempts: [OK] };
    expect(formatAnswerFooter({ ...ANSWERED, route, usage: USAGE })).toBe(
      'glm-4.7-flash (glm): Rule 12: chat is a simple tool, so it answers; 1,234 tokens in, 56 out; $0.0012',
    );
  });

  test('of a daemon with other codes it tells the first sentence', () => {
    const because = ['A plain question.'];
    const footerFor = (reasons: readonly { code: string; params: Record<string, unknown> }[]) =>
      formatAnswerFooter({
        ...ANSWERED,
        route: { because, reasons: [...reasons], attempts: [OK] },
      });
    const line = 'glm-4.7-flash (glm): A plain question';
    expect(footerFor([])).toBe(line);
    expect(footerFor([{ code: 'of_tomorrow', params: {} }])).toBe(line);
    const nested = { number: 1, rule: 'x', reason: { code: 'of_tomorrow', params: {} } };
    expect(footerFor([{ code: 'chosen_by_rule', params: nested }])).toBe(line);
  });

  test('after a fallback it says who was to answer, and what became of it', () => {
    const because = ['Rule 12: chat is a simple tool, so GLM_SPEED_MODEL (kimi-k3) answers.'];
    expect(
      formatAnswerFooter({ ...ANSWERED, route: { because, attempts: [LATE, OK] }, usage: USAGE }),
    ).toBe(
      'glm-4.7-flash (glm): kimi-k3 was chosen but took too long; 2 attempts; 1,234 tokens in, 56 out; $0.0012',
    );
    const broken = { ...LATE, model: 'kimi-k2.6', outcome: 'interrupted' } as const;
    expect(
      formatAnswerFooter({ ...ANSWERED, route: { because, attempts: [LATE, LATE, broken, OK] } }),
    ).toBe(
      'glm-4.7-flash (glm): kimi-k3 was chosen but took too long, then kimi-k2.6 broke off; 4 attempts',
    );
    const odd = { ...OK, outcome: 'provider_error' } as const;
    expect(formatAnswerFooter({ ...ANSWERED, route: { because, attempts: [odd, OK] } })).toBe(
      'glm-4.7-flash (glm): at first it failed; 2 attempts',
    );
  });

  test('requests to a panel are not called attempts', () => {
    const attempts = [OK, { ...OK, model: 'kimi-k3' }];
    const panel = reason('chosen_by_rule', {
      number: 1,
      rule: 'explicit-model',
      reason: reason('panel_member', { model: 'glm-5.3' }),
    });
    expect(
      formatAnswerFooter({ status: 'success', route: { because: [], reasons: [panel], attempts } }),
    ).toBe('Rule 1: glm-5.3 is one of the panel; 2 requests to models');
  });

  test('a model that was chosen and then passed over is not named as the one that answers', () => {
    const passed = reason('passed_over', {
      class: 'breaker_open',
      model: 'kimi-k3',
      message: 'kimi-k3 is resting.',
      reason: reason('breaker_changed', { key: 'kimi/kimi-k3', to: 'half_open' }),
    });
    const route = { because: [], reasons: [chosen(), CLASSIFIED, passed], attempts: [OK] };
    expect(formatAnswerFooter({ ...ANSWERED, route })).toBe(
      'glm-4.7-flash (glm): kimi/kimi-k3 is tried again after its cool-down',
    );
  });

  test('what costs nothing is free, and what was estimated is about so much', () => {
    const route = { because: [], attempts: [OK] };
    const line = (usage: object) =>
      formatAnswerFooter({ ...ANSWERED, route, usage: { ...USAGE, ...usage } }).replace(
        /^[^;]*; /,
        '',
      );
    expect(line({ cost_usd: 0 })).toBe('1,234 tokens in, 56 out; free');
    expect(line({ estimated: true })).toBe('about 1,234 tokens in, 56 out; about $0.0012');
    // The price is unknown or zero; the envelope does not say which.
    expect(line({ cost_usd: 0, estimated: true })).toBe('about 1,234 tokens in, 56 out');
  });

  test('a long reason goes without the models that were passed over, and ends with a whole word', () => {
    const models = [{ provider: 'kimi', model: `kimi-${'k'.repeat(150)}` }];
    const long = chosen([{ models, reason: reason('model_resting') }]);
    const line = formatAnswerFooter({
      ...ANSWERED,
      route: { because: [], reasons: [long], attempts: [OK] },
    });
    expect(line).toBe('glm-4.7-flash (glm): Rule 12: chat is a simple tool, so it answers');
    const prose = formatAnswerFooter({
      ...ANSWERED,
      route: { because: ['word '.repeat(50)], attempts: [OK] },
    });
    expect(prose).toMatch(/ word …$/);
  });

  test('the footer of a failure names the models that were asked', () => {
    const route = { because: ['why'], attempts: [LATE] };
    expect(formatAnswerFooter({ ...ANSWERED, status: 'error', route })).toBe(
      '1 attempt: kimi-k3 timeout',
    );
  });

  test('of nothing it says nothing', () => {
    expect(formatAnswerFooter({})).toBe('');
    expect(formatAnswerFooter({ status: 'error', route: { because: ['x'], attempts: [] } })).toBe(
      '',
    );
  });
});

describe('quotation line', () => {
  const LOCAL = {
    attempt: 3,
    provider: 'extractive',
    model: 'local-extract',
    elapsed_ms: 1,
    outcome: 'ok',
  } as const;
  const LATE = {
    ...LOCAL,
    attempt: 1,
    provider: 'glm',
    model: 'glm-5.3',
    outcome: 'timeout',
  } as const;

  const INSTEAD = 'No model can be asked. Showing matching passages from your input instead.';

  function quotedInstead(error: object) {
    return { code: 'quoted_instead', params: { error } };
  }

  const NO_KEY = quotedInstead({
    class: 'not_configured',
    message: 'No model can be asked.',
    fixes: [fix('add_key', { provider: 'glm' })],
  });
  const NOTHING = { code: 'nothing_to_quote', params: {} };
  const TWICE = { code: 'a_code_of_a_later_version', params: {} };

  test('a missing key is mentioned once, with the command that adds one', () => {
    const route = {
      because: [],
      attempts: [LOCAL],
      notices: ['stdin came twice.', INSTEAD],
      notice_data: [TWICE, NO_KEY],
    };
    expect(formatExtractiveFooter({ status: 'degraded', route }, cliRenderer)).toEqual({
      line: 'No model is set up, so what was given is quoted: exai keys add glm',
      notices: ['stdin came twice.'],
    });
    const nothing = {
      ...route,
      notices: [...route.notices, 'Nothing to quote.'],
      notice_data: [...route.notice_data, NOTHING],
    };
    expect(formatExtractiveFooter({ status: 'degraded', route: nothing }, cliRenderer)).toEqual({
      line: 'No model is set up: exai keys add glm',
      notices: ['stdin came twice.'],
    });
  });

  test.each([
    [{ provider: 'acme' }, 'acme'],
    [{}, 'glm'],
    [{ provider: 'x; rm -rf ~' }, 'glm'],
  ])('the command names the provider whose key is missing: %j', (params, named) => {
    const noKey = quotedInstead({
      class: 'not_configured',
      message: 'No provider is set up.',
      fixes: [{ kind: 'add_key', params }],
    });
    const route = {
      because: [],
      attempts: [LOCAL],
      notices: [INSTEAD],
      notice_data: [noKey],
    };
    expect(formatExtractiveFooter({ status: 'degraded', route }, cliRenderer).line).toBe(
      `No model is set up, so what was given is quoted: exai keys add ${named}`,
    );
  });

  test('when models were asked, it says how each failed, and what that cost', () => {
    const again = { ...LATE, attempt: 2, outcome: 'overloaded' } as const;
    const others = ['kimi-k3', 'a', 'b', 'c'].map((model) => ({ ...LATE, model }));
    const route = { because: [], attempts: [LATE, again, ...others, LOCAL] };
    const usage = { input: 1, output: 1, cached: 0, reasoning: 0, cost_usd: 0.5, estimated: true };
    expect(formatExtractiveFooter({ status: 'degraded', route, usage }, cliRenderer).line).toBe(
      'No model answered (glm-5.3: was overloaded; kimi-k3, a, b and 1 more: took too long), so what was given is quoted: exai doctor; about $0.50',
    );
  });

  test.each([
    ['models rest', { class: 'breaker_open', message: 'All rest.', fixes: [fix('retry')] }],
    ['a list forbids all', { class: 'not_configured', message: 'All are denied.', fixes: [] }],
    ['an old daemon says nothing of it', undefined],
  ])('another reason is told as it was given: %s', (_, error) => {
    const route = {
      because: [],
      attempts: [LOCAL],
      notices: [INSTEAD],
      notice_data: [quotedInstead(error ?? {})],
    };
    const { line, notices } = formatExtractiveFooter({ status: 'degraded', route }, cliRenderer);
    expect(line).not.toContain('exai keys add');
    expect(line).not.toBe('');
    expect(notices).toEqual([]);
    expect(formatExtractiveFooter({ status: 'degraded' }, cliRenderer).line).toBe(
      'No model was asked, so what was given is quoted.',
    );
  });

  test('there is nothing in hand where the extractive provider found nothing to quote, and only then', () => {
    const route = { because: [], attempts: [], notices: ['No.'], notice_data: [NOTHING] };
    expect(hasNothingQuoted({ status: 'degraded', route })).toBe(true);
    expect(hasNothingQuoted({ status: 'success', route })).toBe(false);
    expect(
      hasNothingQuoted({ status: 'degraded', route: { ...route, notice_data: [NO_KEY] } }),
    ).toBe(false);
    expect(hasNothingQuoted({ status: 'degraded' })).toBe(false);
  });
});

describe('answered by', () => {
  const ANSWERED = {
    status: 'success',
    req_id: 'req_1',
    provider: 'glm',
    model: 'glm-4.7-flash',
    route: { because: [], reasons: [reason('text', { text: 'A plain question' })], attempts: [] },
    usage: { input: 10, output: 2, cached: 0, reasoning: 0, cost_usd: 0, estimated: false },
  };

  test('a call that asked a model says who answered', () => {
    expect(formatEnvelopeFooter(ANSWERED)).toBe(
      'glm-4.7-flash (glm): A plain question; 10 tokens in, 2 out; free',
    );
  });

  test('where no model answered it says that', () => {
    const route = { because: [], attempts: [] };
    const degraded = { status: 'degraded', req_id: 'req_1', route };
    expect(formatEnvelopeFooter(degraded)).toContain('what was given is quoted');
    const nothing = {
      notices: ['Nothing to quote.'],
      notice_data: [{ code: 'nothing_to_quote', params: {} }],
    };
    expect(formatEnvelopeFooter({ ...degraded, route: { ...route, ...nothing } })).toBe(
      'No model was asked.',
    );
  });

  test('there is no footer for a call that asked no model, or for a result that is not an envelope', () => {
    expect(formatEnvelopeFooter({ status: 'success', req_id: 'req_1', tool: 'health' })).toBe('');
    for (const other of [{}, { route: 'north', usage: 7 }, { req_id: 4, model: 'x' }]) {
      expect(formatEnvelopeFooter(other)).toBe('');
    }
  });
});

describe('chat answer notes', () => {
  const usage = { input: 10, output: 2, cached: 0, reasoning: 0, cost_usd: 0, estimated: false };
  const answered = { attempt: 1, provider: 'glm', model: 'glm-5.3', elapsed_ms: 9 } as const;

  test('below an answer stands who gave it and what it took, and no reasons unless something failed', () => {
    const route = { because: ['Rule 12.'], attempts: [{ ...answered, outcome: 'ok' as const }] };
    const envelope = { status: 'success', provider: 'glm', model: 'glm-5.3', usage, route };
    expect(formatChatNotes(envelope)).toEqual(['glm-5.3 (glm); 10 tokens in, 2 out; free']);
    const failed = { ...answered, model: 'glm-4.7-flash', outcome: 'timeout' as const };
    const after = { ...envelope, route: { ...route, attempts: [failed, ...route.attempts] } };
    expect(formatChatNotes(after)).toEqual([
      'glm-5.3 (glm): glm-4.7-flash was chosen but took too long; 2 attempts; 10 tokens in, 2 out; free',
    ]);
  });

  test('notices come first, each once, unless the answer shows them', () => {
    const one = { code: 'text', params: { text: 'One.' } };
    const two = { code: 'text', params: { text: 'Two.' } };
    const route = {
      because: [],
      attempts: [],
      notices: ['One.', 'One.', 'Two.'],
      notice_data: [one, one, two],
    };
    const continuation = { id: 'conv_x', remaining_turns: 2, note: '' };
    const answered = { status: 'success', model: 'm', route, continuation, notice_data: [two] };
    expect(formatChatNotes(answered)).toEqual([
      'One.',
      '2 more messages fit into this conversation; /new begins another.',
      'm',
    ]);
    expect(formatChatNotes({ continuation: { ...continuation, remaining_turns: 0 } })).toEqual([
      'This conversation is full; /new begins another.',
    ]);
  });

  test('an answer that no model gave says so', () => {
    const route = { because: [], attempts: [] };
    expect(formatChatNotes({ status: 'degraded', route })).toEqual([
      'No model was asked, so what was given is quoted.',
    ]);
  });
});
