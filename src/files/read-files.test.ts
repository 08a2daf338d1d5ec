import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { MAX_ALL_BYTES, MAX_FILE_BYTES, MAX_FILES } from './limits.ts';
import { createWorkspaceBench, faultOf } from './workspace.fixture.ts';
import { verifies } from '../../test/verifies.ts';

function openFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      // The process that listed them.
      return [];
    }
  });
}

const leftOut = (notices: readonly Notice[]) =>
  notices.flatMap((each) => (each.code === 'files_left_out' ? each.params.groups : []));

describe('naming files', () => {
  test('a path may be absolute, relative to the first root, or a file URL', async () => {
    const { workspace, reader, root, write } = createWorkspaceBench();
    const a = write('project/a.ts', 'A');
    write('project/src/b.ts', 'B');
    const c = write('project/c d.ts', 'C');
    const { texts, notices } = await workspace.read(
      [a, './src/b.ts', pathToFileURL(c).href, 'src/../a.ts'],
      'files',
      reader,
    );
    expect(texts).toEqual([
      { name: join(root, 'a.ts'), text: 'A' },
      { name: './src/b.ts', text: 'B' },
      { name: join(root, 'c d.ts'), text: 'C' },
    ]);
    expect(notices).toEqual([]);
  });

  test('no paths need no roots', async () => {
    const { workspace, reader } = createWorkspaceBench();
    expect(await workspace.read([], 'files', { ...reader, roots: [] })).toEqual({
      texts: [],
      notices: [],
    });
  });

  test('a byte order mark is taken off, and an empty file is an empty text', async () => {
    const { workspace, reader, write } = createWorkspaceBench();
    write('project/bom.txt', '\uFEFFhello');
    write('project/empty.txt', '');
    const { texts } = await workspace.read(['bom.txt', 'empty.txt'], 'files', reader);
    expect(texts.map(({ text }) => text)).toEqual(['hello', '']);
  });

  test('no file passes for material of our own', async () => {
    const { workspace, reader, write } = createWorkspaceBench();
    write('project/[findings]', 'x');
    const { texts } = await workspace.read(['[findings]'], 'files', reader);
    expect(texts).toEqual([{ name: './[findings]', text: 'x' }]);
    const folder = await workspace.read(['.'], 'files', reader);
    expect(folder.texts).toEqual(texts);
  });

  test.each([
    ['', 'validation'],
    ['   ', 'validation'],
    ['a\0b', 'validation'],
    ['x'.repeat(5_000), 'validation'],
    ['x'.repeat(300), 'validation'],
    ['C:\\Users\\ann\\a.ts', 'validation'],
    ['c:/Users/ann/a.ts', 'validation'],
    ['\\\\server\\share\\a.ts', 'validation'],
    ['https://example.com/a.ts', 'validation'],
    ['~/a.ts', 'validation'],
    ['file://other/a.ts', 'validation'],
    ['file:///a%2Fb.ts', 'validation'],
    ['file:///a%00b.ts', 'validation'],
    ['file:///a.ts?x', 'validation'],
    ['file:', 'permission'],
    ['../a.ts', 'permission'],
    ['/etc/passwd', 'permission'],
    ['file:///etc/passwd', 'permission'],
    ['/etc/no-such-file', 'permission'],
    ['/proc/self/environ', 'permission'],
  ])('%j is refused as %s, with the field and no other path', async (path, errorClass) => {
    const { workspace, reader, write } = createWorkspaceBench();
    write('project/a.ts', 'A');
    const fault = await faultOf(workspace.read(['a.ts', path], 'files', reader));
    expect(fault).toMatchObject({ class: errorClass, field: 'files' });
    expect(fault.message.length).toBeLessThan(700);
  });

  test('the error for a missing file suggests the nearest name', async () => {
    const { workspace, reader, write } = createWorkspaceBench();
    write('project/src/server.ts', 'A');
    const read = (path: string) => faultOf(workspace.read([path], 'relevant_files', reader));
    expect(await read('src/sevrer.ts')).toMatchObject({
      class: 'not_found',
      field: 'relevant_files',
      message: 'There is no "src/sevrer.ts", did you mean "server.ts"?',
      reason: { code: 'missing_file', params: { path: 'src/sevrer.ts', meant: 'server.ts' } },
    });
    expect((await read('scr/server.ts')).message).toBe(
      'There is no "scr/server.ts" (there is no "scr" on the way), did you mean "src"?',
    );
    expect(await read('src/server.ts/x')).toMatchObject({ class: 'not_found' });
  });
});

describe('which folders are readable', () => {
  test('without roots and allowed folders nothing is read, and the error says how to open some', async () => {
    const { workspace, reader, write } = createWorkspaceBench();
    const fault = await faultOf(
      workspace.read([write('project/a.ts', 'A')], 'files', { ...reader, roots: [] }),
    );
    expect(fault).toMatchObject({ class: 'permission' });
    expect(fault.fix).toMatch(/root.*allowedDirs/s);
  });

  test.each(['relative', '/no/such/folder', '/', '/nul\0', 'HOME', 'BASE', 'FILE'])(
    'the root %s opens nothing',
    async (named) => {
      const { workspace, reader, base, home, write } = createWorkspaceBench();
      const file = write('home/a.ts', 'A');
      const roots = [{ HOME: home, BASE: base, FILE: file }[named] ?? named];
      const fault = await faultOf(workspace.read([file], 'files', { ...reader, roots }));
      expect(fault).toMatchObject({ class: 'permission' });
    },
  );

  test('the settings may open what no client can, and are added to the roots', async () => {
    const bench = createWorkspaceBench();
    const a = bench.write('project/a.ts', 'A');
    const b = bench.write('home/b.ts', 'B');
    const workspace = bench.with({ allowedDirs: [bench.home] });
    expect((await workspace.read([a, b], 'files', bench.reader)).texts).toHaveLength(2);
    const alone = await workspace.read(['b.ts'], 'files', { ...bench.reader, roots: [] });
    expect(alone.texts).toEqual([{ name: 'b.ts', text: 'B' }]);
  });

  test('a root may be a link, and errors name it as given', async () => {
    const { workspace, reader, base, root, link, write } = createWorkspaceBench();
    write('project/a.ts', 'A');
    const alias = link('alias', root);
    const by = { ...reader, roots: [alias] };
    expect((await workspace.read(['a.ts', join(alias, 'a.ts')], 'files', by)).texts).toHaveLength(
      1,
    );
    expect((await workspace.read([join(root, 'a.ts')], 'files', by)).texts).toHaveLength(1);
    const secret = write('outside.txt', 'S');
    link('project/leak', secret);
    const { message, reason } = await faultOf(workspace.read(['leak'], 'files', by));
    expect(reason).toEqual({
      code: 'file_outside_roots',
      params: { path: 'leak', roots: [join(base, 'alias')] },
    });
    expect(message).toBe(
      `"leak" is not in the folders that this caller may read: ${join(base, 'alias')}.`,
    );
  });

  test('private folders are never readable, named or not', async () => {
    const bench = createWorkspaceBench();
    bench.write('project/state/keys.txt', 'K');
    bench.write('project/a.ts', 'A');
    const workspace = bench.with({ privateDirs: [join(bench.root, 'state')] });
    const fault = await faultOf(workspace.read(['state/keys.txt'], 'files', bench.reader));
    expect(fault).toMatchObject({ class: 'permission' });
    const { texts, notices } = await workspace.read(['.'], 'files', bench.reader);
    expect(texts).toEqual([{ name: 'a.ts', text: 'A' }]);
    expect(leftOut(notices)).toEqual([{ reason: 'private', count: 1, names: ['state'] }]);
  });

  verifies(
    'files:roots',
    'links within the roots are followed, links out of them tell nothing',
    async () => {
      const { workspace, reader, link, write, base } = createWorkspaceBench();
      link('project/inner.ts', write('project/a.ts', 'A'));
      expect((await workspace.read(['inner.ts'], 'files', reader)).texts).toEqual([
        { name: 'inner.ts', text: 'A' },
      ]);
      write('outside/secret.txt', 'S');
      link('project/file', join(base, 'outside/secret.txt'));
      link('project/folder', join(base, 'outside'));
      link('project/nowhere', join(base, 'outside/nothing.txt'));
      link('project/relative', '../outside/secret.txt');
      const messages = new Set<string>();
      for (const path of [
        'file',
        'folder',
        'folder/secret.txt',
        'folder/nothing.txt',
        'nowhere',
        'relative',
      ]) {
        const fault = await faultOf(workspace.read([path], 'files', reader));
        expect(fault).toMatchObject({ class: 'permission', field: 'files' });
        expect(fault.message).not.toContain('outside');
        messages.add(fault.message.replace(JSON.stringify(path), '…'));
      }
      expect(messages.size).toBe(1);
    },
  );

  test('a loop of links is an error and no hang', async () => {
    const { workspace, reader, link } = createWorkspaceBench();
    link('project/a', 'b');
    link('project/b', 'a');
    expect(await faultOf(workspace.read(['a'], 'files', reader))).toMatchObject({
      class: 'validation',
    });
  });

  test('a link with a harmless name is not the way to a secret, but its own name is', async () => {
    const { workspace, reader, link, write } = createWorkspaceBench();
    link('project/notes.txt', write('project/.env', 'KEY=1'));
    const fault = await faultOf(workspace.read(['notes.txt'], 'files', reader));
    expect(fault).toMatchObject({ class: 'permission', fix: 'Name that file itself.' });
    expect((await workspace.read(['.env'], 'files', reader)).texts).toEqual([
      { name: '.env', text: 'KEY=1' },
    ]);
  });
});

describe('files that are not text', () => {
  test.each([
    ['NUL', new Uint8Array([97, 0, 98])],
    ['Latin-1', new Uint8Array([0xe4, 0x62])],
    ['UTF-16', Buffer.from('\uFEFFhello', 'utf16le')],
  ])('%s is an error for a named file and a notice in a folder', async (_, bytes) => {
    const { workspace, reader, write } = createWorkspaceBench();
    write('project/src/a.ts', 'A');
    write('project/src/b.bin', bytes);
    const fault = await faultOf(workspace.read(['src/b.bin'], 'files', reader));
    expect(fault).toMatchObject({
      class: 'validation',
      field: 'files',
      message: '"src/b.bin" is not UTF-8 text.',
    });
    expect(await workspace.read(['src'], 'files', reader)).toEqual({
      texts: [{ name: 'src/a.ts', text: 'A' }],
      notices: [expect.objectContaining({ code: 'files_left_out' })],
    });
  });

  verifies('files:roots', 'pipes, sockets and devices are refused at once', async () => {
    const bench = createWorkspaceBench();
    const pipe = join(bench.root, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const socket = join(bench.root, 'socket');
    const server = createServer().listen(socket);
    await once(server, 'listening');
    try {
      for (const path of ['pipe', 'socket']) {
        const fault = await faultOf(bench.workspace.read([path], 'files', bench.reader));
        expect(fault).toMatchObject({ class: 'validation', field: 'files' });
        expect(fault.message).toMatch(/neither a file nor a folder/);
      }
      const devices = bench.with({ allowedDirs: ['/dev'] });
      const fault = await faultOf(devices.read(['/dev/zero'], 'files', bench.reader));
      expect(fault).toMatchObject({ class: 'validation' });
      const { notices } = await bench.workspace.read(['.'], 'files', bench.reader);
      expect(leftOut(notices)).toEqual([
        { reason: 'special', count: 2, names: ['pipe', 'socket'] },
      ]);
    } finally {
      server.close();
    }
  });
});

describe('folders', () => {
  test('are read in order, without what is hidden, made by tools, ignored, linked or secret', async () => {
    const { workspace, reader, link, write } = createWorkspaceBench();
    for (const path of ['z.ts', 'a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/keep.log']) {
      write(`project/${path}`, path);
    }
    for (const path of [
      '.git/config',
      '.hidden',
      'node_modules/x/index.js',
      'src/dist/out.js',
      'build/out.js',
      'debug.log',
      'src/.env',
      'server.pem',
    ]) {
      write(`project/${path}`, path);
    }
    write('project/.gitignore', '# made\n/build/\n*.log\n!keep.log\n');
    link('project/src/link.ts', '../a.ts');
    const { texts, notices } = await workspace.read(['.'], 'files', reader);
    expect(texts.map(({ name }) => name)).toEqual([
      'a.ts',
      'src/b.ts',
      'src/deep/c.ts',
      'src/keep.log',
      'z.ts',
    ]);
    expect(notices.map(baseRenderer.notice)).toEqual([
      'Left out of .: 3 hidden (.git, .gitignore, .hidden); 2 ignored by .gitignore (build, debug.log); 2 made by tools (node_modules, src/dist); 2 that may hold secrets and are read only when named themselves (server.pem, src/.env); 1 links (src/link.ts).',
    ]);
    expect(texts.every(({ name, text }) => name === text)).toBe(true);
  });

  test('a file that was named and lies in a named folder is read once', async () => {
    const { workspace, reader, write } = createWorkspaceBench();
    write('project/src/a.ts', 'A');
    write('project/src/b.ts', 'B');
    const { texts } = await workspace.read(['src/b.ts', 'src', './src/'], 'files', reader);
    expect(texts.map(({ name }) => name)).toEqual(['src/b.ts', 'src/a.ts']);
  });

  test('a .gitignore that is a pipe or leads outside is not read', async () => {
    const { workspace, reader, root, write, link } = createWorkspaceBench();
    write('project/one/a.ts', 'A');
    execFileSync('mkfifo', [join(root, 'one/.gitignore')]);
    write('project/two/a.ts', 'A');
    link('project/two/.gitignore', write('rules', '*'));
    const { texts } = await workspace.read(['one', 'two'], 'files', reader);
    expect(texts.map(({ name }) => name)).toEqual(['one/a.ts', 'two/a.ts']);
  });

  test('folders beyond the depth limit give a notice', async () => {
    const { workspace, reader, root, write } = createWorkspaceBench();
    const deep = Array.from({ length: 30 }, () => 'd').join('/');
    mkdirSync(join(root, deep), { recursive: true });
    write(`project/${deep}/a.ts`, 'A');
    const { texts, notices } = await workspace.read(['.'], 'files', reader);
    expect(texts).toEqual([]);
    expect(leftOut(notices)).toMatchObject([{ reason: 'too_deep', count: 1 }]);
  });
});

describe('limits', () => {
  const large = Buffer.alloc(MAX_FILE_BYTES, 'x');

  test('one byte over the limit of a file is refused by name, and gives a notice in a folder', async () => {
    const { workspace, reader, write } = createWorkspaceBench();
    write('project/fits.txt', large);
    write('project/large.txt', Buffer.concat([large, Buffer.from('x')]));
    const fault = await faultOf(workspace.read(['fits.txt', 'large.txt'], 'files', reader));
    expect(fault).toMatchObject({
      class: 'too_large',
      field: 'files',
      message: '"large.txt" is over the limit of 2 MB for one file.',
    });
    const { texts, notices } = await workspace.read(['.'], 'files', reader);
    expect(texts.map(({ text }) => text.length)).toEqual([MAX_FILE_BYTES]);
    expect(notices.map(baseRenderer.notice)).toEqual(['Left out of .: 1 over 2 MB (large.txt).']);
  });

  test('in all they have a limit, too, which what was named itself reaches first', async () => {
    const { workspace, reader, write } = createWorkspaceBench();
    const names = Array.from({ length: 11 }, (_, index) => `${index + 10}.txt`);
    for (const name of names) write(`project/${name}`, large);
    const fault = await faultOf(workspace.read(names, 'files', reader));
    expect(fault).toMatchObject({
      class: 'too_large',
      message: 'With "20.txt" the files are over the limit of 20 MB in all.',
    });
    const { texts, notices } = await workspace.read(['.', '20.txt'], 'files', reader);
    expect(texts).toHaveLength(MAX_ALL_BYTES / MAX_FILE_BYTES);
    expect(texts.map(({ name }) => name)).toContain('20.txt');
    expect(leftOut(notices)).toEqual([{ reason: 'full', count: 1, names: ['19.txt'] }]);
  });

  test('files have a number at most', async () => {
    const { workspace, reader, write } = createWorkspaceBench();
    for (let index = 0; index < MAX_FILES + 7; index++) write(`project/${index + 1000}.txt`, 'x');
    const { texts, notices } = await workspace.read(['.'], 'files', reader);
    expect(texts).toHaveLength(MAX_FILES);
    expect(notices.map(baseRenderer.notice)).toEqual([
      'Left out of .: 7 beyond 500 texts or 2000 files (1500.txt, 1501.txt, 1502.txt, 1503.txt, 1504.txt, …).',
    ]);
    const many = Array.from({ length: MAX_FILES + 1 }, () => '1000.txt');
    expect(await faultOf(workspace.read(many, 'files', reader))).toMatchObject({
      class: 'too_large',
      message: 'files names 501 paths; at most 500 can be read at once.',
    });
  });
});

describe('time limits', () => {
  test('a cancelled or late call reads nothing', async () => {
    const { workspace, reader, clock, write } = createWorkspaceBench();
    write('project/a.ts', 'A');
    const reason = new CallError('cancelled', 'The caller left.');
    const gone = { ...reader, signal: AbortSignal.abort(reason) };
    expect(await faultOf(workspace.read(['a.ts'], 'files', gone))).toBe(reason);
    const late = { ...reader, deadline: deadlineIn(clock, 0) };
    expect(await faultOf(workspace.read(['a.ts'], 'files', late))).toMatchObject({
      class: 'timeout',
    });
    expect(clock.waiting).toBe(0);
  });

  test('cancelling ends the reading of a folder, and leaves nothing open', async () => {
    const { workspace, reader, clock, root, write } = createWorkspaceBench();
    for (let index = 0; index < 100; index++) write(`project/${index}.txt`, 'x');
    const caller = new AbortController();
    const work = faultOf(workspace.read(['.'], 'files', { ...reader, signal: caller.signal }));
    await clock.untilWaiting();
    caller.abort(new CallError('cancelled', 'The caller left.'));
    expect(await work).toMatchObject({ class: 'cancelled' });
    expect(clock.waiting).toBe(0);
    await expect.poll(() => openFiles().filter((path) => path.startsWith(root))).toEqual([]);
  });

  test('the deadline ends it, too', async () => {
    const { workspace, reader, clock, write } = createWorkspaceBench();
    write('project/a.ts', 'A');
    const work = faultOf(workspace.read(['a.ts'], 'files', reader));
    clock.advance(60_000);
    expect(await work).toMatchObject({ class: 'timeout' });
  });
});
