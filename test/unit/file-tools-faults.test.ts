import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Fault } from '../../emulator/vendor.ts';
import { openIntake, type IntakeBench } from '../../src/files/intake/intake.fixture.ts';
import { NUMBERS } from '../cases/ask-classes.ts';
import { ASK_FAULT_TABLE } from '../cases/ask-fault-table.ts';
import { askSuite } from '../cases/ask-suite.ts';
import { FILE_TOOLS, fileToolsOf } from '../cases/file-tools-under-test.ts';
import { makePdf } from '../make-pdf.ts';
import { openThreads, type OpenedThreads } from '../open-threads.ts';
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
const OF_REQUESTS = ['F1', 'F2', 'F3', 'F4.502', 'F4.503', 'F5.reset', 'F16'];
const AT_FILES: readonly Planned[] = [
  ...OF_REQUESTS.map((id) => ({ id, path: '/files' })),
  ...OF_REQUESTS.map((id) => ({ id, path: '/content' })),
  ...['F15.toolarge', 'F15.zero', 'F15.count', 'F15.413', 'F15.status', 'F15.cut'].map((id) => ({
    id,
    path: '/files',
  })),
  ...['F15.extract', 'F15.server', 'F15.forgot'].map((id) => ({ id, path: '/content' })),
];

describe.each(FILE_TOOLS)('%s', (tool) => {
  for (const fault of [...AT_FILES, ...AT_ANSWER]) {
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
