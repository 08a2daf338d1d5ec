import { expect, test } from 'vitest';
import type { ChatEvent } from '#core/llm/chat.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ProviderContext, SearchQuery } from '#core/llm/provider.ts';
import { verifies } from '../../../test/verifies.ts';
import { asking, useKimiWorld } from './kimi.fixture.ts';

const world = useKimiWorld();
const CALL = '[[call web_search {"query": "rocket Heron"}]]';
const FOUND = {
  title: 'Rocket Heron reaches orbit',
  url: 'https://news.example/rocket',
  text: 'The rocket Heron reached orbit with a satellite of 320 kilograms.',
  date: '2026-11-15',
};

async function chat(
  kimi: ReturnType<typeof world.kimi>,
  searchWeb: ProviderContext['searchWeb'],
  more: object = {},
) {
  const events: ChatEvent[] = [];
  const request = asking(CALL, { webSearch: { domain: 'news.example' }, ...more });
  const context = { ...kimi.context, ...(searchWeb && { searchWeb }) };
  for await (const event of kimi.provider.chat(request, context)) events.push(event);
  return events;
}

verifies(
  'web:citations',
  'our search is a function of a Kimi chat, and names its sources',
  async () => {
    const asked: SearchQuery[] = [];
    const events = await chat(world.kimi(), async (query) => {
      asked.push(query);
      return { results: [FOUND], notices: [] };
    });
    expect(asked).toEqual([{ query: 'rocket Heron', count: 10, domain: 'news.example' }]);
    expect(events).toContainEqual({ type: 'citation', citation: { ...FOUND, mark: 'ref_1' } });
    expect(events.some(({ type }) => type === 'tool_call')).toBe(false);
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
    const last = JSON.stringify(world.bodies().at(-1));
    expect(last).toContain('[ref_1] Rocket Heron reaches orbit');
    expect(last).not.toContain('$web_search');
  },
);

test('a search that fails is told to the model and to the user', async () => {
  const events = await chat(world.kimi(), async () => {
    throw new CallError('overloaded', 'GLM is overloaded.');
  });
  expect(events).toContainEqual({
    type: 'notice',
    notice: { code: 'search_failed', params: { message: 'GLM is overloaded.' } },
  });
  expect(JSON.stringify(world.bodies().at(-1))).toContain('The search failed');
});

test('without our search Kimi uses its own', async () => {
  await chat(world.kimi(), undefined);
  expect(JSON.stringify(world.bodies()[0])).toContain('$web_search');
});

test('after the last round the model is asked without the search', async () => {
  const events = await chat(world.kimi(), async () => ({ results: [FOUND], notices: [] }), {
    webSearch: { maxRounds: 1 },
  });
  const bodies = world.bodies();
  expect(bodies).toHaveLength(2);
  expect(bodies[1]).not.toHaveProperty('tools');
  expect(events.filter(({ type }) => type === 'notice')).toMatchObject([
    { notice: { code: 'search_rounds_used' } },
  ]);
});

verifies(
  'provider:facts',
  'kimi: the Formula search is fetched, called by the model and run by Kimi',
  async () => {
    const kimi = world.kimi({ formulaSearch: true });
    const unused = async () => {
      throw new CallError('internal', 'It is not asked.');
    };
    const events = await chat(kimi, unused, { webSearch: {} });
    const paths = world.emulator.requests({ vendor: 'kimi' }).map(({ path }) => path);
    expect(paths.filter((path) => path.includes('/formulas/'))).toEqual([
      '/kimi/v1/formulas/moonshot/web-search:latest/tools',
      '/kimi/v1/formulas/moonshot/web-search:latest/fibers',
    ]);
    // The output is encrypted for the model, so there are no sources.
    expect(events).toContainEqual({
      type: 'notice',
      notice: { code: 'search_sources_hidden', params: { model: 'Kimi' } },
    });
    expect(JSON.stringify(world.bodies().at(-1))).toContain('MOONSHOT ENCRYPTED');
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  },
);
