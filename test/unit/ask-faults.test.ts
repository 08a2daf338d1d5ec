import { describe, expect, test } from 'vitest';
import { ERROR_CLASSES } from '#core/errors/error-class.ts';
import { FRAME_FAULTS } from '../../emulator/faults.ts';
import { createVendors } from '../../emulator/vendors.ts';
import {
  AGENTIC,
  askingJson,
  CHAINS,
  CHAT,
  CODE,
  FILE_QA,
  LONG_CONTEXT,
  NUMBERS,
  VISION,
  WEB,
  type Chain,
} from '../cases/ask-classes.ts';
import { ASK_FAULT_TABLE, askFaultCases } from '../cases/ask-fault-table.ts';
import { leaderOf } from '../cases/ask-fault-row.ts';
import { allFail, askSuite, attemptsOf } from '../cases/ask-suite.ts';
import { SET_UP, type SetUp } from '../cases/ask-under-test.ts';
import { verifies } from '../verifies.ts';

const suite = askSuite();
const VENDORS = Object.values(SET_UP);

describe('the table of faults against asking', () => {
  /** F9 is prevented, see below; F15 is about uploads, and asking uploads nothing. */
  const ELSEWHERE = ['F9', 'F15'];

  verifies('ask:faults', 'has every fault of the list', () => {
    const rows = new Set([...ASK_FAULT_TABLE.map(({ fault }) => fault), ...ELSEWHERE]);
    const listed = Array.from({ length: 16 }, (_, at) => `F${at + 1}`);
    expect(listed.filter((fault) => !rows.has(fault))).toEqual([]);
  });

  verifies('ask:faults', 'has whatever the emulator can do to those who lead', () => {
    /**
     * A pace, any code, forms of a schema's failure that GLM stands for, files, and what only a
     * named model meets; a name that only OpenRouter or one's own server could know is a mistake
     * where it does not, and nobody else is asked: run-plan.test.ts has it. Calls of tools that nobody
     * offered are in gateway-tools.test.ts.
     */
    const known =
      /^slow$|^F8\.unknown$|^(?!kimi|glm).* F10$|^code$|^F15|^F12$|^(?!glm).* F12\.|^(?!kimi|glm).* (?:F8\.|F14|F21)|^kimi F8\./;
    const cases = askFaultCases();
    const missing = createVendors().flatMap(({ name, faults }) => {
      const [set] = Object.entries(SET_UP).find(([, vendor]) => vendor === name) ?? [];
      if (set === undefined) return [];
      const met = cases
        .filter(({ chain }) => leaderOf(chain) === set)
        .map(({ row }) => row.plan.id);
      return [...Object.keys(faults), ...Object.keys(FRAME_FAULTS)]
        .filter((id) => !met.includes(id) && !known.test(id) && !known.test(`${name} ${id}`))
        .map((id) => `${name} ${id}`);
    });
    expect(missing).toEqual([]);
  });

  verifies('ask:faults', 'has the chain of every class, whole and streamed', () => {
    const seen = new Set(
      askFaultCases().map(({ chain, delivery }) => `${chain.class} ${delivery}`),
    );
    expect(seen.size).toBe(2 * CHAINS.length);
  });
});

describe('when everybody is dead', () => {
  test.each([CHAT, CODE, FILE_QA, WEB])(
    '$name: what was given is quoted, and that is said',
    async (chain) => {
      const rig = await suite.rig();
      allFail(suite.harness(), 'F4.502');
      const asked = await rig.ask(chain.request, { tool: chain.tool });
      expect(asked.answer).toMatchObject({ provider: 'extractive', seams: [] });
      expect(asked.heard).toBe(asked.answer?.text);
      expect(asked.answer?.report).toMatchObject({ quality: 'degraded', provider: 'extractive' });
      const outcomes = asked.answer?.report.attempts.map(({ outcome }) => outcome) ?? [];
      expect(outcomes.pop()).toBe('ok');
      expect(new Set(outcomes)).toEqual(new Set(['provider_error']));
      expect(await rig.attempts(asked.reqId)).toHaveLength(outcomes.length + 1);
      expect(rig.held()).toEqual([]);
    },
  );

  test.each([AGENTIC, VISION, { ...askingJson(CHAT), name: 'JSON' }])(
    '$name: nobody can answer, and the error lists who was asked',
    async (chain) => {
      const rig = await suite.rig();
      allFail(suite.harness(), 'F4.502');
      const asked = await rig.ask(chain.request, { tool: chain.tool });
      expect(asked.error).toMatchObject({
        class: 'exhausted_fallback_chain',
        message: expect.stringContaining(
          `${chain.leader.slice(chain.leader.indexOf('/') + 1)}: provider_error`,
        ),
        fixes: [{ kind: 'run_doctor' }, { kind: 'test_key' }],
      });
      const stored = await rig.attempts(asked.reqId);
      expect(stored.map(({ outcome }) => outcome)).not.toContain('ok');
      expect(stored.length).toBeGreaterThan(VENDORS.length);
      expect(asked).toMatchObject({ heard: '', reports: [{ attempts: expect.any(Array) }] });
      expect(rig.held()).toEqual([]);
    },
  );

  verifies(
    'ask:chain',
    'of those who failed too often, one of each vendor is tried, and none is asked twice',
    async () => {
      const rig = await suite.rig();
      allFail(suite.harness(), 'F4.502');
      let last = await rig.ask(AGENTIC.request);
      // Each rests after a few failures of its own.
      const vendorsOf = (asked: typeof last) =>
        attemptsOf(asked).map((attempt) => attempt.split('/', 1)[0]);
      const isTwice = (asked: typeof last) =>
        new Set(vendorsOf(asked)).size < vendorsOf(asked).length;
      let before = 0;
      for (let times = 0; times < 30 && isTwice(last); times += 1) {
        before = rig.chats().length;
        last = await rig.ask(AGENTIC.request);
      }
      expect(isTwice(last)).toBe(false);
      expect(['breaker_open', 'exhausted_fallback_chain', 'provider_error']).toContain(
        last.error?.class,
      );
      expect(rig.chats()).toHaveLength(before + attemptsOf(last).length);
    },
  );

  verifies('ask:chain', 'nobody waits for one that has just begun to rest', async () => {
    const harness = await suite.another({
      providers: ['custom'],
      settings: { breaker: { minCalls: 1 } },
    });
    const rig = await harness.manage();
    harness.emulator.fault({ id: 'F4.502', vendor: 'ollama', path: 'chat', times: 0 });
    const asked = await rig.ask(AGENTIC.request);
    expect(asked.reports).toMatchObject([{ attempts: [{ outcome: 'provider_error' }] }]);
    expect(asked.reports[0]?.attempts[0]).not.toHaveProperty('next');
    expect(asked.error).toMatchObject({ class: 'provider_error' });
    await rig.close();
  });

  verifies(
    'ask:once',
    'what was told of an answer stands, and the error says that it broke off',
    async () => {
      const rig = await suite.rig();
      const { emulator } = suite.harness();
      // The first speaks a little; from then on nobody speaks at all.
      emulator.fault({ id: 'F5.cut', vendor: 'glm', path: 'chat', after: 12 });
      allFail(suite.harness(), 'F4.502');
      const { error, heard, reports } = await rig.ask(CHAT.request);
      expect(error).toMatchObject({ class: 'interrupted', fixes: [{ kind: 'retry' }] });
      expect(heard.length).toBeGreaterThan(0);
      expect(NUMBERS.startsWith(heard)).toBe(true);
      expect(reports).toMatchObject([{ partial: heard }]);
      expect(reports[0]?.attempts.some(({ provider }) => provider === 'extractive')).toBe(false);
    },
  );

  verifies('ask:chain', 'silence of all ends with the deadline of the call', async () => {
    const rig = await suite.rig({ patience: { firstTokenMs: 200, idleMs: 200 } });
    allFail(suite.harness(), 'F5.silent');
    const { error, reports } = await rig.ask(AGENTIC.request, { deadlineMs: 1500 });
    expect(error?.class).toBe('timeout');
    const outcomes = reports[0]?.attempts.map(({ outcome }) => outcome) ?? [];
    expect(new Set(outcomes)).toEqual(new Set(['timeout']));
    await expect.poll(() => rig.chats().every(({ left }) => left)).toBe(true);
    expect(rig.held()).toEqual([]);
  });
});

describe('with fallback: none', () => {
  test.each([
    ['F1', 'rate_limit', 1],
    ['F2', 'billing', 1],
    ['F3', 'overloaded', 3],
    ['F4.502', 'provider_error', 3],
    ['F5.reset', 'network', 3],
    ['F6.malformed', 'bad_response', 3],
    ['F10', 'not_found', 1],
    ['F11.blocked', 'content_filter', 1],
    ['F16', 'auth', 1],
  ] as const)('%s is its own class, %s, after %i attempts', async (id, errorClass, attempts) => {
    const rig = await suite.rig();
    const plan = { id, vendor: 'glm', path: 'chat', times: 0, after: 0 };
    suite.harness().emulator.fault(id === 'F1' ? { ...plan, with: { seconds: 30 } } : plan);
    const asked = await rig.ask({ ...CHAT.request, fallback: 'none' });
    expect(asked.error).toMatchObject({
      class: errorClass,
      provider: 'glm',
      model: 'glm-4.7-flash',
    });
    expect(attemptsOf(asked)).toEqual(Array(attempts).fill(`glm-4.7-flash ${errorClass}`));
    expect(rig.chats('glm')).toHaveLength(attempts);
    expect(rig.chats()).toHaveLength(attempts);
  });

  verifies('ask:alone', 'nobody else goes on in the middle of an answer, either', async () => {
    const rig = await suite.rig();
    suite
      .harness()
      .emulator.fault({ id: 'F5.cut', vendor: 'kimi', path: 'chat', times: 0, after: 12 });
    const asked = await rig.ask({ ...CODE.request, fallback: 'none' }, { tool: CODE.tool });
    expect(asked.error?.class).toBe('interrupted');
    expect(NUMBERS.startsWith(asked.heard)).toBe(true);
    expect(asked.reports).toMatchObject([{ partial: asked.heard }]);
    expect(rig.chats()).toEqual(rig.chats('kimi'));
  });

  verifies('ask:alone', 'the same model may still go on with its own answer', async () => {
    const rig = await suite.rig();
    suite.harness().emulator.fault({ id: 'F5.cut', vendor: 'kimi', path: 'chat', after: 12 });
    const asked = await rig.ask({ ...CODE.request, fallback: 'none' }, { tool: CODE.tool });
    expect(asked.answer).toMatchObject({ text: NUMBERS, seams: [{ provider: 'kimi' }] });
    expect(rig.chats()).toEqual(rig.chats('kimi'));
  });

  verifies(
    'ask:alone',
    'a model that rests is refused with its wait, and nobody is asked',
    async () => {
      const rig = await suite.rig();
      suite.harness().emulator.fault({ id: 'F10', vendor: 'glm', path: 'chat' });
      const request = { ...CHAT.request, model: 'glm-4.7-flash', fallback: 'none' } as const;
      await rig.ask(request);
      const { error } = await rig.ask(request);
      expect(error).toMatchObject({ class: 'breaker_open', retryAfterMs: expect.any(Number) });
      expect(rig.chats()).toHaveLength(1);
    },
  );

  verifies('ask:faults', 'F16 names the other host', async () => {
    const rig = await suite.rig();
    const { emulator } = suite.harness();
    for (const [chain, vendor, host] of [
      [CHAT, 'glm', 'https://open.bigmodel.cn/api/paas/v4'],
      [CODE, 'kimi', 'https://api.moonshot.cn/v1'],
    ] as const) {
      emulator.fault({ id: 'F16', vendor, path: 'chat' });
      const request = { ...chain.request, fallback: 'none' } as const;
      const { error } = await rig.ask(request, { tool: chain.tool });
      expect(error).toMatchObject({ class: 'auth', fix: expect.stringContaining(host) as unknown });
    }
  });
});

describe('with few providers', () => {
  test.each(['kimi', 'glm', 'custom', 'openrouter'] as const)(
    '%s alone answers every class that it can, at the second try',
    async (only) => {
      const harness = await suite.another({ providers: [only] });
      // A small server holds little and sees nothing; the emulated OpenRouter has no K3.
      const unable: Partial<Record<SetUp, readonly Chain[]>> = {
        custom: [LONG_CONTEXT, VISION],
        openrouter: [CODE],
      };
      const isAble = (chain: Chain) => !unable[only]?.includes(chain);
      for (const chain of CHAINS.filter(isAble)) {
        const rig = await harness.manage();
        harness.emulator.fault({ id: 'F4.502', vendor: SET_UP[only], path: 'chat' });
        const asked = await rig.ask(chain.request, { tool: chain.tool });
        const { name } = chain;
        expect({ name, heard: asked.heard }).toEqual({ name, heard: NUMBERS });
        expect(new Set(rig.chats().map(({ vendor }) => vendor))).toEqual(new Set([SET_UP[only]]));
        await rig.close();
      }
    },
  );

  verifies(
    'ask:chain',
    'without any, what was given is quoted, and what is missing is said',
    async () => {
      const harness = await suite.another({ providers: [] });
      const rig = await harness.manage();
      const { answer } = await rig.ask(CHAT.request);
      expect(answer?.report).toMatchObject({
        quality: 'degraded',
        attempts: [{ provider: 'extractive', outcome: 'ok' }],
        notices: [
          {
            code: 'quoted_instead',
            params: { error: { class: 'not_configured', fixes: [{ kind: 'add_key' }, {}] } },
          },
          { code: 'nothing_to_quote' },
        ],
      });
      for (const chain of [AGENTIC, VISION, askingJson(CHAT)]) {
        const { error } = await rig.ask(chain.request);
        expect(error).toMatchObject({
          class: 'not_configured',
          fix: expect.stringContaining('exai keys add') as unknown,
        });
      }
      expect(rig.chats()).toEqual([]);
      await rig.close();
    },
  );
});

test('every class of failure that a vendor can bring about stands in the table or in a story', () => {
  const met = new Set(askFaultCases().flatMap(({ expected }) => expected.is ?? []));
  const ours = new Set([
    'bad_request',
    'validation',
    'permission',
    'conflict',
    'too_large',
    'context_length',
    'budget',
    'cancelled',
    'over_capacity',
    'breaker_open',
    'exhausted_fallback_chain',
    'tool_error',
    'internal',
  ]);
  expect(ERROR_CLASSES.filter((each) => !met.has(each) && !ours.has(each))).toEqual([]);
});
