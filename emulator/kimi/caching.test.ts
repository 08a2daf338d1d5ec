import { describe, expect, test } from 'vitest';
import { verifies } from '../emulator.fixture.ts';
import { useKimi } from './kimi.fixture.ts';

const harness = useKimi();
const { ask, switches } = harness;

const user = (content: unknown) => ({ role: 'user', content });

describe('caching', () => {
  const long = 'The archive has many shelves and drawers. '.repeat(120);
  const cached = async (body: object, key = 'sk-test') =>
    (await harness.as(key).post('/chat/completions', { model: 'kimi-k2.6', ...body })).json.usage;

  verifies(
    'facts:kimi:prefix-cache',
    'a long prompt is cached by itself, and its prefix is found again',
    async () => {
      const system = { role: 'system', content: long };
      expect((await cached({ messages: [system, user('One?')] })).cached_tokens).toBe(0);
      const again = await cached({ messages: [system, user('Two, with other words?')] });
      expect(again.cached_tokens).toBeGreaterThan(512);
      expect(again.cached_tokens).toBeLessThanOrEqual(again.prompt_tokens);
      expect(again.cached_tokens % 256).toBe(0);
      expect(again.prompt_tokens_details).toEqual({ cached_tokens: again.cached_tokens });
      expect((await cached({ messages: [system, user('One?')] }, 'sk-other')).cached_tokens).toBe(
        0,
      );
      expect(
        (await cached({ messages: [user('Before it.'), system, user('One?')] })).cached_tokens,
      ).toBe(0);
      expect((await cached({ messages: [user('short')] })).cached_tokens).toBe(0);
    },
  );

  verifies('facts:kimi:prompt-cache-key', 'prefixes are kept by prompt_cache_key', async () => {
    const messages = [{ role: 'system', content: long }, user('One?')];
    const ask5 = () => cached({ messages, prompt_cache_key: 'a' });
    await ask5();
    expect((await cached({ messages, prompt_cache_key: 'b' })).cached_tokens).toBe(0);
    expect((await ask5()).cached_tokens).toBeGreaterThan(0);
  });

  verifies(
    'facts:kimi:cache-ttl',
    'prefixes are kept for five minutes, or for an hour where that is asked for',
    async () => {
      const messages = [{ role: 'system', content: long }, user('One?')];
      const ask5 = () => cached({ messages });
      await ask5();
      harness.nowMs += 299_000;
      expect((await ask5()).cached_tokens).toBeGreaterThan(0);
      harness.nowMs += 301_000;
      expect((await ask5()).cached_tokens).toBe(0);
      await cached({
        messages,
        prompt_cache_key: 'c',
        prompt_cache_options: { mode: 'implicit', ttl: '1h' },
      });
      harness.nowMs += 3_000_000;
      expect((await cached({ messages, prompt_cache_key: 'c' })).cached_tokens).toBeGreaterThan(0);
      const bad = await ask({ messages, prompt_cache_options: { ttl: '2d' } });
      expect(bad.status).toBe(400);
    },
  );

  verifies(
    'facts:kimi:estimate',
    'the tokens of a prompt can be asked for, and are those of chat',
    async () => {
      const messages = [user('How many tokens are these?')];
      const { json } = await harness.as().post('/tokenizers/estimate-token-count', {
        model: 'kimi-k2.6',
        messages,
      });
      expect(json).toEqual({ data: { total_tokens: (await cached({ messages })).prompt_tokens } });
      const gone = await harness.as().post('/tokenizers/estimate-token-count', {
        model: 'kimi-latest',
        messages,
      });
      expect(gone.status).toBe(404);
    },
  );
});

describe('the retired caching API', () => {
  const shelf = [{ role: 'system', content: 'The key is under the mat.' }];
  const body = { model: 'moonshot-v1', messages: shelf, ttl: 600, tags: ['door'] };

  test('does not exist unless its switch is on', async () => {
    expect((await harness.as().post('/caching', body)).status).toBe(404);
  });

  verifies(
    'facts:kimi:legacy-cache',
    'caches are made, become ready, are used by header and by message, and expire',
    async () => {
      Object.assign(switches(), { legacyCache: true, moonshotV1: 'live' });
      const { post, get, put } = harness.as();
      const made = (await post('/caching', body)).json;
      expect(made).toMatchObject({
        id: expect.stringMatching(/^cache-/),
        status: 'pending',
        object: 'context-cache',
      });
      harness.nowMs += 60_000;
      expect((await get(`/caching/${made.id}`)).json.status).toBe('ready');
      expect((await get('/caching?limit=5&order=asc')).json.data).toHaveLength(1);
      const v1 = { model: 'moonshot-v1-8k', messages: [...shelf, user('Where is the key?')] };
      const byHeader = await post('/chat/completions', v1, { 'X-Msh-Context-Cache': made.id });
      expect(byHeader.headers.get('msh-context-cache-id')).toBe(made.id);
      expect(byHeader.headers.get('msh-context-cache-token-saved')).toBe(String(made.tokens));
      expect(byHeader.headers.has('msh-context-cache-token-exp')).toBe(true);
      switches()['cacheExpiryHeader'] = 'Ttl';
      const byMessage = (content: string, more: object = {}) =>
        post('/chat/completions', {
          model: 'moonshot-v1-8k',
          messages: [{ role: 'cache', content }, user('Where is the key?')],
          ...more,
        });
      const byTag = await byMessage('tag=door;reset_ttl=3600');
      expect(byTag.json.choices[0].message.content).toContain('under the mat');
      expect(byTag.headers.get('msh-context-cache-token-ttl')).toBe('3600');
      expect((await byMessage(`cache_id=${made.id};`)).status).toBe(400);
      expect((await byMessage('tag=door', { tools: [] })).status).toBe(400);
      const other = { ...v1, messages: [user('Where is the key?')] };
      const miss = await post('/chat/completions', other, { 'X-Msh-Context-Cache': made.id });
      expect([miss.status, miss.headers.has('msh-context-cache-id')]).toEqual([200, false]);
      expect(
        (await put(`/caching/${made.id}`, { metadata: { a: 'b' }, ttl: 60 })).json.metadata,
      ).toEqual({ a: 'b' });
      expect((await get('/caching?metadata[a]=c')).json.data).toEqual([]);
      harness.nowMs += 61_000;
      expect((await get(`/caching/${made.id}`)).json.status).toBe('inactive');
    },
  );

  test('tags point to caches and are deleted without complaint', async () => {
    switches()['legacyCache'] = true;
    const { post, get, delete: remove } = harness.as();
    const { id } = (await post('/caching', body)).json;
    expect((await post('/caching/refs/tags', { tag: 'gate', cache_id: id })).json).toMatchObject({
      cache_id: id,
      object: 'cache_object.tag',
      tag: 'gate',
    });
    expect((await get('/caching/refs/tags')).json.data).toHaveLength(2);
    expect((await get('/caching/refs/tags/gate/content')).json.id).toBe(id);
    for (let twice = 0; twice < 2; twice += 1)
      expect((await remove('/caching/refs/tags/gate')).json.object).toBe(
        'cache_object.tag.deleted',
      );
    expect((await get('/caching/refs/tags/gate')).status).toBe(404);
    expect((await remove(`/caching/${id}`)).json).toEqual({
      deleted: true,
      id,
      object: 'context_cache_object.deleted',
    });
    expect((await harness.as().post('/caching', { ...body, expired_at: 1 })).status).toBe(400);
  });
});
