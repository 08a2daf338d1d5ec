import { CallError } from '#core/errors/call-error.ts';
import type { FileIndex, FoundPassage } from '#core/files/file-index.ts';
import type { FileInput } from '#core/files/file-input.ts';
import type { LoadedFiles } from '#core/files/file-intake.ts';
import { describePassagePlace } from '#core/files/passage.ts';
import type { CheckSentTexts, SentText } from '#core/files/sent-texts.ts';
import type { AskAnswer } from '#core/llm/ask.ts';
import type { LeftOutReason } from '#core/messages/file-notices.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import type { CitableFiles } from './citable-files.ts';
import { fitPassages, passageFiles } from './passage-files.ts';

/** The passages that a question is answered from. */
export interface ChosenPassages {
  readonly files: CitableFiles;
  readonly notices: readonly Notice[];
  readonly kept: readonly string[];
}

interface PassageQuestion {
  readonly prompt: string;
  readonly inputs: readonly FileInput[];
  /** What the conversation has kept. */
  readonly earlier: readonly string[];
}

interface PassagesDeps {
  readonly fileIndex: FileIndex;
  readonly checkSentTexts?: CheckSentTexts;
}

/** More passages than these seldom help, and cost. */
const MAX_TOKENS = 24_000;
const MAX_PASSAGES = 200;
/** No window holds more, and the extractive fallback would not look at the rest. */
const MAX_WHOLE_CHARS = 10_000_000;
/** For a model with a small window. */
const FEW_TOKENS = 3_000;

const TOO_MUCH: Partial<Record<LeftOutReason, true>> = {
  full: true,
  too_many: true,
  too_large: true,
};

/** Whether files were left out because they are too many or too long, or have more text than one question takes. */
export function isTooMuch({ notices, texts }: Pick<LoadedFiles, 'notices' | 'texts'>): boolean {
  const chars = texts.reduce((sum, { text }) => sum + text.length, 0);
  if (chars > MAX_WHOLE_CHARS) return true;
  return notices.some(
    (each) =>
      each.code === 'files_left_out' && each.params.groups.some((group) => TOO_MUCH[group.reason]),
  );
}

/**
 * Answers a question about files that no context window holds: indexes them, and asks with the
 * passages that match best.
 */
export async function askPassages(
  question: PassageQuestion,
  { fileIndex, checkSentTexts }: PassagesDeps,
  context: ToolContext,
  ask: (files: CitableFiles) => Promise<AskAnswer>,
): Promise<{ readonly answer: AskAnswer; readonly chosen: ChosenPassages } | InputRequired> {
  const { prompt, inputs, earlier } = question;
  const indexed = await fileIndex.add(
    inputs,
    {
      field: 'files',
      origin: 'asked',
      earlier,
      onProgress: ({ done, total, name }) =>
        context.progress({ note: `indexing ${name}`, done, total }),
    },
    context,
  );
  if ('inputRequests' in indexed) return indexed;
  const query = { query: prompt, limit: MAX_PASSAGES, fileIds: indexed.files.map(({ id }) => id) };
  const found = await fileIndex.search(query, context.caller.principal, context.signal);
  if (found.passages.length === 0) throw nothingMatches(indexed.files.length);
  let failure: unknown;
  for (const maxTokens of [MAX_TOKENS, FEW_TOKENS]) {
    const shown = fitPassages(found.passages, maxTokens);
    const files = passageFiles(shown);
    // Files were scanned when they were indexed; secrets may be blocked only since then.
    await checkSentTexts?.(shown.map(sentPassage));
    try {
      const answer = await ask(files);
      const searched = notice('files_searched', {
        ...found.searched,
        shown: shown.length,
        shownFiles: files.cited.length,
      });
      const notices = [...indexed.notices, ...found.notices, searched];
      return { answer, chosen: { files, notices, kept: indexed.kept } };
    } catch (thrown) {
      if (CallError.from(thrown).class !== 'context_length') throw thrown;
      failure = thrown;
    }
  }
  throw failure;
}

function sentPassage({ file, place, text }: FoundPassage): SentText {
  const about = { text, field: 'files', isEarlier: true };
  if (place.is === 'lines') return { ...about, name: file.name, firstLine: place.from };
  return { ...about, name: `${file.name}, ${describePassagePlace(place)}` };
}

function nothingMatches(files: number): CallError {
  return new CallError(
    'not_found',
    `No word of the question is in the ${files === 1 ? 'file, which is too long' : `${files} files, which are too many or too long`} for one question.`,
    { field: 'prompt', fix: 'Ask with words that the files use, or give fewer files.' },
  );
}
