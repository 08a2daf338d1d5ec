import * as z from 'zod';
import type { Caller } from '#core/calls/call.ts';
import type { AskAnswer, AskRequest } from '#core/llm/ask.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { Continuation, Thread, Threads } from '#core/threads.ts';
import { CALL_TIME_HELP, MODEL_TOOL_TIMEOUT_MS } from '#core/time/call-times.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool, ToolResult } from '#core/tools/tool.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import { APILOOKUP_PROMPT, dayPrompt } from './apilookup.prompt.ts';
import { isMachineOwner } from './reporting/visibility.ts';
import { loadAttachments, withMedia, type AttachmentDeps } from './shared/attachments.ts';
import { citationContent, CitationsShape, formatCitations } from './shared/citations.ts';
import * as fields from './shared/fields.ts';
import { NO_TOOLS, readWantedTools } from './shared/loop-tools.ts';
import {
  answerWithTools,
  EndShape,
  toolsFor,
  withPreviewedTools,
  type AnswerWithTools,
  type ToolLoopDeps,
} from './shared/tool-loop.ts';
import { noticeFields, renderNotices } from './shared/notices.ts';
import { readAskRequest } from './shared/read-ask-request.ts';
import { systemPrompt } from './shared/system-prompt.ts';
import { answerTurn, saveAnswer, withHistory } from './shared/thread-io.ts';

/** Help text of apilookup for `search_tools`. */
const APILOOKUP_HELP = `Name the library or API, the language, your version, and what you want to do with it.

What comes back:
- status success: content has text, finish, citations where there are any, and lookup.
- lookup cited: the answer has sources. uncited: web search was available, but no source was cited. none: the model cannot search, so the answer is from its training; detail says so.
- status error: no model answered; error_class and detail say why, and nothing is stored.
- continuation.id: pass it as continuation_id to continue with this or any other tool.

The provider of the model searches the web; you do not need to search. ${CALL_TIME_HELP}`;

interface ApilookupDeps extends Pick<AttachmentDeps, 'fileIntake'> {
  readonly threads: Pick<Threads, 'open'>;
  readonly toolLoop: ToolLoopDeps;
  /** Tells which providers can search the web. */
  readonly modelDirectory: Pick<ModelDirectory, 'providers' | 'resolve'>;
  readonly locale: string;
}

/** Whether web sources back an answer. */
type Lookup = 'cited' | 'uncited' | 'none';

const NAME = 'apilookup';

export function apilookup(deps: ApilookupDeps): Tool {
  const { threads, modelDirectory, locale, toolLoop } = deps;

  function toRequest(given: Readonly<Record<string, unknown>>, day?: string): AskRequest {
    const { tools: _, use_tools: __, ...args } = given;
    const always = systemPrompt(APILOOKUP_PROMPT, { locale, search: 'on' });
    const system = day === undefined ? always : `${always}\n\n${day}`;
    // An extractive fallback would only quote the question.
    return { ...readAskRequest(args), system, search: 'on', lastResort: 'none' };
  }

  const searches = (id: string) =>
    modelDirectory.providers().some((each) => each.id === id && each.can.includes('web_search'));

  /**
   * Whether to ask the conversation's model again: only if its provider can search, which matters
   * more here than continuity.
   */
  function staysWith({ model }: Thread): boolean {
    if (model === undefined) return true;
    const found = modelDirectory.resolve(model);
    return found.is === 'found' && searches(found.model.provider);
  }

  return defineTool({
    name: NAME,
    title: 'Look up an API',
    description:
      'Looks up current documentation on the web: an API, SDK, library or OS, its latest version, exact signatures and settings, breaking changes and migration. It searches itself and names its sources. Use it before you rely on what you remember.',
    help: APILOOKUP_HELP,
    input: z.strictObject({
      prompt: fields.promptField,
      files: fields.filesField.optional(),
      model: fields.modelField.optional(),
      thinking_mode: fields.thinkingField.optional(),
      tools: fields.toolNamesField.optional(),
      use_tools: fields.useToolsField.optional(),
      continuation_id: fields.continuationField.optional(),
    }),
    output: z.strictObject({
      text: z.string(),
      finish: z.enum(['stop', 'length', 'tool_calls']),
      lookup: z
        .enum(['cited', 'uncited', 'none'])
        .describe('Whether the web stands behind it: with sources, without, or not at all.'),
      citations: CitationsShape.optional(),
      ended: EndShape.optional().describe('Present if the model had to stop calling tools.'),
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
      const { files: _, ...rest } = args;
      const asked = toRequest(rest, dayPrompt(context.metadata.timestamp_local));
      const request = { ...withMedia(asked, media), ...(texts.length > 0 && { files: texts }) };
      const stays = staysWith(thread);
      const { lockedModel, ...open } = withHistory(request, thread);
      const answered = await answerWithTools(
        stays && lockedModel !== undefined ? { ...open, lockedModel } : open,
        offered,
        context,
        toolLoop,
        {
          onText: (text) => context.progress({ text }),
          onNote: (note) => context.progress({ note }),
        },
      );
      const { answer } = answered;
      const lookup = lookupOf(answer, searches(answer.provider) ? 'able' : 'unable');
      const turns = turnsOf(prompt, kept, answer);
      const saved = await saveAnswer(thread, turns, answer, stays ? 'stays' : 'open');
      const notices = [
        ...answered.notices,
        ...view.notices,
        ...lookupNotices(lookup, answer, modelDirectory, context.caller),
        ...saved.notices,
      ];
      return toToolAnswer(answered, lookup, notices, saved.continuation);
    },
  });
}

function lookupOf({ citations }: AskAnswer, search: 'able' | 'unable'): Lookup {
  if (citations.length > 0) return 'cited';
  return search === 'able' ? 'uncited' : 'none';
}

function lookupNotices(
  lookup: Lookup,
  { model }: AskAnswer,
  modelDirectory: ApilookupDeps['modelDirectory'],
  caller: Caller,
): readonly Notice[] {
  if (lookup === 'cited') return [];
  if (lookup === 'uncited') return [notice('no_source', {})];
  const searching = modelDirectory.providers().filter(({ can }) => can.includes('web_search'));
  const isNoneSetUp = searching.every(({ configured }) => !configured);
  // Of the providers that search, GLM names its sources. Only the owner is told how to set it up.
  const best = searching.find(({ id }) => id === 'glm') ?? searching[0];
  const fix = isMachineOwner(caller) ? best?.fix : undefined;
  return [
    notice('not_looked_up', {
      model,
      searchProviders: isNoneSetUp ? 'none' : 'some',
      ...(fix !== undefined && { fix }),
    }),
  ];
}

function turnsOf(prompt: string, kept: readonly string[], answer: AskAnswer): readonly NewTurn[] {
  const files = kept.length > 0 ? { files: kept } : {};
  const storedText = `${answer.text}${formatCitations(answer.citations)}`;
  return [
    { role: 'user', tool: NAME, content: prompt, ...files },
    answerTurn(NAME, storedText, answer),
  ];
}

const CUT = notice('answer_cut', {});

function toToolAnswer(
  { answer, ended, askReports, failure }: AnswerWithTools,
  lookup: Lookup,
  others: readonly Notice[],
  continuation: Continuation | undefined,
): ToolResult {
  const { text, citations, finish } = answer;
  const notices = [...(finish === 'length' ? [CUT] : []), ...others];
  return {
    text: `${text}${renderNotices(notices)}${formatCitations(citations)}`,
    content: {
      text,
      finish,
      lookup,
      ...(citations.length > 0 && { citations: citations.map(citationContent) }),
      ...(ended && { ended }),
    },
    ...noticeFields(notices),
    ...(continuation && { continuation }),
    ...(askReports && { askReports }),
    ...failure,
  };
}
