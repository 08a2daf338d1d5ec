import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { questionArgs } from './ask-args.ts';
import { readAttachments, stdinDocument, stdinImage } from './attachments.ts';
import { expandPattern } from './expand-pattern.ts';
import { kindOfBytes } from './file-kind.ts';

const PNG = Buffer.from('\u0089PNG\r\n\u001a\nrest', 'latin1');
const ZIP = Buffer.from('PK\u0003\u0004\u0014\u0000', 'latin1');
const DOCX = Buffer.concat([ZIP, Buffer.from('[Content_Types].xml')]);

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'exai-attach-'));
  mkdirSync(join(cwd, 'src', 'deep'), { recursive: true });
  mkdirSync(join(cwd, '.hidden'));
  const files: Record<string, string | Buffer> = {
    'a.txt': 'alpha',
    'b.txt': 'beta',
    '.env.txt': 'hidden',
    '.hidden/c.txt': 'hidden',
    'src/one.ts': '1',
    'src/deep/two.ts': '2',
    'star*.md': 'a name with a star',
    'picture.dat': PNG,
    'photo.png': Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
    'report.txt': '%PDF-1.7',
    'letter.docx': DOCX,
    'text.png': 'not a picture',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  symlinkSync(cwd, join(cwd, 'src', 'loop'));
  symlinkSync(join(cwd, 'gone'), join(cwd, 'broken.txt'));
  symlinkSync('self.png', join(cwd, 'self.png'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('patterns', () => {
  test.each([
    ['*.txt', ['a.txt', 'b.txt', 'report.txt']],
    ['src/*.ts', ['src/one.ts']],
    ['**/*.ts', ['src/deep/two.ts', 'src/one.ts']],
    ['src/**/two.ts', ['src/deep/two.ts']],
    ['.*/c.txt', ['.hidden/c.txt']],
    ['./a*', ['a.txt']],
    ['star*.md', ['star*.md']],
    ['a.txt', ['a.txt']],
    ['missing.txt', ['missing.txt']],
  ])('%s', (pattern, found) => {
    expect(expandPattern(pattern, cwd, '--file')).toEqual(found);
  });

  test('one that matches nothing is an error', () => {
    expect(() => expandPattern('*.rs', cwd, '--file')).toThrow(
      expect.objectContaining({ class: 'not_found', field: '--file' }),
    );
  });
});

verifies('ask:attach', 'a pattern never leaves files out without saying so', () => {
  const top = mkdtempSync(join(tmpdir(), 'exai-many-'));
  const write = (path: string, text = 'x') => {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  };
  try {
    for (const folder of ['a', 'b', 'c', 'd'])
      for (let at = 0; at < 260; at++) write(`many/${folder}/${at}.txt`);
    const moreThan = (message: string) =>
      expect.objectContaining({
        class: 'too_large',
        field: '--file',
        message: expect.stringContaining(message) as string,
      });
    expect(() => expandPattern('many/*/*', top, '--file')).toThrow(
      moreThan('The pattern "many/*/*" matches more than 1000 files.'),
    );
    const all = ['a', 'b', 'c', 'd'].map((folder) => `many/${folder}/*`);
    expect(readAttachments({ file: all.slice(1) }, { cwd: top }).files).toHaveLength(780);
    expect(() => readAttachments({ file: all }, { cwd: top })).toThrow(
      moreThan('--file names 1040 files; at most 1000 can be attached.'),
    );
    for (let at = 0; at <= 10_000; at++)
      mkdirSync(join(top, 'wide', String(at)), { recursive: true });
    write('wide/10000/last.md');
    expect(() => expandPattern('wide/**/*.md', top, '--file')).toThrow(
      moreThan('searches more than 10000 folders'),
    );
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
});

verifies('ask:attach', '** leaves out the folders that a read of a folder leaves out', () => {
  const top = mkdtempSync(join(tmpdir(), 'exai-ignored-'));
  const write = (path: string, text = 'x') => {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  };
  try {
    mkdirSync(join(top, '.git'));
    write('.gitignore', 'build/\n');
    write('packages/.gitignore', '/out\n!keep\n');
    for (const folder of [
      'node_modules/x',
      'packages/node_modules/x',
      'build',
      'packages/build',
      'packages/out',
      'packages/keep',
      'packages/deep/out',
    ])
      write(`${folder}/a.md`);
    expect(expandPattern('**/*.md', top, '--file')).toEqual([
      'packages/deep/out/a.md',
      'packages/keep/a.md',
    ]);
    // The rules above the folder of the pattern apply, too.
    expect(expandPattern('../packages/**/**/*.md', join(top, 'build'), '--file')).toEqual([
      '../packages/deep/out/a.md',
      '../packages/keep/a.md',
    ]);
    // A folder that the pattern names is searched.
    expect(expandPattern('build/*.md', top, '--file')).toEqual(['build/a.md']);
    expect(expandPattern('**/out/*.md', top, '--file')).toEqual([
      'packages/deep/out/a.md',
      'packages/out/a.md',
    ]);
    write('packages/.gitignore', 'x'.repeat(5_000));
    expect(() => expandPattern('**/*.md', top, '--file')).toThrow(
      expect.objectContaining({ class: 'too_large' }),
    );
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
});

test('a file is what its bytes say', () => {
  const kind = (text: string) => kindOfBytes(Buffer.from(text, 'latin1'));
  expect(kind('GIF87a')).toEqual({ is: 'image', mediaType: 'image/gif' });
  expect(kind('RIFF\u0001\u0002\u0003\u0004WEBPVP8 ')).toEqual({
    is: 'image',
    mediaType: 'image/webp',
  });
  expect(kind('RIFF\u0001\u0002\u0003\u0004WAVE')).toEqual({ is: 'other' });
  expect(kind('PK\u0003\u0004mimetypeapplication/vnd.oasis.opendocument.text')).toMatchObject({
    is: 'document',
  });
  expect(kind('PK\u0003\u0004plain.txt')).toEqual({ is: 'other' });
  expect(kind('')).toEqual({ is: 'other' });
});

verifies('ask:attach', 'pictures are sent by their bytes, whatever their name', () => {
  const { images } = readAttachments({ image: ['picture.dat', 'photo.png'] }, { cwd });
  expect(images).toEqual([
    { filename: 'picture.dat', content: PNG.toString('base64'), mime_type: 'image/png' },
    { filename: 'photo.png', content: '/9j/4A==', mime_type: 'image/jpeg' },
  ]);
});

verifies('ask:attach', 'a data URL is a file or a picture', () => {
  const [file, image] = ['data:text/plain;base64,SGk=', 'data:image/png;base64,iVBORw0KGgo='];
  const { files, images } = readAttachments({ file: [file], image: [image] }, { cwd });
  expect({ files, images }).toEqual({ files: [file], images: [image] });
});

verifies('ask:attach', 'a stored file is named by its id, unless a file has this name', () => {
  const id = 'file_1m7s459pv000m9cj6sgsnj';
  const uri = `exai://files/${id}`;
  const named = { file: [id], image: [id] };
  expect(readAttachments(named, { cwd })).toMatchObject({ files: [uri], images: [uri] });
  writeFileSync(join(cwd, id), 'a file of this name');
  try {
    expect(readAttachments({ file: [id] }, { cwd }).files).toEqual([id]);
  } finally {
    rmSync(join(cwd, id));
  }
});

verifies(
  'ask:attach',
  'a document or picture that is piped in is a file, and a text stays text',
  () => {
    for (const bytes of [PNG, DOCX, Buffer.from('%PDF-1.7'), Buffer.from([0xff, 0xfe, 0x41])]) {
      expect(stdinDocument(bytes)).toEqual({
        filename: 'stdin',
        content: bytes.toString('base64'),
      });
    }
    expect(stdinDocument(Buffer.from('a text – in UTF-8'))).toBeUndefined();
  },
);

test('contents that are too much for one message are refused before all of them are read', () => {
  const away = mkdtempSync(join(tmpdir(), 'exai-away-'));
  try {
    for (const name of ['1', '2']) writeFileSync(join(away, name), Buffer.alloc(13_000_000));
    // Reading what comes after them would fail in another way.
    mkdirSync(join(away, '3'));
    const image = [join(away, '3')];
    expect(() => readAttachments({ file: [join(away, '*')], image }, { cwd })).toThrow(
      expect.objectContaining({ class: 'too_large' }),
    );
  } finally {
    rmSync(away, { recursive: true, force: true });
  }
});

describe('what cannot be attached is refused', () => {
  test.each([
    [{ image: ['report.txt'] }, 'is a document (PDF)', '--image'],
    [{ image: ['text.png'] }, 'its bytes are not PNG, JPEG, WebP, GIF, BMP or TIFF', '--image'],
    [{ image: ['missing.png'] }, 'No such file', '--image'],
    [{ image: ['self.png'] }, 'A link leads back to itself', '--image'],
    [{ image: ['x'.repeat(5000)] }, 'The name is too long', '--image'],
    [{ image: ['src'] }, 'is not a file', '--image'],
    [{ image: ['-'], file: ['-'] }, 'only once', '--image'],
  ])('%j', (options, message, field) => {
    expect(() => readAttachments(options, { cwd })).toThrow(
      expect.objectContaining({ field, message: expect.stringContaining(message) as string }),
    );
  });

  test('nothing in place of a piped picture', () => {
    expect(() => stdinImage(new Uint8Array())).toThrow('nothing is piped in');
  });
});

verifies('ask:attach', 'files are named once for the daemon, and piped text comes beside', () => {
  const attachments = readAttachments({ file: ['a.txt', 'a*.txt', 'nowhere'] }, { cwd });
  expect(questionArgs('Why?', 'piped', attachments)).toEqual({
    prompt: 'Why?',
    files: ['a.txt', 'nowhere', { name: 'stdin', text: 'piped' }],
  });
  expect(() => questionArgs(undefined, 'piped', readAttachments({ file: ['-'] }, { cwd }))).toThrow(
    'There is no question.',
  );
});

verifies(
  'ask:attach',
  'documents and pictures are files, and a file elsewhere is sent as content',
  () => {
    const here = readAttachments({ file: ['report.txt', 'letter.docx', 'picture.dat'] }, { cwd });
    expect(here.files).toEqual(['report.txt', 'letter.docx', 'picture.dat']);
    const inside = join(cwd, 'src');
    const elsewhere = readAttachments({ file: ['../report.txt', '../gone.pdf'] }, { cwd: inside });
    expect(elsewhere.files).toEqual([
      { filename: '../report.txt', content: Buffer.from('%PDF-1.7').toString('base64') },
      '../gone.pdf',
    ]);
    const own = readAttachments({ file: ['../a.txt'] }, { cwd: inside, exaiHome: cwd });
    expect(own.files).toEqual(['../a.txt']);
  },
);
