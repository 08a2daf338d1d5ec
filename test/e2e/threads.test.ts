import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { systemClock, systemRandom } from '#app/system.ts';
import { createIds } from '#core/ids.ts';
import { openStore } from '#store/open-store.ts';
import { createThreads } from '#threads/create-threads.ts';
import { createListLog } from '../list-log.ts';
import { createHome } from './exai.ts';
import { verifies } from '../verifies.ts';

const LONG = `${'long '.repeat(600_000)}end`;

/**
 * A home whose daemon has a conversation of four turns, one of another client, and one of a very
 * long turn.
 */
async function withThreads() {
  const home = createHome();
  const store = await openStore({
    database: '',
    dataDir: home.path('data'),
    backupDir: home.path('backups'),
    writerId: 'writer_e2e',
    clock: systemClock,
    log: createListLog(),
  });
  const newId = createIds(systemClock, systemRandom);
  const threads = createThreads({ store, clock: systemClock, newId, maxTurns: 200, keptDays: 0 });
  const begin = async (principal: string, about: string, answer: string) => {
    const thread = await threads.open({ principal, id: undefined, about });
    await thread.append([
      { role: 'user', tool: 'chat', content: about, files: ['/src/a.ts'] },
      { role: 'assistant', tool: 'chat', content: answer, provider: 'kimi', model: 'kimi-k3' },
    ]);
    return thread;
  };
  const first = await begin(
    'local',
    'Why is the sky blue?',
    'It scatters \u001b[31mblue\u001b[0m.',
  );
  await first.append([
    { role: 'user', tool: 'debug', content: 'And at dusk?' },
    { role: 'assistant', tool: 'debug', content: 'Red is left.' },
  ]);
  const foreign = await begin('other', 'A secret plan', 'Kept.');
  const long = await begin('local', 'A long story', LONG);
  await store.close();
  await home.serve();
  return { ...home, ids: { first: first.id, foreign: foreign.id, long: long.id } };
}

verifies(
  'threads:tool',
  'conversations are listed, shown, found, renamed, forked and deleted',
  async () => {
    const { exai, ids } = await withThreads();
    const list = await exai(['threads', 'list']);
    expect(list.stdout.split('\n').map((line) => line.slice(0, 27))).toEqual([
      ids.long,
      ids.first,
      '',
    ]);
    expect(list.stdout).toMatch(
      / {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}4 turns +Why is the sky blue\?\n/,
    );
    const page = await exai(['threads', 'list', '--limit', '1', '--json']);
    const { next } = JSON.parse(page.stdout) as { next: string };
    expect((await exai(['threads', 'list', '--before', next])).stdout).toContain(ids.first);

    const shown = await exai(['threads', 'show', ids.first]);
    expect(shown.stdout).toContain('2. kimi-k3 (kimi)  chat, ');
    expect(shown.stdout).toContain('It scatters \\u{1b}[31mblue\\u{1b}[0m.');
    expect(shown.stdout).toContain('files: /src/a.ts');
    const cut = await exai(['threads', 'show', ids.first, '--limit', '1']);
    expect(cut.stdout).toContain(`Earlier turns: exai threads show ${ids.first} --before 4`);

    expect((await exai(['threads', 'search', 'IT scatters'])).stdout).toContain(
      `${ids.first}  turn 2`,
    );
    expect((await exai(['threads', 'rename', ids.first, 'Skies'])).stdout).toContain(
      '"Skies" now.',
    );
    const fork = await exai(['threads', 'fork', ids.first, '--turn', '2', '--json']);
    const { thread } = JSON.parse(fork.stdout) as { thread: { id: string } };
    expect(thread).toMatchObject({ title: 'Skies (fork)', turns: 2, parent_id: ids.first });

    const asked = await exai(['threads', 'delete', ids.first]);
    expect(asked).toMatchObject({ code: 2, stdout: '' });
    expect(asked.stderr).toContain(
      'No terminal is available to confirm this, so nothing was deleted.',
    );
    expect((await exai(['threads', 'delete', ids.first, '--yes'])).stdout).toBe(
      `${ids.first} is deleted.\n`,
    );
    const gone = await exai(['threads', 'show', ids.first]);
    expect(gone.code).toBe(6);
    expect(gone.stderr).toMatch(/There is no conversation .* By its id it was begun on \d{4}-/);
    expect((await exai(['threads', 'show', thread.id])).code).toBe(0);
  },
);

test('a whole conversation is exported, and no file is overwritten unasked', async () => {
  const { exai, ids, path } = await withThreads();
  const markdown = await exai(['threads', 'export', ids.first]);
  expect(markdown.stdout).toContain('# Why is the sky blue?\n\n`conv_');
  expect(markdown.stdout).toContain('It scatters \u001b[31mblue\u001b[0m.');
  expect(markdown.stdout).toContain('Files:\n\n- `/src/a.ts`');

  const file = path('story.json');
  const saved = await exai(['threads', 'export', ids.long, '--json', '-o', file]);
  expect(saved).toMatchObject({
    code: 0,
    stdout: '',
    stderr: `2 turns written to ${file}\n`,
  });
  const nowhere = await exai(['threads', 'export', ids.first, '-o', path('no folder/x.md')]);
  expect(nowhere).toMatchObject({ code: 6, stdout: '' });
  expect(nowhere.stderr).toContain(`\n  fix: mkdir -p '${path('no folder')}'\n`);
  const { turns } = JSON.parse(readFileSync(file, 'utf8')) as { turns: { text: string }[] };
  expect(turns[1]?.text === LONG).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(file, 'mine');
  const refused = await exai(['threads', 'export', ids.long, '-o', file]);
  expect(refused.stderr).toContain('is there already; nothing was written.');
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect((await exai(['threads', 'export', ids.long, '-o', file, '--force'])).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toContain('# A long story');
});

test("another client's conversation is not there, and what is no id is refused", async () => {
  const { exai, ids } = await withThreads();
  expect((await exai(['threads', 'list'])).stdout).not.toContain(ids.foreign);
  expect((await exai(['threads', 'search', 'secret'])).stdout).toBe(
    'No turn has all of these words.\n',
  );
  for (const action of ['show', 'export', 'fork', 'delete']) {
    const refused = await exai([
      'threads',
      action,
      ids.foreign,
      ...(action === 'delete' ? ['-y'] : []),
    ]);
    expect(refused).toMatchObject({ code: 6, stdout: '' });
    expect(refused.stderr).toContain("or is another client's.");
  }
  expect(await exai(['threads', 'show', 'x'])).toMatchObject({ code: 3 });
  expect(await exai(['threads', 'show', ids.first, '--limit', '0'])).toMatchObject({ code: 3 });
});
