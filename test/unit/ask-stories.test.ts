import { describe, expect, test } from 'vitest';
import {
  AGENTIC,
  CHAINS,
  CHAT,
  CODE,
  FILE_QA,
  LONG_CONTEXT,
  NUMBERS,
  VISION,
  WEB,
} from '../cases/ask-classes.ts';
import { leaderOf } from '../cases/ask-fault-row.ts';
import { allFail, askSuite, attemptsOf } from '../cases/ask-suite.ts';
import { SET_UP } from '../cases/ask-under-test.ts';
import { user } from '../cases/provider-requests.ts';
import { verifies } from '../verifies.ts';

const suite = askSuite();

describe('those who fail every other time', () => {
  verifies('ask:faults', 'answer all the same, one after the other', async () => {
    const rig = await suite.rig();
    for (let times = 0; times < 24; times += 1) {
      const chain = CHAINS[times % CHAINS.length] ?? CHAT;
      suite
        .harness()
        .emulator.fault({ id: 'F4.502', vendor: SET_UP[leaderOf(chain)], path: 'chat' });
      const asked = await rig.ask(chain.request, { tool: chain.tool });
      expect(asked).toMatchObject({ heard: NUMBERS, answer: { report: { quality: 'full' } } });
      suite.harness().emulator.clearFaults();
    }
  });

  verifies('ask:faults', 'answer all the same, many at once', async () => {
    const rig = await suite.rig();
    const { emulator } = suite.harness();
    for (const vendor of ['kimi', 'glm'])
      for (let times = 0; times < 10; times += 1)
        emulator.fault({
          id: times % 2 === 0 ? 'F4.503' : 'F5.cut',
          vendor,
          path: 'chat',
          after: 12,
        });
    const chains = Array.from({ length: 30 }, (_, at) => [CHAT, CODE, AGENTIC][at % 3] ?? CHAT);
    const all = await Promise.all(chains.map(({ request, tool }) => rig.ask(request, { tool })));
    expect(all.map(({ heard }) => heard)).toEqual(chains.map(() => NUMBERS));
    expect(all.map(({ answer }) => answer?.text)).toEqual(chains.map(() => NUMBERS));
    await expect.poll(() => rig.held()).toEqual([]);
  });
});

describe('an answer that another goes on with', () => {
  test.each([
    ['exactly', CHAT],
    ['repeating', CHAT],
    ['anew', CHAT],
    ['repeating', CODE],
    ['anew', CODE],
    ['repeating', VISION],
    ['anew', VISION],
    ['repeating', FILE_QA],
    ['anew', LONG_CONTEXT],
    ['anew', WEB],
    ['repeating', AGENTIC],
  ] as const)('%s, in the chain of $name, is told once and whole', async (manner, chain) => {
    for (const after of [8, 13, 30, 60]) {
      const rig = await suite.rig();
      suite.harness().manner = manner;
      const vendor = SET_UP[leaderOf(chain)];
      suite.harness().emulator.fault({ id: 'F5.cut', vendor, path: 'chat', times: 2, after });
      const asked = await rig.ask(chain.request, { tool: chain.tool });
      expect(asked.heard).toBe(NUMBERS);
      expect(asked.answer?.text).toBe(NUMBERS);
      expect(asked.answer?.seams.length).toBeGreaterThan(0);
    }
  });
});

describe('who leaves, and who has no time', () => {
  verifies('ask:faults', 'a caller who leaves takes everything along', async () => {
    const rig = await suite.rig();
    suite.harness().emulator.fault({ id: 'F5.stall', vendor: 'glm', path: 'chat', after: 12 });
    const leaving = new AbortController();
    const heard: string[] = [];
    const onText = (text: string) => {
      heard.push(text);
      leaving.abort();
    };
    const { error, reqId } = await rig.ask(CHAT.request, {
      signal: leaving.signal,
      listener: { onText },
    });
    expect(error?.class).toBe('cancelled');
    await expect.poll(() => rig.chats().map(({ left }) => left)).toEqual([true]);
    expect(await rig.attempts(reqId)).toMatchObject([{ outcome: 'cancelled', next: null }]);
    expect(rig.breakers.all()).toEqual([]);
    expect(rig.held()).toEqual([]);
  });

  verifies('ask:faults', 'who has no time asks nobody, and nobody is blamed for it', async () => {
    const rig = await suite.rig();
    for (const deadlineMs of [-1000, 0]) {
      const { error, reports } = await rig.ask(CHAT.request, { deadlineMs });
      expect(error?.class).toBe('timeout');
      expect(reports).toMatchObject([{ attempts: [] }]);
    }
    expect(rig.chats()).toEqual([]);
    allFail(suite.harness(), 'F5.silent');
    for (const deadlineMs of [1, 20, 30, 40, 50]) {
      const { error } = await rig.ask(CHAT.request, { deadlineMs });
      expect(error?.class).toBe('timeout');
    }
    expect(rig.breakers.all()).toEqual([]);
  });
});

describe('what is prevented', () => {
  verifies('ask:faults', 'F9: what Kimi refuses is never sent', async () => {
    const rig = await suite.rig();
    const hostile = {
      ...CODE.request,
      model: 'kimi-k3',
      fallback: 'none',
      sampling: { temperature: 0.3, topP: 0.5, presencePenalty: 1 },
      stop: ['§'],
      system: 'Be brief.',
      messages: [
        { role: 'user', content: 'Add.' },
        {
          role: 'assistant',
          content: '',
          toolCalls: [{ id: 'a', name: 'add_numbers', arguments: '{}' }],
        },
        { role: 'tool', toolCallId: 'a', content: '5' },
        ...user([
          { type: 'text', text: '' },
          { type: 'text', text: 'Say exactly: yes' },
        ]),
      ],
    } as const;
    for (const delivery of ['whole', 'stream'] as const) {
      const asked = await rig.ask({ ...hostile, delivery }, { tool: CODE.tool });
      expect(asked).toMatchObject({ heard: 'yes' });
      expect(attemptsOf(asked)).toEqual(['kimi-k3 ok']);
    }
  });

  verifies('ask:faults', 'what one vendor’s moderation refuses, another may answer', async () => {
    const rig = await suite.rig();
    const messages = user('[[high risk]] Say exactly: yes');
    const asked = await rig.ask({ messages }, { tool: CODE.tool });
    expect(attemptsOf(asked)).toEqual(['kimi-k3 content_filter', 'glm-5.3 ok']);
    expect(rig.breakers.all()).toEqual([]);
  });
});

describe('a window that is smaller than it was believed to be', () => {
  const LLAMA = { name: 'llamacpp', model: 'emulated-8b-q4_k_m.gguf', contextTokens: 100_000 };

  verifies('ask:faults', 'F24: the prompt is made to fit the window that was named', async () => {
    const harness = await suite.another({ providers: ['custom'], server: LLAMA });
    const rig = await harness.manage();
    const before = Array.from({ length: 200 }, (_, at) => ({
      role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `Turn ${at}: ${'word '.repeat(100)}`,
    }));
    const asked = await rig.ask({ messages: [...before, ...CHAT.request.messages] });
    expect(attemptsOf(asked)).toEqual([`${LLAMA.model} context_length`, `${LLAMA.model} ok`]);
    expect(asked.heard).toBe(NUMBERS);
    expect(asked.reports[0]?.notices).toMatchObject([{ code: 'messages_left_out' }]);
    expect(rig.breakers.all()).toEqual([]);
    await rig.close();
  });
});

describe('what is left of it', () => {
  verifies('ask:crumbs', 'each change of a breaker is a line beside the attempts', async () => {
    const rig = await suite.rig();
    suite.harness().emulator.fault({ id: 'F2', vendor: 'glm', path: 'chat' });
    const { reqId } = await rig.ask(CHAT.request);
    expect(rig.crumbs.lines).toMatchObject([
      { event: 'breaker', fields: { key: 'glm', from: 'closed', to: 'open' } },
      {
        event: 'attempt',
        fields: { req_id: reqId, attempt: 1, provider: 'glm', outcome: 'billing', status: 429 },
      },
      { event: 'attempt', fields: { req_id: reqId, attempt: 2, provider: 'kimi', outcome: 'ok' } },
    ]);
  });

  verifies('usage:kept', 'what a failed call took is on disk as well', async () => {
    const rig = await suite.rig();
    suite
      .harness()
      .emulator.fault({ id: 'F5.cut', vendor: 'kimi', path: 'chat', times: 0, after: 12 });
    const { error, reports } = await rig.ask(
      { ...CODE.request, fallback: 'none' },
      { tool: CODE.tool },
    );
    expect(error?.class).toBe('interrupted');
    const [total] = await rig.usage();
    expect(total).toMatchObject({ provider: 'kimi', model: 'kimi-k3', tool: CODE.tool });
    expect(total).toMatchObject({ calls: reports[0]?.attempts.length, estimated: total?.calls });
    expect(total?.costMicroUsd).toBe(reports[0]?.costMicroUsd);
    expect(total?.output).toBeGreaterThan(0);
  });

  verifies('usage:kept', 'a store that cannot write takes no answer away', async () => {
    const broken = {
      ...suite.store(),
      calls: {
        ...suite.store().calls,
        recordUsage: () => Promise.reject(new Error('The disk is gone.')),
      },
    };
    const harness = await suite.another({ store: broken });
    const rig = await harness.manage();
    const { answer } = await rig.ask(CHAT.request);
    expect(answer?.text).toBe(NUMBERS);
    expect(rig.log.lines).toMatchObject([{ event: 'usage_not_stored' }]);
    await rig.close();
  });

  verifies(
    'breaker:restart',
    'an account without money is not asked by the next daemon, either',
    async () => {
      const { breakers } = suite.store();
      const first = await suite.rig({ breakers });
      suite.harness().emulator.fault({ id: 'F2', vendor: 'glm', path: 'chat' });
      await first.ask(CHAT.request);
      await first.close();
      const second = await suite.rig({ breakers });
      const asked = await second.ask(CHAT.request);
      expect(attemptsOf(asked)).toEqual(['kimi-k2.6 ok']);
      expect(second.chats('glm')).toEqual([]);
    },
  );
});
