import { expect } from 'vitest';
import type { Requirement } from '../requirement.ts';
import * as rpc from '../rpc.ts';
import { expectError } from './words.ts';

export const resourceRows: readonly Requirement[] = [
  {
    id: 'resources:list',
    says: 'a resource is listed with its address, its name and its kind',
    eras: 'both',
    async run(peer) {
      const { result } = await peer.request('resources/list');
      expect(result?.['resources']).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            uri: 'test://static-text',
            name: 'static-text',
            title: 'Static text',
            mimeType: 'text/plain',
          }),
          expect.objectContaining({ uri: 'exai://status', mimeType: 'application/json' }),
        ]),
      );
    },
  },
  {
    id: 'resources:text',
    says: 'a text is read',
    eras: 'both',
    async run(peer) {
      const { result } = await peer.request('resources/read', { uri: 'test://static-text' });
      expect(result?.['contents']).toEqual([
        {
          uri: 'test://static-text',
          mimeType: 'text/plain',
          text: 'This is the content of the static text resource.',
        },
      ]);
    },
  },
  {
    id: 'resources:binary',
    says: 'a picture is read',
    eras: 'both',
    async run(peer) {
      const { result } = await peer.request('resources/read', { uri: 'test://static-binary' });
      expect(result?.['contents']).toMatchObject([
        { uri: 'test://static-binary', mimeType: 'image/png' },
      ]);
      const blob = Buffer.from(String(rpc.at(result, 'contents.0.blob')), 'base64');
      expect(blob.subarray(1, 4).toString()).toBe('PNG');
    },
  },
  {
    id: 'resources:templates',
    says: 'templates are listed',
    eras: 'both',
    async run(peer) {
      const { result } = await peer.request('resources/templates/list');
      expect(result?.['resourceTemplates']).toMatchObject([
        { uriTemplate: 'exai://files/{id}' },
        { uriTemplate: 'exai://jobs/{id}', mimeType: 'application/json' },
        { uriTemplate: 'exai://results/{id}', mimeType: 'text/plain' },
        { uriTemplate: 'exai://threads/{id}', mimeType: 'application/json' },
        { uriTemplate: 'exai://threads/{id}/before/{turn}', mimeType: 'application/json' },
        { uriTemplate: 'exai://tools/{name}', mimeType: 'application/json' },
        { uriTemplate: 'test://template/{id}/data', name: 'template' },
      ]);
    },
  },
  {
    id: 'resources:by-template',
    says: 'what a template describes is read by its address',
    eras: 'both',
    async run(peer) {
      for (const [uri, id] of [
        ['test://template/123/data', '123'],
        ['test://template/a%20b%C3%A9/data', 'a bé'],
      ] as const) {
        const { result } = await peer.request('resources/read', { uri });
        expect(rpc.at(result, 'contents.0.uri')).toBe(uri);
        expect(JSON.parse(String(rpc.at(result, 'contents.0.text')))).toEqual({
          id,
          templateTest: true,
          data: `Data for ID: ${id}`,
        });
      }
    },
  },
  {
    id: 'resources:own',
    says: 'the daemon tells of itself and of its tools',
    eras: 'both',
    async run(peer) {
      const read = async (uri: string) => {
        const { result } = await peer.request('resources/read', { uri });
        return JSON.parse(String(rpc.at(result, 'contents.0.text'))) as rpc.Members;
      };
      expect(await read('exai://status')).toMatchObject({ store: { ok: true } });
      const { tools } = await read('exai://tools');
      expect(tools).toContainEqual(expect.objectContaining({ name: 'version', listed: false }));
      expect(await read('exai://tools/version')).toMatchObject({
        name: 'version',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
      });
    },
  },
  {
    id: 'resources:unknown',
    says: 'an address where nothing stands is told by the code of its version',
    eras: 'both',
    async run(peer, context) {
      const code = peer.era === 'modern' ? rpc.INVALID_PARAMS : rpc.RESOURCE_NOT_FOUND;
      for (const uri of ['test://nowhere', 'exai://tools/no_such_tool', 'no address', '日本']) {
        const answer = await peer.request('resources/read', { uri });
        expectError(answer, code, context);
        expect(answer.error?.data).toMatchObject({ uri });
      }
    },
  },
  {
    id: 'resources:odd',
    says: 'a reading without an address is refused',
    eras: 'both',
    async run(peer, context) {
      for (const params of [{}, { uri: 7 }]) {
        expectError(await peer.request('resources/read', params), rpc.INVALID_PARAMS, context);
      }
    },
  },
];
