import { expect } from 'vitest';
import { PAGES } from '../../emulator/web.ts';
import { askSuite } from '../cases/ask-suite.ts';
import { verifies } from '../verifies.ts';

const suite = askSuite({ providers: ['kimi', 'glm', 'openrouter'] });
const KNOWN = new Set(PAGES.map(({ url }) => url));
const QUESTION = 'What is the news about the rocket Heron?';

const ASKS = [
  { model: 'glm-4.6', content: QUESTION },
  { model: 'glm-4.7-flash', content: `${QUESTION} Say exactly: It flew [ref_1], twice [ref_77].` },
  { model: 'kimi-k2.6', content: `[[call web_search {"query": "rocket Heron"}]] ${QUESTION}` },
  { model: 'openrouter/meta-llama/llama-3.3-70b-instruct', content: QUESTION },
];

for (const { model, content } of ASKS) {
  verifies(
    'web:citations',
    `every citation of ${model} is a result that was returned: ${content.slice(0, 12)}`,
    async () => {
      const rig = await suite.rig();
      const messages = [{ role: 'user', content } as const];
      const { answer } = await rig.ask({ model, fallback: 'none', search: 'on', messages });
      const { citations = [], text = '' } = answer ?? {};
      expect(citations.length).toBeGreaterThan(0);
      expect(citations.filter(({ url }) => !KNOWN.has(url))).toEqual([]);
      const marks = [...text.matchAll(/\[(ref_\d+)\]/g)].map(([, mark]) => mark);
      const known = citations.map(({ mark }) => mark);
      expect(marks.filter((mark) => !known.includes(mark))).toEqual([]);
    },
  );
}

verifies(
  'web:citations',
  'searches of a Kimi chat are attempts of its ask, and charged',
  async () => {
    const rig = await suite.rig();
    const messages = [
      { role: 'user', content: '[[call web_search {"query": "rocket Heron"}]]' } as const,
    ];
    const { reports } = await rig.ask({ model: 'kimi-k2.6', search: 'on', messages });
    expect(reports[0]?.attempts.map(({ provider, model }) => `${provider}/${model}`)).toEqual([
      'glm/glm-web-search',
      'kimi/kimi-k2.6',
    ]);
    expect(reports[0]?.costMicroUsd).toBeGreaterThanOrEqual(10_000);
  },
);

verifies('web:faults', 'a Kimi chat answers when every search is down', async () => {
  const rig = await suite.rig();
  for (const vendor of ['glm', 'openrouter'])
    suite.harness().emulator.fault({ id: 'F4.502', vendor, times: 0 });
  const messages = [
    { role: 'user', content: '[[call web_search {"query": "rocket Heron"}]]' } as const,
  ];
  const { answer } = await rig.ask({ model: 'kimi-k2.6', search: 'on', messages });
  expect(answer?.provider).toBe('kimi');
  expect(answer?.report.notices.map(({ code }) => code)).toContain('search_failed');
  await expect.poll(() => rig.held()).toEqual([]);
});

verifies(
  'web:faults',
  'searches of a Kimi chat count as requests of its ask, and one is kept for the answer',
  async () => {
    const harness = await suite.another({ settings: { fallback: { maxVendorCalls: 4 } } });
    const rig = await harness.manage();
    // Two rounds, of which each failed search is tried twice.
    for (const vendor of ['glm', 'openrouter'])
      harness.emulator.fault({ id: 'F4.502', vendor, times: 0 });
    const content = '[[call web_search {"query": "rocket Heron"}]]';
    const messages = [{ role: 'user', content } as const];
    const { answer } = await rig.ask({ model: 'kimi-k2.6', search: 'on', messages });
    expect(answer?.provider).toBe('kimi');
    expect(harness.emulator.requests().length).toBeLessThanOrEqual(4);
    await rig.close();
  },
);
