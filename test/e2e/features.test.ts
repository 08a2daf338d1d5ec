import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { connectToRunning } from '#app/daemon/daemon-state.ts';
import type { FeatureContext } from '#app/features/context.ts';
import type { Feature, MountFeature } from '#app/features/feature.ts';
import { startDaemon } from '#app/daemon/start-daemon.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import { withDaemon } from '#client/daemon-client.ts';
import { loadConfig } from '#config/load/load.ts';
import type { Calls } from '#core/calls/calls.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';

const NOTES_URI = 'exai://notes';

/**
 * A feature with everything a feature can have: notes that are added, read, counted and kept at
 * shutdown.
 */
function notesFeature({ store, content }: Pick<FeatureContext, 'store' | 'content'>): Feature {
  const notes: string[] = [];
  return {
    name: 'notes',
    tools: [
      defineTool({
        name: 'add_note',
        title: 'Add a note',
        description: 'Adds a note.',
        profile: 'lean',
        effect: 'changes',
        input: z.strictObject({ text: z.string() }),
        async run({ text }) {
          notes.push(text);
          content.notifyUpdated(NOTES_URI);
          return { text: `Note ${notes.length}: ${text}` };
        },
      }),
    ],
    resources: [
      {
        uri: NOTES_URI,
        name: 'notes',
        title: 'Notes',
        description: 'Every note.',
        uses: 'add_note',
        subscribable: true,
        read: () => [{ uri: NOTES_URI, text: notes.join('\n') }],
      },
    ],
    prompts: [
      {
        name: 'note',
        title: 'Note',
        description: 'Notes what was found.',
        uses: 'add_note',
        arguments: [],
        get: () => ({
          messages: [{ role: 'user', content: { type: 'text', text: 'Add a note.' } }],
        }),
      },
    ],
    operations: [
      defineTool({
        name: 'count_notes',
        title: 'Count notes',
        description: 'Counts the notes.',
        effect: 'reads',
        input: z.strictObject({}),
        run: async () => ({ text: String(notes.length) }),
      }),
    ],
    adminMethods: { 'exai/notes/clear': async () => ({ cleared: notes.splice(0).length }) },
    drain: () => store.settings.set('notes', notes),
  };
}

async function start(home: string, more: MountFeature) {
  const env = { EXAI_HOME: home, HOME: home, EXAI_PORT: 'off' };
  const loaded = loadConfig({ env });
  const system = { clock: systemClock, random: systemRandom, warn: () => undefined };
  const daemon = await startDaemon(loaded, system, { features: [notesFeature, more] });
  onTestFinished(async () => void (await daemon.stop('the test is over')));
  const reach = () => connectToRunning(daemon.record, loaded.home, systemClock);
  return { daemon, reach };
}

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'exai-features-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

test('a mounted feature is there for clients, and is drained before the store closes', async () => {
  const home = makeHome();
  let calls: Calls | undefined;
  let stored: unknown;
  const observer: MountFeature = async (context) => {
    calls = context.calls;
    stored = await context.store.settings.get('notes');
    return { name: 'observer' };
  };
  const { daemon, reach } = await start(home, observer);

  await withDaemon(reach, systemClock, async ({ request }) => {
    const ask = async (method: string, params = {}) =>
      JSON.stringify(await request(method, params));
    expect(await ask('tools/list')).toContain('"name":"add_note"');
    expect(await ask('resources/list')).toContain('"uri":"exai://notes"');
    expect(await ask('prompts/list')).toContain('"name":"note"');
    const add = (text: string) => ask('tools/call', { name: 'add_note', arguments: { text } });
    expect(await add('first')).toContain('Note 1: first');
    expect(await ask('resources/read', { uri: NOTES_URI })).toContain('"text":"first"');
    expect(await ask('prompts/get', { name: 'note' })).toContain('Add a note.');
    expect(await request('exai/notes/clear', {})).toEqual({ cleared: 1 });
    await add('second');
  });

  const caller = { principal: 'local', scopes: ['*'], roots: [] };
  const request = {
    tool: 'count_notes',
    args: {},
    caller,
    transport: 'http',
    session: 's',
  } as const;
  const counted = await calls?.start({ ...request, kind: 'operation' }).answer;
  expect(counted?.text).toBe('1');

  await daemon.stop('the test is over');
  const next = await start(home, observer);
  await next.daemon.stop('the test is over');
  expect(stored).toEqual(['second']);
});
