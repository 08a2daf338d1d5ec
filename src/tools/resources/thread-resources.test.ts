import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIds } from '#core/ids.ts';
import { matchUriTemplate } from '../../../test/match-uri-template.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { ANN, contextOf } from '../prompts/prompts.fixture.ts';
import { threads as threadsTool } from '../threads/threads.ts';
import { threadListResource, threadTemplates } from './thread-resources.ts';

let at: OpenedThreads;
beforeAll(async () => {
  at = await openThreads({ maxTurns: 1_000 });
});
afterAll(() => at.close());

async function begin(about: string, turns: readonly NewTurn[], principal = 'ann') {
  at.clock.advance(1_000);
  const thread = await at.threads.open({ principal, id: undefined, about });
  await thread.append(turns);
  return thread.id;
}
const turn = (content: string): NewTurn => ({ role: 'user', tool: 'chat', content });

interface Page {
  readonly thread: { id: string; title: string; turns: number };
  readonly turns: readonly { turn: number; text: string; left_out?: number }[];
  readonly older?: string;
  readonly note?: string;
}

/** The template that matches this URI. */
async function read(uri: string, principal = 'ann'): Promise<Page> {
  const templates = threadTemplates(threadsTool(at), () => []);
  const found = templates.find(({ uriTemplate }) => matchUriTemplate(uriTemplate, uri));
  if (!found) throw new Error(`nothing stands at ${uri}`);
  const parts = matchUriTemplate(found.uriTemplate, uri) ?? {};
  const contents = await found.read(parts, uri, contextOf({ ...ANN, principal }));
  if ('inputRequests' in contents) throw new Error('it asks');
  const [only] = contents;
  if (contents.length !== 1 || !only || !('text' in only)) throw new Error('not one text');
  expect(only).toMatchObject({ uri, mimeType: 'application/json' });
  return JSON.parse(only.text) as Page;
}

async function list(principal = 'ann') {
  const contents = await threadListResource(threadsTool(at)).read(contextOf({ ...ANN, principal }));
  const [only] = 'inputRequests' in contents ? [] : contents;
  if (!only || !('text' in only)) throw new Error('not one text');
  return JSON.parse(only.text) as { threads: { id: string; uri: string }[]; note?: string };
}

describe('exai://threads', () => {
  test('has the reader’s own, newest first, each with its address', async () => {
    const first = await begin('One', [turn('x')], 'lister');
    const second = await begin('Two', [turn('x')], 'lister');
    await begin('Another', [turn('x')], 'other');
    expect(await list('lister')).toEqual({
      threads: [second, first].map((id) => ({
        id,
        title: id === first ? 'One' : 'Two',
        turns: 1,
        created: expect.any(String) as string,
        updated: expect.any(String) as string,
        uri: `exai://threads/${id}`,
      })),
    });
    expect(await list('nobody')).toEqual({ threads: [] });
  });

  test('has a hundred, and says how to see the others', async () => {
    for (let n = 0; n < 101; n++) await begin(`Thread ${n}`, [turn('x')], 'many');
    const { threads, note } = await list('many');
    expect(threads).toHaveLength(100);
    const [, args = ''] = /with (\{.*\})\.$/.exec(note ?? '') ?? [];
    const tool = threadsTool(at);
    const rest = await tool.run(
      tool.parse(JSON.parse(args) as Record<string, unknown>),
      contextOf({ ...ANN, principal: 'many' }),
    );
    expect(rest).toMatchObject({ content: { threads: [{ title: 'Thread 0' }] } });
  });
});

describe('exai://threads/{id}', () => {
  test('has all of a short one', async () => {
    const id = await begin('Short', [turn('One?'), turn('Two?')]);
    const page = await read(`exai://threads/${id}`);
    expect(page).toMatchObject({
      thread: { id, title: 'Short', turns: 2 },
      turns: [
        { turn: 1, text: 'One?' },
        { turn: 2, text: 'Two?' },
      ],
    });
    expect(Object.keys(page)).toEqual(['thread', 'turns']);
  });

  test('a long one is read page by page, losing and repeating nothing', async () => {
    const texts = Array.from({ length: 230 }, (_, n) => `${n + 1}: ${'x'.repeat((n % 7) * 1_500)}`);
    const id = await begin('Long', texts.map(turn));
    const seen: string[] = [];
    let pages = 0;
    for (let uri: string | undefined = `exai://threads/${id}`; uri !== undefined; pages++) {
      const page: Page = await read(uri);
      const chars = page.turns.reduce((sum, { text }) => sum + text.length, 0);
      expect(chars).toBeLessThanOrEqual(60_000);
      expect(page.turns.length).toBeLessThanOrEqual(50);
      seen.unshift(...page.turns.map(({ text }) => text));
      uri = page.older;
    }
    expect(seen).toEqual(texts);
    expect(pages).toBeGreaterThan(10);
  });

  test('a turn that is longer than a page is cut, with a note where to read it in full', async () => {
    const long = 'y'.repeat(200_000);
    const id = await begin('Huge', [turn('first'), turn(long)]);
    const page = await read(`exai://threads/${id}`);
    expect(page.turns).toMatchObject([{ turn: 2, left_out: 140_000 }]);
    expect(page.older).toBe(`exai://threads/${id}/before/2`);
    const [, args = ''] = /with (\{.*\})\.$/.exec(page.note ?? '') ?? [];
    const tool = threadsTool(at);
    const whole = await tool.run(
      tool.parse(JSON.parse(args) as Record<string, unknown>),
      contextOf(ANN),
    );
    expect(whole).toMatchObject({ content: { turns: [{ turn: 2, text: long }] } });
    expect(await read(page.older ?? '')).toMatchObject({ turns: [{ turn: 1, text: 'first' }] });
  });

  test('another’s is as unknown as a missing one, and as an invalid id', async () => {
    const id = await begin('Secret of Ann', [turn('secret')]);
    const newId = createIds(at.clock, (bytes) => new Uint8Array(bytes).fill(9));
    const refusal = async (uri: string) => {
      const thrown = await read(uri, 'bob').catch((error: unknown) => error);
      expect(thrown).toMatchObject({ class: 'not_found' });
      return (thrown as Error).message.replaceAll(/conv_\w+/g, 'conv');
    };
    const foreign = await refusal(`exai://threads/${id}`);
    expect(foreign).not.toContain('ecret');
    expect(await refusal(`exai://threads/${newId('conv')}`)).toBe(foreign);
    expect(await refusal(`exai://threads/${id}/before/2`)).toBe(foreign);
    const hostile = ['x', 'conv_', '__proto__', '%2e%2e', 'conv_%00', `conv_${'z'.repeat(3_000)}`];
    for (const name of hostile) {
      expect(await refusal(`exai://threads/${name}`)).toContain('no conversation');
    }
  });

  test.each(['0', '-1', '1.5', 'x', '9999999', '%31%2f', ' 2'])(
    'there is nothing before turn %j',
    async (before) => {
      const id = await begin('Short', [turn('One?')]);
      const refused = { class: 'not_found', field: 'uri' };
      await expect(read(`exai://threads/${id}/before/${before}`)).rejects.toMatchObject(refused);
    },
  );

  test('before the first turn is nothing, and before one that never was is all', async () => {
    const id = await begin('Short', [turn('One?')]);
    expect(await read(`exai://threads/${id}/before/1`)).toMatchObject({ turns: [] });
    expect((await read(`exai://threads/${id}/before/999999`)).turns).toHaveLength(1);
  });
});
