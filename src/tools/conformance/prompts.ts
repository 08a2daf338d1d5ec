import type { ContentBlock } from '#core/tools/content.ts';
import type { Prompt, PromptAnswer, PromptArgument } from '#core/tools/prompt.ts';
import { formRequest, readAnswers } from './input-requests.ts';
import { fixtureTitle } from './fixture.ts';
import { IMAGE } from './samples.ts';

interface Given extends Pick<Prompt, 'name' | 'description' | 'get'> {
  readonly arguments?: readonly PromptArgument[];
}

const CONTEXT = {
  user_context: formRequest('What context should the prompt use?', 'context', 'string'),
};

const PROMPTS: readonly Given[] = [
  {
    name: 'test_simple_prompt',
    description: 'Says one thing.',
    get: () => userSays(text('This is a simple prompt for testing.')),
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'Repeats its arguments.',
    arguments: [required('arg1', 'First test argument'), required('arg2', 'Second test argument')],
    get: ({ arg1, arg2 }) =>
      userSays(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'Brings a resource.',
    arguments: [required('resourceUri', 'URI of the resource to embed')],
    get: ({ resourceUri: uri = '' }) =>
      userSays(
        {
          type: 'resource',
          resource: {
            uri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
        text('Please process the embedded resource above.'),
      ),
  },
  {
    name: 'test_prompt_with_image',
    description: 'Brings a picture.',
    get: () => userSays(IMAGE, text('Please analyze the image above.')),
  },
  {
    name: 'test_input_required_result_prompt',
    description: 'Asks for a context first.',
    get(_args, { answers }) {
      const { answered, open, declined } = readAnswers(CONTEXT, answers);
      if (declined !== undefined) return userSays(text('There is no context.'));
      if (Object.keys(open).length > 0) return { inputRequests: open };
      return userSays(text(`The context is: ${answered['user_context']}`));
    },
  },
];

export const prompts: readonly Prompt[] = PROMPTS.map((prompt) => ({
  arguments: [],
  ...prompt,
  title: fixtureTitle(prompt.name),
}));

function required(name: string, description: string): PromptArgument {
  return { name, description, required: true };
}

function text(words: string): ContentBlock {
  return { type: 'text', text: words };
}

function userSays(...contents: readonly ContentBlock[]): PromptAnswer {
  return { messages: contents.map((content) => ({ role: 'user', content })) };
}
