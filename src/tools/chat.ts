import * as z from 'zod';
import type { AskAnswer, AskRequest } from '#core/llm/ask.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { Continuation, Threads } from '#core/threads.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool, ToolResult } from '#core/tools/tool.ts';
import type { Workspace } from '#core/workspace.ts';
import { CHAT_PROMPT } from './chat.prompt.ts';
import { loadAttachments, splitFileArguments } from './shared/attachments.ts';
import { citationContent, CitationsShape, formatCitations } from './shared/citations.ts';
import * as fields from './shared/fields.ts';
import { noticeFields, renderNotices } from './shared/notices.ts';
import { readAskRequest } from './shared/read-ask-request.ts';
import { systemPrompt } from './shared/system-prompt.ts';
import { answerTurn, saveTurns, stickyModel, withHistory } from './shared/thread-io.ts';

/** Help text of chat for `tool_help`. */
const CHAT_HELP = `What comes back:
- status success: content is the answer as a text; an object with text, finish and citations where there are sources or notices, or where it was cut at its limit (finish: length).
- status degraded: no model answered, and what was given is quoted, word for word.
- status error: nobody answered; error_class and detail say why, and nothing is kept.
- provider, model, usage and route of the envelope say who answered, what it took, and why it was that one.
- continuation.id: give it as continuation_id to chat or any other tool to go on; the model that answered is asked again unless you name one.

A path that cannot be read is an error before anybody is asked. It takes 5 minutes at most.`;

interface ChatDeps {
  readonly threads: Pick<Threads, 'open'>;
  readonly workspace: Pick<Workspace, 'read'>;
  readonly locale: string;
}

const NAME = 'chat';
// Long enough for a web search and for long thinking.
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
        citations: CitationsShape.optional(),
      }),
    ]),
    // It changes only its own conversation, so it needs no approval, but it is not idempotent.
    effect: 'reads',
    idempotent: false,
    openWorld: true,
    category: 'fast_response',
    profile: 'lean',
    pool: 'provider',
    timeoutMs: TIMEOUT_MS,
    // The conversation is saved at the very end, so a second run repeats nothing.
    resumable: true,
    previewAsk: toRequest,
    async run(args, context) {
      const { prompt } = args;
      const thread = await threads.open({
        principal: context.caller.principal,
        id: fields.continuationOf(args),
        about: prompt,
      });
      const view = await loadAttachments(
        splitFileArguments(args.files),
        thread.files,
        workspace,
        context,
      );
      if ('inputRequests' in view) return view;
      const { texts, paths } = view;
      const { files: _, ...asked } = toRequest(args);
      const request = { ...asked, ...(texts.length > 0 && { files: texts }) };
      const answer = await context.ask(withHistory(request, thread), {
        onText: (text) => context.progress({ text }),
        onNote: (note) => context.progress({ note }),
      });
      const saved = await saveTurns(thread, turnsOf(prompt, paths, answer), stickyModel(answer));
      return toToolAnswer(answer, [...view.notices, ...saved.notices], saved.continuation);
    },
  });
}

function turnsOf(prompt: string, paths: readonly string[], answer: AskAnswer): readonly NewTurn[] {
  const files = paths.length > 0 ? { files: paths } : {};
  const storedText = `${answer.text}${formatCitations(answer.citations)}`;
  return [
    { role: 'user', tool: NAME, content: prompt, ...files },
    answerTurn(NAME, storedText, answer),
  ];
}

const CUT = notice('answer_cut', { argument: 'max_output_tokens' });

function toToolAnswer(
  { text, citations, finish }: AskAnswer,
  others: readonly Notice[],
  continuation: Continuation | undefined,
): ToolResult {
  const isPlain = citations.length === 0 && finish === 'stop';
  const notices = [...(finish === 'length' ? [CUT] : []), ...others];
  return {
    text: `${text}${renderNotices(notices)}${formatCitations(citations)}`,
    // A plain answer has no content, so that its text is the content.
    ...((!isPlain || notices.length > 0) && {
      content: {
        text,
        finish,
        ...(citations.length > 0 && { citations: citations.map(citationContent) }),
      },
    }),
    ...noticeFields(notices),
    ...(continuation && { continuation }),
  };
}
