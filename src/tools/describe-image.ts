import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import type { LoadedFiles } from '#core/files/file-intake.ts';
import type { AskAnswer, AskRequest } from '#core/llm/ask.ts';
import { notice } from '#core/messages/notices.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { Threads } from '#core/threads.ts';
import { CALL_TIME_HELP, MODEL_TOOL_TIMEOUT_MS } from '#core/time/call-times.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool } from '#core/tools/tool.ts';
import { DESCRIBE_IMAGE_PROMPT } from './describe-image.prompt.ts';
import { loadAttachments, withMedia, type AttachmentDeps } from './shared/attachments.ts';
import { citationContent, CitationsShape, formatCitations } from './shared/citations.ts';
import * as fields from './shared/fields.ts';
import { noticeFields, renderNotices } from './shared/notices.ts';
import { progressNotes } from './shared/progress-notes.ts';
import { readAskRequest } from './shared/read-ask-request.ts';
import { systemPrompt } from './shared/system-prompt.ts';
import { answerTurn, saveTurns, stickyModel, withHistory } from './shared/thread-io.ts';

const DESCRIBE_IMAGE_HELP = `What comes back:
- content.text: the answer; content.citations: the sources, where the web was searched.
- continuation.id: pass it as continuation_id to ask more about the same pictures; they need not be given again.

Several pictures are compared in one call; they are numbered in their order. Entries may be paths, data URLs, {filename, content, mime_type}, {uri}, {file_id}, and http or https addresses, which this daemon fetches from public hosts. A picture over a limit of the provider is scaled, with a notice. Videos go to models that take them. The text of a picture of a page is recognised first. ${CALL_TIME_HELP}`;

interface DescribeImageDeps extends AttachmentDeps {
  readonly threads: Pick<Threads, 'open'>;
  readonly locale: string;
}

const NAME = 'describe_image';
const DESCRIBE = 'Describe what is shown.';

/** Answers questions about pictures and videos. */
export function describeImage(deps: DescribeImageDeps): Tool {
  const { threads, locale } = deps;

  function toRequest({ prompt, ...args }: Readonly<Record<string, unknown>>): AskRequest {
    const request = readAskRequest({ ...args, prompt: prompt ?? DESCRIBE });
    const system = systemPrompt(DESCRIBE_IMAGE_PROMPT, { locale, search: request.search });
    // Passages of a text say nothing about a picture.
    return { ...request, system, lastResort: 'none' };
  }

  return defineTool({
    name: NAME,
    title: 'Describe pictures',
    description:
      'Ask about pictures, or compare several: screenshots, diagrams, photos, scans, videos.',
    help: DESCRIBE_IMAGE_HELP,
    input: z.strictObject({
      images: fields.imagesField.optional(),
      prompt: fields.promptField.optional(),
      model: fields.modelField.optional(),
      use_websearch: fields.webSearchField.optional(),
      max_output_tokens: fields.maxOutputField.optional(),
      max_cost_usd: fields.maxCostField.optional(),
      continuation_id: fields.continuationField.optional(),
    }),
    output: z.strictObject({
      text: z.string(),
      finish: z.enum(['stop', 'length', 'tool_calls']),
      citations: CitationsShape.optional(),
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
      const { images, ...rest } = args;
      const prompt = args.prompt ?? DESCRIBE;
      const { principal } = context.caller;
      const id = fields.continuationOf(args);
      const thread = await threads.open({ principal, id, about: prompt });
      const models = [args.model];
      const loaded = await loadAttachments({ images }, thread, deps, context, { models });
      if ('inputRequests' in loaded) return loaded;
      requirePicture(loaded);
      const { texts, media } = loaded;
      const asked = withMedia(toRequest(rest), media);
      const request = { ...asked, ...(texts.length > 0 && { files: texts }) };
      const answer = await context.ask(withHistory(request, thread), {
        onText: (text) => context.progress({ text }),
        ...progressNotes((note) => context.progress({ note })),
      });
      const saved = await saveTurns(thread, turnsOf(prompt, loaded, answer), stickyModel(answer));
      const { text, finish, citations } = answer;
      const notices = [...(finish === 'length' ? [CUT] : []), ...loaded.notices, ...saved.notices];
      return {
        text: `${text}${renderNotices(notices)}${formatCitations(citations)}`,
        content: {
          text,
          finish,
          ...(citations.length > 0 && { citations: citations.map(citationContent) }),
        },
        ...noticeFields(notices),
        ...(saved.continuation && { continuation: saved.continuation }),
      };
    },
  });
}

const CUT = notice('answer_cut', { argument: 'max_output_tokens' });

function requirePicture({ media, texts }: LoadedFiles): void {
  if (media.length > 0 || texts.some(({ document }) => document !== undefined)) return;
  const isText = texts.length > 0;
  const message = isText
    ? '`images` has texts only (an SVG file is one): there is no picture to look at.'
    : '`images` is empty, and the conversation has no picture yet.';
  throw new CallError('validation', message, {
    field: 'images',
    fix: isText
      ? 'Convert it to PNG, or ask about the text with chat and files.'
      : 'Give a path, for example {"images": ["screenshot.png"]}.',
  });
}

function turnsOf(
  prompt: string,
  { kept }: Pick<LoadedFiles, 'kept'>,
  answer: AskAnswer,
): readonly NewTurn[] {
  const stored = `${answer.text}${formatCitations(answer.citations)}`;
  return [
    { role: 'user', tool: NAME, content: prompt, ...(kept.length > 0 && { files: kept }) },
    answerTurn(NAME, stored, answer),
  ];
}
