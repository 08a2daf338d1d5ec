import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { MAX_TOOL_NAME_CHARS, upstreamToolName } from './tool-name.ts';

test.each([
  ['github', 'create_issue', 'mcp__github__create_issue'],
  ['my-files', 'get-sum', 'mcp__my-files__get-sum'],
])('%s and %s make %s', (server, tool, name) => {
  expect(upstreamToolName(server, tool)).toBe(name);
});

test.each([
  ['a long tool', 'github', 'a_tool_with_a_name_that_no_client_would_accept_as_it_is'],
  ['a long server', 'a_server_with_a_name_that_no_client_would_accept', 'get'],
  ['other characters', 'github', 'créer/un ticket'],
  ['a server with two underscores', 'a__b', 'c'],
  ['a server that ends with one', 'a_', '_c'],
  ['our own name', 'exai', 'chat'],
])('%s gets a short form that ends with a digest', (_about, server, tool) => {
  const name = upstreamToolName(server, tool);
  expect(name).toMatch(/^mcp__[\w-]+__[0-9a-f]{6}$/);
  expect(name.length).toBeLessThanOrEqual(MAX_TOOL_NAME_CHARS);
});

verifies('hub:names', 'names are short, plain, stable, and differ for different tools', () => {
  const part = fc.oneof(
    fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }),
    fc.stringMatching(/^[a-z_-]{1,80}$/),
    fc.stringMatching(/^[ab_]{1,5}$/),
  );
  const names = new Map<string, string>();
  fc.assert(
    fc.property(part, part, (server, tool) => {
      const name = upstreamToolName(server, tool);
      expect(name.length).toBeLessThanOrEqual(53);
      expect(name).toMatch(/^mcp__[A-Za-z0-9_-]+$/);
      expect(upstreamToolName(server, tool)).toBe(name);
      const of = JSON.stringify([server, tool]);
      expect(names.get(name) ?? of).toBe(of);
      names.set(name, of);
    }),
    { numRuns: 3_000 },
  );
});
