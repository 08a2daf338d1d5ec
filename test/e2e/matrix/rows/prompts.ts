import { expect } from 'vitest';
import { callToTheEnd } from '../call-to-the-end.ts';
import type { Peer } from '../peer.ts';
import type { Requirement } from '../requirement.ts';
import * as rpc from '../rpc.ts';
import { expectError } from './words.ts';

async function messagesOf(peer: Peer, name: string, args?: rpc.Members): Promise<unknown> {
  const { result, error } = await peer.request('prompts/get', {
    name,
    ...(args && { arguments: args }),
  });
  expect(error).toBeUndefined();
  return result?.['messages'];
}

function complete(peer: Peer, ref: rpc.Members, name: string, value: string) {
  return peer.request('completion/complete', { ref, argument: { name, value } });
}

/** Prompts, and what completes an argument of theirs or of a resource's address. */
export const promptRows: readonly Requirement[] = [
  {
    id: 'prompts:list',
    says: 'a prompt is listed with its arguments, and which of them it needs',
    eras: 'both',
    async run(peer) {
      const { result } = await peer.request('prompts/list');
      expect(result?.['prompts']).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            name: 'test_prompt_with_arguments',
            arguments: [
              expect.objectContaining({ name: 'arg1', required: true }),
              expect.objectContaining({ name: 'arg2', required: true }),
            ],
          }),
          expect.objectContaining({
            name: 'diagnose',
            arguments: [expect.not.objectContaining({ required: true })],
          }),
        ]),
      );
    },
  },
  {
    id: 'prompts:get',
    says: 'a prompt is given',
    eras: 'both',
    async run(peer) {
      expect(await messagesOf(peer, 'test_simple_prompt')).toEqual([
        {
          role: 'user',
          content: { type: 'text', text: 'This is a simple prompt for testing.' },
        },
      ]);
    },
  },
  {
    id: 'prompts:arguments',
    says: 'a prompt is given with its arguments filled in',
    eras: 'both',
    async run(peer) {
      const args = { arg1: 'hello', arg2: '日本 "two"' };
      expect(await messagesOf(peer, 'test_prompt_with_arguments', args)).toMatchObject([
        { content: { text: `Prompt with arguments: arg1='hello', arg2='日本 "two"'` } },
      ]);
    },
  },
  {
    id: 'prompts:contents',
    says: 'a prompt brings resources and pictures',
    eras: 'both',
    async run(peer) {
      const resourceUri = 'test://example';
      const embedded = await messagesOf(peer, 'test_prompt_with_embedded_resource', {
        resourceUri,
      });
      expect(embedded).toMatchObject([
        { role: 'user', content: { type: 'resource', resource: { uri: resourceUri } } },
        { role: 'user', content: { type: 'text' } },
      ]);
      expect(await messagesOf(peer, 'test_prompt_with_image')).toMatchObject([
        { content: { type: 'image', mimeType: 'image/png' } },
        { content: { type: 'text' } },
      ]);
    },
  },
  {
    id: 'prompts:wrong',
    says: 'an argument that is missing, unknown or no text is refused by its name',
    eras: 'both',
    async run(peer, context) {
      const name = 'test_prompt_with_arguments';
      for (const [args, word] of [
        [{ arg1: 'only' }, 'arg2'],
        [{ arg1: 'a', arg2: 'b', arg3: 'c' }, 'arg3'],
        [{ arg1: 'a', arg2: 7 }, 'arg2'],
      ] as const) {
        const answer = await peer.request('prompts/get', { name, arguments: args });
        expectError(answer, rpc.INVALID_PARAMS, context);
        expect(answer.error?.message).toContain(word);
      }
    },
  },
  {
    id: 'prompts:unknown',
    says: 'a prompt that does not exist is a wrong parameter',
    eras: 'both',
    async run(peer, context) {
      for (const name of ['no_such_prompt', 'constructor', 7]) {
        expectError(await peer.request('prompts/get', { name }), rpc.INVALID_PARAMS, context);
      }
    },
  },
  {
    id: 'prompts:asking',
    says: 'a prompt asks for what it needs before it is given',
    eras: 'both',
    async run(peer) {
      peer.answer('elicitation/create', () => ({
        action: 'accept',
        content: { context: 'a rainy day' },
      }));
      const name = 'test_input_required_result_prompt';
      const { result, asked } = await callToTheEnd(peer, 'prompts/get', { name });
      expect(asked).toHaveLength(1);
      expect(JSON.stringify(result?.['messages'])).toContain('a rainy day');
    },
  },
  {
    id: 'completion:prompt',
    says: 'an argument of a prompt is completed',
    eras: 'both',
    async run(peer) {
      const ref = { type: 'ref/prompt', name: 'diagnose' };
      const { result } = await complete(peer, ref, 'symptom', 'slow');
      expect(result?.['completion']).toEqual({
        values: ['calls are slow'],
        total: 1,
        hasMore: false,
      });
    },
  },
  {
    id: 'completion:template',
    says: 'a part of an address is completed, with what the caller may use',
    eras: 'both',
    async run(peer, { open }) {
      const ref = { type: 'ref/resource', uri: 'exai://tools/{name}' };
      const mine = await complete(peer, ref, 'name', 'vers');
      expect(mine.result?.['completion']).toMatchObject({ values: ['version'] });
      const asking = await open({ as: 'asking' });
      const theirs = await complete(asking, ref, 'name', '');
      expect(theirs.result?.['completion']).toMatchObject({
        values: [
          'call_tool',
          'get_tool_schemas',
          'multi_execute_tool',
          'search_tools',
          'status',
          'version',
        ],
      });
    },
  },
  {
    id: 'completion:none',
    says: 'an argument that cannot be completed is completed with nothing',
    eras: 'both',
    async run(peer) {
      const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
      for (const argument of ['arg1', 'constructor']) {
        const { result } = await complete(peer, ref, argument, 'x');
        expect(result?.['completion']).toMatchObject({ values: [] });
      }
    },
  },
  {
    id: 'completion:unknown',
    says: 'what does not exist is not completed',
    eras: 'both',
    async run(peer, context) {
      for (const ref of [
        { type: 'ref/prompt', name: 'no_such_prompt' },
        { type: 'ref/resource', uri: 'test://no/{template}' },
        { type: 'ref/nothing' },
      ]) {
        expectError(await complete(peer, ref, 'name', ''), rpc.INVALID_PARAMS, context);
      }
    },
  },
];
