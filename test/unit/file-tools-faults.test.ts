import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Fault } from '../../emulator/vendor.ts';
import { openIntake, type IntakeBench } from '../../src/files/intake/intake.fixture.ts';
import { NUMBERS } from '../cases/ask-classes.ts';
import { ASK_FAULT_TABLE } from '../cases/ask-fault-table.ts';
import { askSuite } from '../cases/ask-suite.ts';
import { ASK_KEYS } from '../cases/ask-under-test.ts';
import { FILE_TOOLS, fileToolsOf } from '../cases/file-tools-under-test.ts';
import { makePdf } from '../make-pdf.ts';
import { openThreads, type OpenedThreads } from '../open-threads.ts';
import { covering } from '../thorough.ts';
import { verifies } from '../verifies.ts';

const suite = askSuite();
let bench: IntakeBench;
let opened: OpenedThreads;
let count = 0;

beforeAll(async () => {
  bench = await openIntake();
  opened = await openThreads();
});
afterAll(async () => {
  await bench.close();
  await opened.close();
});

/** A PDF that no other test has, as base64 content. */
function newPdf() {
  count += 1;
  const says = `The bridge ${count} has ${count * 13} arches`;
  const filename = `bridge-${count}.pdf`;
  return { says, file: { filename, content: makePdf(says).toString('base64') } };
}

const QUESTION = `Say exactly: """${NUMBERS}"""`;

type Planned = Omit<Fault, 'vendor' | 'times'> & { readonly path: string };

/** Faults of a text answer of Kimi that need no time to run out; tools and JSON are not used here. */
const AT_ANSWER: readonly Planned[] = ASK_FAULT_TABLE.filter(
  ({ who, ask = 'numbers', runsOut, plan }) =>
    // Hints at a wait are the provider's matter, and each would be waited for.
    plan.with?.['hint'] === undefined &&
    (who === undefined || who.includes('kimi')) &&
    ask === 'numbers' &&
    runsOut === undefined,
).map(({ plan }) => ({ ...plan, path: 'chat' }));
/** How the attempt of Kimi ends; `local`: Kimi answers with the text of this machine. */
type FileOutcome = ErrorClass | 'local';

const OF_REQUESTS: readonly (readonly [string, FileOutcome])[] = [
  ['F1', 'rate_limit'],
  ['F2', 'billing'],
  ['F3', 'overloaded'],
  ['F4.502', 'provider_error'],
  ['F4.503', 'overloaded'],
  ['F5.reset', 'network'],
  ['F16', 'auth'],
];
const FILE_FAULTS: readonly { readonly fault: Planned; readonly is: FileOutcome }[] = [
  ...['/files', '/content'].flatMap((path) =>
    OF_REQUESTS.map(([id, is]) => ({ fault: { id, path }, is })),
  ),
  ...['F15.toolarge', 'F15.zero', 'F15.count', 'F15.413', 'F15.status'].map((id) => ({
    fault: { id, path: '/files' },
    is: 'local' as const,
  })),
  { fault: { id: 'F15.cut', path: '/files' }, is: 'network' },
  ...['F15.extract', 'F15.server'].map((id) => ({
    fault: { id, path: '/content' },
    is: 'local' as const,
  })),
  // Forgotten again and again: the provider does not do what it says.
  { fault: { id: 'F15.forgot', path: '/content' }, is: 'bad_response' },
];
const AT_FILES = FILE_FAULTS.map(({ fault }) => fault);

/** Each fault in the everyday suite by one tool, and each tool with each number of fault and path. */
const CASES = covering(
  FILE_TOOLS.flatMap((tool) => [...AT_FILES, ...AT_ANSWER].map((fault) => ({ tool, fault }))),
  ({ tool, fault }) => [
    JSON.stringify(fault),
    `${tool} ${fault.path} ${fault.id.replace(/\..*$/, '')}`,
  ],
);

describe.each(FILE_TOOLS)('%s', (tool) => {
  for (const { fault } of CASES.filter((each) => each.tool === tool)) {
    const name = `answers whatever Kimi does: ${fault.id} at ${fault.path} ${JSON.stringify(fault.with ?? '')}`;
    verifies('files:faults', name, async () => {
      const rig = await suite.rig();
      const { says, file } = newPdf();
      suite.harness().emulator.fault({ ...fault, vendor: 'kimi', times: 0 });
      const call = fileToolsOf(rig, bench, opened.threads);
      const { result, error, report } = await call(tool, { prompt: QUESTION, files: [file] });
      expect(error).toBeUndefined();
      // Once and whole, also where another model continues what Kimi began.
      expect(result?.text.split(NUMBERS)).toHaveLength(2);
      const by = report?.provider ?? '';
      expect(['kimi', 'glm']).toContain(by);
      // Whoever answers was given the file, as that provider gets it.
      expect(JSON.stringify(rig.chats(by).at(-1)?.body)).toContain(says);
      expect(report?.attempts.at(-1)).toMatchObject({ provider: by, outcome: 'ok' });
      if (by === 'glm') expect(report?.attempts[0]).toMatchObject({ provider: 'kimi' });
      const crumbs = rig.crumbs.lines.filter(({ event }) => event === 'attempt');
      expect(crumbs).toHaveLength(report?.attempts.length ?? -1);
      expect(JSON.stringify(crumbs)).not.toContain(says);
      await expect.poll(() => rig.held()).toEqual([]);
    });
  }

  verifies('files:faults', 'quotes the file when every provider is dead', async () => {
    const rig = await suite.rig();
    const { says, file } = newPdf();
    for (const vendor of ['kimi', 'glm', 'openrouter', 'ollama'])
      suite.harness().emulator.fault({ id: 'F5.reset', vendor, times: 0 });
    const call = fileToolsOf(rig, bench, opened.threads);
    const { result, report } = await call(tool, {
      prompt: `How many arches has the bridge ${count}?`,
      files: [file],
    });
    expect(report).toMatchObject({ provider: 'extractive', quality: 'degraded' });
    expect(result?.text).toContain(says);
    expect(report?.attempts[0]).toMatchObject({ provider: 'kimi', outcome: 'network' });
  });
});

/** A PDF whose only page is a picture, which only a provider can read. */
function newScan() {
  count += 1;
  const says = `The tunnel ${count} has ${count * 17} lamps`;
  const image =
    '900 0 obj\n<< /Type /XObject /Subtype /Image /Width 2000 /Height 3000 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 4 >> stream\nabcd\nendstream\nendobj\n';
  const shown = 'BT /F1 12 Tf 72 720 Td (a picture of it) Tj ET';
  const content = makePdf('a picture of it')
    .toString('latin1')
    .replace(shown, 'q 612 0 0 792 0 0 cm /Im0 Do Q'.padEnd(shown.length))
    .replace('/Resources <<', '/Resources << /XObject << /Im0 900 0 R >>')
    .replace('xref\n', `${image}% scan: ${says}\nxref\n`);
  const base64 = Buffer.from(content, 'latin1').toString('base64');
  return { says, file: { filename: `tunnel-${count}.pdf`, content: base64 } };
}

const DEAD = [
  { id: 'F5.reset', path: '/files' },
  { id: 'F15.cut', path: '/files' },
  { id: 'F4.502', path: '/content' },
  { id: 'F5.cut', path: 'chat' },
  // Kimi refuses the file alone, and what this machine extracted has marks of pages, but no text.
  { id: 'F15.413', path: '/files' },
  { id: 'F15.toolarge', path: '/files' },
  { id: 'F15.count', path: '/files' },
  { id: 'F15.extract', path: '/content' },
] as const;

describe.each(FILE_TOOLS)('%s, about a scan', (tool) => {
  for (const fault of DEAD) {
    verifies(
      'files:faults',
      `has it read again if Kimi fails: ${fault.id} at ${fault.path}`,
      async () => {
        const rig = await suite.rig();
        const { says, file } = newScan();
        suite.harness().emulator.fault({ ...fault, vendor: 'kimi', times: 0 });
        const call = fileToolsOf(rig, bench, opened.threads);
        const { result, error, report } = await call(tool, { prompt: QUESTION, files: [file] });
        expect(error).toBeUndefined();
        expect(report?.provider).toBe('glm');
        expect(result?.text).toContain(NUMBERS);
        expect(JSON.stringify(rig.chats('glm').at(-1)?.body)).toContain(says);
        expect(report?.attempts[0]).toMatchObject({ provider: 'kimi' });
        await expect.poll(() => rig.held()).toEqual([]);
      },
    );
  }
});

describe('an upload that fails', () => {
  for (const { fault, is } of FILE_FAULTS) {
    const name = `has the class ${is} and leaves nothing that is unknown: ${fault.id} at ${fault.path}`;
    verifies('files:faults', name, async () => {
      const rig = await suite.rig();
      const { emulator } = suite.harness();
      const { says, file } = newPdf();
      emulator.fault({ ...fault, vendor: 'kimi', times: 0 });
      const call = fileToolsOf(rig, bench, opened.threads);
      const args = { prompt: QUESTION, files: [file] };
      const { report } = await call('kimi_multi_file_chat', args);
      const [first] = report?.attempts ?? [];
      expect([first?.provider, first?.outcome]).toEqual(['kimi', is === 'local' ? 'ok' : is]);
      expect(report?.notices.some(({ code }) => code === 'local_text_used')).toBe(is === 'local');
      emulator.clearFaults();
      expect(await filesAtKimi()).toBeLessThanOrEqual(is === 'local' ? 0 : 1);
      // What is left is what the cache knows: the next question uploads no second copy.
      const again = await call('kimi_multi_file_chat', args);
      expect(again.error).toBeUndefined();
      const by = again.report?.provider ?? '';
      expect(JSON.stringify(rig.chats(by).at(-1)?.body)).toContain(says);
      expect(await filesAtKimi()).toBeLessThanOrEqual(1);
    });
  }
});

async function filesAtKimi(): Promise<number> {
  const { url } = suite.harness().emulator;
  const headers = { authorization: `Bearer ${ASK_KEYS[0]}` };
  const answer = await fetch(`${url}/kimi/v1/files`, { headers });
  const { data } = (await answer.json()) as { readonly data: readonly object[] };
  return data.length;
}

describe('Kimi that falls silent', () => {
  const quick = { firstTokenMs: 300, idleMs: 300 };
  const SILENT = ['F5.silent', 'F5.headers', 'F5.stall'] as const;
  for (const id of SILENT) {
    verifies('files:faults', `leaves the question about files to GLM: ${id}`, async () => {
      const rig = await suite.rig({ patience: quick });
      const { says, file } = newPdf();
      suite.harness().emulator.fault({ id, vendor: 'kimi', path: 'chat', times: 0 });
      const call = fileToolsOf(rig, bench, opened.threads);
      const { result, report } = await call('file_chat', { prompt: QUESTION, files: [file] });
      expect(report?.provider).toBe('glm');
      expect(result?.text.split(NUMBERS)).toHaveLength(2);
      expect(JSON.stringify(rig.chats('glm').at(-1)?.body)).toContain(says);
      await expect.poll(() => rig.held()).toEqual([]);
    });
  }
});

verifies(
  'files:faults',
  'a search that never ends does not end a question about files',
  async () => {
    const rig = await suite.rig();
    const { says, file } = newPdf();
    suite.harness().emulator.fault({ id: 'F14', vendor: 'kimi', path: 'chat', times: 0 });
    const call = fileToolsOf(rig, bench, opened.threads);
    const args = { prompt: QUESTION, files: [file], model: 'kimi-k2.6', use_websearch: true };
    const { result, error } = await call('chat', args);
    expect(error).toBeUndefined();
    expect(result?.text).not.toBe('');
    const bodies = rig.chats('kimi').map(({ body }) => JSON.stringify(body));
    expect(bodies).toHaveLength(4);
    for (const body of bodies) expect(body).toContain(says);
  },
);
