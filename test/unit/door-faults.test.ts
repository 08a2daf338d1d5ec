import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runToolLoop } from '#agent/loop.ts';
import { systemClock } from '#app/system.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { AskReport } from '#core/llm/ask.ts';
import type { LoopTool } from '#core/llm/tool-loop.ts';
import { PAGES } from '../../emulator/web.ts';
import { openIntake, type IntakeBench } from '../../src/files/intake/intake.fixture.ts';
import { NUMBERS } from '../cases/ask-classes.ts';
import { askSuite } from '../cases/ask-suite.ts';
import { ASK_KEYS, SET_UP, type AskRig, type SetUp } from '../cases/ask-under-test.ts';
import { DOOR_FAULTS, DOORS, doorFaults, type PlannedFault } from '../cases/door-faults.ts';
import { fileToolsOf } from '../cases/file-tools-under-test.ts';
import { openReading, webToolsOf } from '../cases/web-tools-under-test.ts';
import { makePicture } from '../make-picture.ts';
import { openThreads, type OpenedThreads } from '../open-threads.ts';
import { covering } from '../thorough.ts';
import { verifies } from '../verifies.ts';

const suite = askSuite();
/** Whoever is silent is given up soon. */
const QUICK = { firstTokenMs: 400, idleMs: 400 };
const OFTEN = { once: 1, always: 0 } as const;

let bench: IntakeBench;
let opened: OpenedThreads;
beforeAll(async () => {
  bench = await openIntake();
  opened = await openThreads();
});
afterAll(async () => {
  await bench.close();
  await opened.close();
});

test('Every fault is met at every door, or cannot occur there', () => {
  const numbers = Array.from({ length: 16 }, (_, at) => `F${at + 1}`);
  expect(Object.keys(DOOR_FAULTS)).toEqual(numbers);
  for (const [fault, row] of Object.entries(DOOR_FAULTS)) {
    for (const door of DOORS) {
      const cell = row[door];
      const ids = 'never' in cell ? [] : cell.map(({ id }) => id);
      expect(ids.every((id) => id === fault || id.startsWith(`${fault}.`))).toBe(true);
      expect('never' in cell || ids.length > 0).toBe(true);
    }
  }
});

function nameOf({ id, after }: PlannedFault, often: string): string {
  return `${id}${after === undefined ? '' : ` after ${after}`}, ${often}`;
}

function plan(fault: PlannedFault, vendor: string, times: number) {
  const { id, after, with: options } = fault;
  const more = { ...(after !== undefined && { after }), ...(options && { with: options }) };
  suite.harness().emulator.fault({ id, vendor, times, ...more });
}

function rigFor({ isSilent }: PlannedFault): Promise<AskRig> {
  return suite.rig(isSilent ? { patience: QUICK } : {});
}

/** An error that says what failed and shows no secret, and nothing that is still held. */
async function expectClean(rig: AskRig, error?: CallError): Promise<void> {
  if (error) {
    expect(error.class).not.toBe('internal');
    expect(error.message).not.toBe('');
  }
  const told = JSON.stringify([error?.toJSON(), rig.crumbs.lines, rig.log.lines]);
  for (const key of ASK_KEYS) expect(told).not.toContain(key);
  await expect.poll(() => rig.held()).toEqual([]);
}

const KNOWN = new Set(PAGES.map(({ url }) => url));
const PUBLIC = 'https://news.example/rocket';
const FAILED = new CallError('timeout', 'news.example did not answer in time.');

describe('a search', () => {
  for (const vendor of ['glm', 'openrouter'] as const) {
    // The router's search is a chat that is not streamed.
    for (const fault of doorFaults('search', vendor).filter(({ isSilent }) => !isSilent)) {
      for (const [often, times] of Object.entries(OFTEN)) {
        verifies(
          'web:faults',
          `has results or one typed error: ${vendor} ${nameOf(fault, often)}`,
          async () => {
            const rig = await rigFor(fault);
            const reading = openReading([], FAILED);
            // The next one is asked when GLM fails; nobody is left when OpenRouter does.
            if (vendor === 'openrouter') plan({ id: 'F16' }, 'glm', 0);
            plan(fault, vendor, times);
            const { result, error } = await webToolsOf(rig, reading)('web_search', {
              query: 'rocket Heron',
            });
            await expectClean(rig, error);
            const { results = [] } = (result?.content ?? {}) as { results?: { url: string }[] };
            expect(results.filter(({ url }) => !KNOWN.has(url))).toEqual([]);
            if (vendor === 'glm') expect(results.length).toBeGreaterThan(0);
            else expect(error !== undefined || results.length > 0).toBe(true);
            const attempts = result?.askReports?.[0]?.attempts.length;
            const crumbs = rig.crumbs.lines.filter(({ event }) => event === 'attempt');
            if (attempts !== undefined) expect(crumbs).toHaveLength(attempts);
            await reading.close();
          },
        );
      }
    }
  }

  verifies('web:faults', 'that is silent ends with the time of its call', async () => {
    const rig = await suite.rig();
    const reading = openReading([], FAILED);
    plan({ id: 'F5.silent' }, 'glm', 0);
    plan({ id: 'F5.silent' }, 'openrouter', 0);
    const call = webToolsOf(rig, reading, { deadlineMs: 1_500 });
    const { error } = await call('web_search', { query: 'rocket Heron' });
    expect(['timeout', 'exhausted_fallback_chain']).toContain(error?.class);
    await expectClean(rig, error);
    await reading.close();
  });
});

describe('a reader', () => {
  for (const fault of doorFaults('reader', 'glm').filter(({ isSilent }) => !isSilent)) {
    for (const [often, times] of Object.entries(OFTEN)) {
      verifies(
        'web:faults',
        `reads, or the failure here is told: ${nameOf(fault, often)}`,
        async () => {
          const rig = await rigFor(fault);
          const reading = openReading([], FAILED);
          plan(fault, 'glm', times);
          const call = webToolsOf(rig, reading);
          const { result, error } = await call('read_web', { url: PUBLIC });
          if (result) expect(result.text).toContain('320 kilograms');
          else expect(error).toMatchObject({ class: FAILED.class, message: FAILED.message });
          await expectClean(rig, error);
          if (often === 'always' && error) {
            const { error: own } = await call('glm_web_reader', { url: PUBLIC });
            expect(own).toBeInstanceOf(CallError);
            await expectClean(rig, own);
          }
          await reading.close();
        },
      );
    }
  }

  verifies('web:faults', 'that is silent ends with the time of its call', async () => {
    const rig = await suite.rig();
    const reading = openReading([], FAILED);
    plan({ id: 'F5.silent' }, 'glm', 0);
    const call = webToolsOf(rig, reading, { deadlineMs: 1_500 });
    const { error } = await call('glm_web_reader', { url: PUBLIC });
    expect(error?.class).toBe('timeout');
    await expectClean(rig, error);
    await reading.close();
  });
});

const PNG = makePicture({ width: 60, height: 40, format: 'png' });
const PICTURE = { filename: 'a.png', content: PNG.toString('base64') };

/** GLM leads in vision.test.ts. */
const MODELS = {
  kimi: 'kimi-k2.6',
  openrouter: 'openrouter/moonshotai/kimi-k2.6',
} as const;

describe('a question about a picture', () => {
  for (const [vendor, model] of Object.entries(MODELS)) {
    for (const fault of doorFaults('vision', vendor)) {
      for (const [often, times] of Object.entries(fault.isSilent ? { once: 1 } : OFTEN)) {
        verifies('vision:faults', `is answered: ${vendor} ${nameOf(fault, often)}`, async () => {
          const rig = await rigFor(fault);
          plan(fault, vendor, times);
          const call = fileToolsOf(rig, bench, opened.threads);
          const { result, error, report } = await call('describe_image', {
            prompt: `Say exactly: """${NUMBERS}"""`,
            images: [PICTURE],
            model,
          });
          expect(error).toBeUndefined();
          expect(result?.text.split(NUMBERS)).toHaveLength(2);
          // Whoever answers was given the picture.
          const by = SET_UP[(report?.provider ?? 'glm') as SetUp];
          expect(JSON.stringify(rig.chats(by).at(-1)?.body)).toContain('image_url');
          await expectClean(rig);
        });
      }
    }
  }
});

const LOOP_MODELS = {
  kimi: 'kimi-k2.6',
  glm: 'glm-4.7',
  openrouter: 'openrouter/meta-llama/llama-3.3-70b-instruct',
} as const;

/** A loop of three rounds: a call that writes, one that reads, the answer. */
async function runLoop(rig: AskRig, model: string, onWrite: () => void) {
  const ran: string[] = [];
  const tool = (
    name: string,
    effect: LoopTool['effect'],
    then = () => undefined as void,
  ): LoopTool => ({
    name,
    description: name,
    parameters: { type: 'object', properties: {} },
    effect,
    async run() {
      ran.push(name);
      then();
      return { text: `${name} is done` };
    },
  });
  const reports: AskReport[] = [];
  const by = rig.by({ tool: 'kimi_chat_with_tools' });
  const content = 'Go. [[call note]] [[then look]]';
  try {
    const loop = await runToolLoop(
      {
        request: { model, messages: [{ role: 'user', content }] },
        tools: [tool('note', 'writes', onWrite), tool('look', 'reads')],
      },
      {
        ask: (request, listener) => rig.manager.ask(request, by, listener),
        clock: systemClock,
        deadline: by.deadline,
        signal: by.signal,
        listener: { onText: () => undefined, onReport: (report) => void reports.push(report) },
      },
    );
    return { loop, ran, reports };
  } catch (thrown) {
    return { error: CallError.from(thrown), ran, reports };
  }
}

/** The vendor writes these calls twice, so they are two calls. */
const TWICE = new Set(['F8.interleaved', 'F8.duplicate']);
/** The model names a tool that there is not, or half of the arguments: it is told each time. */
const NOT_CALLED = new Set(['F8.unknown', 'F8.truncated']);

interface LoopCase {
  readonly vendor: keyof typeof LOOP_MODELS;
  readonly fault: PlannedFault;
  readonly often: keyof typeof OFTEN;
  readonly round: 1 | 2;
}

const VENDORS = Object.keys(LOOP_MODELS) as (keyof typeof LOOP_MODELS)[];
const LOOP_CASES: readonly LoopCase[] = VENDORS.flatMap((vendor) =>
  doorFaults('loop', vendor).flatMap((fault): LoopCase[] => [
    { vendor, fault, often: 'once', round: 1 },
    { vendor, fault, often: 'once', round: 2 },
    ...(fault.isSilent ? [] : [{ vendor, fault, often: 'always', round: 1 } as const]),
  ]),
);

/** In the everyday suite each fault of each vendor, and each in each round and as often. */
function combinationsOf({ vendor, fault, often, round }: LoopCase): string[] {
  const how = `${often} ${round}`;
  const number = fault.id.replace(/\..*$/, '');
  return [
    `${vendor} ${nameOf(fault, '')}`,
    `${vendor} ${number} ${how}`,
    `${nameOf(fault, '')} ${how}`,
  ];
}

describe('a tool loop', () => {
  for (const { vendor, fault, often, round } of covering(LOOP_CASES, combinationsOf)) {
    const [model, times] = [LOOP_MODELS[vendor], OFTEN[often]];
    const name = `answers: ${vendor} ${nameOf(fault, often)}, from round ${round}`;
    verifies('loop:faults', name, async () => {
      const rig = await rigFor(fault);
      if (round === 1) plan(fault, vendor, times);
      let isPlanned = round === 1;
      const { loop, error, ran } = await runLoop(rig, model, () => {
        if (!isPlanned) plan(fault, vendor, times);
        isPlanned = true;
      });
      expect(error).toBeUndefined();
      expect(loop?.failure).toBeUndefined();
      expect(loop?.end).toBe('answered');
      expect(loop?.text).not.toBe('');
      const writes = ran.filter((each) => each === 'note').length;
      if (NOT_CALLED.has(fault.id)) expect(writes).toBeLessThanOrEqual(1);
      else expect(writes).toBe(TWICE.has(fault.id) && round === 1 ? 2 : 1);
      await expectClean(rig);
    });
  }
});
