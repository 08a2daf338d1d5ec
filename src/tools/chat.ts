import * as z from 'zod';
import type { AskAnswer, AskRequest } from '#core/llm/ask.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { Continuation, Threads } from '#core/threads.ts';
import { CALL_TIME_HELP, MODEL_TOOL_TIMEOUT_MS } from '#core/time/call-times.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool, ToolResult } from '#core/tools/tool.ts';
import { CHAT_PROMPT } from './chat.prompt.ts';
import { loadAttachments, withMedia, type AttachmentDeps } from './shared/attachments.ts';
import { citationContent, CitationsShape, formatCitations } from './shared/citations.ts';
import * as fields from './shared/fields.ts';
import { noticeFields, renderNotices } from './shared/notices.ts';
import { NO_TOOLS, readWantedTools } from './shared/loop-tools.ts';
import {
  answerWithTools,
  EndShape,
  toolsFor,
  withPreviewedTools,
  type AnswerWithTools,
  type ToolLoopDeps,
} from './shared/tool-loop.ts';
import { progressNotes } from './shared/progress-notes.ts';
import { readAskRequest } from './shared/read-ask-request.ts';
import { systemPrompt } from './shared/system-prompt.ts';
import { answerTurn, saveAnswer, withHistory } from './shared/thread-io.ts';

/** Help text of chat for `search_tools`. */
const CHAT_HELP = `What comes back:
- status success: content is the answer as a text; an object with text, finish and citations where there are sources or notices, or where it was cut at its limit (finish: length).
- status degraded: no model answered; matching passages of the input are quoted verbatim.
- status error: no model answered; error_class and detail say why, and nothing is stored.
- provider, model, usage and route of the envelope name the model, its cost, and why it was chosen.
- continuation.id: pass it as continuation_id to chat or any other tool to continue; the same model answers by default.

A path that cannot be read is an error before a model is asked. ${CALL_TIME_HELP}`;

interface ChatDeps extends AttachmentDeps {
  readonly threads: Pick<Threads, 'open'>;
  readonly locale: string;
  readonly toolLoop: ToolLoopDeps;
}

const NAME = 'chat';

export function chat(deps: ChatDeps): Tool {
  const { threads, locale, toolLoop } = deps;

  function toRequest(given: Readonly<Record<string, unknown>>): AskRequest {
    const { tools: _, use_tools: __, ...args } = given;
    const request = readAskRequest(args);
    return { ...request, system: systemPrompt(CHAT_PROMPT, { locale, search: request.search }) };
  }

  return defineTool({
    name: NAME,
    title: 'Chat',
    description:
      'Ask another model for a second opinion, explanation, design review, writing help or current information. Picks a suitable model and falls back if it fails.',
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
      tools: fields.toolNamesField.optional(),
      use_tools: fields.useToolsField.optional(),
      continuation_id: fields.continuationField.optional(),
    }),
    output: z.union([
      z.string(),
      z.strictObject({
        text: z.string(),
        finish: z.enum(['stop', 'length', 'tool_calls']),
        citations: CitationsShape.optional(),
        ended: EndShape.optional().describe('Present if the model had to stop calling tools.'),
      }),
    ]),
    // It changes only its own conversation, so it needs no approval, but it is not idempotent.
    effect: 'reads',
    idempotent: false,
    openWorld: true,
    category: 'fast_response',
    profile: 'lean',
    pool: 'provider',
    // Long enough for a web search and for long thinking.
    timeoutMs: MODEL_TOOL_TIMEOUT_MS,
    // The conversation is saved at the very end, so a second run repeats nothing.
    resumable: true,
    previewAsk: (args, caller) =>
      withPreviewedTools(toRequest(args), readWantedTools(args, 'reading'), caller, toolLoop),
    async run(args, context) {
      const { prompt } = args;
      const wanted = readWantedTools(args, 'reading');
      const offered = wanted ? await toolsFor(wanted, context, toolLoop) : NO_TOOLS;
      const thread = await threads.open({
        principal: context.caller.principal,
        id: fields.continuationOf(args),
        about: prompt,
      });
      const view = await loadAttachments(args, thread, deps, context, { models: [args.model] });
      if ('inputRequests' in view) return view;
      const { texts, media, kept } = view;
      const { files: _, images: __, ...rest } = args;
      const asked = withMedia(toRequest(rest), media);
      const request = { ...asked, ...(texts.length > 0 && { files: texts }) };
      const answered = await answerWithTools(
        withHistory(request, thread),
        offered,
        context,
        toolLoop,
        {
          onText: (text) => context.progress({ text }),
          ...progressNotes((note) => context.progress({ note })),
        },
      );
      const { answer } = answered;
      const saved = await saveAnswer(thread, turnsOf(prompt, kept, answer), answer);
      const notices = [...answered.notices, ...view.notices, ...saved.notices];
      return toToolAnswer(answered, notices, saved.continuation);
    },
  });
}

function turnsOf(prompt: string, kept: readonly string[], answer: AskAnswer): readonly NewTurn[] {
  const files = kept.length > 0 ? { files: kept } : {};
  const storedText = `${answer.text}${formatCitations(answer.citations)}`;
  return [
    { role: 'user', tool: NAME, content: prompt, ...files },
    answerTurn(NAME, storedText, answer),
  ];
}

const CUT = notice('answer_cut', { argument: 'max_output_tokens' });

function toToolAnswer(
  { answer, ended, askReports, failure }: AnswerWithTools,
  others: readonly Notice[],
  continuation: Continuation | undefined,
): ToolResult {
  const { text, citations, finish } = answer;
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
        ...(ended && { ended }),
      },
    }),
    ...noticeFields(notices),
    ...(continuation && { continuation }),
    ...(askReports && { askReports }),
    ...failure,
  };
}
