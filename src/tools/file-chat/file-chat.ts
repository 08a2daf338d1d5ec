import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import type { FileIndex } from '#core/files/file-index.ts';
import type { LoadedFiles } from '#core/files/file-intake.ts';
import type { CheckSentTexts } from '#core/files/sent-texts.ts';
import type { AskAnswer, AskRequest } from '#core/llm/ask.ts';
import type { ChatMessage, ChatPart } from '#core/llm/chat.ts';
import { notice } from '#core/messages/notices.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { Threads } from '#core/threads.ts';
import { CALL_TIME_HELP, MODEL_TOOL_TIMEOUT_MS } from '#core/time/call-times.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import type { Tool, ToolResult } from '#core/tools/tool.ts';
import { loadAttachments, toFileInputs, type AttachmentDeps } from '../shared/attachments.ts';
import * as fields from '../shared/fields.ts';
import { noticeFields, renderNotices } from '../shared/notices.ts';
import { progressNotes } from '../shared/progress-notes.ts';
import { readAskRequest } from '../shared/read-ask-request.ts';
import { systemPrompt } from '../shared/system-prompt.ts';
import { answerTurn, saveTurns, stickyModel, withHistory } from '../shared/thread-io.ts';
import { checkCitations, type CheckedCitation } from './check-citations.ts';
import { citableFiles, citationNotices, type CitableFiles } from './citable-files.ts';
import { fileCitationContent, FileCitationsShape, markUnverified } from './citation-content.ts';
import { askPassages, isTooMuch } from './ask-passages.ts';
import { FILE_CHAT_PROMPT, PASSAGES_PROMPT } from './file-chat.prompt.ts';
import { explainTooLong } from './too-long.ts';

const FILE_CHAT_HELP = `What comes back:
- content.text: the answer, with citations such as [report.pdf p. 3: "words"], [costs.xlsx "Q1": "words"] or [main.ts:12-14: "words"].
- content.citations: each citation with file, page, slide, sheet, section or line, quote, and whether it was verified: the file exists, it has the place, and the words are there. problem says what is wrong with one that was not; the text marks it, too.
- continuation.id: pass it as continuation_id to ask more about the same files; they need not be given again.

Files may be mixed: paths, folders, patterns, data URLs, {filename, content, mime_type}, {name, text}, {uri}, {file_id}. Files that no window holds are indexed, and the passages that match the question best are given to the model; a notice says how many. ${CALL_TIME_HELP}`;

interface FileChatDeps extends AttachmentDeps {
  readonly threads: Pick<Threads, 'open'>;
  /** For files that no window holds; absent: they are refused. */
  readonly fileIndex?: FileIndex;
  /** Absent: passages of indexed files are not scanned again. */
  readonly checkSentTexts?: CheckSentTexts;
  readonly locale: string;
}

const NAME = 'file_chat';
const TOO_LONG: ReadonlySet<string> = new Set(['context_length', 'too_large']);

/** Answers questions about files, with citations that are checked. */
export function fileChat(deps: FileChatDeps): Tool {
  const { threads, locale, fileIndex } = deps;
  function toRequest(
    args: Readonly<Record<string, unknown>>,
    system: string = FILE_CHAT_PROMPT,
  ): AskRequest {
    return {
      ...readAskRequest(args),
      system: systemPrompt(system, { locale, search: 'off' }),
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
    previewAsk: (args) => toRequest(args),
    async run(args, context) {
      const { prompt, files: given, ...asked } = args;
      const { caller } = context;
      const id = fields.continuationOf(args);
      const thread = await threads.open({ principal: caller.principal, id, about: prompt });
      const options = { ...asked, prompt };
      const ask = (files: CitableFiles, system?: string) =>
        context.ask(withHistory(withFiles(toRequest(options, system), prompt, files), thread), {
          onText: (text) => context.progress({ text }),
          ...progressNotes((note) => context.progress({ note })),
        });
      const isLong = (thrown: unknown) =>
        fileIndex !== undefined && TOO_LONG.has(CallError.from(thrown).class);
      const askIndexed = async (): Promise<AskedFiles | InputRequired> => {
        if (!fileIndex) throw new CallError('internal', 'There is no index of files.');
        const question = { prompt, inputs: toFileInputs(given), earlier: thread.files };
        const done = await askPassages(question, { ...deps, fileIndex }, context, (files) =>
          ask(files, PASSAGES_PROMPT),
        );
        if ('inputRequests' in done) return done;
        return { answer: done.answer, ...done.chosen, are: 'passages' };
      };
      /** Undefined where they are too long, and there is an index. */
      const askWhole = async (): Promise<AskedFiles | InputRequired | undefined> => {
        try {
          const models = [args.model];
          const loaded = await loadAttachments({ files: given }, thread, deps, context, { models });
          if ('inputRequests' in loaded) return loaded;
          requireFiles(loaded);
          if (fileIndex && isTooMuch(loaded)) return undefined;
          const files = citableFiles(loaded);
          const answer = await ask(files).catch((thrown: unknown) => {
            throw isLong(thrown) ? thrown : explainTooLong(thrown, files.texts);
          });
          return { answer, files, notices: loaded.notices, kept: loaded.kept, are: 'whole' };
        } catch (thrown) {
          if (!isLong(thrown)) throw thrown;
          return undefined;
        }
      };
      const result = (await askWhole()) ?? (await askIndexed());
      if ('inputRequests' in result) return result;
      const { answer, files } = result;
      const citations = checkCitations(answer.text, files.cited);
      const text = markUnverified(answer.text, citations);
      const turns = turnsOf(prompt, result, text, answer);
      const saved = await saveTurns(thread, turns, stickyModel(answer));
      const notices = [
        ...result.notices,
        ...answerNotices(answer, result, citations),
        ...saved.notices,
      ];
      const shown: ToolResult = {
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
      return shown;
    },
  });
}

/** The files of a question, as they were asked about. */
interface AskedFiles extends Pick<LoadedFiles, 'notices' | 'kept'> {
  readonly answer: AskAnswer;
  readonly files: CitableFiles;
  /** `passages`: only those that match the question best. */
  readonly are: 'whole' | 'passages';
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
  { files, are }: Pick<AskedFiles, 'files' | 'are'>,
  citations: readonly CheckedCitation[],
) {
  // Of many files only those that say something are mentioned.
  const cited = are === 'whole' ? files.cited : [];
  return [
    ...(finish === 'length' ? [CUT] : []),
    // The extractive fallback quotes passages and makes no statements.
    ...(provider === 'extractive' ? [] : citationNotices(text, cited, citations)),
  ];
}
