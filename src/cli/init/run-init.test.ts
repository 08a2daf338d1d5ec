import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { INIT_CLIENTS } from './clients.ts';
import { SETTINGS_FORMATS } from './edit-settings.ts';
import { clientOf, createUser, PROGRAMS } from './init.fixture.ts';
import { launchCommandFor } from './launch-command.ts';
import { loadRecords } from './records.ts';
import { planInitTasks, runInitTasks } from './run-init.ts';
import { SETTINGS } from './settings.fixture.ts';

const IDS = INIT_CLIENTS.map(({ id }) => id);

test.each(IDS)(
  '%s: the entry is put in, a second run changes nothing, undo gives the bytes back',
  (id) => {
    const { fileOf, write, read, init, undo } = createUser();
    const file = fileOf(id);
    const before = SETTINGS[id] ?? '';
    write(file, before, 0o640);

    expect(init([id])).toEqual({ [id]: 'add, written' });
    const after = read(file);
    const client = clientOf(id);
    const text = after.toString().replace(/^\uFEFF/, '');
    const member = client.keyPath((path) => SETTINGS_FORMATS[client.format].at(text, path));
    expect(SETTINGS_FORMATS[client.format].at(text, member)).toEqual(
      client.entry(launchCommandFor(client, PROGRAMS)),
    );
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(after.includes('\r\n')).toBe(before.includes('\r\n'));
    expect(after.toString().startsWith('\uFEFF')).toBe(before.startsWith('\uFEFF'));

    expect(init([id])).toEqual({ [id]: 'connected' });
    expect(read(file)).toEqual(after);

    expect(undo()).toEqual({ [id]: 'restore, written' });
    expect(read(file).toString()).toBe(before);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(undo()).toEqual({});
    expect(readdirSync(dirname(file)).filter((name) => name.includes('.tmp'))).toEqual([]);
  },
);

test.each(IDS.filter((id) => id !== 'claude-desktop'))(
  '%s: a file that is missing is made, and removed by undo',
  (id) => {
    const { fileOf, machine, read, init, undo } = createUser();
    const client = clientOf(id);
    const file = fileOf(id);
    const sign = client.locate(machine).markers.at(-1) ?? '';
    if (sign.endsWith('.json')) {
      mkdirSync(dirname(sign), { recursive: true });
      writeFileSync(sign, '{}');
    } else mkdirSync(sign, { recursive: true });
    const folders = () => existsSync(dirname(file));
    const wasThere = folders();

    expect(init([id])).toEqual({ [id]: 'create, written' });
    expect(statSync(file).mode & 0o777).toBe(client.mode);
    expect(read(file).toString()).toContain('exai');
    expect(init([id])).toEqual({ [id]: 'connected' });
    expect(undo(id)).toEqual({ [id]: 'remove, written' });
    expect([existsSync(file), folders()]).toEqual([false, wasThere]);
  },
);

test('on Linux the settings of Claude Desktop are changed where they are, and made nowhere', () => {
  const { root, fileOf, write, plan, init } = createUser();
  mkdirSync(join(root, '.config/Claude'), { recursive: true });
  expect(plan('claude-desktop')[0]).toMatchObject({ state: 'unsure' });
  expect(plan('claude-desktop')[0]?.words).toContain('Edit Config');
  write(fileOf('claude-desktop'), '{}');
  expect(init(['claude-desktop'])).toEqual({ 'claude-desktop': 'add, written' });
});

test('all clients that are there are found, and no others', () => {
  const { fileOf, write, init, undo } = createUser();
  expect(init()).toEqual({});
  for (const id of ['cursor', 'codex', 'zed']) write(fileOf(id), SETTINGS[id] ?? '');
  expect(init()).toEqual({ cursor: 'add, written', codex: 'add, written', zed: 'add, written' });
  expect(undo('codex')).toEqual({ codex: 'restore, written' });
  expect(undo()).toEqual({ cursor: 'restore, written', zed: 'restore, written' });
});

test('planning writes nothing at all', () => {
  const { root, fileOf, write, plan, home } = createUser();
  write(fileOf('cursor'), '{}');
  expect(plan()).toHaveLength(IDS.length);
  expect(existsSync(home.root)).toBe(false);
  expect(readdirSync(root)).toEqual(['.cursor']);
});

test('an entry that a person wrote or changed is left alone; more than ours is fine', () => {
  const { fileOf, write, read, plan, init, undo } = createUser();
  const file = fileOf('cursor');
  write(file, '{"mcpServers":{"exai":{"command":"mine"}}}');
  expect(init(['cursor'])).toEqual({ cursor: 'own' });
  expect(plan('cursor')[0]?.words).toMatch(
    /^left alone: mcpServers\.exai is there and is not ours\./,
  );
  expect(read(file).toString()).toBe('{"mcpServers":{"exai":{"command":"mine"}}}');

  write(file, '{}');
  init(['cursor']);
  write(file, read(file).toString().replace('"command"', '"timeout": 9, "command"'));
  expect(init(['cursor'])).toEqual({ cursor: 'connected' });
  write(file, read(file).toString().replace('/usr/bin/node', '/my/node'));
  expect(init(['cursor'])).toEqual({ cursor: 'own' });
  expect(plan('cursor')[0]?.words).toMatch(
    /^left alone: mcpServers\.exai was changed by hand, and is yours now\. Remove it there/,
  );
  const theirs = read(file);
  expect(undo()).toEqual({ cursor: 'own' });
  expect(read(file)).toEqual(theirs);
  expect(undo()).toEqual({});
});

test('an entry of ours that is outdated is renewed, and undo still goes back to the start', () => {
  const { fileOf, write, read, init, undo } = createUser();
  const file = fileOf('cursor');
  write(file, SETTINGS['cursor'] ?? '');
  init(['cursor']);
  const moved = { ...PROGRAMS, desktop: { command: '/new/node', args: ['/x/exai.cjs', 'stdio'] } };
  expect(init(['cursor'], moved)).toEqual({ cursor: 'update, written' });
  expect(read(file).toString()).toContain('/new/node');
  expect(read(file).toString()).not.toContain('/usr/bin/node');
  expect(undo()).toEqual({ cursor: 'restore, written' });
  expect(read(file).toString()).toBe(SETTINGS['cursor']);
});

test.each(['cursor', 'codex', 'gemini-cli', 'claude-code'])(
  '%s: what was changed since is kept by undo, and only our entry taken out',
  (id) => {
    const { fileOf, write, read, init, undo } = createUser();
    const file = fileOf(id);
    write(file, SETTINGS[id] ?? '');
    init([id]);
    const comments = { json: '\n', 'json-comments': '\n// later\n', jsonc: '\n// later\n' };
    const comment = { ...comments, toml: '\n# later\n' }[clientOf(id).format];
    write(file, read(file).toString() + comment);
    expect(undo()).toEqual({ [id]: 'take-out, written' });
    const text = read(file).toString();
    expect(text).not.toContain('stdio');
    expect(text.endsWith(comment)).toBe(true);
    const { format } = clientOf(id);
    const rest = (value: string) => SETTINGS_FORMATS[format].rest(value, ['nothing']);
    expect(rest(text)).toEqual(rest(SETTINGS[id] ?? ''));
  },
);

test('after a renewal of a file that was changed in between, undo takes our entry out', () => {
  const { fileOf, write, read, init, undo } = createUser();
  const file = fileOf('cursor');
  write(file, '{"a":1}');
  init(['cursor']);
  write(file, read(file).toString().replace('"a":1', '"a":2'));
  const moved = { ...PROGRAMS, desktop: { command: '/new/node', args: [] } };
  expect(init(['cursor'], moved)).toEqual({ cursor: 'update, written' });
  expect(undo()).toEqual({ cursor: 'take-out, written' });
  expect(read(file).toString()).toBe('{"a":2}');
});

test('what is gone, or was put back by hand, needs no undoing', () => {
  const { fileOf, write, init, undo } = createUser();
  for (const id of ['cursor', 'zed', 'windsurf']) write(fileOf(id), '{}');
  init();
  rmSync(fileOf('cursor'));
  write(fileOf('zed'), '{}');
  write(fileOf('windsurf'), '{"other": 1}');
  expect(undo()).toEqual({ cursor: 'gone', zed: 'gone', windsurf: 'gone' });
  expect(undo()).toEqual({});
});

test('a backup that is lost or damaged is not put back: our entry is taken out instead', () => {
  const { home, fileOf, write, read, init, undo } = createUser();
  write(fileOf('cursor'), '{"a": 1}');
  init(['cursor']);
  const folder = join(home.backupDir, 'clients', 'cursor');
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'damaged');
  expect(undo()).toEqual({ cursor: 'take-out, written' });
  expect(read(fileOf('cursor')).toString()).toBe('{"a": 1}');
});

test('backups are private, and few', () => {
  const { home, fileOf, write, init } = createUser();
  const folder = join(home.backupDir, 'clients', 'cursor');
  write(fileOf('cursor'), '{}');
  init(['cursor']);
  for (let index = 0; index < 9; index++) writeFileSync(join(folder, `2020-${index}-mcp.json`), '');
  write(fileOf('cursor'), '{"b":1}');
  init(['cursor']);
  expect(readdirSync(folder).length).toBeLessThanOrEqual(6);
  for (const name of readdirSync(folder).filter((each) => each.startsWith('2026'))) {
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  }
  expect(statSync(join(home.backupDir, 'clients', 'records.json')).mode & 0o777).toBe(0o600);
});

test('a link stays a link, and what it leads to is changed', () => {
  const { root, fileOf, write, read, init, undo } = createUser();
  const file = fileOf('cursor');
  const real = join(root, 'dotfiles/mcp.json');
  write(real, '{"a": 1}');
  mkdirSync(dirname(file));
  symlinkSync(real, file);
  expect(init(['cursor'])).toEqual({ cursor: 'add, written' });
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(read(real).toString()).toContain('exai');
  expect(undo()).toEqual({ cursor: 'restore, written' });
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(read(real).toString()).toBe('{"a": 1}');
});

test('malformed settings are refused with the place, and the others are written', () => {
  const { fileOf, write, run, read } = createUser();
  write(fileOf('cursor'), '{\n  "mcpServers": {\n    oops\n  }\n}');
  write(fileOf('codex'), 'a = \n');
  write(fileOf('claude-code'), '{ "a": 1, }');
  write(fileOf('gemini-cli'), '{\n  "a": [1], // one\n}');
  write(fileOf('zed'), '{}');
  const outcomes = run().filter(({ state }) => state !== 'absent');
  const summary = outcomes.map(({ client, state, error }) => [client, state, error?.message]);
  expect(summary).toEqual([
    ['claude-code', 'refused', expect.stringMatching(/\.claude\.json:1:11: The comma before/)],
    ['cursor', 'refused', expect.stringMatching(/mcp\.json:3:5: A name in double quotes/)],
    ['codex', 'refused', expect.stringMatching(/config\.toml:1:\d+: This is not TOML: /)],
    ['gemini-cli', 'refused', expect.stringMatching(/settings\.json:3:1: The comma before this }/)],
    ['zed', 'add', undefined],
  ]);
  expect(read(fileOf('cursor')).toString()).toContain('oops');
  expect(outcomes.map(({ written }) => written)).toEqual([false, false, false, false, true]);
});

test.each([
  ['a folder', (file: string) => mkdirSync(file, { recursive: true }), 'validation', 'is a folder'],
  [
    'a huge file',
    (file: string) => writeFileSync(file, `{}${' '.repeat(4 * 1_048_576)}`),
    'too_large',
    'larger than 4 MiB',
  ],
  [
    'bytes that are no text',
    (file: string) => writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d])),
    'validation',
    'not UTF-8',
  ],
  [
    'a link to nowhere',
    (file: string) => symlinkSync('/nowhere/at/all', file),
    'validation',
    'leads nowhere',
  ],
  [
    'a link to itself',
    (file: string) => symlinkSync(file, file),
    'validation',
    'leads back to itself',
  ],
  ['a device', (file: string) => symlinkSync('/dev/zero', file), 'validation', 'is not a file'],
] as const)('%s in the place of settings is refused', (_, make, errorClass, words) => {
  const { fileOf, run } = createUser();
  const file = fileOf('cursor');
  mkdirSync(dirname(file), { recursive: true });
  make(file);
  const [outcome] = run('cursor');
  expect(outcome).toMatchObject({ state: 'refused', written: false, error: { class: errorClass } });
  expect(outcome?.error?.message).toContain(words);
});

test('a file that is changed or made meanwhile is not overwritten', () => {
  const { fileOf, write, read, init, undo, home } = createUser();
  const [cursor, zed] = [fileOf('cursor'), fileOf('zed')];
  write(cursor, '{}');
  mkdirSync(dirname(zed), { recursive: true });
  const result = init(['cursor', 'zed'], PROGRAMS, () => {
    write(`${cursor}.new`, '{"other":1}');
    renameSync(`${cursor}.new`, cursor);
    write(zed, '{"new":1}');
  });
  expect(result).toEqual({ cursor: 'refused', zed: 'refused' });
  expect([read(cursor).toString(), read(zed).toString()]).toEqual(['{"other":1}', '{"new":1}']);
  expect(undo()).toEqual({});
  expect(JSON.parse(readFileSync(join(home.backupDir, 'clients/records.json'), 'utf8'))).toEqual({
    version: 1,
    records: [],
  });
});

test.runIf(process.platform === 'linux')(
  'a folder that nobody can write to is named, and the others are written',
  () => {
    const { machine, home, fileOf, write } = createUser();
    // Not even root can create files in it.
    const world = { ...machine, env: { CODEX_HOME: '/sys/kernel' } };
    write(fileOf('zed'), '{}');
    const clients = [clientOf('codex'), clientOf('zed')];
    const tasks = planInitTasks(clients, world, PROGRAMS, home);
    const [codex, zed] = runInitTasks(tasks, home, '2026-01-02T03:04:05.678Z');
    expect(codex?.error).toMatchObject({ class: 'permission', field: '/sys/kernel/config.toml' });
    expect(codex?.error?.message).toContain('/sys/kernel/config.toml cannot be written.');
    expect(codex?.error?.fix).toContain('Make /sys/kernel writable for you');
    expect(zed?.written).toBe(true);
    expect(loadRecords(home).map(({ client }) => client)).toEqual(['zed']);
  },
);

test('a place that cannot be written to is named, and the others are written', () => {
  const { root, fileOf, write, run } = createUser();
  // A file in place of the folder stops every user, root included.
  writeFileSync(join(root, '.cursor'), '');
  write(fileOf('zed'), '{}');
  const [cursor, zed] = run('cursor', 'zed');
  expect(cursor?.error).toMatchObject({
    class: 'validation',
    message: `${fileOf('cursor')} cannot be read. A file stands where a folder is expected.`,
  });
  expect(zed?.written).toBe(true);
});

test('a home that cannot be used is refused before anything is touched', () => {
  const { root, fileOf, write, read, init } = createUser();
  writeFileSync(join(root, '.exai'), '');
  write(fileOf('cursor'), '{}');
  expect(() => init(['cursor'])).toThrow(/A file stands where a folder is expected/);
  expect(read(fileOf('cursor')).toString()).toBe('{}');
});

test.each(['{', 'null', '{"records":[{"client":1}]}', '{"records":{}}', '{"records":[null]}'])(
  'records that read %j are refused',
  (text) => {
    const { home, write, plan } = createUser();
    write(join(home.backupDir, 'clients', 'records.json'), text);
    expect(() => plan()).toThrow(/is damaged/);
  },
);

test('a crash between the record and the settings leaves something that undo understands', () => {
  const { home, fileOf, write, read, init, undo } = createUser();
  const file = fileOf('cursor');
  const records = join(home.backupDir, 'clients', 'records.json');
  write(file, '{"a":1}');
  init(['cursor']);
  const saved = read(records);
  undo();
  write(records, saved);
  expect(undo()).toEqual({ cursor: 'gone' });
  expect(read(file).toString()).toBe('{"a":1}');
});
