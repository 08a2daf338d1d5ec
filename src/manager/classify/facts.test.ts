import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { AskContext, AskRequest } from '#core/llm/ask.ts';
import type { RouteFacts } from '#core/llm/route.ts';
import { verifies } from '../../../test/verifies.ts';
import { CJK_FROM, cjkShare, isChineseLocale, readFacts } from './facts.ts';

describe('facts', () => {
  const BY: AskContext = {
    reqId: 'req_1',
    tool: 'chat',
    caller: { principal: 'local', scopes: [], roots: [] },
    deadline: { at: 0 },
    signal: new AbortController().signal,
    category: 'fast_response',
    nextAttempt: () => 1,
  };

  const asking = (content: string): AskRequest => ({ messages: [{ role: 'user', content }] });

  function factsOf(request: AskRequest, tokens = 10, fileTokens = 0): RouteFacts {
    return readFacts({ request, tokens, fileTokens }, BY, { locale: 'en-AU' });
  }

  function refusalOf(request: AskRequest) {
    try {
      factsOf(request);
    } catch (thrown) {
      return CallError.from(thrown).toJSON();
    }
    throw new Error('It was not refused');
  }

  test('the facts of a plain question', () => {
    expect(factsOf(asking('What is a monad?'))).toEqual({
      tool: 'chat',
      category: 'fast_response',
      tokens: 10,
      files: { count: 0, tokens: 0, documents: 0, scans: 0 },
      images: 0,
      videos: 0,
      search: 'auto',
      tools: 0,
      format: 'text',
      cjkShare: 0,
      locale: 'en-AU',
      hasCode: false,
      fallback: 'chain',
      lastResort: 'local',
    });
  });

  test('the facts of a request with everything', () => {
    const request: AskRequest = {
      model: ' Kimi-K3 ',
      lockedModel: 'glm-5.3',
      system: 'Be brief.',
      messages: [
        { role: 'user', content: [{ type: 'image', source: { url: 'https://a.example/a.png' } }] },
        { role: 'assistant', content: 'A cat.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '请搜索最新新闻' },
            { type: 'video', source: { fileId: 'v' } },
            { type: 'file', source: { base64: '', mediaType: 'application/pdf' } },
            { type: 'file', source: { base64: '', mediaType: 'image/png' } },
          ],
        },
      ],
      files: [
        { name: 'a.ts', text: 'let a;' },
        { name: 'a.ts', text: 'let b;' },
        { name: 'report.pdf', text: 'Text.' },
        { name: 'scan.pdf', text: ' \n' },
        { name: 'page.TIFF', text: '' },
      ],
      search: 'on',
      thinking: 'high',
      prefer: 'cost',
      fallback: 'none',
      lastResort: 'none',
      tools: [{ name: 't', description: '', parameters: {} }],
      responseFormat: { type: 'json_schema', name: 'n', schema: {} },
      maxOutputTokens: 5,
      step: { number: 2, more: 'yes', depth: 'deep' },
      maxCostMicroUsd: 0,
    };
    const { questionTokens, ...facts } = factsOf(request, 900, 70);
    expect(questionTokens).toBeGreaterThan(10);
    expect(facts).toEqual({
      tool: 'chat',
      category: 'fast_response',
      model: 'Kimi-K3',
      lockedModel: 'glm-5.3',
      step: { number: 2, more: 'yes', depth: 'deep' },
      tokens: 900,
      maxOutputTokens: 5,
      files: { count: 6, tokens: 70, documents: 2, scans: 3, attached: 2 },
      images: 1,
      videos: 1,
      search: 'on',
      fresh: { words: '最新新闻', strength: 'strong' },
      tools: 1,
      format: 'json_schema',
      cjkShare: 1,
      locale: 'en-AU',
      hasCode: true,
      prefer: 'cost',
      thinking: 'high',
      fallback: 'none',
      lastResort: 'none',
      maxCostMicroUsd: 0,
    });
  });

  test('a file named as a picture is a document if it has text, and a scan if it has none', () => {
    const files = [
      { name: 'prices.png', text: '| Lamp | 12.50 |' },
      { name: 'empty.png', text: '' },
    ];
    expect(factsOf({ ...asking('What does it say?'), files }, 10, 5).files).toEqual({
      count: 2,
      tokens: 5,
      documents: 1,
      scans: 1,
    });
  });

  test('of inline attachments the largest of each kind and type is known, up to a limit', () => {
    const image = (mediaType: string, chars: number) =>
      ({ type: 'image', source: { base64: 'A'.repeat(chars), mediaType } }) as const;
    const content = [
      image('image/png', 4),
      image('IMAGE/PNG; x=y', 8),
      image('image/webp', 4),
      { type: 'image', source: { url: 'https://a.example/x.gif' } },
      { type: 'file', source: { base64: 'AAAA', mediaType: 'application/pdf' } },
    ] as const;
    expect(factsOf({ messages: [{ role: 'user', content }] }).inline).toEqual([
      { kind: 'image', mediaType: 'image/png', bytes: 6, field: 'messages[0].content[1]' },
      { kind: 'image', mediaType: 'image/webp', bytes: 3, field: 'messages[0].content[2]' },
      { kind: 'file', mediaType: 'application/pdf', bytes: 3, field: 'messages[0].content[4]' },
    ]);
    const many = Array.from({ length: 500 }, (_, at) => image(`image/t${at}`, 4));
    expect(factsOf({ messages: [{ role: 'user', content: many }] }).inline).toHaveLength(32);
  });

  test.each(['auto', ' AUTO ', '', '  '])('the model "%s" means no model', (model) => {
    expect(factsOf({ ...asking('Hi'), model }).model).toBeUndefined();
  });

  describe('an invalid request is refused with the name of the field', () => {
    const blank = ['', ' \n\t ', '\u200b\u200d', '\u0000\u0007', '\u00a0\u3000'];
    test.each(blank)('a question of nothing to see: %j', (content) => {
      expect(refusalOf(asking(content))).toMatchObject({ class: 'validation', field: 'prompt' });
      expect(
        refusalOf({ messages: [{ role: 'user', content: [{ type: 'text', text: content }] }] }),
      ).toMatchObject({ class: 'validation', field: 'prompt' });
    });

    verifies('ask:bad-input', 'no question at all', () => {
      expect(refusalOf({ messages: [] })).toMatchObject({ class: 'validation', field: 'prompt' });
      expect(refusalOf({ messages: [{ role: 'system', content: 'Hi' }] }).field).toBe('prompt');
    });

    test('a blank question is fine with a file, a picture or a tool’s result', () => {
      const files = [{ name: 'a.txt', text: 'Hello.' }];
      expect(factsOf({ ...asking(' '), files }).files.count).toBe(1);
      const picture = { type: 'image', source: { fileId: 'x' } } as const;
      expect(factsOf({ messages: [{ role: 'user', content: [picture] }] }).images).toBe(1);
      const result = { role: 'tool', toolCallId: 't', content: '' } as const;
      expect(factsOf({ messages: [{ role: 'user', content: 'Go' }, result] }).tools).toBe(0);
    });

    test.each<[string, Partial<AskRequest>]>([
      ['max_cost_usd', { maxCostMicroUsd: -1 }],
      ['max_cost_usd', { maxCostMicroUsd: Number.NaN }],
      ['max_cost_usd', { maxCostMicroUsd: Infinity }],
      ['max_output_tokens', { maxOutputTokens: 0 }],
      ['max_output_tokens', { maxOutputTokens: 1.5 }],
      ['step_number', { step: { number: 0, more: 'yes' } }],
      ['tool_choice', { toolChoice: 'required' }],
      ['tool_choice', { toolChoice: { name: 'absent' } }],
    ])('%s: %j', (field, wrong) => {
      const refusal = refusalOf({ ...asking('Hi'), ...wrong });
      expect(refusal).toMatchObject({ class: 'validation', field });
      expect(refusal.fix).toBeTruthy();
    });
  });

  test('of a huge question only its ends are looked at, and they are enough', () => {
    const filler = 'lorem ipsum '.repeat(900_000);
    const facts = factsOf(asking(`${filler}\nWhat is the latest news about this?`), 3_000_000);
    expect(facts.fresh).toMatchObject({ strength: 'strong' });
    expect(
      factsOf(asking(`${filler.slice(0, 40_000)} latest news ${filler}`)).fresh,
    ).toBeUndefined();
  });

  verifies('ask:bad-input', 'every request has facts or is refused with its field', () => {
    const outcome = (text: string) => {
      try {
        const { cjkShare } = factsOf(asking(text));
        return cjkShare >= 0 && cjkShare <= 1 ? 'sound' : 'unsound';
      } catch (thrown) {
        return CallError.from(thrown).field;
      }
    };
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        expect(['sound', 'prompt']).toContain(outcome(text));
      }),
    );
  });
});

describe('language', () => {
  test.each([
    ['Hello there', 0],
    ['你好', 1],
    ['こんにちは', 1],
    ['안녕하세요', 1],
    ['Привет', 0],
    ['12345 !?', 0],
    ['', 0],
    ['ab你好', 0.5],
  ])('of the letters of %j, %d are Chinese, Japanese or Korean', (text, share) => {
    expect(cjkShare(text)).toBe(share);
  });

  test('Chinese with names of libraries in it is Chinese, English with a quoted word is not', () => {
    expect(cjkShare('请解释 React useEffect 的 cleanup function')).toBeGreaterThan(CJK_FROM);
    expect(cjkShare('How do I render the word 你好 in a canvas element?')).toBeLessThan(CJK_FROM);
  });

  test.each(['zh', 'zh-CN', 'zh_TW.UTF-8', 'ZH-hk'])('%s is a Chinese locale', (locale) => {
    expect(isChineseLocale(locale)).toBe(true);
  });

  test.each(['en-AU', '', 'zhx', 'de-CH'])('%s is not Chinese', (locale) => {
    expect(isChineseLocale(locale)).toBe(false);
  });
});
