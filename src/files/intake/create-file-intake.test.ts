import { mkdirSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FileInput } from '#core/files/file-input.ts';
import { fileUri } from '#core/files/file-input.ts';
import type { AskText } from '#core/llm/ask.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { Clock } from '#core/time/clock.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { makePdf } from '../../../test/make-pdf.ts';
import { verifies } from '../../../test/verifies.ts';
import { png } from '../../../test/cases/provider-png.ts';
import { openIntake, type IntakeBench } from './intake.fixture.ts';

let bench: IntakeBench;
beforeEach(async () => {
  bench = await openIntake();
});
afterEach(() => bench.close());

const PDF = makePdf('The pier was built in 1907.', 'It was closed in 1951.');
const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64');
const bare = ({ document, ...text }: AskText) => ({
  ...text,
  ...(document && { sha256: document.sha256, mediaType: document.mediaType }),
});

async function bytesOf(text: AskText | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of text?.document?.bytes() ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('the forms of a file', () => {
  verifies(
    'files:forms',
    'every form of one PDF gives the same text, name and document',
    async () => {
      bench.write('project/report.pdf', PDF);
      const stored = await bench.files.write(
        {
          id: 'file_0000000000000000000001',
          principal: 'local',
          name: 'report.pdf',
          mime: 'application/pdf',
        },
        [PDF],
      );
      const forms: readonly FileInput[] = [
        'report.pdf',
        '*.pdf',
        { uri: `file://${bench.root}/report.pdf`, name: 'report.pdf' },
        { filename: 'report.pdf', content: base64(PDF), mime_type: 'application/pdf' },
        { filename: 'report.pdf', content: base64(PDF) },
        { uri: 'mcp://x/report.pdf', blob: base64(PDF), mimeType: 'application/pdf' },
        `data:application/pdf;name=report.pdf;base64,${base64(PDF)}`,
        { file_id: stored.id },
        { uri: fileUri(stored.id) },
        fileUri(stored.id),
      ];
      const seen = [];
      for (const form of forms) {
        const { texts, media, notices } = await bench.load([form]);
        expect(notices).toEqual([]);
        expect(media).toEqual([]);
        expect(await bytesOf(texts[0])).toEqual(PDF);
        seen.push(texts.map((text) => ({ ...bare(text), name: text.name.split('/').at(-1) })));
      }
      expect(seen[0]?.[0]?.text).toContain('<!-- page 2 -->\n\nIt was closed in 1951.');
      for (const each of seen) expect(each).toEqual(seen[0]);
      expect(bench.extracted()).toBe(1);
    },
  );

  test('forms can be mixed, and keep their order', async () => {
    bench.write('project/a.txt', 'one');
    bench.write('project/docs/b.md', 'two');
    const { texts, kept } = await bench.load([
      { name: 'c.txt', text: 'three' },
      'docs',
      { filename: 'd.txt', content: base64('four') },
      'a.txt',
    ]);
    expect(texts.map(({ name, text }) => `${name}: ${text}`)).toEqual([
      'c.txt: three',
      'docs/b.md: two',
      'd.txt: four',
      'a.txt: one',
    ]);
    expect(kept).toHaveLength(4);
    expect(kept[1]).toBe(`${bench.root}/docs`);
  });

  test('a text that comes as content is stored once, and found again by its URI', async () => {
    const first = await bench.load([{ filename: 'n.txt', content: base64('kept') }]);
    const again = await bench.load([], { earlier: first.kept });
    expect(again.texts).toEqual([{ name: 'n.txt', text: 'kept' }]);
    const repeated = await bench.load([{ name: 'n.txt', text: 'kept' }], { earlier: first.kept });
    expect(repeated.kept).toEqual(first.kept);
    expect(repeated.texts).toHaveLength(1);
  });

  test('a path is not copied into the store', async () => {
    bench.write('project/a.txt', 'one');
    await bench.load(['a.txt']);
    expect(await bench.files.list('local', 10)).toEqual([]);
  });

  test('a stored file of another principal is not found', async () => {
    const { kept } = await bench.load([{ name: 'n.txt', text: 'mine' }]);
    await expect(bench.load([kept[0] ?? ''], {}, bench.caller('other'))).rejects.toMatchObject({
      class: 'not_found',
      field: 'files',
    });
  });
});

describe('pictures', () => {
  test('a picture by path, by content and by data URL is the same part', async () => {
    const picture = png(2, 2);
    bench.write('project/p.png', picture);
    const forms: readonly FileInput[] = [
      'p.png',
      { filename: 'p.png', content: base64(picture) },
      `data:image/png;base64,${base64(picture)}`,
    ];
    for (const form of forms) {
      const { media } = await bench.load([form], { field: 'images', as: 'pictures' });
      expect(media.map(({ part }) => part)).toEqual([
        { type: 'image', source: { base64: base64(picture), mediaType: 'image/png' } },
      ]);
    }
  });

  test('a picture of an earlier question is attached again', async () => {
    const { kept } = await bench.load([{ filename: 'p.png', content: base64(png(2, 2)) }]);
    const { media } = await bench.load([], { earlier: kept });
    expect(media.map(({ name }) => name)).toEqual(['p.png']);
  });

  test('a declared type that disagrees with the bytes is corrected with a notice', async () => {
    const input = { filename: 'p.jpg', content: base64(png(2, 2)), mime_type: 'image/jpeg' };
    const { media, notices } = await bench.load([input]);
    expect(media[0]?.part.source).toMatchObject({ mediaType: 'image/png' });
    expect(notices).toMatchObject([
      { code: 'about_file', params: { about: { code: 'document_type_corrected' } } },
    ]);
  });

  test('a picture of 50,000 × 50,000 pixels is refused by its header', async () => {
    const huge = png(1, 1);
    huge.writeUInt32BE(50_000, 16);
    huge.writeUInt32BE(50_000, 20);
    const bomb = { filename: 'p.png', content: base64(huge) };
    await expect(bench.load([bomb])).rejects.toMatchObject({ class: 'too_large' });
  });
});

describe('what is refused', () => {
  test.each([
    ['QUJD*A==', 5],
    ['QUJD\nQUJD', 5],
    ['QU=D', 3],
    ['QUJ', 4],
    ['QR==', 2],
    ['QUJD-_==', 5],
    ['QUJDQUJ-', 8],
    ['QUJDQ_JD', 6],
    ['QUJD\u0141UJD', 5],
    ['QUJD\u00c1UJD', 5],
  ])('base64 %j is refused at position %i', async (content, position) => {
    await expect(bench.load([{ filename: 'a.bin', content }])).rejects.toMatchObject({
      class: 'validation',
      message: expect.stringContaining(`position ${position}:`),
    });
  });

  verifies('files:refused', 'content of 24 MB is read, and one byte more is refused', async () => {
    const whole = Buffer.alloc(24_000_000, 'a ');
    const input = { filename: 'a.txt', content: base64(whole) };
    // Large contents are decoded, and long texts scanned, with pauses.
    let pauses = 0;
    const clock: Clock = {
      ...createFakeClock(),
      after(_ms, then) {
        pauses += 1;
        setImmediate(then);
        return { stop: () => undefined };
      },
    };
    const intake = bench.with({ clock });
    const loaded = await intake.load([input], { field: 'files' }, bench.caller());
    expect(loaded).toMatchObject({ texts: [{ text: whole.toString() }] });
    expect(pauses).toBeGreaterThanOrEqual(30);
    const broken = { ...input, content: `${'QUJD'.repeat(400_000)}QU!D` };
    await expect(intake.load([broken], { field: 'files' }, bench.caller())).rejects.toMatchObject({
      message: expect.stringContaining('position 1600003:'),
    });
    const more = Buffer.alloc(24_000_001, 'a ');
    await expect(bench.load([{ filename: 'a.txt', content: base64(more) }])).rejects.toMatchObject({
      class: 'too_large',
    });
  });

  test('a file by path with one byte more than 100 MB is refused before it is read', async () => {
    const path = bench.write('project/large.bin', '');
    truncateSync(path, 100_000_001);
    await expect(bench.load(['large.bin'])).rejects.toMatchObject({
      class: 'too_large',
      message: expect.stringContaining('100 MB'),
    });
    rmSync(path);
  });

  test('1,001 files are refused', async () => {
    const many = Array.from({ length: 1_001 }, (_, at) => ({ name: `${at}.txt`, text: 'x' }));
    await expect(bench.load(many)).rejects.toMatchObject({ class: 'too_large' });
  });

  test('of a folder, 1,000 files are read, and a notice names the limit', async () => {
    for (let at = 0; at <= 1_000; at += 1) bench.write(`project/many/${10_000 + at}.txt`, 'x');
    const { texts, notices } = await bench.load(['many']);
    expect(texts).toHaveLength(1_000);
    expect(notices.map(baseRenderer.notice)).toEqual([
      'Left out of many: 1 beyond 1000 files (many/11000.txt).',
    ]);
  });

  test('a file of a folder that is deleted or replaced meanwhile is left out', async () => {
    bench.write('secret.txt', 'of another folder');
    for (const name of ['stays', 'gone', 'linked', 'folder'])
      bench.write(`project/many/${name}.txt`, `what ${name} says`);
    const { workspace } = bench;
    const intake = bench.with({
      workspace: {
        ...workspace,
        async *open(paths, field, by) {
          for (const path of paths) {
            if (path.endsWith('stays.txt')) continue;
            rmSync(path);
            if (path.endsWith('linked.txt')) symlinkSync(join(bench.base, 'secret.txt'), path);
            if (path.endsWith('folder.txt')) mkdirSync(path);
          }
          yield* workspace.open(paths, field, by);
        },
      },
    });
    const loaded = await intake.load(['many'], { field: 'files' }, bench.caller());
    if ('inputRequests' in loaded) throw new Error('the client was asked for its roots');
    const { texts, notices } = loaded;
    expect(texts.map(({ text }) => text)).toEqual(['what stays says']);
    expect(notices.map(baseRenderer.notice)).toEqual([
      'Left out of many: 1 not regular files (many/folder.txt); 2 that could not be read (many/gone.txt, many/linked.txt).',
    ]);
  });

  test('an empty file is left out with a notice, and refused where there is nothing else', async () => {
    bench.write('project/empty.txt', '');
    await expect(bench.load(['empty.txt'])).rejects.toMatchObject({ class: 'validation' });
    const { texts, notices } = await bench.load(['empty.txt', { name: 'b', text: 'x' }]);
    expect(texts.map(({ name }) => name)).toEqual(['b']);
    expect(notices).toMatchObject([{ code: 'file_empty', params: { file: 'empty.txt' } }]);
  });

  verifies('files:refused', 'nothing is stored if one entry is invalid', async () => {
    const good = { name: 'a.txt', text: 'x' };
    const damaged = { filename: 'b.pdf', content: base64('%PDF-1.4 nothing') };
    await expect(bench.load([good, damaged])).rejects.toMatchObject({
      class: 'validation',
      message: expect.stringContaining('b.pdf'),
    });
    expect(await bench.files.list('local', 10)).toEqual([]);
  });

  verifies('files:refused', 'a document with a password is refused as an input', async () => {
    const manifest =
      '<manifest:manifest><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
    const locked = zipSync({
      mimetype: [strToU8('application/vnd.oasis.opendocument.text'), { level: 0 }],
      'content.xml': strToU8('<office:document-content/>'),
      'META-INF/manifest.xml': strToU8(manifest),
    });
    bench.write('project/docs/locked.odt', Buffer.from(locked));
    bench.write('project/docs/a.md', 'a');
    await expect(
      bench.load([{ filename: 'locked.odt', content: base64(Buffer.from(locked)) }]),
    ).rejects.toMatchObject({
      class: 'validation',
      field: 'files',
      fix: expect.stringContaining('exai read FILE --password'),
    });
    const { notices } = await bench.load(['docs']);
    expect(notices.map(baseRenderer.notice)).toEqual([
      'Left out of docs: 1 that could not be read (docs/locked.odt).',
    ]);
  });

  test('a name is one line without invisible characters', async () => {
    const name = 'a"\n\u202egnp.exe\u0000[x]';
    const { texts } = await bench.load([{ name, text: 'x' }]);
    expect(texts[0]?.name).toBe('a" gnp.exe [x]');
  });
});

describe('secrets', () => {
  const KEY = `key = "AKIA${'QWERTYUIOPASDFGH'}"`;

  test('are named by rule and line, never shown', async () => {
    const { notices } = await bench.load([{ name: 'a.env', text: `one\n${KEY}` }]);
    expect(notices).toMatchObject([
      { code: 'file_secrets_found', params: { file: 'a.env', findings: [{ line: 2 }] } },
    ]);
    expect(JSON.stringify(notices)).not.toContain('QWERTY');
  });

  test('are refused with block, before anything is stored', async () => {
    const intake = bench.with({ secrets: 'block' });
    const loading = intake.load([{ name: 'a', text: KEY }], { field: 'files' }, bench.caller());
    await expect(loading).rejects.toMatchObject({
      class: 'permission',
      message: expect.not.stringContaining('QWERTY'),
    });
    expect(await bench.files.list('local', 10)).toEqual([]);
  });

  test('are not looked for with off', async () => {
    const intake = bench.with({ secrets: 'off' });
    const loaded = await intake.load(
      [{ name: 'a', text: KEY }],
      { field: 'files' },
      bench.caller(),
    );
    expect(loaded).toMatchObject({ notices: [] });
  });
});

test('a file of an earlier question has the name that it had there, without the folders', async () => {
  bench.write('project/notes/earlier.md', 'Paid in March.');
  const first = await bench.load(['notes/earlier.md']);
  const { texts } = await bench.load([], { earlier: first.kept });
  expect(texts).toEqual(first.texts);
  expect(texts.map(({ name }) => name)).toEqual(['notes/earlier.md']);
});

test('the bytes of a document can be read again if nothing is stored', async () => {
  const pdf = makePdf('Not stored');
  const file = { filename: 'a.pdf', content: pdf.toString('base64') };
  const { texts } = await bench.load([file], { keeps: 'nothing' });
  const chunks: Uint8Array[] = [];
  for await (const chunk of texts[0]?.document?.bytes() ?? []) chunks.push(chunk);
  expect(Buffer.concat(chunks).equals(pdf)).toBe(true);
});

describe('a file at a provider', () => {
  const withUploads = () =>
    bench.with({
      readUpload: async (id, { caller }) =>
        id === 'k1' && caller.principal === 'local'
          ? { name: 'report.pdf', text: 'The pier.' }
          : undefined,
    });

  test('is found by its id, and again by the conversation', async () => {
    const intake = withUploads();
    const first = await intake.load([{ file_id: 'k1' }], { field: 'files' }, bench.caller());
    const text = { name: 'report.pdf', text: 'The pier.' };
    expect(first).toMatchObject({ texts: [text], kept: [fileUri('k1')] });
    const options = { field: 'files', earlier: [fileUri('k1')] };
    expect(await intake.load([], options, bench.caller())).toMatchObject({
      texts: [text],
      notices: [],
    });
  });

  test('of another principal is not found', async () => {
    const load = withUploads().load([{ file_id: 'k1' }], { field: 'files' }, bench.caller('phone'));
    await expect(load).rejects.toMatchObject({ class: 'not_found', field: 'files' });
  });
});
