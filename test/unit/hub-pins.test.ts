import { describe, expect, test } from 'vitest';
import type { PinStore } from '#core/stores/pins.ts';
import { settled } from '../../src/calls/calls.fixture.ts';
import { CHANGED, connected, CREATE, LIST, notesServer, QUARANTINED } from '../pinned-notes.ts';
import { pinsInMemory } from '../pins-in-memory.ts';
import { verifies } from '../verifies.ts';

describe('a server that changes a definition', () => {
  verifies(
    'pins:changed',
    'its tool is not callable until the owner has approved the difference',
    async () => {
      const notes = notesServer([CREATE, LIST]);
      const hub = await connected(notes);
      expect((await hub.call()).error).toBeUndefined();
      notes.state.tools = [CHANGED, LIST];
      await hub.reconnect();
      expect(hub.callable()).toEqual(['list']);
      expect((await hub.call()).error).toMatchObject(QUARANTINED);
      const [diff] = await hub.diff();
      expect(diff).toMatchObject({
        name: 'create',
        change: 'changed',
        differences: [
          {
            at: 'description',
            before: 'Creates a note.',
            after: 'Creates a note. Before that, it reads every other note.',
          },
        ],
      });
      await hub.decide({ decision: 'approved', tools: ['create'], hash: diff?.hash.slice(0, 16) });
      expect(await hub.call()).toMatchObject({ text: 'done' });
      expect(notes.called).toEqual(['create', 'create']);
    },
  );

  verifies(
    'pins:every-way',
    'it cannot be called through a wrapper, several at once or as a job, and nothing of it is shown',
    async () => {
      const notes = notesServer([CREATE]);
      const hub = await connected(notes);
      notes.state.tools = [CHANGED];
      await hub.reconnect();
      for (const via of ['call_tool', 'call_tool_write'] as const) {
        const { error } = await hub.call('create', { via });
        expect(error?.class).toMatch(/permission|not_found|bad_request/);
      }
      const background = await hub.call('create', { background: { is: 'immediate' } });
      expect(background.error).toMatchObject(QUARANTINED);
      const many = await hub.start('multi_execute_tool', {
        tools: [{ name: 'mcp__notes__create' }],
      }).answer;
      expect(JSON.stringify(many.envelope.content)).toContain('"error_class":"permission"');
      expect(notes.called).toEqual([]);
      const tool = hub.registry.find('mcp__notes__create');
      expect(tool?.quarantine?.code).toBe('tool_quarantined');
      expect(JSON.stringify(tool)).not.toContain('reads every other');
    },
  );

  verifies(
    'pins:every-way',
    'it cannot be called through a tool of its server that calls others, however it is named there',
    async () => {
      const batch = { ...LIST, name: 'NOTES_MULTI_EXECUTE_TOOL' };
      const run = { ...LIST, name: 'execute_tool' };
      const notes = notesServer([CREATE, LIST, batch, run]);
      const hub = await connected(notes);
      notes.state.tools = [CHANGED, LIST, batch, run];
      await hub.reconnect();
      const answerOf = async (tool: string, args: object) =>
        (await hub.start(`mcp__notes__${tool}`, args).answer).error;
      for (const name of ['create', 'CREATE', 'cre-ate', 'mcp__notes__create']) {
        const inner = { tool_name: name, arguments: {} };
        expect(await answerOf('execute_tool', inner)).toMatchObject(QUARANTINED);
        for (const tools of [[inner], [{ slug: 'list' }, inner], JSON.stringify([inner])])
          expect(await answerOf(batch.name, { tools })).toMatchObject(QUARANTINED);
        const nested = { tools: [{ name: 'execute_tool', args: inner }] };
        expect(await answerOf(batch.name, nested)).toMatchObject(QUARANTINED);
        expect(await answerOf('execute_tool', { what: name })).toMatchObject({
          class: 'permission',
          reason: { code: 'inner_tools_unreadable' },
        });
      }
      expect(notes.called).toEqual([]);
      expect(await answerOf(batch.name, { tools: [{ slug: 'list' }] })).toBeUndefined();
      notes.state.tools = [CREATE, LIST, batch, run];
      await hub.reconnect();
      expect(await answerOf('execute_tool', { what: 'create' })).toBeUndefined();
      expect(notes.called).toEqual([batch.name, 'execute_tool']);
    },
  );

  verifies('pins:no-race', 'no call is sent between a connection and its check', async () => {
    const notes = notesServer([CREATE]);
    const hub = await connected(notes);
    await hub.hub.find('notes')?.restart();
    notes.state.tools = [CHANGED];
    notes.state.holdsLists = true;
    // Its approved definition is still the one that is known.
    const call = hub.call();
    await settled();
    await settled();
    expect(notes.called).toEqual([]);
    notes.answerLists();
    expect((await call).error).toMatchObject(QUARANTINED);
    expect(notes.called).toEqual([]);
  });

  verifies('pins:no-race', 'nor between an announced change and its check', async () => {
    const notes = notesServer([CREATE]);
    const hub = await connected(notes);
    expect((await hub.call()).error).toBeUndefined();
    notes.state.tools = [CHANGED];
    notes.server.connections[0]?.send({ method: 'notifications/tools/list_changed' });
    await settled();
    expect((await hub.call()).error).toMatchObject(QUARANTINED);
    expect(notes.called).toEqual(['create']);
  });

  test('a call that is cancelled does not wait for the check', async () => {
    const notes = notesServer([CREATE]);
    const hub = await connected(notes);
    await hub.hub.find('notes')?.restart();
    notes.state.holdsLists = true;
    const running = hub.start('mcp__notes__create', {});
    await settled();
    running.cancel();
    expect((await running.answer).error?.class).toBe('cancelled');
    notes.answerLists();
    await settled();
    expect(notes.called).toEqual([]);
  });

  test('the approved definition is callable again when the server lists it again', async () => {
    const notes = notesServer([CREATE]);
    const hub = await connected(notes);
    notes.state.tools = [CHANGED];
    await hub.reconnect();
    await hub.decide({ decision: 'rejected' });
    expect(await hub.list()).toMatchObject({ quarantined: [{ decision: 'rejected' }] });
    notes.state.tools = [CREATE];
    await hub.reconnect();
    expect((await hub.call()).error).toBeUndefined();
    expect(await hub.list()).toMatchObject({ approved: 1, quarantined: [] });
  });

  test('a hash of a definition that was shown earlier approves no later one', async () => {
    const notes = notesServer([CREATE]);
    const hub = await connected(notes);
    notes.state.tools = [CHANGED];
    await hub.reconnect();
    const [shown] = await hub.diff();
    notes.state.tools = [{ ...CHANGED, description: 'Something else.' }];
    await hub.reconnect();
    const late = hub.decide({ decision: 'approved', tools: ['create'], hash: shown?.hash });
    await expect(late).rejects.toMatchObject({ class: 'conflict', field: 'hash' });
    expect((await hub.call()).error).toMatchObject(QUARANTINED);
  });

  test('annotations, titles and schemas are pinned, and the order of members is not', async () => {
    const notes = notesServer([CREATE]);
    const hub = await connected(notes);
    const { inputSchema, description, name } = CREATE;
    notes.state.tools = [
      { inputSchema: { ...inputSchema }, description, name, _meta: { build: 2 } },
    ];
    await hub.reconnect();
    expect(hub.callable()).toEqual(['create']);
    for (const change of [
      { annotations: { readOnlyHint: true } },
      { title: 'Create' },
      { outputSchema: { type: 'object' } },
      { inputSchema: { type: 'object' } },
    ]) {
      notes.state.tools = [{ ...CREATE, ...change }];
      await hub.reconnect();
      expect(hub.callable()).toEqual([]);
    }
  });
});

describe('a server that adds a tool', () => {
  verifies('pins:added', 'the tool waits, also where the server had none before', async () => {
    const notes = notesServer([]);
    const hub = await connected(notes);
    notes.state.tools = [CREATE, LIST];
    await hub.reconnect();
    expect(hub.callable()).toEqual([]);
    expect((await hub.call()).error).toMatchObject(QUARANTINED);
    expect(await hub.decide({ decision: 'approved' })).toMatchObject({
      decided: ['create', 'list'],
      left: [],
    });
    expect(hub.callable()).toEqual(['create', 'list']);
  });

  verifies('pins:added', 'a tool that was renamed waits, with its former name', async () => {
    const notes = notesServer([CREATE, LIST]);
    const hub = await connected(notes);
    notes.state.tools = [{ ...CREATE, name: 'make' }, LIST];
    await hub.reconnect();
    expect(await hub.list()).toMatchObject({
      quarantined: [{ name: 'make', change: 'added', renamedFrom: 'create' }],
      missing: ['create'],
    });
    expect((await hub.call('make')).error).toMatchObject(QUARANTINED);
  });

  test('definitions of tools that are gone again are forgotten', async () => {
    const notes = notesServer([CREATE]);
    const hub = await connected(notes);
    for (let round = 0; round < 5; round++) {
      notes.state.tools = [CREATE, { ...LIST, name: `list_${round}` }];
      await hub.reconnect();
    }
    expect((await hub.pins.load('notes'))?.candidates.map(({ tool }) => tool)).toEqual(['list_4']);
  });
});

verifies(
  'pins:durable',
  'pins and quarantine survive a restart, before any connection',
  async () => {
    const notes = notesServer([CREATE, LIST]);
    const first = await connected(notes);
    notes.state.tools = [CHANGED, LIST];
    await first.reconnect();
    await first.hub.close();
    notes.state.holdsLists = true;
    const second = await connected(notesServer([CHANGED, LIST]), first);
    expect(second.callable()).toEqual(['list']);
    expect((await second.call()).error).toMatchObject(QUARANTINED);
  },
);

verifies('pins:team', 'a decision on another daemon of the store counts here, too', async () => {
  const notes = notesServer([CREATE]);
  const here = await connected(notes);
  notes.state.tools = [CHANGED];
  await here.reconnect();
  const [diff] = await here.diff();
  await here.pins.decide('notes', 'create', diff?.hash ?? '', 'approved');
  here.clock.advance(30_000);
  await settled();
  expect((await here.call()).error).toBeUndefined();
});

test('what two daemons see first at the same time is compared with what one of them pinned', async () => {
  const pins = pinsInMemory();
  const [one, other] = [notesServer([CREATE]), notesServer([CHANGED])];
  const [here, there] = [await connected(one, { pins }), await connected(other, { pins })];
  expect(here.callable()).toEqual(['create']);
  expect(there.callable()).toEqual([]);
});

test('nothing is callable while the pins cannot be read', async () => {
  const failing: PinStore = {
    ...pinsInMemory(),
    load: () => Promise.reject(new Error('no store')),
  };
  const hub = await connected(notesServer([CREATE]), { pins: failing });
  expect(hub.callable()).toBeUndefined();
  expect((await hub.call()).error?.class).toBe('not_found');
});
