import { CallError } from '#core/call-error.ts';
import type { ContentBlock } from '#core/content.ts';
import type { Tool, ToolAnswer } from '#core/tool.ts';
import { fixture, NO_INPUT } from './fixture.ts';
import { IMAGE, SOUND } from './samples.ts';

interface Content {
  readonly name: string;
  readonly description: string;
  readonly answer: ToolAnswer;
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

function blocks(...all: readonly ContentBlock[]): ToolAnswer {
  return { text: '', blocks: all };
}

/** What an answer can be made of. */
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
