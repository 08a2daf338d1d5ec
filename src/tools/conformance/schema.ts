import type { Tool } from '#core/tool.ts';
import { rawFixture } from './fixture.ts';

/** Tools whose schemas say more than a schema library would write, and must reach the client unchanged. */
export const schemaTools: readonly Tool[] = [
  rawFixture({
    name: 'json_schema_2020_12_tool',
    description: 'Tool with JSON Schema 2020-12 features',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    say: (args) => `It was called with ${JSON.stringify(args)}`,
  }),
  rawFixture({
    name: 'test_x_mcp_header',
    description: 'Has an argument that HTTP clients repeat in a header.',
    inputSchema: {
      type: 'object',
      properties: {
        region: {
          type: 'string',
          description: 'Also in Mcp-Param-Region',
          'x-mcp-header': 'Region',
        },
        level: { type: 'integer', description: 'In no header' },
      },
    },
    say: ({ region }) => (typeof region === 'string' ? `The region is ${region}` : 'No region'),
  }),
];
