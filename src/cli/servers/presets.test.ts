import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mcpServers } from '#config/schema/sections/hub.schema.ts';
import { verifies } from '../../../test/verifies.ts';
import { createUser } from '../init/init.fixture.ts';
import { createTestIo } from '../test-io.fixture.ts';
import { describeDownload } from './new-server.ts';
import { fillPreset } from './preset-entry.ts';
import { findServerPreset, SERVER_PRESETS } from './presets.ts';

const ids = SERVER_PRESETS.map(({ id }) => id);

async function fill(id: string, name: string, words: readonly string[] = [], env = {}) {
  const preset = findServerPreset(id);
  if (!preset) throw new Error(`no preset ${id}`);
  const { home, root } = createUser();
  const { io } = createTestIo(home.root, { charset: 'utf-8' });
  return fillPreset(preset, name, words, { ...io, env: { ...io.env, HOME: root, ...env } });
}

describe('presets of MCP servers', () => {
  test('have different names, those of the first EX-AI among them', () => {
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(
      expect.arrayContaining(['composio', 'edgartools', 'video_audio', 'youtube', 'zai_vision']),
    );
  });

  verifies('hub:presets', 'every preset is an entry of config.json, without a key', async () => {
    const { root } = createUser();
    mkdirSync(join(root, 'folder'));
    writeFileSync(join(root, 'file.py'), '');
    for (const preset of SERVER_PRESETS.filter(({ setting }) => setting === undefined)) {
      const { id, arguments: words } = preset;
      const paths = words ? [join(root, words.is === 'folder' ? 'folder' : 'file.py')] : [];
      const { entry, missing } = await fill(id, id, paths);
      const checked = mcpServers.safeParse({ [id]: entry });
      expect([id, checked.error]).toEqual([id, undefined]);
      const required = (preset.variables ?? []).filter(({ need }) => need === 'required');
      expect([id, missing.length]).toEqual([id, required.length]);
      for (const { variable } of missing)
        expect(JSON.stringify(entry)).toContain(`\${${variable}}`);
    }
  });

  test('a server that wants a login says so when it is added', async () => {
    const { notes } = await fill('linear', 'linear-work');
    expect(notes.join()).toContain('exai servers login linear-work');
  });

  verifies('hub:presets', 'packages of npm have exact versions, and a download is said', () => {
    for (const preset of SERVER_PRESETS.filter(({ command }) => command === 'npx')) {
      expect(preset.args?.[1]).toMatch(/^(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+$/);
      expect(describeDownload({ ...preset })).toContain('npm');
    }
  });

  verifies(
    'hub:presets',
    'Composio needs its variables alone, and no entry of config.json',
    async () => {
      const { missing } = await fill('composio', 'composio');
      expect(missing.map(({ variable }) => variable)).toEqual([
        'COMPOSIO_API_KEY',
        'DEFAULT_USER_ID',
      ]);
    },
  );

  test('a second account has its own variables', async () => {
    const first = await fill('github', 'github', [], { GITHUB_TOKEN: 'one' });
    const second = await fill('github', 'work', [], { GITHUB_TOKEN: 'one' });
    expect(first.entry['headers']).toEqual({ Authorization: 'Bearer ${GITHUB_TOKEN}' });
    expect(first.missing).toEqual([]);
    expect(second.entry['headers']).toEqual({ Authorization: 'Bearer ${MCP_WORK_GITHUB_TOKEN}' });
    expect(second.missing).toEqual([
      expect.objectContaining({ variable: 'MCP_WORK_GITHUB_TOKEN' }),
    ]);
  });

  test('arguments are folders and files that exist, as whole paths', async () => {
    const { root } = createUser();
    const filled = await fill('filesystem', 'filesystem', ['~'], { HOME: root });
    expect(filled.entry['args']).toEqual([
      '-y',
      expect.stringContaining('server-filesystem@'),
      root,
    ]);
    await expect(fill('filesystem', 'filesystem', [])).rejects.toThrow('at least one folder');
    await expect(fill('filesystem', 'filesystem', ['/no/such'])).rejects.toThrow('not a folder');
    await expect(fill('github', 'github', ['/'])).rejects.toThrow('takes no arguments');
  });

  test('programs that are missing are named', async () => {
    const { notes } = await fill('youtube', 'youtube');
    expect(notes.join(' ')).toMatch(/python3 is not on your PATH.*yt-dlp is not on your PATH/);
  });
});
