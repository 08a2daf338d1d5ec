import { expect } from 'vitest';
import type { Answer, Peer } from '../peer.ts';
import { MCP_TRANSPORTS, type Requirement } from '../requirement.ts';
import * as rpc from '../rpc.ts';
import {
  call,
  entriesOf,
  expectError,
  failureOf,
  keysOf,
  LISTS,
  PROMPTS,
  RESOURCES,
  textOf,
  TOOLS,
  type List,
} from './words.ts';

const MAX_PAGES = 50;

/** Every page of a list, one after the other. */
async function pagesOf(peer: Peer, { method }: List): Promise<Answer[]> {
  const pages: Answer[] = [];
  let cursor: unknown;
  do {
    const page = await peer.request(method, cursor === undefined ? {} : { cursor });
    pages.push(page);
    cursor = page.result?.['nextCursor'];
  } while (cursor !== undefined && pages.length < MAX_PAGES);
  return pages;
}

export const listRows: readonly Requirement[] = [
  {
    id: 'lists:same',
    says: 'every list is sorted, and the same for two clients and at any time',
    eras: 'both',
    async run(peer, context) {
      const other = await context.open();
      for (const list of LISTS) {
        const first = await peer.request(list.method);
        const keys = keysOf(list, first);
        expect(keys.length).toBeGreaterThan(0);
        expect(keys).toEqual(keys.toSorted());
        expect(new Set(keys).size).toBe(keys.length);
        await call(peer, 'version');
        for (const again of [await peer.request(list.method), await other.request(list.method)]) {
          expect(JSON.stringify(again.result)).toBe(JSON.stringify(first.result));
        }
      }
    },
  },
  {
    id: 'lists:doors',
    says: 'the greeting and every list are the same by every other transport',
    eras: 'both',
    async run(peer, { era, transport, open }) {
      for (const other of MCP_TRANSPORTS) {
        if (other.transport === transport || !other.eras.includes(era)) continue;
        const theirs = await open({ by: other.transport });
        expect(theirs.greeting.result).toEqual(peer.greeting.result);
        for (const { method } of LISTS) {
          const [one, two] = await Promise.all([peer.request(method), theirs.request(method)]);
          expect(one.result).toEqual(two.result);
        }
      }
    },
  },
  {
    id: 'lists:tools',
    says: 'a tool is listed with a title, a description, its schema and what it does',
    eras: 'both',
    async run(peer) {
      for (const tool of entriesOf(TOOLS, await peer.request(TOOLS.method))) {
        expect(tool).toMatchObject({
          name: expect.stringMatching(/^[\w.-]{1,128}$/) as string,
          title: expect.stringMatching(/\S/) as string,
          description: expect.stringMatching(/\S/) as string,
          inputSchema: { type: 'object' },
          annotations: { readOnlyHint: expect.any(Boolean) as boolean },
        });
      }
    },
  },
  {
    id: 'lists:principal',
    says: 'a client with narrower scopes is shown what it may use, and nothing else',
    eras: 'both',
    peer: { as: 'narrow' },
    async run(peer, context) {
      const again = await context.open({ as: 'narrow' });
      for (const list of LISTS) {
        const answer = await peer.request(list.method);
        const names = list === TOOLS ? ['call_tool', 'search_tools', 'test_simple_text'] : [];
        expect(keysOf(list, answer)).toEqual(names);
        expect((await again.request(list.method)).result).toEqual(answer.result);
      }
      expect(textOf(await call(peer, 'version'))).toContain('EX-AI');
      expect(failureOf(await call(peer, 'status'))).toContain('is denied');
      const read = await peer.request('resources/read', { uri: 'exai://status' });
      expect(read.error).toMatchObject({ code: -31051, data: { uri: 'exai://status' } });
    },
  },
  {
    id: 'lists:pages',
    says: 'a list comes in pages that neither repeat nor leave out anything',
    eras: 'both',
    peer: { of: 'paged' },
    async run(peer, context) {
      const unpaged = await context.open();
      for (const list of LISTS) {
        const pages = (await pagesOf(peer, list)).map((page) => keysOf(list, page));
        for (const page of pages) expect(page.length).toBeLessThanOrEqual(3);
        const all = keysOf(list, await unpaged.request(list.method));
        expect(pages.flat()).toEqual(all);
        expect(pages).toHaveLength(Math.ceil(all.length / 3));
      }
    },
  },
  {
    id: 'lists:cursor',
    says: 'a cursor that no page gave is refused',
    eras: 'both',
    async run(peer, context) {
      for (const { method } of LISTS) {
        for (const cursor of ['no cursor of ours!', 7, {}]) {
          expectError(await peer.request(method, { cursor }), rpc.INVALID_PARAMS, context);
        }
      }
    },
  },
  {
    id: 'icons',
    says: 'what is our own has an icon that needs no network',
    eras: 'both',
    async run(peer) {
      const resources = entriesOf(RESOURCES, await peer.request(RESOURCES.method));
      const status = resources.find(({ uri }) => uri === 'exai://status');
      const prompts = entriesOf(PROMPTS, await peer.request(PROMPTS.method));
      const diagnose = prompts.find(({ name }) => name === 'diagnose');
      for (const offer of [status, diagnose]) {
        expect(rpc.at(offer, 'icons.0.src')).toMatch(/^data:image\//);
      }
    },
  },
  {
    id: 'caching',
    says: 'what may be kept says for how long and by whom',
    eras: 'modern',
    async run(peer) {
      const read = await peer.request('resources/read', { uri: 'test://static-text' });
      const lists = await Promise.all(LISTS.map(({ method }) => peer.request(method)));
      for (const { result } of [peer.greeting, read, ...lists]) {
        expect(result).toMatchObject({
          ttlMs: expect.any(Number) as number,
          cacheScope: expect.stringMatching(/^(public|private)$/) as string,
        });
        expect(result?.['ttlMs']).toBeGreaterThanOrEqual(0);
      }
    },
  },
  {
    id: 'result-type',
    says: 'every result says that it is complete, and who gave it',
    eras: 'modern',
    async run(peer) {
      const answers = await Promise.all([
        call(peer, 'version'),
        call(peer, 'test_error_handling'),
        peer.request('prompts/get', { name: 'test_simple_prompt' }),
        peer.request('resources/read', { uri: 'test://static-text' }),
        peer.request('completion/complete', {
          ref: { type: 'ref/prompt', name: 'diagnose' },
          argument: { name: 'symptom', value: '' },
        }),
        ...LISTS.map(({ method }) => peer.request(method)),
      ]);
      for (const { result } of [peer.greeting, ...answers]) {
        expect(result).toMatchObject({
          resultType: 'complete',
          _meta: { [rpc.SERVER_KEY]: { name: 'exai' } },
        });
      }
    },
  },
  {
    id: 'result-type:legacy',
    says: 'no result has members that its version does not know',
    eras: 'legacy',
    async run(peer) {
      const answers = await Promise.all([
        call(peer, 'version'),
        peer.request('resources/read', { uri: 'test://static-text' }),
        peer.request('prompts/get', { name: 'test_simple_prompt' }),
        ...LISTS.map(({ method }) => peer.request(method)),
      ]);
      for (const { result } of answers) {
        expect(result).toBeDefined();
        for (const name of ['resultType', 'ttlMs', 'cacheScope', 'inputRequests']) {
          expect(result).not.toHaveProperty(name);
        }
      }
    },
  },
];
