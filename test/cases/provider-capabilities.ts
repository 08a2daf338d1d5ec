import { expect } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import {
  CAPABILITIES,
  type Capability,
  type FileToUpload,
  type Provider,
} from '#core/llm/provider.ts';
import { createCollector } from '#core/llm/collect-chat.ts';
import { verifies } from '../verifies.ts';
import { FIVE, user } from './provider-requests.ts';
import { failureOf, type Suite } from './provider-suite.ts';

/** The operations that make an ability; those without any are part of chat. */
const METHODS: Readonly<Record<Capability, readonly (keyof Provider)[]>> = {
  web_search: [],
  prefix: [],
  upload: ['upload'],
  file_content: ['fileContent'],
  list_files: ['listFiles'],
  delete_file: ['deleteFile'],
  embed: ['embed'],
  count_tokens: ['countTokens'],
  models: ['models'],
  search: ['search'],
  read: ['read'],
  balance: ['balance'],
  ocr: ['ocr'],
  async_chat: ['submitAsync', 'pollAsync'],
};

interface SentPart {
  readonly name: string;
  readonly bytes: number;
}

const TEXT = 'The harbour of Bergen was founded in 1070. 漢字 🙂\n'.repeat(40);

function textFile(purpose: FileToUpload['purpose'], text = TEXT): FileToUpload {
  const bytes = Buffer.from(text);
  return {
    name: 'harbour "notes".txt',
    mediaType: 'text/plain',
    size: bytes.length,
    purpose,
    // In pieces that cut characters in two.
    async *bytes() {
      for (let at = 0; at < bytes.length; at += 101) yield bytes.subarray(at, at + 101);
    },
  };
}

/** What a provider says it can do beyond chat, and nothing else. */
export function abilityCases(suite: Suite): void {
  const { subject, provider } = suite;
  verifies('provider:cases', 'has the operations of its abilities and no others', () => {
    expect(provider().capabilities.toSorted()).toEqual(subject.can.toSorted());
    const has = CAPABILITIES.flatMap((ability) =>
      METHODS[ability].filter((name) => typeof provider()[name] === 'function'),
    );
    expect(has).toEqual(
      CAPABILITIES.filter((ability) => subject.can.includes(ability)).flatMap(
        (name) => METHODS[name],
      ),
    );
  });

  const cases: Partial<Record<Capability, (suite: Suite) => void>> = {
    upload: fileCases,
    embed: embedCases,
    count_tokens: countCases,
    models: modelCases,
    search: searchCases,
    read: readCases,
    balance: balanceCases,
    async_chat: asyncCases,
    prefix: prefixCases,
    web_search: webSearchCases,
  };
  for (const ability of subject.can) cases[ability]?.(suite);
}

function fileCases({ subject, open, context, method }: Suite): void {
  const extracts = subject.can.includes('file_content');
  const purpose = extracts ? 'extract' : 'agent';

  verifies('provider:cases', 'keeps a file: uploaded, listed, read, deleted, gone', async () => {
    const file = textFile(purpose);
    const uploaded = await method('upload')(file, context());
    const { id, name, size, state } = uploaded;
    expect(id).toMatch(/^\S+$/);
    expect({ size, state }).toEqual({ size: file.size, state: 'ready' });
    expect(name).toContain('harbour');
    expect(Math.abs(uploaded.createdAtMs - open().clock.now())).toBeLessThan(60_000);
    const form = open().received().at(-1)?.body as { readonly parts: readonly SentPart[] };
    const sent = form.parts.find((part) => part.name === 'file');
    expect(sent?.bytes).toBe(file.size);
    expect(await method('listFiles')(context())).toContainEqual(uploaded);
    if (extracts) expect(await method('fileContent')(id, context())).toBe(TEXT);
    expect(await method('deleteFile')(id, context())).toBe('deleted');
    expect(await method('deleteFile')(id, context())).toBe('absent');
    expect(await method('listFiles')(context())).toEqual([]);
    if (extracts)
      expect(await failureOf(method('fileContent')(id, context()))).toMatchObject({
        class: 'not_found',
      });
  });

  verifies('provider:bad-input', 'an empty file is refused, and nothing is sent', async () => {
    const error = await failureOf(method('upload')(textFile(purpose, ''), context()));
    expect(error).toMatchObject({ class: 'validation', field: 'file' });
    expect(open().received()).toEqual([]);
  });

  verifies(
    'provider:bad-input',
    'a file that is too large is refused, and nothing is sent',
    async () => {
      const huge = { ...textFile(purpose), size: 101 * 1024 * 1024 };
      const error = await failureOf(method('upload')(huge, context()));
      expect(error).toMatchObject({ class: 'too_large', field: 'file' });
      expect(open().received()).toEqual([]);
    },
  );

  verifies('provider:bad-input', 'an id that leads elsewhere is refused', async () => {
    for (const id of ['../models', 'a/b', 'x?y=1', '', '%2e%2e']) {
      const error = await failureOf(method('deleteFile')(id, context()));
      expect(error).toMatchObject({ class: 'validation', field: 'fileId' });
    }
    expect(open().received()).toEqual([]);
  });
}

function embedCases({ subject, context, method }: Suite): void {
  const model = subject.vendor === 'ollama' ? { model: 'nomic-embed-text:latest' } : {};

  verifies('provider:cases', 'turns texts into vectors, in their order', async () => {
    const texts = ['rain in Bergen today', 'Bergen has rain today', 'a recipe for bread'];
    const { vectors, usage } = await method('embed')({ ...model, texts }, context());
    expect(vectors).toHaveLength(3);
    const [rain, wet, bread] = vectors as [Float32Array, Float32Array, Float32Array];
    expect(rain).toBeInstanceOf(Float32Array);
    expect(cosine(rain, wet)).toBeGreaterThan(cosine(rain, bread));
    expect(usage.input).toBeGreaterThan(0);
    for (const [index, text] of texts.entries()) {
      const alone = await method('embed')({ ...model, texts: [text] }, context());
      expect(alone.vectors[0]).toEqual(vectors[index]);
    }
  });

  verifies('provider:bad-input', 'an empty text is not embedded', async () => {
    for (const texts of [[], ['a', ' ']]) {
      const error = await failureOf(method('embed')({ ...model, texts }, context()));
      expect(error).toMatchObject({
        class: 'validation',
        field: expect.stringMatching(/^texts/) as unknown,
      });
    }
  });
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) =>
    x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

function countCases({ subject, context, method, answer }: Suite): void {
  verifies('provider:cases', 'counts the tokens that a chat then has', async () => {
    const messages = user('Say exactly: ok. 漢字 and many words. '.repeat(30));
    const { model } = subject;
    const counted = await method('countTokens')({ model, messages }, context());
    const { usage } = await answer({ messages });
    expect(usage).toBeDefined();
    expect(Math.abs(counted - (usage?.input ?? 0))).toBeLessThan(0.05 * counted);
    const twice = await method('countTokens')(
      { model, messages: [...messages, ...messages] },
      context(),
    );
    expect(twice).toBeGreaterThan(1.8 * counted);
  });
}

function modelCases({ subject, context, method }: Suite): void {
  verifies('provider:cases', 'lists its models', async () => {
    const models = await method('models')(context());
    expect(models.map(({ id }) => id)).toContain(subject.model);
    expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
  });
}

function searchCases({ context, method }: Suite): void {
  verifies('provider:cases', 'searches the web', async () => {
    const { results: found } = await method('search')(
      { query: 'rocket Heron orbit', count: 3 },
      context(),
    );
    expect(found[0]).toMatchObject({
      url: 'https://news.example/rocket',
      title: 'Rocket Heron reaches orbit',
      text: expect.stringContaining('320 kilograms') as unknown,
    });
    expect(found.length).toBeLessThanOrEqual(3);
    const { results: within } = await method('search')(
      { query: 'rain', domain: 'weather.example' },
      context(),
    );
    expect(within.map(({ url }) => new URL(url).host)).toEqual(within.map(() => 'weather.example'));
    expect(within).not.toEqual([]);
  });

  verifies('provider:bad-input', 'a search for nothing is refused', async () => {
    const error = await failureOf(method('search')({ query: '  ' }, context()));
    expect(error).toMatchObject({ class: 'validation', field: 'query' });
  });
}

function readCases({ context, method }: Suite): void {
  verifies('provider:cases', 'reads a page', async () => {
    const url = 'https://cook.example/bread';
    const page = await method('read')({ url, format: 'markdown' }, context());
    expect(page).toMatchObject({ url, title: 'A bread of four ingredients' });
    expect(page.content).toContain('350 grams of water');
  });

  verifies('provider:cases', 'says so when a page cannot be read', async () => {
    const absent = { url: 'https://nowhere.example/', format: 'text' } as const;
    expect(await failureOf(method('read')(absent, context()))).toMatchObject({
      class: 'not_found',
    });
    const bad = { url: 'file:///etc/passwd', format: 'text' } as const;
    const error = await failureOf(method('read')(bad, context()));
    expect(error).toMatchObject({ class: 'validation', field: 'url' });
  });
}

function balanceCases({ open, context, method, answer }: Suite): void {
  verifies('provider:cases', 'tells what is left of the account', async () => {
    const before = await method('balance')(context());
    expect(before.currency).toBe('USD');
    expect(before.available).toBeGreaterThan(0);
    await answer({ messages: user('[[tokens 500]]') });
    const after = await method('balance')(context());
    expect(after.available).toBeLessThan(before.available);
    expect(open().received()).toHaveLength(3);
  });
}

function asyncCases({ subject, context, method }: Suite): void {
  verifies('provider:cases', 'leaves a call with the vendor and fetches its answer', async () => {
    const request = { model: subject.model, delivery: 'whole', messages: user(FIVE) } as const;
    const { id, notices } = await method('submitAsync')(request, context());
    expect(notices).toEqual([]);
    expect(await method('pollAsync')(id, context())).toEqual({ is: 'running' });
    const done = await method('pollAsync')(id, context());
    if (done.is !== 'done') throw new Error('The answer is not there.');
    expect(done.events.slice(-2).map(({ type }) => type)).toEqual(['usage', 'finish']);
    const collector = createCollector();
    for (const event of done.events) collector.add(event);
    expect(collector.answer()).toMatchObject({ text: '2 + 3 is 5.', model: subject.model });
    expect(collector.finish()?.reason).toBe('stop');
  });

  verifies('provider:cases', 'says that there is no such call', async () => {
    expect((await failureOf(method('pollAsync')('none-of-ours', context()))).provider).toBe(
      subject.name.split(' ')[0],
    );
  });
}

function prefixCases({ answer }: Suite): void {
  verifies('provider:cases', 'goes on from a given beginning', async () => {
    for (const delivery of ['whole', 'stream'] as const) {
      const { text } = await answer({
        delivery,
        continuation: 'prefix',
        messages: [
          ...user('Say exactly: one two three four'),
          { role: 'assistant', content: 'one two' },
        ],
      });
      expect(text).toBe(' three four');
    }
  });
}

function webSearchCases({ subject, open, answer }: Suite): void {
  verifies('provider:cases', 'answers from the web when asked to', async () => {
    for (const delivery of ['whole', 'stream'] as const) {
      const { text, citations, notices } = await answer({
        delivery,
        messages: user('Search the web: did the rocket Heron reach orbit?'),
        webSearch: {},
      });
      expect(text).toMatch(/Heron/i);
      switch (subject.vendor) {
        case 'glm':
          expect(text).toContain('The rocket Heron reached orbit on its first flight.');
          expect(citations[0]).toMatchObject({
            url: 'https://news.example/rocket',
            title: 'Rocket Heron reaches orbit',
            mark: 'ref_1',
          });
          expect(notices).toEqual([]);
          break;
        case 'kimi':
          // It keeps its sources to itself.
          expect(text).toMatch(/^From 1 web search about /);
          expect(citations).toEqual([]);
          expect(notices).toEqual([notice('search_sources_hidden', { model: 'Kimi' })]);
          break;
        default:
          expect(open().bodies().at(-1)).toMatchObject({ plugins: [{ id: 'web' }] });
      }
    }
  });
}
