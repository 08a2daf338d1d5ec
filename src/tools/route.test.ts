import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { explanationLines, HEADINGS } from '#core/diagnostics/explanation-layout.ts';
import { notice } from '#core/messages/notices.ts';
import { ExplanationShape } from './reporting/explanation.ts';
import { EXPLANATION, setUp } from './reporting/route.fixture.ts';
import { verifies } from '../../test/verifies.ts';

const TEXT = `Request: chat (fast response), about 1,240 tokens, 2 files of 900 tokens (1 document), 1 picture, with code, 40 % Chinese, Japanese or Korean, locale en-AU, step 2 (more to come), "latest" asks for news
Wishes: a web search, thinking low, cost first, JSON, at most $0.02

Class: web, 90 % sure; rule 7, web_question
  - Rule 7: a search of the web is asked for, so glm-4.7-flash answers with its own search.

Rules:
     1 explicit_model  no model was named
  x  5 file_question   it is about 2 files, but no model is known for it
  >  7 web_question    a search of the web is asked for, so glm-4.7-flash answers with its own search

Chain:
  1. glm-4.7-flash (glm): Chosen by rule 7, web_question.
     thinking off, searches the web, room for 180,000 tokens, free
  2. kimi-k3 (kimi): the next of the chain with a second line.
     thinking on (low), searches the web, room for 900,000 tokens, at most $0.0123
  3. z-ai/glm-5.3 (openrouter): Next in the chain for web: OpenRouter; without a search.
     room for 1 token, price unknown
  4. local-extract (extractive): When no model answers, what was given is quoted.
     no model: it quotes what was given

Left out:
  llama, qwen (custom): it cannot take pictures
  glm-5.3 (glm): it failed too often and is unavailable for now

Notices:
  - kimi-k2 is no longer offered; kimi-k2.6 answers instead.

Context: everything is sent as it is.

Payload: POST https://api.z.ai/chat/completions
{
  "model": "glm-4.7-flash",
  "n": 1
}`;

describe('route', () => {
  verifies('route:explain', 'renders everything on one page', async () => {
    const { run } = setUp();
    const { text } = await run({ args: { prompt: 'Why?' }, payload: true });
    expect(text).toBe(TEXT);
  });

  test('writes the lines that a terminal tells apart, as its data has them', async () => {
    const { text, content } = await setUp().run({ args: { prompt: 'Why?' }, payload: true });
    const { tried, plan, left_out: leftOut } = ExplanationShape.parse(content);
    const kinds = explanationLines(text).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind.startsWith('rule_'))).toEqual(
      tried.map(({ verdict }) => `rule_${verdict}`),
    );
    const count = (sought: string) => kinds.filter((kind) => kind === sought).length;
    expect(count('candidate_detail')).toBe(plan?.candidates.length);
    expect(count('heading')).toBe(Object.keys(HEADINGS).length - 1);
    expect(leftOut.length).toBeGreaterThan(0);
    expect(count('excluded_model')).toBeGreaterThan(0);
  });

  test('returns the same as data, matching its schema', async () => {
    const { content } = await setUp().run({ args: { prompt: 'Why?' } });
    expect(ExplanationShape.parse(content)).toEqual(content);
    expect(content).toMatchObject({
      facts: { cjk_share: 0.4, has_code: true, last_resort: 'local', max_cost_usd: 0.02 },
      plan: {
        candidates: [{ model: 'glm-4.7-flash', max_cost_usd: 0, last_resort: false }, {}, {}, {}],
      },
      tried: [{ rule: 'explicit_model' }, {}, { rule: 'web_question', verdict: 'wins' }],
      left_out: [{ model: 'llama' }, {}, { model: 'qwen' }],
      payload: EXPLANATION.payload,
    });
  });

  verifies(
    'route:explain',
    'explains what the tool itself would ask, and does not run it',
    async () => {
      const { run, explained } = setUp();
      await run({ args: { prompt: 'Why?' }, payload: true });
      expect(explained).toEqual([
        [
          { messages: [{ role: 'user', content: 'Why?' }], system: 'Be kind.' },
          expect.objectContaining({
            reqId: 'req_1',
            tool: 'chat',
            category: 'fast_response',
            affinity: 'glm',
          }),
          'with_payload',
        ],
      ]);
    },
  );

  test('explains tools that only routing knows, by the arguments that all have in common', async () => {
    const { run, explained } = setUp();
    await run({ tool: 'thinkdeep', args: { step: 'Think.', step_number: 1, confidence: 'low' } });
    const [request, by, payload] = explained[0] ?? [];
    expect(request).toEqual({
      messages: [{ role: 'user', content: 'Think.' }],
      step: { number: 1, more: 'unknown' },
    });
    expect(by).toMatchObject({
      tool: 'thinkdeep',
      category: 'extended_reasoning',
      affinity: 'kimi',
    });
    expect(payload).toBe('plan_only');
  });

  test.each(['chat', 'Chat', ' chat', 'mcp__exai__chat', 'chat_EXAI-WS', 'ThinkDeep'])(
    'finds a tool however it is spelt: %j',
    async (tool) => {
      const { run, explained } = setUp();
      await run({ tool, args: tool === 'ThinkDeep' ? { step: 'x' } : { prompt: 'x' } });
      expect(explained[0]?.[1].tool).toBe(tool === 'ThinkDeep' ? 'thinkdeep' : 'chat');
    },
  );

  test.each([
    [{ tool: 'chatt' }, 'not_found', 'tool', 'There is no tool "chatt", did you mean "chat"?'],
    [{ tool: '__proto__' }, 'not_found', 'tool', 'There is no tool "__proto__".'],
    [
      { tool: 'version' },
      'validation',
      'tool',
      'version has no route: it asks no model for an answer.',
    ],
    [{}, 'validation', 'prompt', '"prompt" is missing.'],
    [
      { args: { promt: 'x' } },
      'validation',
      'promt',
      '"promt" is not known; did you mean "prompt"?',
    ],
    [{ args: [] }, 'validation', 'args', '"args" must be an object, but is a list.'],
    [{ tool: 'thinkdeep' }, 'validation', 'prompt', '"prompt" is missing.'],
    [{ payload: 'yes' }, 'validation', 'payload', '"payload" must be true or false, but is "yes".'],
  ])('refuses %j with the field', async (args, errorClass, field, message) => {
    const { run, explained } = setUp();
    const refused = run(args).catch((thrown: unknown) => thrown);
    expect(await refused).toBeInstanceOf(CallError);
    expect(await refused).toMatchObject({ class: errorClass, field, message });
    expect(explained).toEqual([]);
  });

  test('an operation is explained from a request as its endpoint reads it', async () => {
    const { run, explained } = setUp();
    await run({ tool: 'Gateway-Chat', args: { say: 'Hello' } });
    const [request, by] = explained[0] ?? [];
    expect(request).toEqual({ messages: [{ role: 'user', content: 'Hello' }], lastResort: 'none' });
    expect(by).toMatchObject({ tool: 'gateway_chat', category: 'balanced' });
  });

  test('requests that are never shortened, and aliases, match the schema', async () => {
    const facts = {
      ...EXPLANATION.facts,
      context: 'whole',
      lastResort: 'none',
      namedAs: 'gpt-4o',
    } as const;
    const { run } = setUp({ ...EXPLANATION, facts });
    const { content } = await run({ tool: 'gateway_chat', args: { say: 'Hello' } });
    expect(ExplanationShape.parse(content)).toMatchObject({
      facts: { context: 'whole', named_as: 'gpt-4o' },
    });
  });

  test('an operation that is not there is not explained by its name alone', async () => {
    const { run, explained } = setUp();
    await expect(run({ tool: 'gateway_embeddings', args: { prompt: 'Hi' } })).rejects.toMatchObject(
      {
        class: 'not_found',
        message: expect.stringContaining('gateway.enabled') as string,
        field: 'tool',
        fix: expect.any(String) as string,
      },
    );
    expect(explained).toEqual([]);
  });

  verifies('route:explain', 'says why no model can be asked, and what to do', async () => {
    const { plan: _, payload: __, ...rest } = EXPLANATION;
    const { run } = setUp({
      ...rest,
      error: {
        class: 'not_configured',
        message: 'No provider has a key.',
        fix: 'exai keys add glm',
        retryAfterMs: 5,
      },
    });
    const { text, content } = await run({ args: { prompt: 'x' } });
    expect(text).toContain(
      'No model is available (not_configured): No provider has a key.\n  fix: exai keys add glm\n\nRules:',
    );
    expect(text).not.toContain('Chain:');
    expect(text).toContain(
      '     7 web_question    it found another model, and no other may answer',
    );
    expect(text).not.toContain('>');
    expect(ExplanationShape.parse(content)).toMatchObject({
      error: { class: 'not_configured', retry_after_ms: 5 },
    });
  });

  test('shows what would be cut, and why there is no payload', async () => {
    const { payload: _, ...rest } = EXPLANATION;
    const { run } = setUp({
      ...rest,
      context: [
        notice('text_summarised', {
          what: 'file',
          name: 'a.md',
          tokens: 9000,
          summaryTokens: 90,
          tense: 'foreseen',
        }),
      ],
      noPayload: 'No key.',
    });
    const { text } = await run({ args: { prompt: 'x' }, payload: true });
    expect(text).toContain(
      'Context:\n  - a.md (9,000 tokens) would be summarised to about 90.\n\nPayload: none. No key.',
    );
  });

  test('shows the URL of a provider to the owner only', async () => {
    const { text, content } = await setUp().run({ args: { prompt: 'x' }, payload: true }, 'laptop');
    expect(text).toContain('Payload: POST\n{');
    expect(JSON.stringify(content)).not.toContain('api.z.ai');
    expect(content).toMatchObject({ payload: { body: { model: 'glm-4.7-flash' } } });
  });

  test('shows the beginning of long texts in the text, and all of them in the content', async () => {
    const long = 'x'.repeat(100_000);
    const payload = { url: 'https://api.z.ai', body: { messages: [{ content: long }] } };
    const { run } = setUp({ ...EXPLANATION, payload });
    const { text, content } = await run({ args: { prompt: 'x' }, payload: true });
    expect(text).toContain('xxx… (100,000 characters in all)"');
    expect(text.length).toBeLessThan(8_000);
    expect(content).toMatchObject({ payload });
  });

  test('changes nothing, and is in the full list alone', () => {
    const { tool } = setUp();
    expect(tool).toMatchObject({
      annotations: { readOnlyHint: true, openWorldHint: false },
      profile: 'full',
      tier: 'user',
    });
    expect(tool).not.toHaveProperty('pool');
  });
});
