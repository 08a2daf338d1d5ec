import * as z from 'zod';
import type { AskAnswer, AskRequest } from '#core/ask.ts';
import { defineTool } from '#core/define-tool.schema.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { Continuation, Threads } from '#core/threads.ts';
import type { Tool, ToolAnswer } from '#core/tool.ts';
import type { Workspace } from '#core/workspace.ts';
import { noticeFacts, noticeParagraphs } from './asking/beside-answer.ts';
import * as fields from './asking/fields.ts';
import { filesInView } from './asking/files-in-view.ts';
import { givenFiles } from './asking/given-files.ts';
import { inThread } from './asking/in-thread.ts';
import { keepTurns } from './asking/keep-turns.ts';
import { readAskRequest } from './asking/read-request.ts';
import { SourceShapes } from './asking/source-shapes.ts';
import { sourceContent, sourceList } from './asking/sources.ts';
import { systemPrompt } from './asking/system-prompt.ts';
import { answerTurn, lockOf } from './asking/turns.ts';
import { CHAT_PROMPT } from './chat.prompt.ts';
import { CHAT_HELP } from './help/chat.ts';

export interface ChatDeps {
  readonly threads: Pick<Threads, 'open'>;
  readonly workspace: Pick<Workspace, 'read'>;
  readonly locale: string;
}

const NAME = 'chat';
// It may search the web, and think long: as long as every flow that goes there.
const TIMEOUT_MS = 300_000;

export function chat({ threads, workspace, locale }: ChatDeps): Tool {
  function toRequest(args: Readonly<Record<string, unknown>>): AskRequest {
    const request = readAskRequest(args);
    return { ...request, system: systemPrompt(CHAT_PROMPT, { locale, search: request.search }) };
  }

  return defineTool({
    name: NAME,
    title: 'Chat',
    description:
      'Ask another model: a second opinion, an explanation, a design to weigh, a text to work on, or what is new on the web. The model that suits is chosen; another answers when it fails.',
    help: CHAT_HELP,
    input: z.strictObject({
      prompt: fields.promptField,
      files: fields.filesField.optional(),
      images: fields.imagesField.optional(),
      model: fields.modelField.optional(),
      use_websearch: fields.webSearchField.optional(),
      thinking_mode: fields.thinkingField.optional(),
      temperature: fields.temperatureField.optional(),
      max_output_tokens: fields.maxOutputField.optional(),
      prefer: fields.preferField.optional(),
      fallback: fields.fallbackField.optional(),
      max_cost_usd: fields.maxCostField.optional(),
      continuation_id: fields.continuationField.optional(),
    }),
    output: z.union([
      z.string(),
      z.strictObject({
        text: z.string(),
        finish: z.enum(['stop', 'length', 'tool_calls']),
        citations: SourceShapes.optional(),
      }),
    ]),
    // All it changes is its own conversation, which no user need be asked about; but sent twice it is said twice.
    effect: 'reads',
    idempotent: false,
    openWorld: true,
    category: 'fast_response',
    profile: 'lean',
    lane: 'provider',
    timeoutMs: TIMEOUT_MS,
    // It keeps its conversation at the very end: until then nothing is done that a second run would do again.
    resumable: true,
    wouldAsk: toRequest,
    async run(args, context) {
      const { prompt } = args;
      const thread = await threads.open({
        principal: context.caller.principal,
        id: fields.continuationOf(args),
        about: prompt,
      });
      const view = await filesInView(givenFiles(args.files), thread.files, workspace, context);
      if ('asks' in view) return view;
      const { texts, paths } = view;
      const { files: _, ...asked } = toRequest(args);
      const request = { ...asked, ...(texts.length > 0 && { files: texts }) };
      const answer = await context.ask(inThread(request, thread), {
        onText: (text) => context.progress({ text }),
        onNote: (note) => context.progress({ note }),
      });
      const kept = await keepTurns(thread, turnsOf(prompt, paths, answer), lockOf(answer));
      return toToolAnswer(answer, [...view.notices, ...kept.notices], kept.continuation);
    },
  });
}

function turnsOf(prompt: string, paths: readonly string[], answer: AskAnswer): readonly NewTurn[] {
  const files = paths.length > 0 ? { files: paths } : {};
  const said = `${answer.text}${sourceList(answer.citations)}`;
  return [{ role: 'user', tool: NAME, content: prompt, ...files }, answerTurn(NAME, said, answer)];
}

const CUT = notice('answer_cut', { argument: 'max_output_tokens' });

function toToolAnswer(
  { text, citations, finish }: AskAnswer,
  others: readonly Notice[],
  continuation: Continuation | undefined,
): ToolAnswer {
  const isPlain = citations.length === 0 && finish === 'stop';
  const notices = [...(finish === 'length' ? [CUT] : []), ...others];
  return {
    text: `${text}${noticeParagraphs(notices)}${sourceList(citations)}`,
    // Without it the text is the content, and that is to be the answer alone.
    ...((!isPlain || notices.length > 0) && {
      content: {
        text,
        finish,
        ...(citations.length > 0 && { citations: citations.map(sourceContent) }),
      },
    }),
    ...noticeFacts(notices),
    ...(continuation && { continuation }),
  };
}
