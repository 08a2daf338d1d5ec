import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deadlineIn } from '#core/time/deadline.ts';
import { notice } from '#core/messages/notices.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createCustom } from './custom.ts';
import { asking, completion, realDeps, scriptedHttp, user } from './custom.fixture.ts';

/** A server that accepts requests and never answers; records requests and disconnects. */
async function silentServer() {
  const seen = { requests: 0, closed: 0 };
  const server = createServer((request) => {
    seen.requests += 1;
    request.socket.once('close', () => (seen.closed += 1));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

describe('probing a server that does not answer', () => {
  const until = async (isTrue: () => boolean) => {
    while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
  };

  test('ends with the deadline of the call, and takes its connections with it', async () => {
    const { seen, url } = await silentServer();
    const clock = createFakeClock();
    const deps = realDeps(clock);
    const provider = createCustom({ baseUrl: url, key: createSecret(''), model: 'm' }, deps);
    const { controller } = asking(provider, clock);
    const events = provider.chat(
      { model: '', messages: [user('Hi')], delivery: 'whole' },
      { signal: controller.signal, deadline: deadlineIn(clock, 200) },
    );
    const first = events[Symbol.asyncIterator]().next();
    const outcome = first.catch((error: unknown) => error);
    await until(() => seen.requests === 5);
    clock.advance(200);
    expect(await outcome).toMatchObject({ class: 'timeout', provider: 'custom' });
    await until(() => seen.closed === 5);
    expect(clock.waiting).toBe(0);
    await deps.http.close();
    await deps.publicHttp.close();
  });

  test('continues for callers that still wait', async () => {
    const { seen, url } = await silentServer();
    const clock = createFakeClock();
    const deps = realDeps(clock);
    const provider = createCustom({ baseUrl: url, key: createSecret(''), model: 'm' }, deps);
    const ask = (ms: number) =>
      provider.models?.({ signal: new AbortController().signal, deadline: deadlineIn(clock, ms) });
    const short = ask(200)?.catch((error: unknown) => error);
    const long = ask(10_000)?.catch((error: unknown) => error);
    await until(() => seen.requests === 5);
    clock.advance(200);
    expect(await short).toMatchObject({ class: 'timeout' });
    expect(seen.closed).toBe(0);
    clock.advance(1_300);
    await until(() => seen.closed === 5 && seen.requests === 6);
    clock.advance(10_000);
    expect(await long).toMatchObject({ class: 'timeout' });
    await deps.http.close();
    await deps.publicHttp.close();
  });
});

test('the parameters of a model are read in proportion to their length', async () => {
  const parameters = (text: string) => {
    const { http } = scriptedHttp(({ url }) => {
      if (url.endsWith('/api/version')) return { json: { version: '0.12.6' } };
      if (url.endsWith('/api/tags')) return { json: { models: [{ name: 'm', digest: 'd' }] } };
      if (url.endsWith('/api/show')) return { json: { parameters: text } };
      if (url.endsWith('/chat/completions')) return completion({ content: 'hi' });
      return { status: 404, text: '404 page not found', type: 'text/plain' };
    });
    const clock = createFakeClock();
    const settings = { baseUrl: 'http://ollama.test', key: createSecret(''), model: 'm' };
    const { ask } = asking(createCustom(settings, { ...realDeps(clock), http }), clock);
    return ask({ messages: [user('word '.repeat(3_000))], delivery: 'whole' });
  };
  expect(await parameters('\n'.repeat(200_000))).toMatchObject({ is: 'answered' });
  expect(await parameters(' \t'.repeat(200_000))).toMatchObject({ is: 'answered' });
  expect(await parameters('stop "x"\n  num_ctx\t 2048\n')).toMatchObject({
    error: { class: 'context_length', contextTokens: 2_048 },
  });
});

describe('texts to embed', () => {
  test('go in batches, and come back in their order with the usage of all', async () => {
    const sizes: number[] = [];
    const { http } = scriptedHttp(({ url }, body) => {
      if (!url.endsWith('/embeddings')) return { status: 404, json: { detail: 'Not Found' } };
      const input = body['input'] as string[];
      sizes.push(input.length);
      const data = input.map((text, index) => ({ index, embedding: [Number(text), 1] }));
      return { json: { data: data.toReversed(), usage: { prompt_tokens: input.length } } };
    });
    const clock = createFakeClock();
    const settings = { baseUrl: 'http://home.test', key: createSecret(''), model: 'm' };
    const { provider, context } = asking(
      createCustom(settings, { ...realDeps(clock), http }),
      clock,
    );
    const texts = Array.from({ length: 150 }, (_, at) => String(at));
    const answer = await provider.embed?.({ texts }, context);
    expect(sizes).toEqual([64, 64, 22]);
    expect(answer?.vectors.map(([first]) => first)).toEqual(texts.map(Number));
    expect(answer?.usage).toMatchObject({ input: 150, estimated: false });
  });

  test('that come back as numbers out of range are an error', async () => {
    const { http } = scriptedHttp(({ url }) =>
      url.endsWith('/embeddings')
        ? { json: { data: [{ index: 0, embedding: [1e300, 1] }] } }
        : { status: 404, json: { detail: 'Not Found' } },
    );
    const clock = createFakeClock();
    const settings = { baseUrl: 'http://home.test', key: createSecret(''), model: 'm' };
    const { provider, context } = asking(
      createCustom(settings, { ...realDeps(clock), http }),
      clock,
    );
    await expect(provider.embed?.({ texts: ['x'] }, context)).rejects.toMatchObject({
      class: 'bad_response',
      provider: 'custom',
      model: 'm',
    });
  });

  test('that come back as vectors of different sizes are an error', async () => {
    const { http } = scriptedHttp(({ url }, body) => {
      if (!url.endsWith('/embeddings')) return { status: 404, json: { detail: 'Not Found' } };
      const input = body['input'] as string[];
      const embedding = input.length === 64 ? [1, 2] : [1];
      return { json: { data: input.map((_, index) => ({ index, embedding })) } };
    });
    const clock = createFakeClock();
    const settings = { baseUrl: 'http://home.test', key: createSecret(''), model: 'm' };
    const { provider, context } = asking(
      createCustom(settings, { ...realDeps(clock), http }),
      clock,
    );
    const texts = Array.from({ length: 70 }, () => 'x');
    await expect(provider.embed?.({ texts }, context)).rejects.toMatchObject({
      class: 'bad_response',
      provider: 'custom',
    });
  });
});

test('dropped options get a notice, once', async () => {
  const { http, requests } = scriptedHttp(({ url }) =>
    url.endsWith('/chat/completions')
      ? completion({ content: 'hi' })
      : { status: 404, json: { detail: 'Not Found' } },
  );
  const clock = createFakeClock();
  const settings = { baseUrl: 'http://home.test', key: createSecret(''), model: 'm' };
  const { ask } = asking(createCustom(settings, { ...realDeps(clock), http }), clock);
  const { answer } = await ask({
    messages: [user('Hi')],
    delivery: 'whole',
    userHash: 'a-hash',
    thinking: { mode: 'on', keep: 'all' },
  });
  expect(answer.notices).toEqual([
    notice('reasoning_not_kept', { model: 'The custom server' }),
    notice('parameter_dropped', {
      model: 'The custom server',
      parameters: ['userHash'],
      reason: 'unsupported',
    }),
  ]);
  expect(JSON.stringify(requests.map(({ body }) => body))).not.toContain('a-hash');
});
