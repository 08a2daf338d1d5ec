import { describe, expect, test } from 'vitest';
import type { AskText } from '#core/llm/ask.ts';
import { documentText, pdf } from '../cases/documents.ts';
import { askSuite } from '../cases/ask-suite.ts';
import type { AskRig } from '../cases/ask-under-test.ts';
import { user } from '../cases/provider-requests.ts';
import { verifies } from '../verifies.ts';

const suite = askSuite();
let count = 0;

/** A content that no other test has. */
function line(): string {
  count += 1;
  return `The harbour of town ${count} has ${count * 7} piers`;
}

const aboutFiles = (...files: readonly AskText[]) => ({
  messages: user('How many piers does the harbour have?'),
  files,
});

function seen(method: string, ending: string): number {
  const { emulator } = suite.harness();
  return emulator
    .requests()
    .filter((each) => each.method === method && each.path.split('?')[0]?.endsWith(ending)).length;
}

const toUpload = ({ name, document }: ReturnType<typeof documentText>) => ({
  ...document,
  name,
  provider: 'kimi' as const,
  principal: 'any',
});

/** The last chat that a vendor received, as text. */
function prompt(rig: AskRig, vendor: string): string {
  return JSON.stringify(rig.chats(vendor).at(-1)?.body ?? '');
}

function codes({ reports }: Awaited<ReturnType<AskRig['ask']>>): readonly string[] {
  return (reports.at(-1)?.notices ?? []).map(({ code }) => code);
}

describe('a document', () => {
  verifies(
    'uploads:supply',
    'is uploaded to Kimi, whose text is used; plain text is not uploaded',
    async () => {
      const rig = await suite.rig();
      const shown = line();
      const file = documentText(pdf([shown]), { local: 'the local text of it' });
      const notes = { name: 'notes.txt', text: 'some plain notes' };
      const asked = await rig.ask(aboutFiles(file, notes));
      expect(asked.answer?.provider).toBe('kimi');
      expect(prompt(rig, 'kimi')).toContain(shown);
      expect(prompt(rig, 'kimi')).toContain('some plain notes');
      expect(prompt(rig, 'kimi')).not.toContain('the local text of it');
      expect(seen('POST', '/files')).toBe(1);
      const lines = rig.crumbs.lines.filter(({ event }) => event === 'file_supply');
      expect(lines).toMatchObject([
        { fields: { provider: 'kimi', requests: ['upload ok', 'file_content ok'] } },
      ]);
    },
  );

  verifies('uploads:supply', 'reaches every other model as its local text', async () => {
    const rig = await suite.rig();
    const shown = line();
    const file = documentText(pdf([shown]), { local: `local: ${shown}` });
    const asked = await rig.ask({ ...aboutFiles(file), model: 'glm-5.3', fallback: 'none' });
    expect(asked.answer?.provider).toBe('glm');
    expect(prompt(rig, 'glm')).toContain(`local: ${shown}`);
    expect(suite.harness().emulator.requests({ vendor: 'kimi' })).toEqual([]);
    expect(file.reads()).toBe(0);
  });

  verifies('uploads:cache', 'is uploaded once, across questions, names and restarts', async () => {
    const content = pdf([line()]);
    const rig = await suite.rig();
    await rig.ask(aboutFiles(documentText(content, { local: 'x' })));
    await rig.ask(aboutFiles(documentText(content, { local: 'x', name: 'copy.pdf' })));
    expect(seen('POST', '/files')).toBe(1);
    expect(seen('GET', '/content')).toBe(1);
    const prompts = rig.chats('kimi').map(({ body }) => JSON.stringify(body));
    expect(prompts).toHaveLength(2);
    // Another manager on the same store; its vendors are as new, too.
    const next = await suite.rig();
    const again = documentText(content, { local: 'x' });
    await next.ask(aboutFiles(again));
    expect(seen('POST', '/files')).toBe(0);
    expect(again.reads()).toBe(0);
    expect(JSON.stringify(next.chats('kimi').at(-1)?.body)).toBe(prompts[0]);
  });

  verifies('uploads:shared', 'that several questions need at once is uploaded once', async () => {
    const rig = await suite.rig();
    suite.harness().emulator.fault({ id: 'F15.slow', vendor: 'kimi', with: { ms: 50 } });
    const content = pdf([line()]);
    const all = await Promise.all(
      Array.from({ length: 8 }, () =>
        rig.ask(aboutFiles(documentText(content, { local: 'the same' }))),
      ),
    );
    expect(all.map(({ answer }) => answer?.provider)).toEqual(all.map(() => 'kimi'));
    expect(seen('POST', '/files')).toBe(1);
    await expect.poll(() => rig.held()).toEqual([]);
  });

  verifies('uploads:told', 'is followed by a notice at the first upload only', async () => {
    const rig = await suite.rig();
    expect(codes(await rig.ask(aboutFiles(documentText(pdf([line()]), { local: 'a' }))))).toContain(
      'first_upload',
    );
    expect(
      codes(await rig.ask(aboutFiles(documentText(pdf([line()]), { local: 'b' })))),
    ).not.toContain('first_upload');
  });

  verifies(
    'uploads:unchanged',
    'that changes meanwhile is not used, and deleted again',
    async () => {
      const rig = await suite.rig();
      const file = documentText(pdf([line()]), { local: 'what it was' });
      const changed = { ...file, document: { ...file.document, sha256: '0'.repeat(64) } };
      const asked = await rig.ask(aboutFiles(changed));
      expect(codes(asked)).toContain('local_text_used');
      expect(prompt(rig, 'kimi')).toContain('what it was');
      expect(seen('DELETE', '')).toBe(1);
    },
  );
});

describe('a provider that fails', () => {
  const DEAD = [
    ['at the upload, by a reset', { id: 'F5.reset', path: '/files' }],
    ['at the upload, cut at half', { id: 'F15.cut' }],
    ['at the upload, with 502', { id: 'F4.502', path: '/files' }],
    ['at the upload, by an exhausted account', { id: 'F2', path: '/files' }],
    ['at the text', { id: 'F5.reset', path: '/content' }],
    ['at the text, with 503', { id: 'F4.503', path: '/content' }],
  ] as const;

  for (const [when, fault] of DEAD) {
    verifies('uploads:fallback', `${when} leaves the question to GLM`, async () => {
      const rig = await suite.rig();
      const shown = line();
      const file = documentText(pdf([shown]), { local: `local: ${shown}` });
      suite.harness().emulator.fault({ ...fault, vendor: 'kimi', times: 0 });
      const asked = await rig.ask(aboutFiles(file));
      expect(asked.answer?.provider).toBe('glm');
      expect(prompt(rig, 'glm')).toContain(`local: ${shown}`);
      expect(rig.chats('kimi')).toEqual([]);
      expect(asked.reports.at(-1)?.attempts[0]).toMatchObject({ provider: 'kimi' });
      expect(asked.reports.at(-1)?.attempts.at(-1)).toMatchObject({
        provider: 'glm',
        outcome: 'ok',
      });
      await expect.poll(() => rig.held()).toEqual([]);
    });
  }

  verifies('uploads:fallback', 'in its answer leaves the question to GLM', async () => {
    const rig = await suite.rig();
    const shown = line();
    const file = documentText(pdf([shown]), { local: `local: ${shown}` });
    suite.harness().emulator.fault({ id: 'F5.cut', vendor: 'kimi', path: 'chat', times: 0 });
    const asked = await rig.ask(aboutFiles(file));
    expect(asked.answer?.provider).toBe('glm');
    expect(prompt(rig, 'kimi')).not.toContain('local: ');
    expect(prompt(rig, 'glm')).toContain(`local: ${shown}`);
  });

  verifies('uploads:fallback', 'like all others leaves passages of the local text', async () => {
    const rig = await suite.rig();
    const shown = line();
    const { emulator } = suite.harness();
    for (const vendor of ['kimi', 'glm', 'openrouter', 'ollama'])
      emulator.fault({ id: 'F5.reset', vendor, times: 0 });
    const file = documentText(pdf([shown]), { local: `${shown}, says the local text.` });
    const asked = await rig.ask(aboutFiles(file));
    expect(asked.answer?.provider).toBe('extractive');
    expect(asked.answer?.text).toContain('says the local text');
  });

  verifies('uploads:attempts', 'is reported, recorded and counted for its breaker', async () => {
    const rig = await suite.rig();
    suite.harness().emulator.fault({ id: 'F2', vendor: 'kimi', path: '/files', times: 0 });
    const asked = await rig.ask(aboutFiles(documentText(pdf([line()]), { local: 'text' })));
    expect(asked.reports.at(-1)?.attempts[0]).toMatchObject({
      provider: 'kimi',
      outcome: 'billing',
      next: expect.stringContaining('glm/'),
    });
    expect(await rig.attempts(asked.reqId)).toMatchObject([{ outcome: 'billing' }, {}]);
    expect(rig.breakers.all()).toContainEqual(expect.objectContaining({ key: 'kimi', is: 'open' }));
    expect(rig.crumbs.lines.filter(({ event }) => event === 'attempt')).toHaveLength(2);
  });
});

describe('an extraction that fails', () => {
  const REFUSALS = ['F15.toolarge', 'F15.zero', 'F15.count', 'F15.413'] as const;
  for (const id of REFUSALS) {
    verifies('uploads:local-text', `by ${id} leaves Kimi with the local text`, async () => {
      const rig = await suite.rig();
      const shown = line();
      suite.harness().emulator.fault({ id, vendor: 'kimi', path: '/files' });
      const file = documentText(pdf([shown]), { local: `local: ${shown}` });
      const asked = await rig.ask(aboutFiles(file));
      expect(asked.answer?.provider).toBe('kimi');
      expect(codes(asked)).toContain('local_text_used');
      expect(prompt(rig, 'kimi')).toContain(`local: ${shown}`);
    });
  }

  for (const id of ['F15.extract', 'F15.server', 'F15.status'] as const) {
    verifies('uploads:clean', `by ${id} leaves nothing behind`, async () => {
      const rig = await suite.rig();
      const content = pdf([line()]);
      suite.harness().emulator.fault({ id, vendor: 'kimi', path: '/files' });
      if (id !== 'F15.status') {
        suite.harness().emulator.clearFaults();
        suite.harness().emulator.fault({ id, vendor: 'kimi', path: '/content' });
      }
      const asked = await rig.ask(aboutFiles(documentText(content, { local: 'local words' })));
      expect(asked.answer?.provider).toBe('kimi');
      expect(codes(asked)).toContain('local_text_used');
      expect(rig.breakers.all().filter(({ is }) => is !== 'closed')).toEqual([]);
      const { result } = await rig.uploads.run('kimi', rig.by(), (uploads, context) =>
        uploads.list({ provider: 'kimi', principal: 'any', scope: 'account' }, context),
      );
      expect(result).toEqual([]);
      // The cache is consistent: a new try uploads it again.
      const again = documentText(content, { local: 'local words' });
      const { result: retried } = await rig.uploads.run('kimi', rig.by(), (uploads, context) =>
        uploads.extract(toUpload(again), 'new_try', context),
      );
      expect(retried.isCached).toBe(false);
      const next = await rig.ask(aboutFiles(again));
      expect(codes(next)).not.toContain('local_text_used');
      expect(seen('POST', '/files')).toBe(2);
    });
  }

  verifies('uploads:refused-once', 'is remembered for the content, by restarts too', async () => {
    const content = pdf([line()]);
    const fault = { id: 'F15.extract', vendor: 'kimi', path: '/content', times: 0 } as const;
    for (const expected of [
      { notice: 'local_text_used', uploads: 1 },
      { notice: 'not_uploaded_again', uploads: 0 },
    ]) {
      const rig = await suite.rig();
      suite.harness().emulator.fault(fault);
      const asked = await rig.ask(aboutFiles(documentText(content, { local: 'local words' })));
      expect(asked.answer?.provider).toBe('kimi');
      expect(codes(asked)).toContain(expected.notice);
      expect(prompt(rig, 'kimi')).toContain('local words');
      expect(seen('POST', '/files')).toBe(expected.uploads);
      // A content that was changed is another one.
      suite.harness().emulator.clearFaults();
      await rig.ask(aboutFiles(documentText(pdf([line()]), { local: 'changed' })));
      expect(seen('POST', '/files')).toBe(expected.uploads + 1);
    }
  });
});

verifies('uploads:counted', 'half of the requests of a question may be uploads', async () => {
  const harness = await suite.another({ settings: { fallback: { maxVendorCalls: 8 } } });
  const rig = await harness.manage();
  const files = [1, 2, 3, 4, 5].map((n) => documentText(pdf([line()]), { local: `local ${n}` }));
  // Kimi fails at the answer, and GLM still has its requests.
  harness.emulator.fault({ id: 'F4.502', vendor: 'kimi', path: 'chat', times: 0 });
  const asked = await rig.ask(aboutFiles(...files));
  expect(asked.answer?.provider).toBe('glm');
  const sent = harness.emulator
    .requests({ vendor: 'kimi' })
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/files'));
  expect(sent).toHaveLength(4);
  expect(sent.length + rig.chats().length).toBeLessThanOrEqual(8);
  harness.emulator.clearFaults();
  const next = await harness.manage();
  const limited = await next.ask(aboutFiles(...files));
  expect(limited.answer?.provider).toBe('kimi');
  expect(codes(limited)).not.toContain('uploads_limited');
  const more = [6, 7, 8, 9, 10].map((n) => documentText(pdf([line()]), { local: `local ${n}` }));
  expect(codes(await next.ask(aboutFiles(...more)))).toContain('uploads_limited');
  await next.close();
  await rig.close();
});

describe('a scan', () => {
  const scan = (shown: string) =>
    documentText(pdf([shown], 'scan'), { name: 'scan.pdf', scannedPages: 1 });

  verifies('uploads:scans', 'is read by Kimi, who is asked', async () => {
    const rig = await suite.rig();
    const shown = line();
    const asked = await rig.ask(aboutFiles(scan(shown)));
    expect(asked.answer?.provider).toBe('kimi');
    expect(prompt(rig, 'kimi')).toContain(shown);
  });

  verifies('uploads:scans', 'is read by GLM if Kimi is dead, and only once', async () => {
    const rig = await suite.rig();
    const shown = line();
    suite.harness().emulator.fault({ id: 'F5.reset', vendor: 'kimi', times: 0 });
    for (let times = 0; times < 2; times += 1) {
      const asked = await rig.ask(aboutFiles(scan(shown)));
      expect(asked.answer?.provider).toBe('glm');
      expect(prompt(rig, 'glm')).toContain(shown);
    }
    expect(seen('POST', '/layout_parsing')).toBe(1);
  });

  verifies('uploads:scans', 'that Kimi has read is not read again for GLM', async () => {
    const rig = await suite.rig();
    const shown = line();
    suite.harness().emulator.fault({ id: 'F4.502', vendor: 'kimi', path: 'chat', times: 0 });
    const asked = await rig.ask(aboutFiles(scan(shown)));
    expect(asked.answer?.provider).toBe('glm');
    expect(prompt(rig, 'glm')).toContain(shown);
    expect(seen('POST', '/layout_parsing')).toBe(0);
    expect(codes(asked)).toContain('scan_read_by');
  });

  verifies('uploads:refused-once', 'without text is read once by each provider', async () => {
    const rig = await suite.rig();
    const file = documentText(pdf([''], 'scan'), { name: 'blank.pdf', scannedPages: 1 });
    for (let times = 0; times < 2; times += 1) {
      const { answer, reports } = await rig.ask(aboutFiles(file));
      expect(answer?.provider).toBe('extractive');
      expect(reports.at(-1)?.notices).toContainEqual(
        expect.objectContaining({
          code: 'scan_not_read',
          params: expect.objectContaining({ error: expect.anything() }),
        }),
      );
    }
    expect(seen('POST', '/files')).toBe(1);
    expect(seen('POST', '/layout_parsing')).toBe(1);
  });

  verifies(
    'uploads:scans',
    'that no provider can read is left out beside other texts',
    async () => {
      const rig = await suite.rig();
      const blank = documentText(pdf([''], 'scan'), { name: 'blank.pdf', scannedPages: 1 });
      const notes = { name: 'notes.txt', text: line() };
      const asked = await rig.ask(aboutFiles(blank, notes));
      expect(asked.answer?.provider).toBe('glm');
      expect(prompt(rig, 'glm')).toContain(notes.text);
      expect(codes(asked)).toContain('scan_not_read');
    },
  );

  verifies('uploads:scope', 'goes to no provider that is not asked', async () => {
    const rig = await suite.rig();
    const asked = await rig.ask({
      ...aboutFiles({ ...scan(line()), text: 'a line of it' }),
      model: 'qwen3:8b',
      fallback: 'none',
    });
    expect(asked.answer?.provider).toBe('custom');
    expect(codes(asked)).toContain('scan_not_read');
    expect(seen('POST', '/files') + seen('POST', '/layout_parsing')).toBe(0);
  });

  verifies('uploads:scope', 'is not uploaded to a provider whose models are denied', async () => {
    const other = await suite.another({ settings: { models: { deny: { kimi: ['*'] } } } });
    const rig = await other.manage();
    const asked = await rig.ask(aboutFiles(scan(line())));
    await rig.close();
    expect(asked.answer?.provider).toBe('glm');
    expect(other.emulator.requests({ vendor: 'kimi' })).toEqual([]);
  });

  test('counts as a scan in the facts, and an explanation says what is uploaded', async () => {
    const rig = await suite.rig();
    const { facts, context } = await rig.explain(aboutFiles(scan(line())));
    expect(facts.files).toMatchObject({ count: 1, scans: 1, documents: 0 });
    expect(context).toContainEqual({
      code: 'files_to_upload',
      params: { provider: 'Kimi', files: 1, megabytes: 0.1, as: 'upload' },
    });
    expect(suite.harness().emulator.requests()).toEqual([]);
  });
});
