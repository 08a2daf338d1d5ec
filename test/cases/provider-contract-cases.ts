import { CallError } from '#core/errors/call-error.ts';
import type { ChatMessage, ChatRequest } from '#core/llm/chat.ts';
import type { ChatAnswer } from '#core/llm/collect-chat.ts';
import { collectChat } from '../collect-chat.ts';
import { oneLine } from '#core/text/text.ts';
import type { Capability, Provider, ProviderContext } from '#core/llm/provider.ts';
import { readArguments } from '#core/json/model-json.ts';
import { ADD, user } from './provider-requests.ts';

/** Something that a provider has promised, small enough to be asked of the real one. */
export interface ContractCase {
  readonly name: string;
  readonly needs: readonly Capability[];
  /** Chats that it sends at most; absent where it sends none. */
  readonly chats?: number;
  /** The only provider with this rule, and the model that has it. */
  readonly only?: { readonly provider: string; readonly model: string };
  /** Says in a few words what came back; throws when it is not what was promised. */
  readonly run: (
    provider: Provider,
    model: string,
    context: () => ProviderContext,
  ) => Promise<string>;
}

const SUM = 'What is 2 + 3? Answer with the number.';
const TEXT = 'The harbour of Bergen was founded in 1070.';
const PERSON = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
};
const MAX_WORDS = 60;
/** The limit of every answer, and about what a question has: what a chat costs at most. */
export const CHAT_TOKENS = { input: 400, output: 2000 };

export const CONTRACT_CASES: readonly ContractCase[] = [
  {
    name: 'check',
    needs: [],
    run: (provider, _, context) => provider.check(context()),
  },
  {
    name: 'models',
    needs: ['models'],
    async run(provider, _, context) {
      const models = (await provider.models?.(context())) ?? [];
      must(models.length > 0, 'The list of models is empty.');
      return `${models.length} models`;
    },
  },
  ...(['whole', 'stream'] as const).map((delivery): ContractCase => ({
    name: `chat, ${delivery}`,
    needs: [],
    chats: 1,
    async run(provider, model, context) {
      const request = { model, delivery, messages: user(SUM) };
      const { text, usage } = await answer(provider, request, context());
      must(text.includes('5'), `The answer is not 5 but: ${brief(text)}`);
      must(usage?.estimated === false, 'The answer came without its usage.');
      return `${brief(text)} (${usage?.input} + ${usage?.output} tokens)`;
    },
  })),
  {
    name: 'tool call and its result',
    needs: [],
    chats: 2,
    async run(provider, model, context) {
      const asked = user('Use the tool add_numbers to add 19 and 23. Then say the sum.');
      const base = { model, delivery: 'stream', tools: [ADD] } as const;
      const first = await answer(provider, { ...base, messages: asked }, context());
      const [call] = first.toolCalls;
      if (!call) throw wrong(`No tool was called: ${brief(first.text)}`);
      const read = readArguments(call.arguments);
      const isRight = read.is === 'read' && read.value['a'] === 19 && read.value['b'] === 23;
      must(isRight, `The arguments are wrong: ${brief(call.arguments)}`);
      const { text, reasoning, reasoningDetails, toolCalls } = first;
      const turn: ChatMessage = {
        role: 'assistant',
        content: text,
        reasoning,
        reasoningDetails,
        toolCalls,
      };
      const results = toolCalls.map(({ id, name }): ChatMessage => ({
        role: 'tool',
        toolCallId: id,
        name,
        content: 'The sum is 42.',
      }));
      const messages = [...asked, turn, ...results];
      const second = await answer(provider, { ...base, messages }, context());
      must(second.text.includes('42'), `The result was not used: ${brief(second.text)}`);
      return brief(second.text);
    },
  },
  {
    name: 'JSON by a schema',
    needs: [],
    chats: 2,
    async run(provider, model, context) {
      const { text } = await answer(
        provider,
        {
          model,
          delivery: 'whole',
          messages: user('Ada is 36 years old. Give her name and age as JSON.'),
          responseFormat: { type: 'json_schema', name: 'person', schema: PERSON },
        },
        context(),
      );
      const { age, name } = JSON.parse(text) as Record<string, unknown>;
      must(age === 36 && typeof name === 'string', `The JSON is wrong: ${brief(text)}`);
      return brief(text);
    },
  },
  {
    name: 'file: upload, list, read, delete',
    needs: ['upload', 'list_files', 'delete_file'],
    async run(provider, _, context) {
      const bytes = Buffer.from(TEXT);
      const extracts = provider.capabilities.includes('file_content');
      const file = await provider.upload?.(
        {
          name: 'contract.txt',
          mediaType: 'text/plain',
          size: bytes.length,
          purpose: extracts ? 'extract' : 'agent',
          async *bytes() {
            yield await Promise.resolve(bytes);
          },
        },
        context(),
      );
      const id = file?.id ?? '';
      try {
        const listed = (await provider.listFiles?.(context())) ?? [];
        must(
          listed.some((each) => each.id === id),
          'The file is not in the list.',
        );
        if (extracts) {
          const text = (await provider.fileContent?.(id, context())) ?? '';
          must(text.includes(TEXT), `The text of the file is another: ${brief(text)}`);
        }
      } finally {
        await provider.deleteFile?.(id, context());
      }
      const after = (await provider.listFiles?.(context())) ?? [];
      must(!after.some((each) => each.id === id), 'The file is still in the list.');
      return extracts ? 'kept, read and gone' : 'kept and gone';
    },
  },
  {
    name: 'embed',
    needs: ['embed'],
    async run(provider, _, context) {
      const made = await provider.embed?.({ texts: ['rain in Bergen', 'bread'] }, context());
      const [first, second] = made?.vectors ?? [];
      must(first !== undefined && first.length === second?.length, 'The vectors do not match.');
      return `2 vectors of ${first?.length} numbers`;
    },
  },
  {
    name: 'search',
    needs: ['search'],
    async run(provider, _, context) {
      const found =
        (await provider.search?.({ query: 'weather in Oslo', count: 3 }, context()))?.results ?? [];
      must(found.length > 0, 'Nothing was found.');
      return `${found.length} results, first ${brief(found[0]?.title ?? '')}`;
    },
  },
  {
    name: 'read a page',
    needs: ['search', 'read'],
    async run(provider, _, context) {
      const [first] =
        (await provider.search?.({ query: 'weather in Oslo' }, context()))?.results ?? [];
      if (!first) throw wrong('There is no page to read: nothing was found.');
      const page = await provider.read?.({ url: first.url, format: 'markdown' }, context());
      must((page?.content ?? '').length > 0, 'The page has no text.');
      return `${page?.content.length} characters of ${brief(page?.title ?? '')}`;
    },
  },
];

export async function answer(
  provider: Provider,
  request: ChatRequest,
  context: ProviderContext,
): Promise<ChatAnswer> {
  const limited = { maxOutputTokens: CHAT_TOKENS.output, ...request };
  const outcome = await collectChat(provider.chat(limited, context));
  if (outcome.is === 'failed') throw outcome.error;
  return outcome.answer;
}

export function must(isTrue: boolean, message: string): void {
  if (!isTrue) throw wrong(message);
}

export function wrong(message: string): CallError {
  return new CallError('bad_response', message);
}

export function brief(text: string): string {
  return oneLine(text.trim(), MAX_WORDS);
}
