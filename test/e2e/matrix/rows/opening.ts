import { expect } from 'vitest';
import type { Requirement } from '../requirement.ts';
import * as rpc from '../rpc.ts';
import { expectError } from './words.ts';

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};
const SERVER = { name: 'exai', version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string };
const OLDER = ['2025-06-18', '2025-03-26', '2024-11-05'];

/** How a connection begins, and which revision is spoken. */
export const openingRows: readonly Requirement[] = [
  {
    id: 'initialize',
    says: 'initialize tells the version, the capabilities and who the server is',
    eras: 'legacy',
    async run({ greeting }) {
      expect(greeting.result).toMatchObject({
        protocolVersion: rpc.LEGACY_VERSION,
        capabilities: CAPABILITIES,
        serverInfo: SERVER,
      });
    },
  },
  {
    id: 'discover',
    says: 'server/discover tells the versions, the capabilities and who the server is',
    eras: 'modern',
    async run({ greeting }) {
      expect(greeting.result).toMatchObject({
        resultType: 'complete',
        supportedVersions: expect.arrayContaining([rpc.MODERN_VERSION]) as string[],
        capabilities: CAPABILITIES,
        _meta: { [rpc.SERVER_KEY]: SERVER },
      });
    },
  },
  {
    id: 'initialize:older',
    says: 'an older version that is known is spoken as it was asked for',
    eras: 'legacy',
    peer: { greeting: 'none' },
    async run(first, context) {
      for (const [index, protocolVersion] of OLDER.entries()) {
        const peer = index === 0 ? first : await context.open({ greeting: 'none' });
        const params = {
          protocolVersion,
          capabilities: {},
          clientInfo: { name: 'm', version: '1' },
        };
        const { result } = await peer.request('initialize', params);
        expect(result).toMatchObject({ protocolVersion });
      }
    },
  },
  {
    id: 'initialize:unknown',
    says: 'a version that nobody knows is answered with the newest that initialize opens',
    eras: 'legacy',
    peer: { greeting: 'none' },
    async run(peer) {
      const { result } = await peer.request('initialize', {
        protocolVersion: '1999-12-31',
        capabilities: {},
        clientInfo: { name: 'm', version: '1' },
      });
      expect(result).toMatchObject({ protocolVersion: rpc.LEGACY_VERSION });
    },
  },
  {
    id: 'initialize:wrong',
    says: 'initialize without a version is refused by the name of what is missing',
    eras: 'legacy',
    peer: { greeting: 'none' },
    async run(peer, context) {
      const answer = await peer.request('initialize', { capabilities: {} });
      expectError(answer, rpc.INVALID_PARAMS, context);
      expect(answer.error?.message).toContain('protocolVersion');
    },
  },
  {
    id: 'version:unsupported',
    says: 'a version that is not spoken is refused with those that are',
    eras: 'modern',
    async run(peer, context) {
      const meta = { [rpc.VERSION_KEY]: '2099-01-01' };
      const answer = await peer.request('tools/list', {}, { meta });
      expectError(answer, rpc.UNSUPPORTED_VERSION, context, 400);
      expect(answer.error?.data).toMatchObject({
        supported: expect.arrayContaining([rpc.MODERN_VERSION]) as string[],
        requested: '2099-01-01',
      });
    },
  },
  {
    id: 'meta:odd',
    says: 'a claim of which a part is missing or wrong is refused by the name of that part',
    eras: 'modern',
    async run(peer, context) {
      // Who has only looked around may still turn out to be of the other era.
      expect((await peer.request('tools/list')).result).toHaveProperty('tools');
      const odd: [string, unknown][] = [
        [rpc.VERSION_KEY, undefined],
        [rpc.CAPABILITIES_KEY, undefined],
        [rpc.CAPABILITIES_KEY, 'all'],
        [rpc.CLIENT_KEY, { name: 'without a version' }],
        [rpc.LOG_LEVEL_KEY, 'loud'],
      ];
      for (const [key, value] of odd) {
        const answer = await peer.request('tools/list', {}, { meta: { [key]: value } });
        expectError(answer, rpc.INVALID_PARAMS, context, 400);
        expect(answer.error?.message).toContain(key);
      }
    },
  },
  {
    id: 'meta:no-object',
    says: 'metadata that is no object is refused',
    eras: 'legacy',
    async run(peer, context) {
      for (const _meta of [7, 'all', [], null]) {
        const answer = await peer.request('tools/call', { name: 'version', _meta });
        expectError(answer, rpc.INVALID_PARAMS, context);
      }
    },
  },
  {
    id: 'meta:strange',
    says: 'metadata that is not known does no harm',
    eras: 'both',
    async run(peer) {
      const meta = { 'example.com/anything': { deep: [1] }, traceparent: 'not one', baggage: '' };
      const { result } = await peer.request('tools/list', {}, { meta });
      expect(result).toHaveProperty('tools');
    },
  },
  {
    id: 'ping',
    says: 'ping is answered with nothing',
    eras: 'legacy',
    async run(peer) {
      expect((await peer.request('ping')).result).toEqual({});
    },
  },
  {
    id: 'methods:gone',
    says: 'what the modern era has done away with is not found',
    eras: 'modern',
    async run(peer, context) {
      for (const method of ['ping', 'logging/setLevel', 'resources/subscribe']) {
        const answer = await peer.request(method, { level: 'info', uri: 'exai://tools' });
        expectError(answer, rpc.METHOD_NOT_FOUND, context, 404);
      }
    },
  },
  {
    id: 'methods:to-come',
    says: 'what only the modern era has is not found',
    eras: 'legacy',
    async run(peer, context) {
      for (const method of ['server/discover', 'subscriptions/listen']) {
        const answer = await peer.request(method, { notifications: {} });
        expectError(answer, rpc.METHOD_NOT_FOUND, context);
      }
    },
  },
  {
    id: 'methods:unknown',
    says: 'a method that nobody knows is not found',
    eras: 'both',
    async run(peer, context) {
      for (const method of ['tools/lost', 'constructor', '']) {
        const answer = await peer.request(method);
        expectError(answer, rpc.METHOD_NOT_FOUND, context, peer.era === 'modern' ? 404 : undefined);
      }
    },
  },
];
