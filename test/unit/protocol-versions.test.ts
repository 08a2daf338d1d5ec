import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { OPS_BUILD } from '#app/diagnostics.ts';
import { MODERN_VERSION } from '#mcp/protocol-versions.ts';

test('the revisions of MCP that are told are those that are spoken', () => {
  expect(OPS_BUILD.protocols).toEqual([MODERN_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS]);
});
