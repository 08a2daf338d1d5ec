import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import type { LoadedFiles } from '#core/files/file-intake.ts';
import type { AskAnswer, AskRequest } from '#core/llm/ask.ts';
import type { ChatMessage, ChatPart } from '#core/llm/chat.ts';
import { notice } from '#core/messages/notices.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { Threads } from '#core/threads.ts';
import { CALL_TIME_HELP, MODEL_TOOL_TIMEOUT_MS } from '#core/time/call-times.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool, ToolResult } from '#core/tools/tool.ts';
import { loadAttachments, type AttachmentDeps } from '../shared/attachments.ts';
import * as fields from '../shared/fields.ts';
import { noticeFields, renderNotices } from '../shared/notices.ts';
import { progressNotes } from '../shared/progress-notes.ts';
import { readAskRequest } from '../shared/read-ask-request.ts';
import { systemPrompt } from '../shared/system-prompt.ts';
import { answerTurn, saveTurns, stickyModel, withHistory } from '../shared/thread-io.ts';
import { checkCitations, type CheckedCitation } from './check-citations.ts';
import { citableFiles, citationNotices, type CitableFiles } from './citable-files.ts';
import { fileCitationContent, FileCitationsShape, markUnverified } from './citation-content.ts';
import { FILE_CHAT_PROMPT } from './file-chat.prompt.ts';
import { explainTooLong } from './too-long.ts';

const FILE_CHAT_HELP = `What comes back:
- content.text: the answer, with citations such as [report.pdf p. 3: "words"], [costs.xlsx "Q1": "words"] or [main.ts:12-14: "words"].
- content.citations: each citation with file, page, slide, sheet, section or line, quote, and whether it was verified: the file exists, it has the place, and the words are there. problem says what is wrong with one that was not; the text marks it, too.
- continuation.id: pass it as continuation_id to ask more about the same files; they need not be given again.

Files may be mixed: paths, folders, patterns, data URLs, {filename, content, mime_type}, {name, text}, {uri}, {file_id}. Files that no window holds are an error that lists the size of each; nothing is cut. ${CALL_TIME_HELP}`;

interface FileChatDeps extends AttachmentDeps {
  readonly threads: Pick<Threads, 'open'>;
  readonly locale: string;
}

const NAME = 'file_chat';

/** Answers questions about files, with citations that are checked. */
export function fileChat(deps: FileChatDeps): Tool {
  const { threads, locale } = deps;
  function toRequest(args: Readonly<Record<string, unknown>>): AskRequest {
    return {
      ...readAskRequest(args),
      system: systemPrompt(FILE_CHAT_PROMPT, { locale, search: 'off' }),
      search: 'off',
      // Cut files would make every "the files do not say" wrong.
      context: 'whole',
    };
  }

  return defineTool({
    name: NAME,
    title: 'Chat about files',
    description:
      'Ask about files: PDF, Office, text, code, pictures. The answer cites file, page, sheet or line, and every citation is checked.',
    help: FILE_CHAT_HELP,
    input: z.strictObject({
      prompt: fields.promptField,
      files: fields.filesField.optional(),
      model: fields.modelField.optional(),
      thinking_mode: fields.thinkingField.optional(),
      max_output_tokens: fields.maxOutputField.optional(),
      max_cost_usd: fields.maxCostField.optional(),
      continuation_id: fields.continuationField.optional(),
    }),
    output: z.strictObject({
      text: z.string(),
      finish: z.enum(['stop', 'length', 'tool_calls']),
      citations: FileCitationsShape,
      files: z.array(z.string()),
    }),
    // It changes only its own conversation, so it needs no approval, but it is not idempotent.
    effect: 'reads',
    idempotent: false,
    openWorld: true,
    category: 'balanced',
    profile: 'standard',
    pool: 'provider',
    timeoutMs: MODEL_TOOL_TIMEOUT_MS,
    // The conversation is saved at the very end, so a second run repeats nothing.
    resumable: true,
    previewAsk: toRequest,
    async run(args, context) {
      const { prompt, files: given, ...options } = args;
      const { caller } = context;
      const id = fields.continuationOf(args);
      const thread = await threads.open({ principal: caller.principal, id, about: prompt });
      const models = [args.model];
      const loaded = await loadAttachments({ files: given }, thread, deps, context, { models });
      if ('inputRequests' in loaded) return loaded;
      requireFiles(loaded);
      const files = citableFiles(loaded);
      const request = withFiles(toRequest({ ...options, prompt }), prompt, files);
      const answer = await context
        .ask(withHistory(request, thread), {
          onText: (text) => context.progress({ text }),
          ...progressNotes((note) => context.progress({ note })),
        })
        .catch((thrown: unknown) => {
          throw explainTooLong(thrown, files.texts);
        });
      const citations = checkCitations(answer.text, files.cited);
      const text = markUnverified(answer.text, citations);
      const turns = turnsOf(prompt, loaded, text, answer);
      const saved = await saveTurns(thread, turns, stickyModel(answer));
      const notices = [
        ...loaded.notices,
        ...answerNotices(answer, files, citations),
        ...saved.notices,
      ];
      const result: ToolResult = {
        text: `${text}${renderNotices(notices)}`,
        content: {
          text,
          finish: answer.finish,
          citations: citations.map(fileCitationContent),
          files: files.cited.map(({ name }) => name),
        },
        ...noticeFields(notices),
        ...(saved.continuation && { continuation: saved.continuation }),
      };
      return result;
    },
  });
}

function requireFiles({ texts, media }: LoadedFiles): void {
  if (texts.length + media.length > 0) return;
  throw new CallError('validation', '`files` is empty, and the conversation has no file yet.', {
    field: 'files',
    fix: 'Give a path, for example {"files": ["report.pdf"]}, or ask with chat.',
  });
}

/** The question with the texts as files, and pictures as its parts. */
function withFiles(
  request: AskRequest,
  prompt: string,
  { texts, parts }: CitableFiles,
): AskRequest {
  const content: readonly ChatPart[] = [...parts, { type: 'text', text: prompt }];
  const question: ChatMessage = { role: 'user', content: parts.length === 0 ? prompt : content };
  const { files: _, ...rest } = request;
  return { ...rest, messages: [question], ...(texts.length > 0 && { files: texts }) };
}

function turnsOf(
  prompt: string,
  { kept }: Pick<LoadedFiles, 'kept'>,
  text: string,
  answer: AskAnswer,
): readonly NewTurn[] {
  return [
    { role: 'user', tool: NAME, content: prompt, ...(kept.length > 0 && { files: kept }) },
    answerTurn(NAME, text, answer),
  ];
}

const CUT = notice('answer_cut', { argument: 'max_output_tokens' });

function answerNotices(
  { finish, provider, text }: AskAnswer,
  { cited }: CitableFiles,
  citations: readonly CheckedCitation[],
) {
  return [
    ...(finish === 'length' ? [CUT] : []),
    // The extractive fallback quotes passages and makes no statements.
    ...(provider === 'extractive' ? [] : citationNotices(text, cited, citations)),
  ];
}
