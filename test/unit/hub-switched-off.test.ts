import { expect, test } from 'vitest';
import { connected, CREATE, LIST, notesServer } from '../pinned-notes.ts';
import { verifies } from '../verifies.ts';

const BATCH = { ...LIST, name: 'NOTES_MULTI_EXECUTE_TOOL' };
const RUN = { ...LIST, name: 'execute_tool' };
const CREATED = { ...CREATE, name: 'created_when' };
const OFF = { class: 'not_found', reason: { code: 'unknown_tool' } };

async function withOff(...disabledTools: string[]) {
  const notes = notesServer([CREATE, CREATED, LIST, BATCH, RUN]);
  const hub = await connected(notes, { config: { disabledTools } });
  const errorOf = async (tool: string, args: object = {}) =>
    (await hub.start(`mcp__notes__${tool}`, args).answer).error;
  return { errorOf, called: notes.called };
}

verifies(
  'hub:commands',
  'a tool that is switched off is refused alike directly and through a tool of its server that calls others',
  async () => {
    const { errorOf, called } = await withOff('create');
    expect(await errorOf('create')).toMatchObject(OFF);
    for (const name of ['create', 'CREATE', 'cre-ate', 'mcp__notes__create']) {
      const inner = { tool_name: name, arguments: {} };
      expect(await errorOf(RUN.name, inner)).toMatchObject(OFF);
      for (const tools of [[inner], [{ slug: 'list' }, inner], JSON.stringify([inner])])
        expect(await errorOf(BATCH.name, { tools })).toMatchObject(OFF);
      const nested = { tools: [{ name: RUN.name, args: inner }] };
      expect(await errorOf(BATCH.name, nested)).toMatchObject(OFF);
    }
    expect(called).toEqual([]);
    expect(await errorOf(BATCH.name, { tools: [{ slug: 'list' }] })).toBeUndefined();
    expect(called).toEqual([BATCH.name]);
  },
);

test('while tools are switched off, the arguments must say which tools are called', async () => {
  const unclear = { what: 'create' };
  const { errorOf, called } = await withOff('create');
  expect(await errorOf(RUN.name, unclear)).toMatchObject({
    class: 'permission',
    reason: { code: 'inner_tools_unreadable', params: { tool: 'mcp__notes__execute_tool' } },
  });
  expect(called).toEqual([]);
  expect(await (await withOff()).errorOf(RUN.name, unclear)).toBeUndefined();
});

test('a pattern holds for tools that the server does not list, in any spelling, and for no others', async () => {
  const { errorOf, called } = await withOff('create_*', 'drop_*');
  for (const name of ['create_hidden', 'CREATE-HIDDEN', 'drop_all'])
    expect(await errorOf(RUN.name, { tool_name: name })).toMatchObject(OFF);
  expect(called).toEqual([]);
  // It is listed, and the pattern does not match it.
  expect(await errorOf(RUN.name, { tool_name: 'created_when' })).toBeUndefined();
  expect(await errorOf('created_when')).toBeUndefined();
});
