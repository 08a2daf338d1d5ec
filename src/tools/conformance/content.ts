import { CallError } from '#core/errors/call-error.ts';
import type { ContentBlock } from '#core/tools/content.ts';
import type { Tool, ToolResult } from '#core/tools/tool.ts';
import { fixture, NO_INPUT, rawFixture } from './fixture.ts';
import { IMAGE, SOUND } from './samples.ts';

interface Content {
  readonly name: string;
  readonly description: string;
  readonly answer: ToolResult;
}

const CONTENTS: readonly Content[] = [
  {
    name: 'test_simple_text',
    description: 'Answers with a text.',
    answer: { text: 'This is a simple text response for testing.' },
  },
  {
    name: 'test_image_content',
    description: 'Answers with a picture.',
    answer: blocks(IMAGE),
  },
  {
    name: 'test_audio_content',
    description: 'Answers with a sound.',
    answer: blocks(SOUND),
  },
  {
    name: 'test_embedded_resource',
    description: 'Answers with a resource.',
    answer: blocks({
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    }),
  },
  {
    name: 'test_multiple_content_types',
    description: 'Answers with a text, a picture and a resource.',
    answer: {
      text: 'Multiple content types test:',
      blocks: [
        IMAGE,
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: JSON.stringify({ test: 'data', value: 123 }),
          },
        },
      ],
    },
  },
];

function blocks(...all: readonly ContentBlock[]): ToolResult {
  return { text: '', blocks: all };
}

/** Tools that cover the content types of an answer. */
export const contentTools: readonly Tool[] = [
  ...CONTENTS.map(({ name, description, answer }) =>
    fixture({ name, description, input: NO_INPUT, run: async () => answer }),
  ),
  fixture({
    name: 'test_error_handling',
    description: 'Fails.',
    input: NO_INPUT,
    async run() {
      throw new CallError('tool_error', 'This tool intentionally returns an error for testing');
    },
  }),
];

/**
 * Tools whose schemas use keywords that a schema library would not write; they must reach the
 * client unchanged.
 */
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
