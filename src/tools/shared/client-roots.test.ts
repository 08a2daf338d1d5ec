import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { Caller } from '#core/calls/call.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { InputRequestKind } from '#core/tools/input-request.ts';
import { findClientRoots } from './client-roots.ts';

const OWNER: Caller = { principal: 'local', scopes: ['*'], roots: [] };
const ASKABLE: readonly InputRequestKind[] = ['form', 'roots'];

function answered(roots: unknown, caller = OWNER) {
  const answers = { client_roots: { roots } as JsonObject };
  return findClientRoots({ caller, answers, clientCapabilities: ASKABLE });
}

describe('the folders of a caller', () => {
  test('are the caller’s own, and no roots are requested', () => {
    const caller = { ...OWNER, roots: ['/home/ann/project'] };
    expect(findClientRoots({ caller, answers: {}, clientCapabilities: ASKABLE })).toEqual({
      roots: ['/home/ann/project'],
    });
  });

  test('else its client is asked for them', () => {
    expect(findClientRoots({ caller: OWNER, answers: {}, clientCapabilities: ASKABLE })).toEqual({
      inputRequests: { client_roots: { is: 'roots' } },
    });
    const uri = 'file:///home/ann/my%20project';
    expect(answered([{ uri, name: 'Project' }, { uri: 'file://localhost/srv/x/' }])).toEqual({
      roots: ['/home/ann/my project', '/srv/x'],
    });
  });

  verifies(
    'security:anonymous-roots',
    'are not widened by the word of a caller without a token',
    () => {
      const caller = { ...OWNER, isAnonymous: true } as const;
      expect(findClientRoots({ caller, answers: {}, clientCapabilities: ASKABLE })).toEqual({
        roots: [],
      });
      expect(answered([{ uri: 'file:///home/ann/.ssh' }], caller)).toEqual({ roots: [] });
    },
  );

  test('are none where it cannot be asked', () => {
    expect(findClientRoots({ caller: OWNER, answers: {}, clientCapabilities: ['form'] })).toEqual({
      roots: [],
    });
  });

  test('are not widened by the word of a client with a token of its own', () => {
    const caller = { ...OWNER, principal: 'ide', scopes: ['chat'] };
    expect(findClientRoots({ caller, answers: {}, clientCapabilities: ASKABLE })).toEqual({
      roots: [],
    });
    expect(answered([{ uri: 'file:///etc' }], caller)).toEqual({ roots: [] });
  });

  test.each([
    'https://example.com/x',
    'file://server/share',
    'file:///',
    'file:///..',
    'file:///home/%2e%2e/',
    'file:///home%2Fann',
    'file:///a%00b',
    'file:///a%zz',
    'file:///a?x',
    'file:///a#x',
    'file:relative',
    '/home/ann',
    `file:///${'x'.repeat(5_000)}`,
    '',
    7,
    null,
    { toString: 'file:///etc' },
  ])('of the answer %j nothing is taken, and the rest is', (uri) => {
    expect(answered([{ uri }, { uri: 'file:///home/ann/project' }])).toEqual({
      roots: ['/home/ann/project'],
    });
  });

  test.each([undefined, null, 'file:///etc', {}, 7, [null], ['file:///etc'], [[]]])(
    'the answer %j opens nothing, and is not asked for again',
    (roots) => {
      expect(answered(roots)).toEqual({ roots: [] });
    },
  );

  test('are each named once, and not without end', () => {
    const many = Array.from({ length: 500 }, (_, index) => ({ uri: `file:///x/${index % 200}` }));
    expect(answered(many)).toHaveProperty('roots.length', 100);
    expect(answered([{ uri: 'file:///x' }, { uri: 'file:///x/' }])).toEqual({ roots: ['/x'] });
  });

  test('an answer by a name that every object has is none', () => {
    const answers = Object.create({ client_roots: { roots: [{ uri: 'file:///etc' }] } }) as Record<
      string,
      JsonObject
    >;
    expect(findClientRoots({ caller: OWNER, answers, clientCapabilities: [] })).toEqual({
      roots: [],
    });
  });
});
